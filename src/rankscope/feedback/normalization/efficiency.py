"""Generalisation efficiency: how much of what the features can teach a method has learnt; curves and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.curves.distributions import mean_inverse
from rankscope.analysis.curves.hits import hits_of
from rankscope.analysis.curves.precision_recall import level_hits, mean_at_recall_levels, random_at_recall_levels
from rankscope.analysis.curves.scope import precision_relevant_scope, recall_relevant_scope
from rankscope.analysis.curves.thinning import distractors_above, recall_when_kept
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import COUNT, OneOf, check
from rankscope.feedback.examples.scores import mean_or_nan
from rankscope.feedback.normalization.baselines import Baseline
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks

# The three curves that efficiency compares: precision over recall, precision over scope, recall over scope.

Over = Literal["recall", "precision-scope", "recall-scope"]
LEVELS = 10
SCOPES = tuple(2.0 ** (step / 2) for step in range(-4, 5))  # of a = s/c


def places(over: Over, levels: int = LEVELS, scopes: tuple[float, ...] = SCOPES) -> FloatArray:
    """Where the curves are compared: recall 1/N, 2/N, ..., 1, or relevant scopes a = s/c.

    >>> places("recall", 4)
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    levels = check(locals(), over=OneOf(get_args(Over), exactly=True), levels=COUNT)["levels"]
    return np.arange(1, levels + 1) / levels if over == "recall" else np.asarray(scopes, dtype=np.float64)


def mean_curve(ranks: RelevantRanks, over: Over, at: FloatArray) -> FloatArray:
    """The mean over all rankings (folds, runs) at each place; precision at hit ceil(l c), not interpolated."""
    if over == "recall":
        return mean_at_recall_levels(ranks, tuple(at.tolist()), interpolated=False).y
    return (precision_relevant_scope if over == "precision-scope" else recall_relevant_scope)(ranks, at).y


def chance_curve(ranks: RelevantRanks, over: Over, at: FloatArray) -> FloatArray:
    """The same of random orders, exactly: p_0 at the hits that reach a recall level, g, or a g."""
    if not len(ranks):
        return np.full(at.size, np.nan)
    if over == "recall":
        return random_at_recall_levels(ranks, tuple(at.tolist())).y
    level = generality_of(ranks) * (np.ones(at.size) if over == "precision-scope" else at)
    shortest = float((ranks.collection / ranks.relevant).min(initial=np.inf))
    return np.where(at <= shortest, level, np.nan)


def generality_of(ranks: RelevantRanks) -> float:
    """The mean relevant share of the lists; NaN where there is none."""
    return float(np.mean(ranks.relevant / ranks.collection)) if len(ranks) else float("nan")


def kept_for(ranks: RelevantRanks, generality: float) -> IntArray:
    """How many distractors each list keeps so that its generality is this, as near as whole numbers allow."""
    wanted = np.rint(ranks.relevant * (1.0 - generality) / generality).astype(np.int64)
    return np.minimum(wanted, ranks.collection - ranks.relevant)


def thinned_curve(ranks: RelevantRanks, over: Over, at: FloatArray, kept: IntArray) -> FloatArray:
    """The mean curve when only so many random distractors stay in each list: an exact mean over all ways to do that."""
    hits = hits_of(ranks)
    if over != "recall":
        recall = np.array([recall_when_kept(hits, kept, a).low.mean() for a in at.tolist()])
        return recall / at if over == "precision-scope" else recall
    some = hits.found
    value = some.place * mean_inverse(distractors_above(some, hits.distractors, kept), some.place)
    start = np.concatenate([[0], np.cumsum(ranks.found)])[:-1]
    return np.array([value[start + level_hits(ranks, level) - 1].mean() for level in at.tolist()])


def thinned_chance(ranks: RelevantRanks, over: Over, at: FloatArray, kept: IntArray) -> FloatArray:
    """The chance curve of the lists when only so many distractors stay."""
    size = ranks.relevant + kept
    return chance_curve(replace(ranks, collection=size, depth=size), over, at)


SMALL_EXCESS = 1.02  # above it at so many levels, the baseline is no optimum
MANY_LEVELS = 3
SAME_GENERALITY = 0.05
RECALIBRATE = "recalibrate"
BEATEN = "baseline beaten"


@dataclass(frozen=True, eq=False)
class Efficiency:
    """The mean curve of a method, the baseline's p~ it is divided by, and what chance gives; p~ is kept for later.

    >>> done = Efficiency.of([1, 1, 1/3, 2/5, 5/11], [1, 1, 1, .9, .75])
    >>> done.values.round(6), round(done.mae, 6)
    (array([1.      , 1.      , 0.333333, 0.444444, 0.606061]), 0.676768)
    """

    over: Over
    at: FloatArray
    reached: FloatArray
    baseline: FloatArray
    chance: FloatArray
    method: str = "method"
    topic: str = "topic"
    winner: str = ""  # who set the baseline
    feasible: bool = True
    runs: int = 0
    failed: int = 0  # runs left out
    generality: tuple[float, float] = (float("nan"), float("nan"))  # of the method's lists, and of the baseline's
    thinned: bool = False  # whether one of them was thinned to the generality of the other

    @classmethod
    def of(
        cls, reached: Iterable[float], baseline: Iterable[float], chance: Iterable[float] | None = None, **known: Any
    ) -> Efficiency:
        """From curves at recall levels 1/N, ..., 1, or at the places given as `at`."""
        method, best = (np.array(list(each), dtype=np.float64) for each in (reached, baseline))
        random = np.full(method.size, np.nan) if chance is None else np.array(list(chance), dtype=np.float64)
        over = known.pop("over", "recall")
        at = np.asarray(known.pop("at", places("recall", method.size)), dtype=np.float64)
        if not method.shape == best.shape == random.shape == at.shape:
            raise SettingError("method, baseline and chance need one value at each place")
        return cls(over=over, at=at, reached=method, baseline=best, chance=random, **known)

    @property
    def values(self) -> FloatArray:
        """p / p~; never clipped. NaN where both are 0, infinite where only the baseline is."""
        return np.where((self.baseline == 0) & (self.reached > 0), np.inf, divide(self.reached, self.baseline))

    @property
    def deviation(self) -> FloatArray:
        """1 - efficiency: what is lost against the baseline."""
        return 1.0 - self.values

    @property
    def corrected(self) -> FloatArray:
        """Chance-corrected: (p - p_0) / (p~ - p_0); NaN where the baseline is no better than chance."""
        better = self.baseline > self.chance
        return np.where(better, divide(self.reached - self.chance, self.baseline - self.chance), np.nan)

    @property
    def undefined(self) -> int:
        """At how many places neither curve has a hit yet, or none exists: they are left out of means."""
        return int(np.isnan(self.values).sum())

    @property
    def beaten(self) -> BoolArray:
        """Where the method has hits and the baseline has none."""
        return np.isinf(self.values)

    @property
    def mae(self) -> float:
        """Mean efficiency over the levels, the area under the efficiency graph; what is undefined is left out."""
        return mean_or_nan(self.values)

    @property
    def most(self) -> float:
        """The largest MAE there can be: precision 1 at every level; infinite where the baseline has no hit somewhere.

        >>> Efficiency.of([0.5, 0.1], [1.0, 0.5]).most
        1.5
        """
        return mean_or_nan(1.0 / self.baseline) if (self.baseline > 0).all() else np.inf

    @property
    def corrected_mae(self) -> float:
        """The mean of the chance-corrected efficiency."""
        return mean_or_nan(self.corrected)

    @property
    def recalibrate(self) -> bool:
        """Whether the method is a candidate for a new baseline: a small excess is the noise of folds."""
        return bool(self.mae > 1 or (self.values > SMALL_EXCESS).sum() >= MANY_LEVELS)

    @property
    def flags(self) -> tuple[str, ...]:
        """What to tell next to the numbers."""
        both = f"generality {self.generality[0]:.4f}, of the baseline {self.generality[1]:.4f}"
        told = {
            RECALIBRATE: self.recalibrate,
            BEATEN: bool(self.beaten.any()),
            f"{_counted(self.undefined, 'place')} undefined": self.undefined > 0,
            f"{_counted(self.failed, 'run')} failed": self.failed > 0,
            "infeasible topic": not self.feasible,
            f"{both}; thinned to the same": self.thinned,
        }
        return tuple(flag for flag, there in told.items() if there)

    def curve(self, corrected: bool = False) -> Curve:
        """Efficiency against its places; infinite values are not drawn."""
        values = self.corrected if corrected else self.values
        names = ("recall" if self.over == "recall" else "relevant scope", "efficiency")
        return Curve(self.at, np.where(np.isinf(values), np.nan, values), self.method, *names)

    def rows(self) -> list[dict[str, object]]:
        """One row per place, with the baseline it was divided by."""
        columns = (self.at, self.reached, self.baseline, self.chance, self.values, self.deviation, self.corrected)
        names = ("at", "reached", "baseline", "chance", "efficiency", "deviation", "corrected")
        shared = {"topic": self.topic, "method": self.method, "over": self.over, "winner": self.winner}
        return [
            {**shared, **dict(zip(names, row, strict=True))}
            for row in zip(*map(np.ndarray.tolist, columns), strict=True)
        ]


def efficiency(
    ranks: RelevantRanks,
    baseline: Baseline,
    over: Over = "recall",
    *,
    levels: int = LEVELS,
    scopes: tuple[float, ...] = SCOPES,
) -> Efficiency:
    """The efficiency of a method's runs of one topic: curves are averaged first, and then divided.

    Runs of the matched protocol have the baseline's generality. Where the lists were made in another way and g differs
    by more than 5 %, the larger lists are thinned to the generality of the smaller ones: an exact mean.
    """
    answered = ranks.take(np.flatnonzero(ranks.answered & (ranks.relevant > 0)))
    at = places(over, levels, scopes)
    both = (generality_of(answered), generality_of(baseline.ranks))
    differ = bool(abs(both[0] / both[1] - 1.0) > SAME_GENERALITY)
    high = max(both)
    reached, chance = _mean_and_chance(answered, over, at, high if differ and both[0] < high else None)
    best, _ = _mean_and_chance(baseline.ranks, over, at, high if differ and both[1] < high else None)
    return Efficiency(
        over=over,
        at=at,
        reached=reached,
        baseline=best,
        chance=chance,
        method=ranks.system,
        topic=baseline.topic,
        winner=baseline.winner,
        feasible=baseline.feasibility.feasible,
        runs=len(answered),
        failed=len(ranks) - len(answered),
        generality=both,
        thinned=differ,
    )


def _mean_and_chance(
    ranks: RelevantRanks, over: Over, at: FloatArray, to: float | None
) -> tuple[FloatArray, FloatArray]:
    """The mean curve and that of chance, thinned to a generality where one is given."""
    if to is None:
        return mean_curve(ranks, over, at), chance_curve(ranks, over, at)
    kept = kept_for(ranks, to)
    return thinned_curve(ranks, over, at, kept), thinned_chance(ranks, over, at, kept)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


@dataclass(frozen=True)
class MeanInterval:
    """A mean with its 95 % interval, and what it is made of: variance within draws and between them."""

    mean: float
    low: float
    high: float
    within: float
    between: float
    freedom: float


def interval_over_draws(
    values: FloatArray, level: float = 0.95, most: float = np.inf, units: Sequence[str] | None = None
) -> MeanInterval:
    """Of draws x topics: the mean over both; a single draw gives the t interval of its topics.

    Limits stay from 0 to `most`, what a method can reach (`Efficiency.most`). `units`: the sampling unit of each topic,
    where topics share labels.

    >>> made = interval_over_draws(np.array([[0.4, 0.6, 0.8]]))
    >>> round(made.mean, 6), round(made.low, 6), round(made.high, 6)
    (0.6, 0.103172, 1.096828)
    >>> round(interval_over_draws(np.array([[0.2, 0.6]])).low, 6)
    0.0
    """
    from scipy.special import stdtrit

    draws, topics = values.shape
    count = topics if units is None else len({*units})
    if count < 2:
        centre = float(values.mean()) if values.size else float("nan")
        return MeanInterval(mean=centre, low=np.nan, high=np.nan, within=np.nan, between=np.nan, freedom=0.0)
    means = values.mean(axis=1)
    within = float(np.mean([variance_of_mean(row, units) for row in values]))
    between = float(means.var(ddof=1)) if draws > 1 else 0.0
    total = within + (1 + 1 / draws) * between
    freedom = count - 1.0 if draws == 1 else combined_freedom(within, between, draws, count - 1.0)
    half = float(stdtrit(freedom, (1 + level) / 2)) * total**0.5 if total > 0 else float("nan")
    centre = float(means.mean())
    low, high = (float(np.clip(end, 0.0, most)) for end in (centre - half, centre + half))
    return MeanInterval(mean=centre, low=low, high=high, within=within, between=between, freedom=freedom)


def variance_of_mean(values: FloatArray, units: Sequence[str] | None = None) -> float:
    """The variance of a mean; of values in units as of a sample of units, by how far each pulls the mean.

    >>> round(variance_of_mean(np.array([1.0, 2.0, 6.0])), 6)  # 7 / 3
    2.333333
    >>> round(variance_of_mean(np.array([1.0, 1.0, 3.0, 3.0]), ["a", "a", "b", "b"]), 6)  # as 1 and 3
    1.0
    """
    _, number = np.unique(np.arange(values.size) if units is None else np.array(units), return_inverse=True)
    pulls = np.bincount(number, values - values.mean()) / values.size
    return float((pulls**2).sum()) * pulls.size / (pulls.size - 1) if pulls.size > 1 else float("nan")


def combined_freedom(within: float, between: float, draws: int, complete: float) -> float:
    """Degrees of freedom of W + (1 + 1/m) B, by Satterthwaite; `complete` are those of W.

    >>> round(combined_freedom(4.0, 4.0, 3, 1e12), 4)  # many topics, Rubin's: 2 (1 + 4 / 5.3333)^2
    6.125
    """
    added = (1 + 1 / draws) * between
    parts = within**2 / complete + added**2 / (draws - 1)
    return (within + added) ** 2 / parts if parts > 0 else complete


# Old results next to a better baseline: efficiency times p~ over the new p~, topic by topic (Huiskes & Lew, eq. 6).


def recalibrated_values(values: ArrayLike, old: ArrayLike, new: ArrayLike) -> FloatArray:
    """Efficiencies of one topic against a new baseline; exact for means over its runs, wrong for means over topics.

    >>> recalibrated_values([1, 4 / 9], [1, 0.9], [1, 1]).round(6)
    array([1. , 0.4])
    """
    given, before = np.asarray(values, dtype=np.float64), np.asarray(old, dtype=np.float64)
    return divide(given * before, new)


def recalibrated(result: Efficiency, new: Baseline | ArrayLike, winner: str = "") -> Efficiency:
    """The same result against a new baseline of the same topic, or against its curve."""
    if not isinstance(new, Baseline):
        curve = np.asarray(new, dtype=np.float64)
        if curve.shape != result.baseline.shape:
            raise SettingError(f"the new baseline needs {result.at.size} values, one at each place, got {curve.size}")
        return replace(result, baseline=curve, winner=winner)
    if new.topic != result.topic:
        raise SettingError(f"a result of topic '{result.topic}' cannot be divided by the baseline of '{new.topic}'")
    if result.thinned:
        raise SettingError("a result that was thinned to another generality is computed anew, not re-calibrated")
    curve = mean_curve(new.ranks, result.over, result.at)
    return replace(result, baseline=curve, winner=new.winner, feasible=new.feasibility.feasible)


def recalibrated_all(results: Iterable[Efficiency], new: Mapping[str, Baseline]) -> tuple[Efficiency, ...]:
    """Every result against the new baseline of its topic; topics without a new one stay. Average after, not before."""
    return tuple(recalibrated(each, new[each.topic]) if each.topic in new else each for each in results)
