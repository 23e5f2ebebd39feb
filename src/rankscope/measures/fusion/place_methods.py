"""Methods that look at places only, so that scores need no common scale: reciprocal ranks, Borda, Condorcet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import ClassVar

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.measures.fusion.candidates import ABSENT, Candidates
from rankscope.measures.fusion.method import FusionMethod, sum_found

MOURAO = "Mourao, Martins & Magalhaes 2015, Multimodal medical information retrieval with unsupervised rank fusion"
ASLAM = "Aslam & Montague 2001, Models for metasearch (SIGIR)"


@dataclass(frozen=True)
class ReciprocalRanks(FusionMethod):
    """Reciprocal rank fusion: the larger k, the less the first places stand out."""

    k: float = 60
    name: ClassVar[str] = "rrf"
    formula: ClassVar[str] = "sum_i 1 / (k + rank_i)"
    source: ClassVar[str] = "Cormack, Clarke & Buettcher 2009, Reciprocal rank fusion (SIGIR)"
    least: ClassVar[dict[str, float]] = {"k": 0}
    trials: ClassVar[Mapping[str, Sequence[float]]] = {"k": tuple(range(10, 101, 10))}

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """A system that did not find an item adds 0."""
        return sum_found(1 / (self.k + lists.places + 1 + (lists.places < 0)), lists)


@dataclass(frozen=True)
class InverseSquares(FusionMethod):
    """The sum of inverse squared ranks, times the number of systems that found the item."""

    name: ClassVar[str] = "isr"
    formula: ClassVar[str] = "n sum_i 1 / rank_i^2"
    source: ClassVar[str] = MOURAO

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """What several systems found comes first."""
        return _inverse_squares(lists) * lists.found.sum(axis=1)


@dataclass(frozen=True)
class LogInverseSquares(FusionMethod):
    """The sum of inverse squared ranks, times the logarithm of the number of systems: 0 where one alone found it."""

    name: ClassVar[str] = "log_isr"
    formula: ClassVar[str] = "ln(n) sum_i 1 / rank_i^2"
    source: ClassVar[str] = MOURAO

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """What one system alone found comes last."""
        return _inverse_squares(lists) * np.log(lists.found.sum(axis=1))


@dataclass(frozen=True)
class LognInverseSquares(FusionMethod):
    """As log_isr, but what one system alone found keeps an order."""

    sigma: float = 0.01
    name: ClassVar[str] = "logn_isr"
    formula: ClassVar[str] = "ln(n + sigma) sum_i 1 / rank_i^2"
    source: ClassVar[str] = MOURAO
    least: ClassVar[dict[str, float]] = {"sigma": 0}
    most: ClassVar[dict[str, float]] = {"sigma": 1}
    trials: ClassVar[Mapping[str, Sequence[float]]] = {"sigma": tuple(round(0.05 * step, 2) for step in range(21))}

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """What several systems found comes first."""
        return _inverse_squares(lists) * np.log(lists.found.sum(axis=1) + self.sigma)


@dataclass(frozen=True)
class RankBiasedCentroids(FusionMethod):
    """A geometric weight for each place; the larger phi, the deeper a list counts."""

    phi: float = 0.9
    name: ClassVar[str] = "rbc"
    formula: ClassVar[str] = "sum_i (1 - phi) phi^(rank_i - 1)"
    source: ClassVar[str] = "Bailey et al. 2017, Retrieval consistency in the presence of query variations (SIGIR)"
    above: ClassVar[dict[str, float]] = {"phi": 0}
    most: ClassVar[dict[str, float]] = {"phi": 1}
    trials: ClassVar[Mapping[str, Sequence[float]]] = {
        "phi": (*(round(0.05 * step, 2) for step in range(1, 19)), 0.93, 0.95, 0.97, 0.98, 0.99)
    }

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """A system that did not find an item adds 0."""
        return sum_found((1 - self.phi) * self.phi ** np.maximum(lists.places, 0), lists)


@dataclass(frozen=True)
class BordaFuse(FusionMethod):
    """Points for places, the first as many as there are candidates; what is left is shared among items not found."""

    name: ClassVar[str] = "bordafuse"
    aliases: ClassVar[tuple[str, ...]] = ("borda",)
    formula: ClassVar[str] = "sum_i (C - rank_i + 1), or (C - n_i + 1) / 2 where system i, with n_i items, lacks it"
    source: ClassVar[str] = ASLAM

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """All systems count alike."""
        return borda_points(lists).sum(axis=1)


@dataclass(frozen=True)
class WeightedBordaFuse(FusionMethod):
    """As bordafuse, the points of each system times its weight."""

    name: ClassVar[str] = "w_bordafuse"
    aliases: ClassVar[tuple[str, ...]] = ("weighted_bordafuse", "weighted_borda")
    formula: ClassVar[str] = "sum_i w_i points_i, points as in bordafuse"
    source: ClassVar[str] = ASLAM
    weighted: ClassVar[bool] = True

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """The weighted sum of points."""
        return (borda_points(lists) * weights).sum(axis=1)


def borda_points(lists: Candidates) -> FloatArray:
    """The points of each item from each system.

    >>> from rankscope.inputs.run import Run
    >>> two = Candidates.of([Run.of({"q": {"a": 2.0, "b": 1.0}}), Run.of({"q": {"c": 5.0}})])
    >>> borda_points(two).tolist()
    [[3.0, 1.5], [2.0, 1.5], [1.0, 3.0]]
    """
    size = lists.sizes[lists.query][:, None].astype(np.float64)
    left = (size - lists.lengths[lists.query] + 1) / 2
    return np.where(lists.found, size - lists.places, left)


def _inverse_squares(lists: Candidates) -> FloatArray:
    ranks = np.maximum(lists.places, 0) + 1.0
    return sum_found(1 / ranks**2, lists)


# Condorcet fusion: an item stands before another if most systems place it before.

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
