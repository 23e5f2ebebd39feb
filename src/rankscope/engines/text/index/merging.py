"""Several segments made one, a range of terms at a time, so that memory stays flat at any size.

Documents keep their order, segment after segment; deleted ones are left out, and with them what they alone held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from rankscope.digests import FileDigest
from rankscope.engines.text.index.array_files import ArrayWriter, TotalsWriter, array_writer, read_slice
from rankscope.engines.text.index.columns import ARRAYS, FieldColumns, Numbers, TermColumn

if TYPE_CHECKING:
    import polars as pl

MOST_POSTINGS: Final = 1_000_000  # merged at a time
MOST_TERMS: Final = 100_000
TOTALS: Final = ("offsets", "starts", "position_starts")
Spans = tuple[tuple[int, int], ...]  # of each source, from which term to which


@dataclass(frozen=True, eq=False)
class MergedSegment:
    """One segment to be merged: its columns of a field, where its documents begin, and which of them stay."""

    columns: FieldColumns
    base: int
    live: Numbers

    @cached_property
    def numbers(self) -> Numbers:
        """The new number of each document."""
        return (self.base + np.cumsum(self.live) - 1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class TermPostings:
    """Postings of consecutive terms of one source: how many each term has, and those themselves."""

    terms: pl.Series
    postings: Numbers
    occurrences: Numbers
    docs: Numbers
    counts: Numbers
    positions: Numbers


@dataclass(frozen=True, eq=False)
class Target:
    """Where the merged columns are written."""

    arrays: dict[str, ArrayWriter]
    totals: dict[str, TotalsWriter]

    def write_terms(self, terms: pl.Series, postings: Numbers, occurrences: Numbers) -> None:
        """Terms, and how many postings and occurrences each has."""
        column = TermColumn.of(terms)
        self.arrays["text"].write(column.text)
        self.totals["offsets"].write(np.diff(column.offsets))
        self.totals["starts"].write(postings)
        self.totals["position_starts"].write(occurrences)

    def write_postings(self, docs: Numbers, counts: Numbers, positions: Numbers) -> None:
        """The postings of terms."""
        self.arrays["docs"].write(docs)
        self.arrays["counts"].write(counts)
        self.arrays["positions"].write(positions)


def merge_field(sources: Sequence[MergedSegment], folder: Path, prefix: str, records: dict[str, FileDigest]) -> None:
    """Write the columns of one field of all sources into files of a folder."""
    with ExitStack() as stack:
        arrays = {
            name: stack.enter_context(array_writer(folder / f"{prefix}.{name}.npy", _width(sources, name), records))
            for name in ARRAYS
        }
        for source in sources:
            arrays["lengths"].write(read_slice(source.columns.lengths, 0, len(source.live))[source.live])
        target = Target(arrays, {name: TotalsWriter(arrays[name]) for name in TOTALS})
        for spans in _ranges(sources):
            if _postings(sources, spans) > MOST_POSTINGS:
                _copy_one_term(sources, spans, target)
            else:
                _merge_range(sources, spans, target)


def _width(sources: Sequence[MergedSegment], name: str) -> np.dtype[np.generic]:
    return max((getattr(source.columns, name).dtype for source in sources), key=lambda dtype: dtype.itemsize)


def _ranges(sources: Sequence[MergedSegment]) -> Iterator[Spans]:
    """Ranges of terms that cover all, in order, each with few postings or of a single term."""
    largest = max(sources, key=lambda source: len(source.columns.terms)).columns.terms
    edges = [_places(sources, largest[place]) for place in range(MOST_TERMS, len(largest), MOST_TERMS)]
    edges = [(0,) * len(sources), *edges, tuple(len(source.columns.terms) for source in sources)]
    for low, high in pairwise(edges):
        yield from _halves(sources, tuple(zip(low, high, strict=True)))


def _halves(sources: Sequence[MergedSegment], spans: Spans) -> Iterator[Spans]:
    """A range, or parts of it that have few postings or a single term."""
    first, last = _ends(sources, spans)
    if first is None:
        return
    if first == last or _postings(sources, spans) <= MOST_POSTINGS:
        yield spans
        return
    low, high = max(spans, key=lambda span: span[1] - span[0])
    widest = sources[spans.index((low, high))].columns.terms
    middle = _places(sources, widest[(low + high) // 2] if high - low > 1 else last or "")
    yield from _halves(sources, tuple((low, each) for (low, _), each in zip(spans, middle, strict=True)))
    yield from _halves(sources, tuple((each, high) for (_, high), each in zip(spans, middle, strict=True)))


def _places(sources: Sequence[MergedSegment], term: str) -> tuple[int, ...]:
    """How many terms of each source stand before a term."""
    return tuple(source.columns.terms.first_from(term.encode()) for source in sources)


def _ends(sources: Sequence[MergedSegment], spans: Spans) -> tuple[str | None, str | None]:
    """The first and the last term of a range."""
    there = [(source.columns.terms, *span) for source, span in zip(sources, spans, strict=True) if span[0] < span[1]]
    first = min((terms[low] for terms, low, _ in there), key=str.encode, default=None)
    return first, max((terms[high - 1] for terms, _, high in there), key=str.encode, default=None)


def _postings(sources: Sequence[MergedSegment], spans: Spans) -> int:
    starts = [source.columns.starts for source in sources]
    return int(sum(start[high] - start[low] for start, (low, high) in zip(starts, spans, strict=True)))


def _merge_range(sources: Sequence[MergedSegment], spans: Spans, target: Target) -> None:
    """Terms of all sources in one order; of each term the postings of the first source, then of the second."""
    parts = [_read(source, *span) for source, span in zip(sources, spans, strict=True) if span[0] < span[1]]
    terms, codes = _joined_terms(parts)
    postings = _totals(codes, [part.postings for part in parts], len(terms))
    occurrences = _totals(codes, [part.occurrences for part in parts], len(terms))
    kept = postings > 0
    target.write_terms(terms.filter(kept), postings[kept], occurrences[kept])
    of_postings = _interleaved(codes, [part.postings for part in parts], postings)
    of_positions = _interleaved(codes, [part.occurrences for part in parts], occurrences)
    target.write_postings(
        _placed([part.docs for part in parts], of_postings),
        _placed([part.counts for part in parts], of_postings),
        _placed([part.positions for part in parts], of_positions),
    )


def _copy_one_term(sources: Sequence[MergedSegment], spans: Spans, target: Target) -> None:
    """A term with very many postings, copied in pieces."""
    import polars as pl

    postings = occurrences = 0
    term = _ends(sources, spans)[0]
    for source, (low, high) in zip(sources, spans, strict=True):
        for piece in _pieces(source, low) if low < high else ():
            postings, occurrences = postings + len(piece.docs), occurrences + len(piece.positions)
            target.write_postings(piece.docs, piece.counts, piece.positions)
    if postings:
        target.write_terms(pl.Series([term]), np.array([postings]), np.array([occurrences]))


def _pieces(source: MergedSegment, term: int) -> Iterator[TermPostings]:
    columns = source.columns
    place, end = int(columns.starts[term]), int(columns.starts[term + 1])
    position = int(columns.position_starts[term])
    while place < end:
        upto = min(place + MOST_POSTINGS, end)
        occurrences = int(read_slice(columns.counts, place, upto).sum(dtype=np.int64))
        yield _filtered(source, columns.terms.slice(term, term + 1), (place, upto), (position, position + occurrences))
        place, position = upto, position + occurrences


def _read(source: MergedSegment, low: int, high: int) -> TermPostings:
    """The postings of some terms of a source, without those of deleted documents."""
    columns = source.columns
    return _filtered(
        source,
        columns.terms.slice(low, high),
        (int(columns.starts[low]), int(columns.starts[high])),
        (int(columns.position_starts[low]), int(columns.position_starts[high])),
        np.diff(read_slice(columns.starts, low, high + 1)),
    )


def _filtered(
    source: MergedSegment,
    terms: pl.Series,
    place: tuple[int, int],
    position: tuple[int, int],
    sizes: Numbers | None = None,
) -> TermPostings:
    """Postings from place to place; `sizes` says how many each term has, where there are several terms."""
    docs, counts = read_slice(source.columns.docs, *place), read_slice(source.columns.counts, *place)
    positions = read_slice(source.columns.positions, *position)
    owner = np.repeat(np.arange(len(terms)), sizes if sizes is not None else [len(docs)])
    kept = source.live[docs]
    if not kept.all():
        positions = positions[np.repeat(kept, counts)]
        docs, counts, owner = docs[kept], counts[kept], owner[kept]
    return TermPostings(
        terms=terms,
        postings=np.bincount(owner, minlength=len(terms)),
        occurrences=np.bincount(owner, weights=counts, minlength=len(terms)).astype(np.int64),
        docs=source.numbers[docs],
        counts=counts,
        positions=positions,
    )


def _joined_terms(parts: Sequence[TermPostings]) -> tuple[pl.Series, list[Numbers]]:
    """All terms in order, and the places of those of each part."""
    import polars as pl

    terms = pl.concat([part.terms for part in parts]).unique().sort()
    kind = pl.Enum(terms)
    return terms, [part.terms.cast(kind).to_physical().to_numpy() for part in parts]


def _totals(codes: Sequence[Numbers], counts: Sequence[Numbers], size: int) -> Numbers:
    total = np.zeros(size, dtype=np.int64)
    for code, count in zip(codes, counts, strict=True):
        total[code] += count
    return total


def _interleaved(codes: Sequence[Numbers], counts: Sequence[Numbers], totals: Numbers) -> list[Numbers]:
    """For each part, where its entries go when those of one term stand together."""
    free = np.cumsum(totals) - totals
    places = []
    for code, count in zip(codes, counts, strict=True):
        begins = np.cumsum(count) - count
        places.append(np.repeat(free[code] - begins, count) + np.arange(int(count.sum())))
        free[code] += count
    return places


def _placed(values: Sequence[Numbers], places: Sequence[Numbers]) -> Numbers:
    size = sum(map(len, values))
    result = np.empty(size, dtype=max((each.dtype for each in values), key=lambda dtype: dtype.itemsize))
    for value, place in zip(values, places, strict=True):
        result[place] = value
    return result
