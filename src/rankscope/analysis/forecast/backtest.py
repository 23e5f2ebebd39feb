"""How far a forecast may err: the back-test on thinned collections, and intervals.

How sure a forecast is: which items are there is chance, other queries might have been asked, and the model errs.
For these very queries two things are uncertain: today's items are a sample, and the model errs. For other queries of
the same kind it is chance, too, which queries (or classes of queries) there are: these are a sample of all such
queries, and so is another set of as many, which lies farther from these than the mean over all does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rankscope.analysis.curves.hits import Terms
from rankscope.analysis.forecast.evidence import Evidence
from rankscope.analysis.forecast.models import GrowthModel, today
from rankscope.analysis.statistics.resampling import class_numbers
from rankscope.core.arrays import FloatArray

FACTORS = (2.0, 4.0, 16.0)
BACKTEST_DRAWS = 3
LEAST_LEFT = 16  # distractors (with scores, where models use them) that half of the queries must keep
NO_DIFFERENCE = 0.02
SAME_FACTOR = 0.1


@dataclass(frozen=True)
class BackTestTrial:
    """One model at one factor: the mean forecast of the present over several thinnings, and its errors."""

    model: str
    factor: float
    forecast: float
    present: float
    spread: float  # root mean square error of one thinning

    @property
    def error(self) -> float:
        return self.forecast - self.present

    @property
    def noise(self) -> float:
        """How far chance moves the mean error."""
        return float(np.sqrt(max(self.spread**2 - self.error**2, 0.0) / BACKTEST_DRAWS))


def backtest(
    evidence: Evidence, terms: Terms, models: Sequence[GrowthModel], factors: Iterable[float], seed: int
) -> list[BackTestTrial]:
    """Every model at every factor that leaves enough distractors; the thinnings are the same for all models.

    A thinning leaves out the same items for all queries, as far as lots are known: growth brings the same to all.
    """
    even = np.full((1, evidence.hits.queries), 1.0 / evidence.hits.queries)
    present = float((even @ today(evidence, terms))[0])
    tested = []
    for factor in possible(evidence, factors):
        random = np.random.default_rng([seed, int(factor * 1000)])
        thinned = [evidence.thinned(factor, random) for _ in range(BACKTEST_DRAWS)]
        for model in models:
            each = np.array([model.means(one, terms, evidence.distractors, even)[0] for one in thinned])
            spread = float(np.sqrt(np.mean((each - present) ** 2)))
            tested.append(
                BackTestTrial(
                    model=str(model), factor=factor, forecast=float(each.mean()), present=present, spread=spread
                )
            )
    return tested


def possible(evidence: Evidence, factors: Iterable[float]) -> list[float]:
    """The factors, ascending, by which the collection can be thinned; of two that hardly differ the first given."""
    left = evidence.distractors if evidence.scored is None else evidence.scored.known
    most = float(np.median(left)) / LEAST_LEFT
    chosen: list[float] = []
    for factor in factors:
        if 1 < factor <= most and all(abs(factor / other - 1.0) > SAME_FACTOR for other in chosen):
            chosen.append(factor)
    return sorted(chosen)


def best_model(tested: Sequence[BackTestTrial], models: Sequence[GrowthModel]) -> GrowthModel:
    """The first model, unless one errs less in the back-test by more than .02 and the thinnings' own noise.

    The models stand in the order in which they did on many collections; one collection, thinned, is a weaker witness.
    """
    errors = {str(model): _size([each.error for each in tested if each.model == str(model)]) for model in models}
    least, first = min(errors.values()), models[0]
    allowed = NO_DIFFERENCE + _size([each.noise for each in tested if each.model == str(first)])
    if errors[str(first)] <= least + allowed:
        return first
    return next(model for model in models if errors[str(model)] == least)


def _size(errors: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(errors)))) if errors else 0.0


def error_at(tested: Sequence[BackTestTrial], model: str, factor: float) -> float:
    """The size of a model's mean error at any factor: linear in log2 between those tried, beyond the last as there.

    Thinned farther than was tried a collection has too few items to be a test; NaN where nothing was tried.
    """
    sizes = {each.factor: abs(each.error) for each in tested if each.model == model}
    if not sizes:
        return float("nan")
    return float(np.interp(np.log2(factor), np.log2([1.0, *sizes]), [0.0, *sizes.values()]))


OtherQueries: TypeAlias = Literal["all", "another-set"]
RESAMPLES = 400
JACKKNIFE_DRAWS = 16
LEFT_OUT = 1 / 8  # of the items, in each draw


@dataclass(frozen=True)
class ForecastInterval:
    """Bounds of a mean."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        """From low to high."""
        return self.high - self.low

    @classmethod
    def around(cls, middle: float, half: float) -> ForecastInterval:
        """Within [0, 1]."""
        return cls(max(0.0, middle - half), min(1.0, middle + half))


def item_errors(
    model: GrowthModel, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], random: np.random.Generator
) -> FloatArray:
    """Standard error of each forecast by which items are there today: a jackknife that leaves out an eighth of them.

    Leaving out d of n items at random makes an estimate vary by d / (n - d) of its variance (Shao & Wu 1989); where
    lots are known the same items go for all queries, and so does what they have in common.
    """
    even = np.full((1, evidence.hits.queries), 1.0 / evidence.hits.queries)
    kept = 1.0 - LEFT_OUT
    thinned = (evidence.thinned(1.0 / kept, random) for _ in range(JACKKNIFE_DRAWS))
    drawn = np.stack([model.means_at(each, terms, targets, even)[:, 0] for each in thinned], axis=1)
    return np.array([one.std(ddof=1) for one in drawn]) * float(np.sqrt(kept / LEFT_OUT))


def unit_weights(classes: Sequence[str] | None, queries: int, seed: int, resamples: int = RESAMPLES) -> FloatArray:
    """Rows of weights of the queries: the first even, the others as units are drawn with replacement (bootstrap).

    Units are the queries, or the classes of queries where these are given; a class comes whole.
    >>> unit_weights(["a", "a", "b", "c"], 4, seed=2, resamples=2).round(2).tolist()
    [[0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 0.33, 0.67], [0.4, 0.4, 0.0, 0.2]]
    """
    number = np.arange(queries) if classes is None else class_numbers(classes)
    units = int(number.max(initial=0)) + 1
    drawn = np.random.default_rng(seed).multinomial(units, np.full(units, 1.0 / units), size=resamples)
    times = np.concatenate([np.ones((1, queries)), drawn[:, number]])
    return times / times.sum(axis=1, keepdims=True)


def unit_error(means: FloatArray, units: int, level: float) -> float:
    """Half the width that chance in the units gives, from means under `unit_weights`: t for so many units.

    >>> round(unit_error(np.array([0.5, 0.48, 0.52]), units=10, level=0.9), 4)
    0.0386
    """
    from scipy.special import stdtrit

    if units < 2:
        return 1.0
    spread = float(means[1:].std()) * float(np.sqrt(units / (units - 1.0)))
    return float(stdtrit(units - 1.0, 0.5 + level / 2)) * spread


def model_error(item: float, usual: float, doublings: float, level: float) -> float:
    """Half the width that chance in the items and the model's usual error for each doubling give.

    How large chance in the items is was found from so many draws: t for one fewer.
    >>> round(model_error(item=0.01, usual=0.002, doublings=4.0, level=0.9), 4)
    0.0219
    """
    from scipy.special import ndtri, stdtrit

    end = 0.5 + level / 2
    return float(np.hypot(stdtrit(JACKKNIFE_DRAWS - 1.0, end) * item, ndtri(end) * usual * doublings))
