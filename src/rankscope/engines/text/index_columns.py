"""The columns of one field of one segment: terms in order with documents, counts and positions; lengths, and the
vocabulary of all segments.
"""

from __future__ import annotations

import bisect
import tempfile
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core.errors import SettingError
from rankscope.engines.text.analysers import Analyser, KnownTerms

Numbers: TypeAlias = NDArray[Any]  # whole numbers of the width that they need


@dataclass(frozen=True, eq=False)
class TermColumn:
    """Distinct terms in the order of code points: their bytes one after another, each with a line break behind it."""

    text: Numbers
    offsets: Numbers  # where each term begins, and where one more would begin

    @classmethod
    def of(cls, terms: pl.Series) -> TermColumn:
        """From terms in order, none of which holds a line break.

        >>> column = TermColumn.of(pl.Series(["fox", "über"]))
        >>> len(column), column[1], column.find("fox"), column.find("foxes")
        (2, 'über', 0, -1)
        """
        lengths = terms.str.len_bytes().to_numpy().astype(np.int64) + 1
        whole = "".join([*terms.str.join("\n"), "\n"]) if len(terms) else ""
        if whole.count("\n") != len(terms):
            raise SettingError("an analyser gives a term with a line break in it, which no index can hold")
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return cls(np.frombuffer(whole.encode(), dtype=np.uint8), offsets)

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "offsets": self.offsets}  # what is made of them does not travel

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> str:
        return self._bytes_at(place).decode()

    def find(self, term: str) -> int:
        """The place of a term, or -1."""
        key = term.encode()
        place = self.first_from(key)
        return place if place < len(self) and self._bytes_at(place) == key else -1

    def first_from(self, key: bytes) -> int:
        """How many terms stand before these bytes in the order."""
        return bisect.bisect_left(range(len(self)), key, key=self._bytes_at)

    @cached_property
    def series(self) -> pl.Series:
        return self.slice(0, len(self))

    def slice(self, start: int, stop: int) -> pl.Series:
        """Some terms as a column of polars."""
        text, offsets = self._views
        whole = text[offsets[start] : offsets[stop]].tobytes().decode()
        lines = pl.Series([whole.removesuffix("\n")], dtype=pl.String)
        return lines.str.split("\n").explode() if stop > start else lines.clear()

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview]:
        text: Any = self.text
        offsets: Any = self.offsets
        return memoryview(text), memoryview(offsets)

    def _bytes_at(self, place: int) -> bytes:
        text, offsets = self._views
        return text[offsets[place] : offsets[place + 1] - 1].tobytes()


@dataclass(frozen=True, eq=False)
class FieldColumns:
    """All of one field of one segment, as arrays that may lie in files.

    The postings of term i are those from starts[i] to starts[i + 1]; their positions begin at position_starts[i].
    """

    text: Numbers
    offsets: Numbers
    starts: Numbers
    docs: Numbers
    counts: Numbers
    position_starts: Numbers
    positions: Numbers
    lengths: Numbers  # of every document of the segment, in terms

    @cached_property
    def terms(self) -> TermColumn:
        return TermColumn(self.text, self.offsets)

    @cached_property
    def documents(self) -> int:
        return int(np.count_nonzero(self.lengths))

    @cached_property
    def tokens(self) -> int:
        return len(self.positions)

    @cached_property
    def by_document(self) -> DocumentTerms:
        return DocumentTerms.of(self)


ARRAYS: tuple[str, ...] = tuple(each.name for each in fields(FieldColumns))


def narrow_numbers(numbers: Numbers, largest: int | None = None) -> Numbers:
    """The same whole numbers from 0 in as few bytes as the largest needs, but never 8 where 4 do.

    >>> narrow_numbers(np.array([1, 300])).dtype
    dtype('uint16')
    """
    top = largest if largest is not None else int(numbers.max(initial=0))
    kinds = (np.uint8, np.uint16, np.int32, np.int64)
    return numbers.astype(next(kind for kind in kinds if top <= np.iinfo(kind).max), copy=False)


# From a block of texts to the columns of a field: distinct tokens filtered once, then one counting sort by term.


def build_field(texts: pl.Series, analyser: Analyser, known: KnownTerms | None = None) -> FieldColumns:
    """The columns of one field; `known` keeps the terms of tokens from one block to the next.

    >>> from rankscope.engines.text.analysers import ANALYSERS
    >>> built = build_field(pl.Series(["a fox, a fox", None, "the fox"]), ANALYSERS.parse("standard"))
    >>> built.terms.series.to_list(), built.docs.tolist(), built.counts.tolist(), built.lengths.tolist()
    (['a', 'fox', 'the'], [0, 0, 2, 2], [2, 2, 1, 1], [4, 0, 2])
    """
    from scipy.sparse import csr_matrix

    analysed = analyser.analyse_column(texts, known)
    # Where the occurrences of each term start, and their documents and positions, by term, document and position.
    rows, count = np.concatenate([[0], np.cumsum(analysed.lengths)]), len(analysed.terms)
    shape = len(analysed.lengths), max(count, 1)
    by_term = csr_matrix((analysed.position, analysed.code, rows), shape=shape).tocsc()
    starts, docs = by_term.indptr[: count + 1].astype(np.int64), by_term.indices.astype(np.int32)
    # Whether each occurrence is the first of its term in its document.
    first = np.empty(len(docs), dtype=bool)
    first[:1] = True
    np.not_equal(docs[1:], docs[:-1], out=first[1:])
    first[starts[:-1][starts[:-1] < len(docs)]] = True
    places = np.flatnonzero(first)
    column = TermColumn.of(analysed.terms)
    return FieldColumns(
        text=column.text,
        offsets=column.offsets,
        starts=np.concatenate([[0], np.cumsum(first, dtype=np.int64)])[starts],
        docs=docs[places],
        counts=narrow_numbers(np.diff(places, append=len(docs))),
        position_starts=starts,
        positions=narrow_numbers(by_term.data),
        lengths=analysed.lengths.astype(np.int32),
    )


def columns_of_ids(ids: pl.Series) -> FieldColumns:
    """The columns of a field that has nothing but the id of each document.

    >>> columns = columns_of_ids(pl.Series(["b", "a"]))
    >>> columns.terms[0], columns.docs.tolist()
    ('a', [1, 0])
    """
    order = ids.arg_sort().to_numpy().astype(np.int32)
    column = TermColumn.of(ids.gather(order))
    count = len(ids)
    starts = np.arange(count + 1)
    return FieldColumns(
        text=column.text,
        offsets=column.offsets,
        starts=starts,
        docs=order,
        counts=np.ones(count, dtype=np.uint8),
        position_starts=starts,
        positions=np.zeros(count, dtype=np.uint8),
        lengths=np.ones(count, dtype=np.uint8),
    )


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Terms in the order of code points; `codes` says for each segment where in this list its own terms stand."""

    terms: pl.Series
    documents: Numbers
    occurrences: Numbers
    codes: tuple[Numbers, ...]
    _made: dict[Hashable, Numbers] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, segments: Sequence[FieldColumns]) -> Vocabulary:
        """From the columns of a field in each segment that has it."""
        own = [columns.terms.series.rename("term") for columns in segments]
        terms = pl.concat(own).unique().sort() if len(own) > 1 else (own or [pl.Series("term", [], pl.String)])[0]
        table = terms.to_frame("term").with_row_index("code")
        codes = tuple(  # the place of each of a segment's terms among all
            np.arange(len(each))
            if len(each) == len(terms)
            else each.to_frame("term").join(table, on="term", how="left", maintain_order="left")["code"].to_numpy()
            for each in own
        )
        documents, occurrences = (np.zeros(len(terms), dtype=np.int64) for _ in range(2))
        for columns, places in zip(segments, codes, strict=True):
            documents[places] += np.diff(columns.starts)
            occurrences[places] += np.diff(columns.position_starts)
        return cls(terms, documents, occurrences, codes)

    def __len__(self) -> int:
        return len(self.terms)

    def remember(self, key: Hashable, make: Callable[[], Numbers]) -> Numbers:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


# The other way round: from each document of a segment to its terms and how often it has them.

POSTINGS_AT_ONCE: Final = 1 << 22  # postings that are sorted together
IN_MEMORY: Final = 64 << 20  # bytes; a larger column lies in a temporary file, which is mapped


@dataclass(frozen=True, eq=False)
class DocumentTerms:
    """The terms of document i are `codes` from starts[i] to starts[i + 1], ascending, each so often as `counts` say."""

    starts: Numbers
    codes: Numbers
    counts: Numbers

    @classmethod
    def of(cls, columns: FieldColumns, at_once: int = POSTINGS_AT_ONCE) -> DocumentTerms:
        """From postings, so many at once.

        >>> from rankscope.engines.text.analysers import ANALYSERS
        >>> columns = build_field(pl.Series(["b a b", None, "c b"]), ANALYSERS.parse("standard"))
        >>> found = DocumentTerms.of(columns)
        >>> found.starts.tolist(), found.codes.tolist(), found.counts.tolist()
        ([0, 2, 2, 4], [0, 1, 1, 2], [1, 2, 1, 1])
        """
        lengths = np.zeros(len(columns.lengths), dtype=np.int64)
        for begin, end in _posting_portions(len(columns.docs), at_once):
            lengths += np.bincount(columns.docs[begin:end], minlength=len(lengths))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        kinds = (np.int32, columns.counts.dtype)
        codes, counts = (_room_for_column(len(columns.docs), kind) for kind in kinds)
        free = starts[:-1].copy()
        for begin, end in _posting_portions(len(columns.docs), at_once):
            docs = np.asarray(columns.docs[begin:end])
            order = np.argsort(docs, kind="stable")
            # The next free place of each of these documents, which stand in order; they are free no more.
            docs = docs[order]
            first = np.flatnonzero(np.concatenate([[True], docs[1:] != docs[:-1]]))
            sizes = np.diff(first, append=len(docs))
            places = free[docs] + np.arange(len(docs)) - np.repeat(first, sizes)
            free[docs[first]] += sizes
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


def _posting_portions(count: int, at_once: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(0, count, at_once), count])


def _room_for_column(length: int, kind: Any) -> Numbers:
    """Room for numbers: in memory, or where they are many in a file that goes when they do."""
    if length * np.dtype(kind).itemsize <= IN_MEMORY:
        return np.empty(length, dtype=kind)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=kind, mode="w+", shape=(length,))


# Lengths of documents as Lucene keeps them in a byte: exact to 40, then ever more coarse.

EXACT_CODES: Final = 24  # codes below it are the lengths themselves


COARSE_CODES: Final = range(8, 256 - EXACT_CODES)  # counted from there on
CODED_LENGTHS: Final = np.array(
    [*range(EXACT_CODES + 8), *(EXACT_CODES + ((8 + each % 8) << (each // 8 - 1)) for each in COARSE_CODES)], np.int64
)


def coarse_lengths(lengths: Numbers) -> Numbers:
    """The largest length that a byte can say and that is not above each.

    >>> coarse_lengths(np.array([41, 55, 59, 100, 1000, 12345])).tolist()
    [40, 54, 56, 96, 984, 12312]
    """
    return CODED_LENGTHS[np.searchsorted(CODED_LENGTHS, lengths, side="right") - 1]
