"""From a block of texts to the columns of a field: distinct tokens filtered once, then one counting sort by term."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.engines.text.analysis.analyser import AnalysedColumn, Analyser, KnownTerms
from rankscope.engines.text.index.columns import FieldColumns, Numbers, TermColumn, narrow

if TYPE_CHECKING:
    import polars as pl


def build_field(texts: pl.Series, analyser: Analyser, known: KnownTerms | None = None) -> FieldColumns:
    """The columns of one field; `known` keeps the terms of tokens from one block to the next.

    >>> import polars as pl
    >>> from rankscope.engines.text.analysis import ANALYSERS
    >>> built = build_field(pl.Series(["a fox, a fox", None, "the fox"]), ANALYSERS.parse("standard"))
    >>> built.terms.series.to_list(), built.docs.tolist(), built.counts.tolist(), built.lengths.tolist()
    (['a', 'fox', 'the'], [0, 0, 2, 2], [2, 2, 1, 1], [4, 0, 2])
    """
    analysed = analyser.analyse_column(texts, known)
    starts, docs, positions = _sorted_by_term(analysed)
    begins = _beginnings(starts, docs)
    places = np.flatnonzero(begins)
    column = TermColumn.of(analysed.terms)
    return FieldColumns(
        text=column.text,
        offsets=column.offsets,
        starts=np.concatenate([[0], np.cumsum(begins, dtype=np.int64)])[starts],
        docs=docs[places],
        counts=narrow(np.diff(places, append=len(docs))),
        position_starts=starts,
        positions=narrow(positions),
        lengths=analysed.lengths.astype(np.int32),
    )


def _sorted_by_term(analysed: AnalysedColumn) -> tuple[Numbers, Numbers, Numbers]:
    """Where the occurrences of each term start, and the document and position of each, by term, document, position."""
    from scipy.sparse import csr_matrix

    rows, count = np.concatenate([[0], np.cumsum(analysed.lengths)]), len(analysed.terms)
    shape = len(analysed.lengths), max(count, 1)
    by_term = csr_matrix((analysed.position, analysed.code, rows), shape=shape).tocsc()
    return by_term.indptr[: count + 1].astype(np.int64), by_term.indices.astype(np.int32), by_term.data


def _beginnings(starts: Numbers, docs: Numbers) -> Numbers:
    """Whether each occurrence is the first of its term in its document."""
    first = np.empty(len(docs), dtype=bool)
    first[:1] = True
    np.not_equal(docs[1:], docs[:-1], out=first[1:])
    first[starts[:-1][starts[:-1] < len(docs)]] = True
    return first
