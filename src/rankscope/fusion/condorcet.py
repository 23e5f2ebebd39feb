"""Condorcet fusion: an item stands before another if most systems place it before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cmp_to_key
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.fusion.by_places import borda_points
from rankscope.fusion.candidates import ABSENT, Candidates
from rankscope.fusion.method import FusionMethod

MONTAGUE = "Montague & Aslam 2002, Condorcet fusion for improved retrieval (CIKM)"
BEHIND = 2**40  # the place of an item that a system did not find


@dataclass(frozen=True)
class Condorcet(FusionMethod):
    """Sorted by majority; a system that lacks both items has no vote, one that lacks one of them votes for the other.

    Where majorities go round in a circle, or are even, the order of Borda's points stands.
    """

    name: ClassVar[str] = "condorcet"
    formula: ClassVar[str] = "C - rank after sorting by majorities of systems"
    source: ClassVar[str] = MONTAGUE

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """Scores count down from the number of candidates."""
        return _by_majority(lists, np.ones_like(weights))


@dataclass(frozen=True)
class WeightedCondorcet(FusionMethod):
    """As condorcet, the vote of each system with its weight."""

    name: ClassVar[str] = "w_condorcet"
    aliases: ClassVar[tuple[str, ...]] = ("weighted_condorcet",)
    formula: ClassVar[str] = "C - rank after sorting by weighted majorities of systems"
    source: ClassVar[str] = MONTAGUE
    weighted: ClassVar[bool] = True

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """Scores count down from the number of candidates."""
        return _by_majority(lists, weights)


def _by_majority(lists: Candidates, weights: FloatArray) -> FloatArray:
    places = np.where(lists.places == ABSENT, BEHIND, lists.places)
    points = (borda_points(lists) * weights).sum(axis=1)
    scores = np.empty(len(points))
    starts = np.searchsorted(lists.query, np.arange(len(lists.queries) + 1))
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        order = _sorted_rows(places[first:last], points[first:last], weights)
        scores[first + order] = np.arange(last - first, 0, -1)
    return scores


def _sorted_rows(places: IntArray, points: FloatArray, weights: FloatArray) -> IntArray:
    """The rows of one query from first to last; a path along which a majority stands behind every step."""
    rows, votes = places.tolist(), weights.tolist()

    def compare(one: int, other: int) -> int:
        pairs = zip(rows[one], rows[other], votes, strict=True)
        lead = sum(((mine > theirs) - (mine < theirs)) * vote for mine, theirs, vote in pairs)
        return (lead > 0) - (lead < 0)

    start = np.lexsort((-np.arange(len(points)), -points))
    return np.array(sorted(start.tolist(), key=cmp_to_key(compare)), dtype=np.int64)
