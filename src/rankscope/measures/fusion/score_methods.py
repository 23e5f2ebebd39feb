"""Methods that combine scores: CombMIN to CombMNZ (Fox and Shaw 1994), and MNZ with other weights of the count.

Before, scores of different systems may be brought to one scale, query by query. The formulas are ranx's, so that
results agree with it; a spread of 0 counts as 1e-9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import Catalogue
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


Normalization = Callable[[Candidates], Candidates]
LEAST: Final = 1e-9


def min_max(lists: Candidates) -> Candidates:
    """(s - min) / (max - min).

    >>> from rankscope.inputs.run import Run
    >>> min_max(Candidates.of([Run.of({"q": {"a": 7.0, "b": 4.0, "c": 3.0}})])).scores.ravel().tolist()
    [1.0, 0.25, 0.0]
    """
    low, high = _extremes(lists)
    return lists.with_scores((lists.scores - low) / np.maximum(high - low, LEAST))


def min_max_inverted(lists: Candidates) -> Candidates:
    """(max - s) / (max - min): for distances, where the smallest is best."""
    low, high = _extremes(lists)
    return lists.with_scores((high - lists.scores) / np.maximum(high - low, LEAST))


def largest_is_one(lists: Candidates) -> Candidates:
    return lists.with_scores(lists.scores / np.maximum(_extremes(lists)[1], LEAST))


def sum_is_one(lists: Candidates) -> Candidates:
    """(s - min) / sum(s - min).

    >>> from rankscope.inputs.run import Run
    >>> sum_is_one(Candidates.of([Run.of({"q": {"a": 7.0, "b": 4.0, "c": 3.0}})])).scores.ravel().tolist()
    [0.8, 0.2, 0.0]
    """
    above = lists.scores - _extremes(lists)[0]
    return lists.with_scores(above / np.maximum(_by_query(lists, np.add, above, 0.0), LEAST))


def standard(lists: Candidates) -> Candidates:
    """(s - mean) / standard deviation, that of the whole list (n, not n - 1)."""
    count = np.maximum(lists.lengths[lists.query], 1)
    apart = lists.scores - _by_query(lists, np.add, lists.scores, 0.0) / count
    spread = np.sqrt(_by_query(lists, np.add, apart**2, 0.0) / count)
    return lists.with_scores(apart / np.maximum(spread, LEAST))


def by_place(lists: Candidates) -> Candidates:
    """1 - place / length of the list, places from 0 on."""
    shares = 1 - lists.places / np.maximum(lists.lengths[lists.query], 1)
    return lists.with_scores(np.where(lists.found, shares, np.nan))


def borda(lists: Candidates) -> Candidates:
    """1 - place / candidates; what a system did not find gets the mean of the places that are left.

    >>> from rankscope.inputs.run import Run
    >>> two = Candidates.of([Run.of({"q": {"a": 2.0, "b": 1.0}}), Run.of({"q": {"c": 5.0, "d": 4.0}})])
    >>> borda(two).scores[:, 0].tolist()
    [1.0, 0.75, 0.375, 0.375]
    """
    size = lists.sizes[lists.query][:, None]
    left = 0.5 - (lists.lengths[lists.query] - 1) / (2 * size)
    return lists.with_scores(np.where(lists.found, 1 - lists.places / size, left))


def as_given(lists: Candidates) -> Candidates:
    return lists


NORMALIZATIONS: Catalogue[Normalization] = Catalogue(
    "normalization",
    {
        "min-max": min_max,
        "min-max-inverted": min_max_inverted,
        "max": largest_is_one,
        "sum": sum_is_one,
        "zmuv": standard,
        "rank": by_place,
        "borda": borda,
        "none": as_given,
    },
)


def _extremes(lists: Candidates) -> tuple[FloatArray, FloatArray]:
    return _by_query(lists, np.minimum, lists.scores, np.inf), _by_query(lists, np.maximum, lists.scores, -np.inf)


def _by_query(lists: Candidates, how: np.ufunc, values: FloatArray, absent: float) -> FloatArray:
    """A sum or an extreme over the list of each query and system, repeated for all rows of the query."""
    starts = np.searchsorted(lists.query, np.arange(len(lists.queries)))
    reduced = how.reduceat(np.where(lists.found, values, absent), starts, axis=0)
    return np.asarray(reduced[lists.query], dtype=np.float64)
