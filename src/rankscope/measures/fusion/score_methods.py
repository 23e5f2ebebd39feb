"""Methods that combine scores: CombMIN to CombMNZ (Fox and Shaw 1994), and MNZ with other weights of the count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.measures.fusion.candidates import Candidates
from rankscope.measures.fusion.method import FusionMethod, sum_found

FOX = "Fox & Shaw 1994, Combination of multiple searches (TREC-2)"
WU = "Wu & Crestani 2002, Data fusion with estimated weights (CIKM)"


@dataclass(frozen=True)
class CombMin(FusionMethod):
    """The least score that a system gave."""

    name: ClassVar[str] = "min"
    aliases: ClassVar[tuple[str, ...]] = ("comb_min", "combmin")
    formula: ClassVar[str] = "min over the systems that found it"
    source: ClassVar[str] = FOX

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """Systems that did not find an item say nothing of it."""
        return np.where(lists.found, lists.scores, np.inf).min(axis=1)


@dataclass(frozen=True)
class CombMax(FusionMethod):
    """The largest score that a system gave."""

    name: ClassVar[str] = "max"
    aliases: ClassVar[tuple[str, ...]] = ("comb_max", "combmax")
    formula: ClassVar[str] = "max over the systems that found it"
    source: ClassVar[str] = FOX

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """Systems that did not find an item say nothing of it."""
        return np.where(lists.found, lists.scores, -np.inf).max(axis=1)


@dataclass(frozen=True)
class CombMed(FusionMethod):
    """The median of the scores that systems gave."""

    name: ClassVar[str] = "med"
    aliases: ClassVar[tuple[str, ...]] = ("comb_med", "combmed")
    formula: ClassVar[str] = "median over the systems that found it"
    source: ClassVar[str] = FOX

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """Systems that did not find an item say nothing of it."""
        return np.asarray(np.nanmedian(lists.scores, axis=1), dtype=np.float64)


@dataclass(frozen=True)
class CombSum(FusionMethod):
    """The sum of scores."""

    name: ClassVar[str] = "sum"
    aliases: ClassVar[tuple[str, ...]] = ("comb_sum", "combsum")
    formula: ClassVar[str] = "sum_i s_i"
    source: ClassVar[str] = FOX

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """A system that did not find an item adds 0."""
        return sum_found(lists.scores, lists)


@dataclass(frozen=True)
class CombAnz(FusionMethod):
    """The mean of the scores that systems gave."""

    name: ClassVar[str] = "anz"
    aliases: ClassVar[tuple[str, ...]] = ("comb_anz", "combanz")
    formula: ClassVar[str] = "sum_i s_i / n, n the systems that found it"
    source: ClassVar[str] = FOX

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """Systems that did not find an item say nothing of it."""
        return sum_found(lists.scores, lists) / lists.found.sum(axis=1)


@dataclass(frozen=True)
class CombMnz(FusionMethod):
    """The sum of scores, times the number of systems that found the item."""

    name: ClassVar[str] = "mnz"
    aliases: ClassVar[tuple[str, ...]] = ("comb_mnz", "combmnz")
    formula: ClassVar[str] = "n sum_i s_i, n the systems that found it"
    source: ClassVar[str] = FOX

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """What several systems found comes first."""
        return sum_found(lists.scores, lists) * lists.found.sum(axis=1)


@dataclass(frozen=True)
class CombGmnz(FusionMethod):
    """The sum of scores, times a power of the number of systems that found the item; 1 is MNZ, 0 the sum."""

    gamma: float = 1.0
    name: ClassVar[str] = "gmnz"
    aliases: ClassVar[tuple[str, ...]] = ("comb_gmnz",)
    formula: ClassVar[str] = "n^gamma sum_i s_i, n the systems that found it"
    source: ClassVar[str] = "Lee 1997, Analyses of multiple evidence combination (SIGIR)"
    least: ClassVar[dict[str, float]] = {"gamma": 0}
    trials: ClassVar[Mapping[str, Sequence[float]]] = {"gamma": tuple(round(0.05 * step, 2) for step in range(41))}

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """What several systems found comes first, the more so the larger gamma is."""
        return sum_found(lists.scores, lists) * lists.found.sum(axis=1).astype(np.float64) ** self.gamma


@dataclass(frozen=True)
class WeightedSum(FusionMethod):
    """The sum of scores, each times the weight of its system."""

    name: ClassVar[str] = "wsum"
    aliases: ClassVar[tuple[str, ...]] = ("weighted_sum",)
    formula: ClassVar[str] = "sum_i w_i s_i"
    source: ClassVar[str] = "Vogt & Cottrell 1999, Fusion via a linear combination of scores"
    weighted: ClassVar[bool] = True

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """A system that did not find an item adds 0."""
        return sum_found(lists.scores * weights, lists)


@dataclass(frozen=True)
class WeightedMnz(FusionMethod):
    """The sum of scores, times the sum of the weights of the systems that found the item."""

    name: ClassVar[str] = "wmnz"
    aliases: ClassVar[tuple[str, ...]] = ("weighted_mnz",)
    formula: ClassVar[str] = "(sum_i s_i) (sum_i w_i), over the systems that found it"
    source: ClassVar[str] = WU
    weighted: ClassVar[bool] = True

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """What systems of large weight found comes first."""
        return sum_found(lists.scores, lists) * (lists.found * weights).sum(axis=1)


@dataclass(frozen=True)
class MixedSum(FusionMethod):
    """The weighted sum of scores, times the root of the number of systems that found the item."""

    name: ClassVar[str] = "mixed"
    formula: ClassVar[str] = "sqrt(n) sum_i w_i s_i, n the systems that found it"
    source: ClassVar[str] = WU
    weighted: ClassVar[bool] = True

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """Between the weighted sum and MNZ."""
        return sum_found(lists.scores * weights, lists) * np.sqrt(lists.found.sum(axis=1))
