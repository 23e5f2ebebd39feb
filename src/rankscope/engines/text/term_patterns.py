"""Which terms of an index a pattern stands for: a prefix, wildcards, a regular expression, a range, similar words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import TYPE_CHECKING, Final

import numpy as np

from rankscope.engines.text.index_columns import FieldColumns, Numbers, TermColumn
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.queries import Fuzzy, InField, Prefix, Range, Regex, Wildcard, check_time
from rankscope.engines.text.regular_expressions import ANY_SIGN, parse_regex, quoted_sign, select

if TYPE_CHECKING:
    import polars as pl

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


# Terms a few edits away: insert, delete, replace, or swap neighbours; all terms of one length at once.

MOST_TERMS: Final = 50


def similar_terms(reader: IndexReader, node: Fuzzy) -> dict[str, float]:
    """The most similar terms, at most 50, and how similar: 1, or 1 - edits/length of the shorter; never below 0."""
    edits: dict[str, int] = {}
    for _, columns in reader.columns(node.field):
        edits.update(_near_terms(node, columns))
    length = len(node.text)
    similar = dict.fromkeys(edits, 1.0)
    for term, each in edits.items():
        if each:
            similar[term] = float(np.float32(1) - np.float32(each) / np.float32(min(length, len(term))))
    best = sorted(similar, key=lambda term: (-similar[term], term.encode()))[:MOST_TERMS]
    return {term: max(similar[term], 0.0) for term in best}


def _near_terms(node: Fuzzy, columns: FieldColumns) -> Iterator[tuple[str, int]]:
    if node.edits == 0:
        if columns.terms.find(node.text) >= 0:
            yield node.text, 0
        return
    terms = columns.terms.series
    lengths = terms.str.len_chars().to_numpy()
    for length in range(max(1, len(node.text) - node.edits), len(node.text) + node.edits + 1):
        same = terms.filter(lengths == length)
        if not len(same):
            continue
        distance = edit_distances(node.text, same, length)
        near = distance <= node.edits
        yield from zip(same.filter(near), distance[near].tolist(), strict=True)


def edit_distances(word: str, terms: pl.Series, length: int) -> Numbers:
    """Edits from a word to each of the terms, which all have this length.

    >>> import polars as pl
    >>> edit_distances("roam", pl.Series(["foam", "raom", "room"]), 4).tolist()
    [1, 1, 1]
    """
    letters = np.frombuffer("".join(terms).encode("utf-32-le"), dtype=np.uint32).reshape(len(terms), length).T
    wanted = np.frombuffer(word.encode("utf-32-le"), dtype=np.uint32)
    rows = [np.full(len(terms), place, dtype=np.int16) for place in range(length + 1)]
    before: list[Numbers] = []
    for place, letter in enumerate(wanted):
        check_time()
        new: list[Numbers] = [np.full(len(terms), place + 1, dtype=np.int16)]
        for other in range(length):
            changed = rows[other] + (letters[other] != letter)
            best = np.minimum(np.minimum(rows[other + 1], new[other]) + 1, changed)
            if place and other:
                swapped = (letters[other] == wanted[place - 1]) & (letters[other - 1] == letter)
                best = np.where(swapped, np.minimum(best, before[other - 1] + 1), best)
            new.append(best)
        before, rows = rows, new
    return rows[length]
