"""Ranks of the hits from counts, with what was too close to tell settled by the references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import Ragged


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
        """Nothing is close to any hit."""
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
    return Ranked(rank, _ties(hits, rank, placed.others, placed.earlier))


def moved_on(place: IntArray, end: IntArray, passes: Callable[[IntArray, IntArray], BoolArray]) -> IntArray:
    """The first place from each on, up to its end, that is not passed; it is rarely far."""
    place, who = place.copy(), np.flatnonzero(place < end)
    while who.size:
        who = who[passes(place[who], who)]
        place[who] += 1
        who = who[place[who] < end[who]]
    return place


def _ties(hits: Ragged, rank: IntArray, others: IntArray, earlier: IntArray) -> Ragged:
    """First rank and size of each group of two or more equal scores that holds a hit.

    `others` are items with the score of a hit that is the first with it, `earlier` those of them that stand before it.
    """
    if hits.size == 0:
        return Ragged.empty(len(hits), "start", "size")
    row, score = hits.row, hits["score"]
    first = np.flatnonzero(np.concatenate([[True], (row[1:] != row[:-1]) | (score[1:] != score[:-1])]))
    size = np.diff(np.append(first, hits.size)) + others[first]
    first, size = first[size >= 2], size[size >= 2]
    return Ragged.from_rows(row[first], len(hits), start=rank[first] - earlier[first], size=size)
