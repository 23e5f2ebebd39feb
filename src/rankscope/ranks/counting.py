"""How many items stand above each hit, and which are too close to tell, from a block of screened scores.

Sorting whole rows is what costs most, so rows are not sorted. Where few items reach the lowest hit, only those are
looked at. Else the scores fall into bins, which are counted; only items in a bin with a limit in it are looked at.
Bins are made by steps that never change the order of two scores (subtract, multiply, truncate, each monotone), so an
item in a higher bin than a limit is above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, IntArray
from rankscope.ranks.keys import ITEMS, ROWS, Keys, items_of, keys_of, rows_of
from rankscope.ranks.ragged import Ragged, ranges

FEW = 1 / 6  # where fewer items than this reach the lowest hit, no bins are made: measured
BINS = 2048  # at least
FACTOR = 40  # bins for each hit
Scores = NDArray[np.float32]
LOWEST = np.array([-np.inf], dtype=np.float32)


@dataclass(frozen=True)
class Counted:
    """For each limit how many scores lie above and within it; and the items that lie within any."""

    above: IntArray
    within: IntArray
    row: IntArray
    item: IntArray
    score: Scores


def count_block(scores: Scores, limits: Ragged) -> Counted:
    """Count a block: `limits` has a list of `low` and `high` for each row of scores, both ascending.

    >>> limits = Ragged(np.array([0, 2]), {"low": np.float32([1, 4]), "high": np.float32([2, 5])})
    >>> found = count_block(np.float32([[0, 1.5, 3, 9]]), limits)
    >>> found.above, found.within, found.item
    (array([2, 1]), array([1, 0]), array([1]))
    """
    assert len(scores) < ROWS
    assert scores.shape[1] <= ITEMS
    if limits.size == 0 or scores.size == 0:
        none, nothing = np.zeros(limits.size, dtype=np.int64), np.empty(0, dtype=np.int64)
        return Counted(above=none, within=none, row=nothing, item=nothing, score=np.empty(0, dtype=np.float32))
    there = limits.lengths > 0
    lowest, highest = (np.full(len(scores), np.inf, dtype=np.float32) for _ in range(2))
    lowest[there] = limits["low"][limits.offsets[:-1][there]]
    highest[there] = limits["high"][limits.offsets[1:][there] - 1]
    chosen = scores >= lowest[:, None]
    if np.count_nonzero(chosen) < FEW * scores.size:
        above = np.zeros(limits.size, dtype=np.int64)
    else:
        above, chosen = _by_bins(scores, limits, lowest, highest)
    return _among(chosen, scores, limits, above)


def _by_bins(scores: Scores, limits: Ragged, lowest: Scores, highest: Scores) -> tuple[IntArray, BoolArray]:
    """Scores above each limit that are in no bin with a limit, and which scores are in such a bin."""
    count = min(1 << 15, max(BINS, 1 << int(FACTOR * limits.lengths.max()).bit_length()))
    with np.errstate(all="ignore"):
        width = count / (highest - lowest)
        usable = np.isfinite(width) & (width > 0) & np.isfinite(lowest)
    lowest, width = np.where(usable, lowest, 0), np.where(usable, width, 1).astype(np.float32)

    def bins(values: Scores, start: Any, factor: Any) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            place = np.subtract(values, start)
            np.multiply(place, factor, out=place)
        np.clip(place, np.float32(-1), np.float32(count), out=place)
        place += np.float32(1)
        return place.astype(np.int64)

    wide = count + 2
    flat = bins(scores, lowest[:, None], width[:, None])
    flat += np.arange(len(scores))[:, None] * wide
    low, high = (bins(limits[side], lowest[limits.row], width[limits.row]) for side in ("low", "high"))
    low, high = low + limits.row * wide, high + limits.row * wide
    edge = np.bincount(low, minlength=len(scores) * wide + 1) - np.bincount(high + 1, minlength=len(scores) * wide + 1)
    hot = np.cumsum(edge)[:-1] > 0
    numbers = np.bincount(flat.ravel(), minlength=hot.size)
    numbers[hot] = 0
    from_here = np.cumsum(numbers.reshape(len(scores), wide)[:, ::-1], axis=1)[:, ::-1].ravel()
    return from_here[high] - numbers[high], hot.take(flat)


def _among(chosen: BoolArray, scores: Scores, limits: Ragged, above: IntArray) -> Counted:
    """Count among the chosen scores by sorting them."""
    place = np.flatnonzero(chosen)
    row, item = np.divmod(place, scores.shape[1])
    keys = np.sort(keys_of(row, scores.ravel()[place], item))
    ends = np.searchsorted(keys, keys_of(limits.row + 1, LOWEST, 0))
    first = np.searchsorted(keys, keys_of(limits.row, limits["low"], 0))
    last = np.searchsorted(keys, keys_of(limits.row, limits["high"], ITEMS - 1), side="right")
    close = _union(keys, first, last)
    row, item = rows_of(close), items_of(close)
    return Counted(above=above + ends - last, within=last - first, row=row, item=item, score=scores[row, item])


def _union(keys: Keys, first: IntArray, last: IntArray) -> Keys:
    """The keys within any of the ranges, which ascend by their ends; each once."""
    before = np.concatenate([[0], np.maximum.accumulate(last)[:-1]]) if last.size else last
    start = np.maximum(first, before)
    return keys[ranges(start, np.maximum(last - start, 0))]
