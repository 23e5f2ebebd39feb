"""Quantities that a judged sample estimates of runs: class size, precision, recall, gain, AP, GRiP.

>>> [each.text for each in parse_quantities("num_rel,R@100,P@10,AP")]
['num_rel', 'R@100', 'P@10', 'AP']
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rankscope.analysis.curves.distributions import Hypergeometric, at_most
from rankscope.analysis.sampling.frame import RESAMPLES, SampleTotals, Strata, rescaled_factors, totals
from rankscope.analysis.sampling.intervals import (
    Bounds,
    Cell,
    Spread,
    SpreadRules,
    class_size_limits,
    mean_spread,
    ratio_spread,
    recall_limits,
)
from rankscope.analysis.sampling.judged_run import (
    DrawnHits,
    JudgedRun,
    cells_by_query,
    inferred_ap,
    precision_sums,
    relevant_above,
    sums_by_query,
    weight_sums,
)
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MeasureError, SettingError
from rankscope.core.notation import split_list
from rankscope.core.wording import setting_usage
from rankscope.ranks.ragged import divide, sums_by


@dataclass(frozen=True, eq=False)
class QueryValues:
    """An estimate of each query with its interval, and what is certain; NaN where there is none."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    certain_low: FloatArray
    certain_high: FloatArray

    @classmethod
    def only(cls, value: FloatArray) -> QueryValues:
        nothing = np.full(value.size, np.nan)
        return cls(value=value, low=nothing, high=nothing, certain_low=nothing, certain_high=nothing)


class EstimateRules(NamedTuple):
    """Level of the intervals, size of the collection where it is known, resamples and their seed."""

    level: float = 0.95
    collection: int | None = None
    resamples: int = RESAMPLES
    seed: int = 0

    def chance(self) -> np.random.Generator:
        """The same resamples for every quantity and every run."""
        return np.random.default_rng(self.seed)

    def size_for(self, what: str) -> int:
        """The size of the collection; a `SettingError` where it is not known."""
        if self.collection is None:
            raise SettingError(f"{what} needs the size of the collection: {setting_usage('collection_size', 'D')}")
        return self.collection


class OverQueries(NamedTuple):
    """One row: what it is, its estimate, and why it has no interval, where it has none."""

    name: str
    spread: Spread
    reason: str = ""


class Quantity(ABC):
    """Something that is estimated; `text` is what it is called."""

    name: ClassVar[str]

    @property
    def text(self) -> str:
        """As it is asked for: the name, with the scope where it has one."""
        scope = getattr(self, "scope", None)
        return self.name if scope is None else f"{self.name}@{scope}"

    @abstractmethod
    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Of each query."""

    @abstractmethod
    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Of the mean over queries, or of what takes its place."""

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Of this run minus another on the same judgements; nothing where no interval would hold."""
        yield from ()


class LinearQuantity(Quantity):
    """A sum over relevant items, each with a value of its own that depends on its rank: the mean over queries."""

    first_ranks_decide: ClassVar[bool] = False
    possible: ClassVar[Bounds] = (0.0, math.inf)

    @abstractmethod
    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        """The value of each relevant item drawn, in the order of the frame."""

    @abstractmethod
    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """The least and the most that each query can have, whatever is relevant of what was not judged."""

    def totals(self, run: JudgedRun, chosen: EstimateRules) -> SampleTotals:
        """Of each query, with the variance by the draw."""
        return totals(run.frame.strata, run.hit_stratum, self.values(run, chosen))

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        low, high = self.certain(run, chosen)
        certain = (float(low.mean()), float(high.mean()))
        found = self.totals(run, chosen)
        rules = SpreadRules(chosen.level, certain, self.possible, self._is_wide(run))
        yield OverQueries(f"mean {self.text}", mean_spread(found.value, found.variance, rules))

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        apart = self.values(run, chosen) - self.values(other, chosen)
        found = totals(run.frame.strata, run.hit_stratum, apart)
        low, high = self.possible
        rules = SpreadRules(
            chosen.level, possible=(low - high, high - low), is_wide=self._is_wide(run) or self._is_wide(other)
        )
        yield OverQueries(f"mean {self.text}", mean_spread(found.value, found.variance, rules))

    def _is_wide(self, run: JudgedRun) -> bool:
        return self.first_ranks_decide and not run.is_judged_first


@dataclass(frozen=True)
class ClassSize(LinearQuantity):
    """c, the number of relevant items of the frame; the same for every run."""

    name: ClassVar[str] = "num_rel"

    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        return np.ones(run.hit_rank.size)

    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """What is judged relevant, and with it all that was not judged."""
        strata, found = run.frame.strata, run.frame.found
        most = found + strata.size - strata.judged
        return strata.by_query(found.astype(np.float64)), strata.by_query(most.astype(np.float64))

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        strata = run.frame.strata
        cells: list[list[Cell]] = [[] for _ in run.frame.queries]
        columns = (strata.query, strata.size, strata.judged, run.frame.found)
        for query, size, judged, found in zip(*(each.tolist() for each in columns), strict=True):
            cells[query].append((size, judged, found))
        limits = [class_size_limits(own, chosen.level) for own in cells]
        low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
        certain_low, certain_high = self.certain(run, chosen)
        value = self.totals(run, chosen).value
        return QueryValues(value=value, low=low, high=high, certain_low=certain_low, certain_high=certain_high)

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        yield from ()


@dataclass(frozen=True)
class SampledGenerality(ClassSize):
    """g = c/d, in a collection of d items."""

    name: ClassVar[str] = "generality"
    possible: ClassVar[Bounds] = (0.0, 1.0)

    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        return np.full(run.hit_rank.size, 1.0 / chosen.size_for("generality"))

    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        size = chosen.size_for("generality")
        low, high = super().certain(run, chosen)
        return low / size, high / size

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        size, found = chosen.size_for("generality"), ClassSize().of_queries(run, chosen)
        return QueryValues(**{name: array / size for name, array in vars(found).items()})


@dataclass(frozen=True)
class SampledPrecision(LinearQuantity):
    """P@k: the relevant items among the first k, over k."""

    name: ClassVar[str] = "P"
    scope: int
    possible: ClassVar[Bounds] = (0.0, 1.0)

    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        return (run.hit_rank <= self.scope) / self.scope

    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """Without what is not judged within the scope, and with it."""
        size, judged, found = run.cells(self.scope)
        strata = run.frame.strata
        low = strata.by_query(found[0].astype(np.float64))
        left = strata.by_query((size[0] - judged[0]).astype(np.float64))
        if not run.has_cells:
            left = np.minimum(strata.by_query((strata.size - strata.judged).astype(np.float64)), self.scope)
        return low / self.scope, np.minimum(1.0, (low + left) / self.scope)

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        certain_low, certain_high = self.certain(run, chosen)
        value = self.totals(run, chosen).value
        low, high = np.full((2, value.size), np.nan)
        if run.has_cells:
            cells = cells_by_query(run.frame.strata.query, run.cells(self.scope))
            limits = [class_size_limits(inside, chosen.level) for inside, _ in cells]
            low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T / self.scope
        return QueryValues(value=value, low=low, high=high, certain_low=certain_low, certain_high=certain_high)


@dataclass(frozen=True)
class SampledRecall(Quantity):
    """R@s: the share of the relevant items that stand among the first s."""

    name: ClassVar[str] = "R"
    scope: int

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Mid-p limits of a/(a + b)."""
        strata, stratum = run.frame.strata, run.hit_stratum
        inside = totals(strata, stratum, self._values(run)).value
        value = divide(inside, totals(strata, stratum, np.ones(stratum.size)).value, nothing=np.nan)
        if not run.has_cells:
            return QueryValues.only(value)
        cells = cells_by_query(strata.query, run.cells(self.scope))
        limits = [recall_limits(*each, chosen.level) for each in cells]
        low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
        least, most = self._counts(run)
        certain_low = divide(least[0], least[0] + most[1], nothing=np.nan)
        certain_high = divide(most[0], most[0] + least[1], nothing=np.nan)
        return QueryValues(value=value, low=low, high=high, certain_low=certain_low, certain_high=certain_high)

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """All hits over all relevant items: queries with more relevant items count more."""
        certain = (0.0, 1.0)
        if run.has_cells:
            low, high = (each.sum(axis=1) for each in self._counts(run))
            if low[0] + high[1] > 0 and high[0] + low[1] > 0:
                certain = float(low[0] / (low[0] + high[1])), float(high[0] / (high[0] + low[1]))
        rules = SpreadRules(chosen.level, certain, (0.0, 1.0))
        yield OverQueries(
            f"{self.text}, ratio of totals", linear_ratio(run.frame.strata, run.hit_stratum, self._values(run), rules)
        )

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        apart = self._values(run) - self._values(other)
        spread = linear_ratio(
            run.frame.strata, run.hit_stratum, apart, SpreadRules(chosen.level, (-1.0, 1.0), (-1.0, 1.0))
        )
        yield OverQueries(f"{self.text}, ratio of totals", spread)

    def _values(self, run: JudgedRun) -> FloatArray:
        return (run.hit_rank <= self.scope).astype(np.float64)

    def _counts(self, run: JudgedRun) -> tuple[FloatArray, FloatArray]:
        """The least and the most relevant items of each query: rows inside the scope and outside."""
        size, judged, found = run.cells(self.scope)
        strata = run.frame.strata
        low = np.stack([strata.by_query(each.astype(np.float64)) for each in found])
        left = np.stack([strata.by_query(each.astype(np.float64)) for each in size - judged])
        return low, low + left


def linear_ratio(strata: Strata, stratum: IntArray, values: FloatArray, rules: SpreadRules) -> Spread:
    """Sum of values over the number of relevant items, with the variance of its linear form."""
    parts = totals(strata, stratum, values).value
    wholes = totals(strata, stratum, np.ones(values.size)).value
    return ratio_spread(parts, wholes, ratio_variance(strata, stratum, values), rules)


def ratio_variance(strata: Strata, stratum: IntArray, values: FloatArray) -> float:
    """By the draw: the variance of sum (z - R)/C over the relevant items drawn.

    >>> strata = Strata(1, np.zeros(3, int), tuple("abc"), np.array([10, 90, 900]), np.array([10, 18, 45]))
    >>> round(math.sqrt(ratio_variance(strata, np.repeat([0, 1, 2], [7, 4, 2]), np.repeat([1.0, 0.0], [11, 2]))), 6)
    0.179166
    """
    whole = float(totals(strata, stratum, np.ones(values.size)).value.sum())
    if whole == 0:
        return math.nan
    ratio = float(totals(strata, stratum, values).value.sum()) / whole
    return float(totals(strata, stratum, (values - ratio) / whole).variance.sum())


# Discounted gain within a scope, from a sample; normalised it is a ratio of two estimates, and has no interval.

NDCG_NO_INTERVAL = (
    "estimate only: the ideal gain is estimated too, which biases the mean; in simulations intervals of 95 % held the "
    "truth in .004 to .936 of samples"
)


@dataclass(frozen=True)
class SampledGain(LinearQuantity):
    """DCG@k: the sum of grade/log2(rank + 1) over the first k."""

    name: ClassVar[str] = "DCG"
    scope: int
    first_ranks_decide: ClassVar[bool] = True

    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        return np.where(run.hit_rank <= self.scope, run.hit_gain / np.log2(run.hit_rank + 1.0), 0.0)

    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """What is judged; how high grades can be is not known."""
        query = run.frame.strata.query[run.hit_stratum]
        low = sums_by(query, self.values(run, chosen), len(run.frame.queries))
        return low, np.full(low.size, np.inf)

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Estimates only: few drawn items decide, and no limits of one query hold."""
        return QueryValues.only(self.totals(run, chosen).value)


@dataclass(frozen=True)
class SampledNormalisedGain(Quantity):
    """nDCG@k: DCG@k over that of the best order of as many items of each grade as are estimated; never above 1.

    The mean is taken first and cut at 1 then: to cut each query would make it too small.
    """

    name: ClassVar[str] = "nDCG"
    scope: int

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        return QueryValues.only(np.minimum(self._ratios(run, chosen), 1.0))

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """The mean of the queries that have a value."""
        values = self._ratios(run, chosen)
        mean = min(float(np.nanmean(values)), 1.0) if np.isfinite(values).any() else math.nan
        yield OverQueries(f"mean {self.text}", Spread.only(mean), NDCG_NO_INTERVAL)

    def _ratios(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        gain = SampledGain(self.scope).totals(run, chosen).value
        return divide(gain, ideal_gain(run, self.scope), nothing=np.nan)


def ideal_gain(run: JudgedRun, scope: int) -> FloatArray:
    """The highest DCG that the estimated numbers of items of each grade allow; parts of an item count in part."""
    strata, ideal = run.frame.strata, np.zeros(len(run.frame.queries))
    before = np.zeros(ideal.size)
    for grade in np.unique(run.hit_gain)[::-1].tolist():
        count = totals(strata, run.hit_stratum, (run.hit_gain == grade).astype(np.float64)).value
        after = np.minimum(before + count, scope)
        ideal += grade * (_discounts(after) - _discounts(before))
        before = after
    return ideal


def _discounts(places: FloatArray) -> FloatArray:
    """The sum of 1/log2(rank + 1) over so many first ranks, straight lines between whole numbers."""
    most = int(np.ceil(places.max(initial=0.0)))
    sums = np.append(0.0, np.cumsum(1.0 / np.log2(np.arange(most) + 2.0)))
    return np.interp(places, np.arange(most + 1), sums)


@dataclass(frozen=True, eq=False)
class RatioSums:
    """A sum and the number of relevant items of each query, and both in every resample (resamples x queries)."""

    value: FloatArray
    relevant: FloatArray
    values: FloatArray
    relevants: FloatArray

    @classmethod
    def of(cls, hits: DrawnHits, factors: FloatArray, value: FloatArray, values: FloatArray) -> RatioSums:
        """Next to sums that were made with these factors."""
        once = np.ones((1, hits.rank.size))
        return cls(
            value=value, relevant=weight_sums(hits, once)[0], values=values, relevants=weight_sums(hits, factors)
        )

    def minus(self, other: RatioSums) -> RatioSums:
        return RatioSums(
            value=self.value - other.value,
            relevant=self.relevant,
            values=self.values - other.values,
            relevants=self.relevants,
        )


def resampled_ratio(sums: RatioSums, rules: SpreadRules) -> Spread:
    """Sum of values over all relevant items; the variance by the draw is that over the resamples."""
    wholes = sums.relevants.sum(axis=1)
    ratios = sums.values.sum(axis=1) / np.where(wholes > 0, wholes, np.nan)
    variance = float(np.nanvar(ratios, ddof=1)) if np.isfinite(ratios).sum() > 1 else float("nan")
    return ratio_spread(sums.value, sums.relevant, variance, rules)


# AP from a sample: xinfAP of each query, and with an interval the mean precision at a relevant item.

AP_RATIO = "AP, ratio of totals"
AP_NO_INTERVAL = (
    "estimate only: a mean of ratios is biased where few relevant items are drawn; in simulations intervals of 95 % "
    "held the truth in .005 to .765 of samples"
)


@dataclass(frozen=True)
class SampledAP(Quantity):
    """AP: of a query xinfAP; over queries sum S/sum c, the mean precision at a relevant item."""

    name: ClassVar[str] = "AP"

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        return QueryValues.only(inferred_ap(run))

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """The ratio with its intervals, then the mean of xinfAP without."""
        rules = SpreadRules(chosen.level, (0.0, 1.0), (0.0, 1.0), is_wide=not run.is_judged_first)
        yield OverQueries(AP_RATIO, resampled_ratio(ap_sums(run, chosen), rules))
        values = self.of_queries(run, chosen).value
        mean = float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
        yield OverQueries("mean AP (xinfAP)", Spread.only(mean), AP_NO_INTERVAL)

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Of the two ratios: S of one minus S of the other, over the same relevant items."""
        apart = ap_sums(run, chosen).minus(ap_sums(other, chosen))
        is_wide = not (run.is_judged_first and other.is_judged_first)
        rules = SpreadRules(chosen.level, (-1.0, 1.0), (-1.0, 1.0), is_wide)
        yield OverQueries(AP_RATIO, resampled_ratio(apart, rules))


def ap_sums(run: JudgedRun, chosen: EstimateRules) -> RatioSums:
    """S and class size; every run meets the same resamples, for hits are drawn in the order of the frame."""
    factors = rescaled_factors(run.frame.strata, run.hit_stratum, chosen.chance(), chosen.resamples)
    return ap_sums_of_hits(run.hits, factors[:, run.hit_order])


def ap_sums_of_hits(hits: DrawnHits, factors: FloatArray) -> RatioSums:
    """The same with the factors of each resample (resamples x hits)."""
    return RatioSums.of(hits, factors, precision_sums(hits), precision_sums(hits, factors))


# GRiP from a sample: precision = recall at scope c, in the whole collection and in thinned ones, with estimated c.

GRIP_RESAMPLES = 50  # each costs as many chances as there are hits


@dataclass(frozen=True)
class SampledGrip(Quantity):
    """p = r at scope c over G = log2(d/c): random distractors left out, exact means, c and positions estimated."""

    name: ClassVar[str] = "GRiP"

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """In the whole collection: the share of the relevant items within the first c. Estimates only."""
        within = grip_hits(run.hits, _once(run.hits), None, chosen.size_for("GRiP"))[0]
        return QueryValues.only(divide(within, weight_sums(run.hits, _once(run.hits))[0], nothing=np.nan))

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Hits over relevant items, both summed, at each level of G that half of the queries reach: always the same.

        The mean of the queries' values would be biased: where few relevant items are drawn they seem too high.
        """
        size = chosen.size_for("GRiP")
        some, top = _reaching(weight_sums(run.hits, _once(run.hits))[0], size)
        if not some.size:
            return
        factors = rescaled_factors(
            run.frame.strata, run.hits.stratum, chosen.chance(), min(GRIP_RESAMPLES, chosen.resamples)
        )
        rules = SpreadRules(chosen.level, (0.0, 1.0), (0.0, 1.0))
        for level in (*range(1, top + 1), None):
            sums = grip_sums(run.hits, factors, level, size)
            name = "GRiP, whole collection" if level is None else f"GRiP, G = {level}"
            of_some = RatioSums(
                value=sums.value[some],
                relevant=sums.relevant[some],
                values=sums.values[:, some],
                relevants=sums.relevants[:, some],
            )
            yield OverQueries(name, resampled_ratio(of_some, rules))


def grip_sums(hits: DrawnHits, factors: FloatArray, level: int | None, collection: int) -> RatioSums:
    """Hits within the first c and class size, with the factors of each resample (resamples x hits)."""
    value = grip_hits(hits, _once(hits), level, collection)[0]
    return RatioSums.of(hits, factors, value, grip_hits(hits, factors, level, collection))


def grip_hits(hits: DrawnHits, factor: FloatArray, level: int | None, collection: int) -> FloatArray:
    """c E[p = r] of each query, one row a draw; `level` G = 1, 2, ..., None: nothing is left out.

    A hit at position i with b distractors above stays within the first c with the chance that of m kept distractors of
    e at most c - i are among the b.
    """
    relevant = weight_sums(hits, factor)
    c = np.maximum(np.rint(relevant), 1.0)[:, hits.query]
    position = np.rint(1.0 + relevant_above(hits, factor))
    ranked = np.isfinite(hits.rank)
    above = np.maximum(np.where(ranked, hits.rank, 0.0) - position, 0.0)
    others = np.maximum(collection - c, 0.0)
    kept = others if level is None else np.minimum(c * (2.0**level - 1.0), others)
    marked = np.minimum(above, others)
    chance = at_most(Hypergeometric(others.ravel(), marked.ravel(), kept.ravel()), (c - position).ravel())
    return sums_by_query(hits, factor * hits.weight * np.where(ranked, chance.reshape(c.shape), 0.0))


def _reaching(relevant: FloatArray, collection: int) -> tuple[IntArray, int]:
    """The highest level that at least half of the queries with a hit reach, and which those are."""
    some = np.flatnonzero(relevant > 0)
    index = np.log2(collection / np.maximum(relevant[some], 1.0))
    top = int(np.floor(np.median(index))) if some.size else 0
    return some[index >= top], top


def _once(hits: DrawnHits) -> FloatArray:
    return np.ones((1, hits.rank.size))


WITH_SCOPE: dict[str, Callable[[int], Quantity]] = {
    each.name: each for each in (SampledRecall, SampledPrecision, SampledGain, SampledNormalisedGain)
}
ALONE: dict[str, Callable[[], Quantity]] = {
    each.name: each for each in (ClassSize, SampledGenerality, SampledAP, SampledGrip)
}
USUAL = ("num_rel", "R@100", "P@10", "DCG@10", "nDCG@10", "AP")
WITH_COLLECTION = ("generality", "GRiP")  # usual too where the size of the collection is known
KNOWN = "num_rel, generality, R@K, P@K, DCG@K, nDCG@K, AP, GRiP"


def parse_quantities(asked: str | Iterable[str]) -> tuple[Quantity, ...]:
    """Quantities by their names, each once; those that are none are told all at once."""
    texts = split_list(asked if isinstance(asked, str) else ",".join(asked))
    found = {text: _parse(text) for text in texts}
    wrong = [text for text, quantity in found.items() if quantity is None]
    if wrong or not texts:
        words = f"{', '.join(wrong)} cannot be estimated from a sample" if wrong else "nothing to estimate"
        raise MeasureError(f"{words}; what can be: {KNOWN}")
    return tuple({each.text: each for each in found.values() if each is not None}.values())


def _parse(text: str) -> Quantity | None:
    if text in ALONE:
        return ALONE[text]()
    match = re.fullmatch(r"([A-Za-z]+)@([1-9]\d{0,8})", text)
    return WITH_SCOPE[match[1]](int(match[2])) if match and match[1] in WITH_SCOPE else None
