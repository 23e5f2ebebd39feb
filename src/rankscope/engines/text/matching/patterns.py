"""Terms of a pattern: prefixes and ranges are neighbours in the order of terms, all else is looked for by polars."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from rankscope.engines.text.index.columns import FieldColumns, Numbers, TermColumn
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.query.nodes import InField, Prefix, Range, Regex, Wildcard
from rankscope.engines.text.query.regular_expressions import ANY_SIGN, parse_regex, quoted_sign, select

BEHIND_ALL = b"\xff"  # no term has this byte


def pattern_mask(reader: IndexReader, node: InField) -> Numbers:
    """Whether each document has a term that a pattern matches."""
    mask = np.zeros(reader.count, dtype=bool)
    for base, columns in reader.columns(node.field):
        docs = _documents(columns, matching_terms(node, columns.terms))
        mask[base + docs] = True
    return mask


@singledispatch
def matching_terms(node: InField, terms: TermColumn) -> Numbers:
    """The places of the terms that a pattern matches."""
    raise TypeError(f"{type(node).__name__} is no pattern")


@matching_terms.register
def _(node: Prefix, terms: TermColumn) -> Numbers:
    key = node.text.encode()
    return np.arange(terms.first_from(key), terms.first_from(key + BEHIND_ALL))


@matching_terms.register
def _(node: Range, terms: TermColumn) -> Numbers:
    low, high = 0, len(terms)
    if node.lower is not None:
        low = terms.first_from(node.lower.encode() + (b"" if node.include_lower else b"\0"))
    if node.upper is not None:
        high = terms.first_from(node.upper.encode() + (b"\0" if node.include_upper else b""))
    return np.arange(low, max(low, high))


@matching_terms.register
def _(node: Wildcard, terms: TermColumn) -> Numbers:
    return np.flatnonzero(terms.series.str.contains(rf"\A(?:{wildcard_pattern(node.pattern)})\z").to_numpy())


@matching_terms.register
def _(node: Regex, terms: TermColumn) -> Numbers:
    return np.flatnonzero(select(parse_regex(node.pattern), terms.series.str.contains).to_numpy())


def wildcard_pattern(text: str) -> str:
    """A pattern of polars for a term with wildcards.

    >>> wildcard_pattern("te?t" + chr(92) + "**")
    'te(?s:.)t\\\\x{2A}(?s:.)*'
    """
    parts, signs = [], iter(text)
    for sign in signs:
        if sign == "\\":
            parts.append(quoted_sign(next(signs, "\\")))
        else:
            parts.append({"*": f"{ANY_SIGN}*", "?": ANY_SIGN}.get(sign) or quoted_sign(sign))
    return "".join(parts)


def _documents(columns: FieldColumns, terms: Numbers) -> Numbers:
    """The documents of some terms; one may come several times."""
    starts, ends = columns.starts[terms], columns.starts[terms + 1]
    if len(terms) and terms[-1] - terms[0] == len(terms) - 1:
        return columns.docs[int(starts[0]) : int(ends[-1])]
    sizes = ends - starts
    first = np.cumsum(sizes) - sizes
    return columns.docs[np.repeat(starts - first, sizes) + np.arange(int(sizes.sum()))]
