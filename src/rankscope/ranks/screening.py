"""Screened scores: how many items stand before each hit, and ranks once what is too close to tell is settled.

Sorting whole rows is what costs most, so rows are not sorted. Where few items reach the lowest hit, only those are
looked at. Else the scores fall into bins, which are counted; only items in a bin with a limit in it are looked at.
Bins are made by steps that never change the order of two scores (subtract, multiply, add, truncate, each monotone),
so an item in an earlier bin than a limit is above it. All that takes time leaves Python's lock to other threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import Ragged, changes, ranges

FEW = 1 / 24  # where fewer items than this reach the lowest hit, no bins are made: measured
SAMPLED = 16  # one of so many items says whether they are few
BINS = 512  # at least, where there are items enough
FACTOR = 80  # bins for each hit
OUTSIDE = 4  # bins before and behind those between the limits: no limit is in the last
MOST_BINS = 1 << 22  # at a time: a float32 knows their numbers
CELLS = 1 << 18  # scores in bins at a time, which stay in the cache
Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Counted:
    """For each hit how many items surely stand before it; and the items in doubt, which are not among them.

    `place` is the hit that an item in doubt is too close to, the first one of its row, counted over all rows.
    """

    before: IntArray
    row: IntArray
    item: IntArray
    place: IntArray

    @classmethod
    def join(cls, parts: list[Counted], rows: list[int], places: list[int]) -> Counted:
        """Several parts of a block, which begin at these rows and hits."""
        return cls(
            before=np.concatenate([part.before for part in parts]),
            row=np.concatenate([part.row + row for part, row in zip(parts, rows, strict=True)]),
            item=np.concatenate([part.item for part in parts]),
            place=np.concatenate([part.place + place for part, place in zip(parts, places, strict=True)]),
        )


def float32_limits(low: FloatArray, high: FloatArray) -> tuple[Scores, Scores]:
    """Limits in float32: the nearest values, one step further out where that is nearer to the middle.

    >>> float32_limits(np.array([0.1]), np.array([0.1]))
    (array([0.09999999], dtype=float32), array([0.1], dtype=float32))
    """
    out = np.float32(np.inf)
    with np.errstate(over="ignore"):
        below, above = low.astype(np.float32), high.astype(np.float32)
        below = np.where(below > low, np.nextafter(below, -out), below)
        return below, np.where(above < high, np.nextafter(above, out), above)


def count_block(scores: Scores, limits: Ragged) -> Counted:
    """Count a block: `limits` has `low` and `high` of the hits of each row of scores, best first, so both fall.

    >>> limits = Ragged(np.array([0, 2]), {"low": np.float32([4, 1]), "high": np.float32([5, 2])})
    >>> found = count_block(np.float32([[0, 1.5, 3, 9]]), limits)
    >>> found.before, found.item, found.place
    (array([1, 2]), array([1]), array([1]))
    """
    bounded = _Bounded(limits)
    if limits.size == 0 or scores.size == 0:
        nothing = np.empty(0, dtype=np.int64)
        return bounded.counted(nothing, nothing, np.empty(0, dtype=np.float32), None)
    some = scores[:, ::SAMPLED]
    if np.count_nonzero(some >= bounded.lowest[:, None]) < FEW * some.size:
        row, item = np.divmod(np.flatnonzero(scores >= bounded.lowest[:, None]), scores.shape[1])
        return bounded.counted(row, item, scores[row, item], None)
    step = max(1, min(CELLS // scores.shape[1], MOST_BINS // bins_of_a_row(limits, scores.shape[1])))
    starts = list(range(0, len(scores), step))
    parts = []
    for start in starts:
        rows = np.arange(start, min(start + step, len(scores)))
        parts.append(_by_bins(scores[rows[0] : rows[-1] + 1], _Bounded(limits.take(rows))))
    return Counted.join(parts, starts, limits.offsets[starts].tolist())


class _Bounded:
    """Limits of each row, with one behind them that everything reaches."""

    def __init__(self, limits: Ragged) -> None:
        self.limits = limits
        self.there = np.arange(limits.size) + limits.row
        self.starts = limits.offsets + np.arange(len(limits) + 1)
        self.low, self.high = (np.full(limits.size + len(limits), -np.inf, dtype=np.float32) for _ in range(2))
        self.low[self.there], self.high[:] = limits["low"], np.nan  # and that nothing lies within
        self.high[self.there] = limits["high"]

    @property
    def lowest(self) -> Scores:
        """The lowest limit of each row; nothing reaches that of a row without any."""
        return np.where(self.limits.lengths > 0, self.low[np.maximum(self.starts[1:] - 2, 0)], np.float32(np.inf))

    @property
    def highest(self) -> Scores:
        return np.where(self.limits.lengths > 0, self.high[self.starts[:-1]], np.float32(np.inf))

    def counted(
        self, row: IntArray, item: IntArray, value: Scores, within: tuple[IntArray, IntArray] | None
    ) -> Counted:
        """Counts of items of which each reaches the lowest limit of its row; `within` says among which it must be."""
        first, many = (self.starts[row], self.limits.lengths[row]) if within is None else within
        # The first limit each value reaches, among so many from the first on; the one behind them if it is none.
        passed = np.zeros(value.size, dtype=np.int64)
        half = 1 << max(0, int(many.max(initial=0)).bit_length() - 1)
        while half:
            at = first + np.minimum(passed + (half - 1), many)
            passed += half * (self.low[at] > value)
            half >>= 1
        reached = first + np.minimum(passed, many)
        close = value <= self.high[reached]
        total = np.cumsum(np.bincount(reached[~close], minlength=self.low.size))
        before_row = np.concatenate([[0], total])[self.starts[:-1]]
        return Counted(
            before=total[self.there] - before_row[self.limits.row],
            row=row[close],
            item=item[close],
            place=reached[close] - row[close],
        )


def _by_bins(scores: Scores, bounded: _Bounded) -> Counted:
    """Whole bins are counted at once, and the items of those with a limit in them one by one."""
    limits, bins = bounded.limits, _Bins.of(bounded, scores.shape[1])
    flat = bins.numbers(scores, slice(None), np.newaxis)
    top, end = (bins.numbers(limits[side], limits.row) for side in ("high", "low"))
    is_hot = bins.with_limits(top, end)
    hot = np.flatnonzero(is_hot)
    number = np.bincount(flat.ravel(), minlength=bins.size)
    number[hot] = 0
    total = np.cumsum(number, out=number)
    before = total[end] - np.concatenate([[0], total[bins.wide - 1 :: bins.wide]])[limits.row]
    place = np.flatnonzero(is_hot.take(flat, mode="clip"))
    row, item = np.divmod(place, scores.shape[1])
    first = np.searchsorted(end, hot)
    many = np.searchsorted(end, hot, side="right") - first
    order = np.empty(bins.size, dtype=np.int32)  # of no meaning where no limit is
    order[hot] = np.arange(hot.size)
    mine = order[flat.ravel()[place]]
    found = bounded.counted(row, item, scores.ravel()[place], (first[mine] + row, many[mine]))
    return Counted(before=found.before + before, row=found.row, item=found.item, place=found.place)


def bins_of_a_row(limits: Ragged, items: int) -> int:
    """So many for each hit of the longest list, but fewer than there are items."""
    most = int(limits.lengths.max(initial=0))
    return OUTSIDE + min(max(FACTOR * most, BINS), max(items // 4, 1))


@dataclass(frozen=True)
class _Bins:
    """Bins of each row from its best limit to its worst, all of one width, and some before and behind."""

    top: Scores
    factor: Scores
    first: Scores  # the number of the first bin of each row
    wide: int

    @classmethod
    def of(cls, bounded: _Bounded, items: int) -> _Bins:
        wide = bins_of_a_row(bounded.limits, items)
        count = wide - OUTSIDE
        with np.errstate(all="ignore"):
            factor = count / (bounded.highest - bounded.lowest)
            usable = np.isfinite(factor) & (factor > 0) & np.isfinite(bounded.highest)
        first = np.arange(len(bounded.limits), dtype=np.float32) * np.float32(wide)
        narrow: Scores = np.where(usable, factor, 1).astype(np.float32)
        return cls(np.where(usable, bounded.highest, 0).astype(np.float32), narrow, first, wide)

    @property
    def size(self) -> int:
        return self.first.size * self.wide

    def numbers(self, values: Scores, row: Any, *more: None) -> IntArray:
        """The bin of each value; a worse one is in a later bin, or in the same."""
        top, factor, first = (each[(row, *more)] for each in (self.top, self.factor, self.first))
        with np.errstate(all="ignore"):
            place = np.subtract(top, values)
            np.multiply(place, factor, out=place)
        np.add(place, first + np.float32(1), out=place)
        np.clip(place, first, first + np.float32(self.wide - 1), out=place)
        return place.astype(np.int32).astype(np.int64)

    def with_limits(self, top: IntArray, end: IntArray) -> BoolArray:
        """Which bins lie between the limits of any hit."""
        result = np.zeros(self.size, dtype=np.bool_)
        result[top] = result[end] = True
        wider = end - top > 1
        result[ranges(top[wider] + 1, (end - top)[wider] - 1)] = True
        return result


@dataclass(frozen=True)
class Ranked:
    """Ranks of the hits of each query, ascending, and the groups of equal scores that hold a hit."""

    rank: IntArray
    ties: Ragged  # start and size


@dataclass(frozen=True)
class Close:
    """Items that are no hits and too close to some: row, item, reference, and the first hit each may stand before."""

    row: IntArray
    item: IntArray
    score: FloatArray
    place: IntArray

    @classmethod
    def none(cls) -> Close:
        nothing = np.empty(0, dtype=np.int64)
        return cls(row=nothing, item=nothing, score=np.empty(0), place=nothing)


@dataclass(frozen=True)
class Placed:
    """Where close items stand, as counts for each hit: such counts of several parts of a collection may be added.

    `before` counts those that stand before a hit; `others` those with the score of a hit that is the first with it, and
    `earlier` those of them that stand before it.
    """

    before: IntArray
    others: IntArray
    earlier: IntArray


def place_close(hits: Ragged, close: Close) -> Placed:
    """Count close items for each hit.

    >>> hits = Ragged(np.array([0, 2]), {"item": np.array([1, 4]), "score": np.array([.5, .2])})
    >>> close = Close(row=np.array([0]), item=np.array([0]), score=np.array([.5]), place=np.array([0]))
    >>> placed = place_close(hits, close)
    >>> placed.before, placed.others, placed.earlier
    (array([1, 1]), array([1, 0]), array([1, 0]))
    """
    end = hits.offsets[close.row + 1]
    reached = moved_on(close.place, end, lambda at, who: hits["score"][at] > close.score[who])
    behind = moved_on(
        reached,
        end,
        lambda at, who: (hits["score"][at] == close.score[who]) & (hits["item"][at] < close.item[who]),
    )
    entered = np.bincount(behind[behind < end], minlength=hits.size)
    equal = reached < end
    equal[equal] = hits["score"][reached[equal]] == close.score[equal]
    others = np.bincount(reached[equal], minlength=hits.size)
    earlier = np.bincount(reached[equal & (behind == reached)], minlength=hits.size)
    return Placed(before=hits.running(entered), others=others, earlier=earlier)


def final_ranks(hits: Ragged, before: IntArray, close: Close) -> Ranked:
    """Final ranks; `hits` has item and score, best first, the earlier of two equals first.

    `before` counts the items that stand before each hit but for the close ones. Items equal to a hit are all close or
    hits themselves.
    >>> hits = Ragged(np.array([0, 2]), {"item": np.array([1, 4]), "score": np.array([.5, .2])})
    >>> close = Close(row=np.array([0]), item=np.array([0]), score=np.array([.5]), place=np.array([0]))
    >>> final_ranks(hits, np.array([0, 1]), close).rank, final_ranks(hits, np.array([0, 1]), close).ties["size"]
    (array([2, 4]), array([2]))
    """
    return ranks_of_placed(hits, before, place_close(hits, close))


def ranks_of_placed(hits: Ragged, before: IntArray, placed: Placed) -> Ranked:
    """The same where close items are counted already."""
    rank = hits.position + before + placed.before
    if hits.size == 0:
        return Ranked(rank, Ragged.empty(len(hits), "start", "size"))
    first = np.flatnonzero(changes(hits.row, hits["score"]))
    size = np.diff(np.append(first, hits.size)) + placed.others[first]
    first, size = first[size >= 2], size[size >= 2]
    start = rank[first] - placed.earlier[first]
    return Ranked(rank, Ragged.from_rows(hits.row[first], len(hits), start=start, size=size))


def moved_on(place: IntArray, end: IntArray, passes: Callable[[IntArray, IntArray], BoolArray]) -> IntArray:
    """The first place from each on, up to its end, that is not passed; it is rarely far."""
    place, who = place.copy(), np.flatnonzero(place < end)
    while who.size:
        who = who[passes(place[who], who)]
        place[who] += 1
        who = who[place[who] < end[who]]
    return place
