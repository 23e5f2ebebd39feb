"""Methods that look at places only, so that scores need no common scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.fusion.candidates import Candidates
from rankscope.fusion.method import FusionMethod, sum_found

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
