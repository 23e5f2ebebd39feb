"""What is left of the quality when the collection grows: forecast, back-test and interval in one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import IntArray
from rankscope.curves.terms import Terms, terms_of
from rankscope.errors import MeasureError, SettingError
from rankscope.forecast.backtest import FACTORS, SAME_FACTOR, backtest, best_model, error_at, possible, spread_at
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.intervals import interval, query_weights
from rankscope.forecast.model import Model
from rankscope.forecast.models import candidates
from rankscope.forecast.result import Forecast, MeasureForecast
from rankscope.measures import Measure
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks

USUAL = ("Rprec", "AP")
FARTHEST = 32.0
WORST_ERROR = 0.1
TESTED_QUERIES = 1000
FEW_QUERIES = 20


def forecast(
    ranks: RelevantRanks,
    to: int | float | str,
    measures: Iterable[str | Measure] | str = USUAL,
    model: str | None = None,
    *,
    force: bool = False,
    seed: int = 0,
    level: float = 0.9,
) -> Forecast:
    """Means of measures when the collection has `to` items (a whole number), or so many times more (10.0 or "10x").

    Relevant items stay as they are and new distractors come from the same population. Measures: Rprec (p = r), AP, P@k,
    R@k, nDCG, nDCG@k. All models are tried on the present, foretold from thinned collections; `best_model` chooses,
    unless one is named. Beyond 32 times, and where that back-test errs by more than .1, `SettingError` is raised unless
    `force`. A list that was cut stays cut at its depth. Ranks reduced with scores (`keep_scores=True`) allow better
    models. Raises `MeasureError` where the size of the collection is not known.
    >>> ranks = RelevantRanks.from_ranks([[1, 3, 10], [2, 30]], collection=200)
    >>> grown = forecast(ranks, "4x", ["Rprec"], model="jeffreys", force=True)
    >>> grown.target, round(grown["Rprec"].now, 3), round(grown["Rprec"].forecast, 3)
    (800, 0.583, 0.183)
    """
    asked = parse_measures(measures)
    if not asked:
        raise SettingError("a forecast needs at least one measure: Rprec, AP, P@10, R@10, nDCG@10")
    growth = Growth.of(ranks, to)
    growth.check(force)
    warnings = list(growth.warnings(ranks))
    results = [_one(ranks, each, growth, model, force, seed, level, warnings) for each in asked]
    return Forecast(
        ranks.system,
        growth.now,
        growth.then,
        growth.factor,
        level,
        seed,
        tuple(results),
        tuple(dict.fromkeys(warnings)),
    )


@dataclass(frozen=True)
class Growth:
    """From how many items to how many."""

    now: int
    then: int
    factor: float

    @classmethod
    def of(cls, ranks: RelevantRanks, to: int | float | str) -> Growth:
        """A whole number is a size, any other a factor, and so is a text that ends in x."""
        if len(ranks) == 0 or (ranks.collection == UNKNOWN).any():
            raise MeasureError(
                "a forecast needs the size of the collection, which a run file does not tell: give --collection-size D "
                "(collection_size=D in Python)"
            )
        now = int(np.median(ranks.collection))
        size = _number(to)
        then = round(now * size) if isinstance(size, float) else size
        return cls(now, then, then / now)

    def check(self, force: bool) -> None:
        """Refuse what is no growth, and what is too far unless forced."""
        if not self.factor > 1:
            raise SettingError(
                f"a forecast is for a larger collection: {self.then:,} is not more than {self.now:,}. What a smaller "
                "one gives is known exactly: rankscope.curves.expected_value"
            )
        if self.factor > FARTHEST and not force:
            raise SettingError(
                f"{self.factor:.3g} times is too far: beyond {FARTHEST:g} times no model has been tested. "
                "Use --force (force=True in Python) to see a number nonetheless"
            )

    def warnings(self, ranks: RelevantRanks) -> Iterable[str]:
        """What must be said about the size."""
        if self.factor > FARTHEST:
            yield f"{self.factor:.3g} times is beyond {FARTHEST:g} times, where no model has been tested: forced"
        cut = int((ranks.depth < ranks.collection).sum())
        if cut:
            yield f"{cut} of {len(ranks)} lists are cut: the forecast is for lists cut at the same depth"


def _number(to: int | float | str) -> int | float:
    if not isinstance(to, str):
        return to
    text = to.strip().lower().replace(",", "").replace("_", "")
    try:
        return float(text[:-1]) if text.endswith("x") else int(text)
    except ValueError:
        raise SettingError(f"'{to}' is no size: write how many times (10x) or how many items (200000)") from None


def _one(
    ranks: RelevantRanks,
    measure: Measure,
    growth: Growth,
    model: str | None,
    force: bool,
    seed: int,
    level: float,
    warnings: list[str],
) -> MeasureForecast:
    """Back-test, choose, look ahead."""
    queries = ranks.take(np.flatnonzero(measure.defined(ranks)))
    if len(queries) == 0:
        raise MeasureError(f"{measure}: no query has a relevant item")
    terms, evidence = _seen(measure, queries)
    models = candidates(model, evidence.scored is not None)
    target = evidence.distractors * growth.factor + (growth.factor - 1.0) * terms.queries.relevant
    ahead = float(np.median(target / np.maximum(evidence.distractors, 1.0)))  # the class does not grow
    some = queries if len(queries) <= TESTED_QUERIES else queries.take(_some_rows(len(queries), seed))
    few_terms, few = (terms, evidence) if some is queries else _seen(measure, some)
    factors = (*FACTORS, min(ahead, FARTHEST))
    tested = backtest(few, few_terms, models, factors, seed)
    chosen = best_model(tested, models)
    error = error_at(tested, str(chosen), ahead)
    warnings += _doubts(measure, evidence, ahead, error, possible(few, factors), force)
    weights = query_weights(len(queries), seed)
    means = chosen.means(evidence, terms, target, weights)
    now = float((weights[:1] @ measure.of(queries))[0])
    low, high = interval(means, _model_error(chosen, spread_at(tested, str(chosen), ahead), ahead), level)
    return MeasureForecast(str(measure), now, float(means[0]), low, high, str(chosen), tuple(tested), len(queries))


def _model_error(model: Model, spread: float, ahead: float) -> float:
    """The back-test's, but at least what is usual for the model; without a back-test (NaN) twice that."""
    usual = model.usual_error * float(np.log2(ahead))
    return 2.0 * usual if np.isnan(spread) else max(usual, spread)


def _seen(measure: Measure, queries: RelevantRanks) -> tuple[Terms, Evidence]:
    """The measure as terms of lists that end where they end, and what is known of the hits."""
    terms = terms_of(measure, queries)
    cut = np.where(queries.depth < queries.collection, queries.depth.astype(np.float64), np.inf)
    return terms.cut_at(cut), Evidence.of(terms.queries)


def _some_rows(queries: int, seed: int) -> IntArray:
    return np.sort(np.random.default_rng(seed).choice(queries, TESTED_QUERIES, replace=False))


def _doubts(
    measure: Measure, evidence: Evidence, ahead: float, error: float, tried: list[float], force: bool
) -> Iterable[str]:
    """Refuse where the back-test fails, and say what it could not try."""
    if error > WORST_ERROR and not force:
        raise SettingError(
            f"{measure}: the back-test errs by {error:.2f} at {ahead:.3g} times, more than {WORST_ERROR:g}: "
            "these data do not tell their future. Use --force (force=True in Python) to see a number nonetheless"
        )
    if error > WORST_ERROR:
        yield f"{measure}: the back-test errs by {error:.2f}, more than {WORST_ERROR:g}: forced"
    if not tried:
        yield f"{measure}: too few distractors for a back-test: the interval rests on the model's usual error"
    elif max(tried) < ahead * (1.0 - SAME_FACTOR):
        yield f"{measure}: too few distractors to back-test {ahead:.3g} times; {max(tried):.3g} was tried"
    if evidence.scored is None:
        yield f"{measure}: no scores were kept: the models that use them err less"
    if evidence.hits.queries < FEW_QUERIES:
        yield f"{measure}: only {evidence.hits.queries} queries"
