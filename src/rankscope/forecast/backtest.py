"""Thin the collection, forecast the present, compare: how wrong a model is on these very data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.curves.terms import Terms
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.model import GrowthModel, today

FACTORS = (2.0, 4.0, 16.0)
DRAWS = 3
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
        """Mean error."""
        return self.forecast - self.present

    @property
    def noise(self) -> float:
        """How far chance moves the mean error."""
        return float(np.sqrt(max(self.spread**2 - self.error**2, 0.0) / DRAWS))


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
        thinned = [evidence.thinned(factor, random) for _ in range(DRAWS)]
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
