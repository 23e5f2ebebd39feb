"""The other way round: from each document of a segment to its terms and how often it has them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from rankscope.engines.text.index.columns import FieldColumns, Numbers

AT_ONCE: Final = 1 << 22  # postings that are sorted together
IN_MEMORY: Final = 64 << 20  # bytes; a larger column lies in a temporary file, which is mapped


@dataclass(frozen=True, eq=False)
class DocumentTerms:
    """The terms of document i are `codes` from starts[i] to starts[i + 1], ascending, each so often as `counts` say."""

    starts: Numbers
    codes: Numbers
    counts: Numbers

    @classmethod
    def of(cls, columns: FieldColumns, at_once: int = AT_ONCE) -> DocumentTerms:
        """From postings, so many at once.

        >>> import polars as pl
        >>> from rankscope.engines.text.analysis import ANALYSERS
        >>> from rankscope.engines.text.index.building import build_field
        >>> columns = build_field(pl.Series(["b a b", None, "c b"]), ANALYSERS.parse("standard"))
        >>> found = DocumentTerms.of(columns)
        >>> found.starts.tolist(), found.codes.tolist(), found.counts.tolist()
        ([0, 2, 2, 4], [0, 1, 1, 2], [1, 2, 1, 1])
        """
        lengths = np.zeros(len(columns.lengths), dtype=np.int64)
        for begin, end in _portions(len(columns.docs), at_once):
            lengths += np.bincount(columns.docs[begin:end], minlength=len(lengths))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        codes, counts = _column(len(columns.docs), np.int32), _column(len(columns.docs), columns.counts.dtype)
        free = starts[:-1].copy()
        for begin, end in _portions(len(columns.docs), at_once):
            docs = np.asarray(columns.docs[begin:end])
            order = np.argsort(docs, kind="stable")
            places = _places(docs[order], free)
            codes[places] = (np.searchsorted(columns.starts, np.arange(begin, end), side="right") - 1)[order]
            counts[places] = columns.counts[begin:end][order]
        return cls(starts, codes, counts)

    def rows(self, places: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """The terms of some documents: which of these documents, code and count, one row after another."""
        begins, ends = self.starts[places], self.starts[np.asarray(places) + 1]
        sizes = ends - begins
        shift = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
        where = shift + np.arange(int(sizes.sum()))
        return np.repeat(np.arange(len(places)), sizes), self.codes[where], self.counts[where]


def _portions(count: int, at_once: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(0, count, at_once), count])


def _column(length: int, kind: Any) -> Numbers:
    """Room for numbers: in memory, or where they are many in a file that goes when they do."""
    if length * np.dtype(kind).itemsize <= IN_MEMORY:
        return np.empty(length, dtype=kind)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=kind, mode="w+", shape=(length,))


def _places(docs: Numbers, free: Numbers) -> Numbers:
    """The next free place of each of these documents, which stand in order; they are free no more."""
    first = np.flatnonzero(np.concatenate([[True], docs[1:] != docs[:-1]]))
    sizes = np.diff(first, append=len(docs))
    places: Numbers = free[docs] + np.arange(len(docs)) - np.repeat(first, sizes)
    free[docs[first]] += sizes
    return places
