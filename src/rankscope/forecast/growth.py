"""What is left of the quality when the collection grows: forecast, back-test and intervals in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.terms import Terms, terms_of
from rankscope.errors import MeasureError, SettingError
from rankscope.forecast.backtest import FACTORS, BackTestTrial, backtest, best_model, error_at
from rankscope.forecast.doubts import doubts_of
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.intervals import (
    ForecastInterval,
    OtherQueries,
    item_errors,
    model_error,
    unit_error,
    unit_weights,
)
from rankscope.forecast.model import GrowthModel
from rankscope.forecast.models import candidates, usable
from rankscope.forecast.result import Forecast, MeasureForecast
from rankscope.forecast.sizes import FARTHEST, CollectionGrowth
from rankscope.measures import Measure
from rankscope.measures.notation import Asked, parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.table.resampling import drawing
from rankscope.statistics.table.units import unit_classes
from rankscope.validation import FLAG, SEED, SHARE, OneOf, check_fields
from rankscope.wording import setting_value

USUAL = ("Rprec", "AP")
WORST_ERROR = 0.1
TESTED_QUERIES = 1000
TESTED_HITS = 30_000


@dataclass(frozen=True)
class Wanted:
    """How a forecast is to be made."""

    model: str | None
    force: bool
    seed: int
    level: float
    every_model: bool = False
    other_queries: OtherQueries = "all"

    def __post_init__(self) -> None:
        others = OneOf(get_args(OtherQueries))
        check_fields(self, force=FLAG, seed=SEED, level=SHARE, every_model=FLAG, other_queries=others)


def forecast(
    ranks: RelevantRanks,
    to: int | float | str,
    measures: Asked = USUAL,
    model: str | None = None,
    *,
    force: bool = False,
    seed: int = 0,
    level: float = 0.9,
    every_model: bool = False,
    other_queries: OtherQueries = "all",
) -> Forecast:
    """Means of measures when the collection has `to` items (a whole number), or so many times more (10.0 or "10x").

    Relevant items stay as they are and new distractors come from the same population. Measures: Rprec (p = r), AP, P@k,
    R@k, nDCG, nDCG@k. Models that use scores are tried where the ranks have real ones (`why_no_scores`), models for
    ranks alone where they have not: each forecasts the present from thinned collections, and `best_model` chooses,
    unless one is named. Beyond 32 times, and where that back-test errs by more than .1, `SettingError` is raised unless
    `force`. `every_model` back-tests all models that can be used, not only those to choose from. A list that was cut
    stays cut at its depth. There is an interval for these queries, a wider one for the mean over all queries of the
    kind (of all classes where the class is the sampling unit), and the widest for another set of as many queries;
    `other_queries` says which of the last two is shown. Raises `MeasureError` where the size of the collection is not
    known.
    >>> ranks = RelevantRanks.from_ranks([[1, 3, 10], [2, 30]], collection=200)
    >>> grown = forecast(ranks, "4x", ["Rprec"], model="jeffreys", force=True)
    >>> grown.target, round(grown["Rprec"].now, 3), round(grown["Rprec"].forecast, 3), grown["Rprec"].why
    (800, 0.583, 0.183, 'ranks alone, because no scores were kept')
    """
    asked = parse_measures(measures)
    if not asked:
        raise SettingError("a forecast needs at least one measure: Rprec, AP, P@10, R@10, nDCG@10")
    wanted = Wanted(
        model=model, force=force, seed=seed, level=level, every_model=every_model, other_queries=other_queries
    )
    growth = CollectionGrowth.of(ranks, to)
    growth.check(force)
    results = [_forecast_one(ranks, each, [growth], wanted) for each in asked]
    warnings = [*growth.warnings(ranks), *(line for _, lines in results for line in lines)]
    return _whole(ranks, growth, [result[-1] for result, _ in results], warnings, wanted)


def forecast_course(
    ranks: RelevantRanks,
    to: int | float | str,
    measure: Measure,
    model: str | None = None,
    *,
    steps: int = 0,
    force: bool = False,
    seed: int = 0,
    level: float = 0.9,
    other_queries: OtherQueries = "all",
) -> list[Forecast]:
    """The forecast of one measure at so many sizes between today and `to`, evenly spaced in log, and at `to`.

    One back-test, that of the last size, chooses the model for all of them, and its warnings stand at the last.
    >>> ranks = RelevantRanks.from_ranks([[1, 3, 10], [2, 30]], collection=200)
    >>> course = forecast_course(ranks, "4x", parse_measures(["Rprec"])[0], "jeffreys", steps=1, force=True)
    >>> [(each.target, round(each["Rprec"].forecast, 3)) for each in course]
    [(400, 0.304), (800, 0.183)]
    """
    wanted = Wanted(model, force, seed, level, other_queries=other_queries)
    last = CollectionGrowth.of(ranks, to)
    last.check(force)
    between = np.geomspace(1.0, last.factor, steps + 2)[1:-1].tolist()
    course = [*(CollectionGrowth.of(ranks, each) for each in between), last]
    results, lines = _forecast_one(ranks, measure, course, wanted)
    warnings = [*last.warnings(ranks), *lines]
    return [
        _whole(ranks, growth, [result], warnings if growth is last else [], wanted)
        for growth, result in zip(course, results, strict=True)
    ]


def _whole(
    ranks: RelevantRanks,
    growth: CollectionGrowth,
    measures: Sequence[MeasureForecast],
    warnings: Sequence[str],
    wanted: Wanted,
) -> Forecast:
    return Forecast(
        system=ranks.system,
        collection=growth.now,
        target=growth.then,
        factor=growth.factor,
        level=wanted.level,
        seed=wanted.seed,
        measures=tuple(measures),
        other_queries=wanted.other_queries,
        warnings=tuple(dict.fromkeys(warnings)),
    )


@dataclass(frozen=True)
class Seen:
    """One measure of some queries: as terms of lists that end where they end, and what is known of the hits."""

    queries: RelevantRanks
    terms: Terms
    evidence: Evidence

    @classmethod
    def of(cls, measure: Measure, queries: RelevantRanks) -> Seen:
        """Lists that were cut stay cut."""
        terms = terms_of(measure, queries)
        cut = np.where(queries.depth < queries.collection, queries.depth.astype(np.float64), np.inf)
        return cls(queries, terms.cut_at(cut), Evidence.of(terms.queries))

    def target(self, factor: float) -> FloatArray:
        """Distractors of each query when all items have grown by the factor: the class does not grow."""
        distractors, relevant = self.evidence.distractors, self.terms.queries.relevant
        whole: FloatArray = np.rint(distractors * factor + (factor - 1.0) * relevant)
        return whole

    def ahead(self, factor: float) -> float:
        """How many times as many distractors there will be then."""
        return float(np.median(self.target(factor) / np.maximum(self.evidence.distractors, 1.0)))

    def some(self, measure: Measure, seed: int) -> Seen:
        """The same with some of the queries, where there are very many queries or hits."""
        found = max(self.evidence.hits.row.size, 1)
        most = min(TESTED_QUERIES, max(1, len(self.queries) * TESTED_HITS // found))
        if len(self.queries) <= most:
            return self
        rows = np.sort(np.random.default_rng(seed).choice(len(self.queries), most, replace=False))
        return Seen.of(measure, self.queries.take(rows))


def _forecast_one(
    ranks: RelevantRanks, measure: Measure, course: Sequence[CollectionGrowth], wanted: Wanted
) -> tuple[list[MeasureForecast], list[str]]:
    """Back-test as far as the last size, choose, look ahead to all of them; and what must be said of the last."""
    queries = ranks.take(np.flatnonzero(measure.defined(ranks)))
    if len(queries) == 0:
        raise MeasureError(f"{measure}: no query has a relevant item")
    seen = Seen.of(measure, queries)
    ahead = seen.ahead(course[-1].factor)
    models = candidates(wanted.model, seen.evidence.scored is not None, seen.evidence.why_no_scores)
    some = seen.some(measure, wanted.seed)
    more = usable(seen.evidence.scored is not None) if wanted.every_model else ()
    tried = tuple(dict.fromkeys((*models, *more)))
    tested = backtest(some.evidence, some.terms, tried, (*FACTORS, min(ahead, FARTHEST)), wanted.seed)
    chosen = best_model(tested, models)
    error = error_at(tested, str(chosen), ahead)
    if error > WORST_ERROR and not wanted.force:
        raise SettingError(
            f"{measure}: the back-test errs by {error:.2f} at {_tried(tested, ahead):.3g} times, more than "
            f"{WORST_ERROR:g}: these data do not tell their future. Use {setting_value('force', True)} to see a number "
            "nonetheless"
        )
    results = _look_ahead(measure, seen, some, [each.factor for each in course], chosen, tested, wanted)
    forced = [f"{measure}: the back-test errs by {error:.2f}, more than {WORST_ERROR:g}: forced"]
    return results, [
        *(forced if error > WORST_ERROR else []),
        *doubts_of(results[-1], seen.evidence, ahead, results[-1].own_tests),
    ]


def _tried(tested: Sequence[BackTestTrial], ahead: float) -> float:
    """The factor that an error is known for."""
    return min(ahead, max(each.factor for each in tested))


def _look_ahead(
    measure: Measure,
    seen: Seen,
    some: Seen,
    factors: Sequence[float],
    model: GrowthModel,
    tested: list[BackTestTrial],
    wanted: Wanted,
) -> list[MeasureForecast]:
    """The forecasts with both intervals; what each factor needs of the model is computed in one go."""
    classes = unit_classes(seen.queries)
    drawn = drawing(len(seen.queries), classes)
    weights = unit_weights(classes, len(seen.queries), wanted.seed)
    random = np.random.default_rng([wanted.seed, 1])
    means = model.means_at(seen.evidence, seen.terms, [seen.target(each) for each in factors], weights)
    items = item_errors(model, some.evidence, some.terms, [some.target(each) for each in factors], random)
    now = float(measure.of(seen.queries).mean())

    def at(factor: float, mean: FloatArray, item: float) -> MeasureForecast:
        here = model_error(item, model.usual_error, float(np.log2(seen.ahead(factor))), wanted.level)
        unit = unit_error(mean, drawn.units, wanted.level)
        return MeasureForecast(
            measure=str(measure),
            now=now,
            forecast=float(mean[0]),
            these=ForecastInterval.around(float(mean[0]), here),
            item_error=item,
            all_queries=ForecastInterval.around(float(mean[0]), float(np.hypot(here, unit))),
            another_set=ForecastInterval.around(float(mean[0]), float(np.hypot(here, unit * np.sqrt(2.0)))),
            model=str(model),
            why=_why(model, seen.evidence),
            tested=tuple(tested),
            queries=len(seen.queries),
            units=drawn.units,
            unit=drawn.unit,
        )

    return [at(*each) for each in zip(factors, means, items.tolist(), strict=True)]


def _why(model: GrowthModel, evidence: Evidence) -> str:
    """What the model looks at, and why not at more."""
    if model.needs_scores:
        return "scores of the hits and of the best distractors"
    return f"ranks alone, because {evidence.why_no_scores or 'this model was asked for'}"
