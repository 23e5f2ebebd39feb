"""The forecast of a larger collection: back-test, choice of the model and intervals in one, and the result with its
warnings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from rankscope.analysis.curves.hits import Terms, terms_of
from rankscope.analysis.forecast.backtest import (
    FACTORS,
    SAME_FACTOR,
    BackTestTrial,
    ForecastInterval,
    OtherQueries,
    backtest,
    best_model,
    error_at,
    item_errors,
    model_error,
    unit_error,
    unit_weights,
)
from rankscope.analysis.forecast.evidence import Evidence, share_near, shared_by
from rankscope.analysis.forecast.models import GrowthModel, candidates, usable
from rankscope.analysis.statistics.resampling import drawing
from rankscope.analysis.statistics.sampling_units import unit_classes
from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import unknown_name
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import MeasureError, SettingError
from rankscope.core.rendering import HeadedTable, Presentation
from rankscope.core.validation import FLAG, SEED, SHARE, Number, OneOf, check, check_fields
from rankscope.core.wording import how_many, percent_text, setting_usage, setting_value
from rankscope.measures import Measure
from rankscope.measures.notation import Asked, parse_measures
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks, chosen_distractors

if TYPE_CHECKING:
    pass

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
        return np.rint(distractors * factor + (factor - 1.0) * relevant)

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
        tried_to = min(ahead, max(each.factor for each in tested))
        raise SettingError(
            f"{measure}: the back-test errs by {error:.2f} at {tried_to:.3g} times, more than "
            f"{WORST_ERROR:g}: these data do not tell their future. Use {setting_value('force', True)} to see a number "
            "nonetheless"
        )
    results = _look_ahead(measure, seen, some, [each.factor for each in course], chosen, tested, wanted)
    forced = [f"{measure}: the back-test errs by {error:.2f}, more than {WORST_ERROR:g}: forced"]
    return results, [
        *(forced if error > WORST_ERROR else []),
        *doubts_of(results[-1], seen.evidence, ahead, results[-1].own_tests),
    ]


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
    why = "scores of the hits and of the best distractors"  # what the model looks at, and why not at more
    if not model.needs_scores:
        why = f"ranks alone, because {seen.evidence.why_no_scores or 'this model was asked for'}"

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
            why=why,
            tested=tuple(tested),
            queries=len(seen.queries),
            units=drawn.units,
            unit=drawn.unit,
        )

    return [at(*each) for each in zip(factors, means, items.tolist(), strict=True)]


# What a forecast says: numbers, how they were come by, and what they rest on.

ASSUMPTIONS = (
    "new items come from the same population as the present ones: no near-duplicates, no new domain",
    "no new item is relevant to any query",
    "the score of an item does not depend on which other items are there (so no idf, reranking or fusion)",
)


@dataclass(frozen=True)
class MeasureForecast:
    """One measure: its mean now and in the larger collection, with intervals, and how the model did on these data."""

    measure: str
    now: float
    forecast: float
    these: ForecastInterval  # for the same queries
    item_error: float  # standard error by which items are there today
    all_queries: ForecastInterval  # for the mean over all queries of the kind
    another_set: ForecastInterval  # for another set of as many
    model: str
    why: str  # what the model uses, and why not more
    tested: tuple[BackTestTrial, ...]  # the back-test, all models
    queries: int
    units: int
    unit: str  # queries or classes: what other queries would be drawn by

    def others(self, which: OtherQueries) -> ForecastInterval:
        """The interval for other queries: for the mean over all of them, or for another set of as many."""
        return self.all_queries if which == "all" else self.another_set

    @property
    def own_tests(self) -> tuple[BackTestTrial, ...]:
        """The back-test of the model used."""
        return tuple(each for each in self.tested if each.model == self.model)


@dataclass(frozen=True, repr=False)
class Forecast(Tabular):
    """Measures of one system in a larger collection."""

    system: str
    collection: int  # now; the median where queries differ
    target: int
    factor: float
    level: float
    seed: int
    measures: tuple[MeasureForecast, ...]
    other_queries: OtherQueries = "all"  # which of the two intervals for other queries is shown
    warnings: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ASSUMPTIONS

    def __getitem__(self, measure: str) -> MeasureForecast:
        by_name = {each.measure: each for each in self.measures}
        if measure not in by_name:
            raise KeyError(unknown_name("measure", measure, by_name))
        return by_name[measure]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Which model was used for which measures, and why."""
        told: dict[tuple[str, str], list[str]] = {}
        for each in self.measures:
            told.setdefault((each.model, each.why), []).append(each.measure)
        return tuple(f"{', '.join(names)} by {model}: {why}" for (model, why), names in told.items())

    def rows(self) -> list[dict[str, object]]:
        """One row per measure."""
        return [
            {
                "measure": each.measure,
                "now": each.now,
                "forecast": each.forecast,
                "these queries low": each.these.low,
                "these queries high": each.these.high,
                "all such queries low": each.all_queries.low,
                "all such queries high": each.all_queries.high,
                "another set low": each.another_set.low,
                "another set high": each.another_set.high,
                "model": each.model,
                **{f"error at {test.factor:.3g}x": test.error for test in each.own_tests},
            }
            for each in self.measures
        ]

    def backtest_rows(self) -> list[dict[str, object]]:
        """One row per measure, model and factor of the back-test."""
        return [
            {
                "measure": each.measure,
                "model": test.model,
                "factor": test.factor,
                "forecast": test.forecast,
                "present": test.present,
                "error": test.error,
                "spread": test.spread,
                "used": test.model == each.model,
            }
            for each in self.measures
            for test in each.tested
        ]

    def display(self) -> Display:
        words = [forecast_line(self), *self.warnings, *self.reasons]
        return Display.of(words, forecast_rows(self), ".warnings and .reasons", places=3)

    def presentation(self, backtest: bool = False, quiet: bool = False) -> Presentation:
        """Sizes, the table, why each model, and what the forecast rests on."""
        errors = "error at: the present, forecast from that many times fewer items, minus the present"
        tested = any(each.own_tests for each in self.measures)
        tables: list[HeadedTable | str] = [
            HeadedTable("", forecast_rows(self), places=3),
            errors if tested else "no back-test: too few items to thin",
            "\n".join(self.reasons),
        ]
        if backtest:
            tables.append(HeadedTable("", self.backtest_rows(), places=3))
        rests = ["The forecast holds only if", *(f"  - {line}" for line in self.assumptions)]
        rests += [f"! {line}" for line in self.warnings]
        return Presentation([forecast_line(self)], tables, [] if quiet else rests)

    def record(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "format": "rankscope.forecast",
            "version": 3,
            **{name: value for name, value in asdict(self).items() if name != "measures"},
            "models": self.reasons,
            "measures": self.rows(),
            "backtest": self.backtest_rows(),
        }


# From how many items to how many.

FARTHEST = 32.0


@dataclass(frozen=True)
class CollectionGrowth:
    """The size of the collection now and then."""

    now: int
    then: int
    factor: float

    @classmethod
    def of(cls, ranks: RelevantRanks, to: int | float | str) -> CollectionGrowth:
        """A whole number is a size, any other a factor, and so is a text that ends in x."""
        if len(ranks) == 0 or (ranks.collection == UNKNOWN).any():
            raise MeasureError(
                "a forecast needs the size of the collection, which a run file does not tell: give "
                f"{setting_usage('collection_size', 'D')}"
            )
        if chosen_distractors(ranks.provenance).startswith("nearest"):
            raise SettingError(
                "these ranks are among the distractors nearest to each class, and new items are not drawn from those: "
                "forecast from ranks in the whole collection, or among random distractors"
            )
        now = int(np.median(ranks.collection))
        size = _wanted_size(to)
        then = round(now * size) if isinstance(size, float) else size
        return cls(now, then, then / now)

    def check(self, force: bool) -> None:
        """Refuse what is no growth, and what is too far unless forced."""
        if not self.factor > 1:
            raise SettingError(
                f"a forecast is for a larger collection: {self.then:,} is not more than {self.now:,}. What a smaller "
                "one gives is known exactly: rankscope.analysis.expected_value"
            )
        if self.factor > FARTHEST and not force:
            raise SettingError(
                f"{self.factor:.3g} times is too far: beyond {FARTHEST:g} times no model has been tested. "
                f"Use {setting_value('force', True)} to see a number nonetheless"
            )

    def warnings(self, ranks: RelevantRanks) -> Iterable[str]:
        """What must be said about the size."""
        if self.factor > FARTHEST:
            yield f"{self.factor:.3g} times is beyond {FARTHEST:g} times, where no model has been tested: forced"
        cut = int((ranks.depth < ranks.collection).sum())
        if cut:
            yield f"{cut} of {len(ranks)} lists are cut: the forecast is for lists cut at the same depth"


def _wanted_size(to: int | float | str) -> int | float:
    if not isinstance(to, str):
        return check({"to": to}, to=Number(above=0))["to"]
    text = to.strip().lower().replace(",", "").replace("_", "")
    try:
        number = float(text[:-1]) if text.endswith("x") else int(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SettingError(f"'{to}' is no size: write how many times (10x) or how many items (200000)")
    return number


# What must be said with a forecast: what its data lack, and where it is known to err.

FEW_UNITS = 20
FEW_KNOWN = 16
TIED_SHARE = 0.1
UNLIKE = 0.6


def doubts_of(
    forecast: MeasureForecast, evidence: Evidence, ahead: float, tested: Sequence[BackTestTrial]
) -> Iterable[str]:
    """Sentences, each with the measure it is about where it is about one."""
    if forecast.units < FEW_UNITS:
        yield f"only {forecast.units} {forecast.unit}: the interval for other queries rests on few"
    yield from _of_the_test(forecast, ahead, tested)
    if evidence.lots is None:
        yield (
            "which items stand in the rankings is not known: the back-test leaves out items for each query by itself, "
            "and the interval for these queries is too narrow where queries share their distractors"
        )
    known = float(np.median(evidence.near)) if evidence.near.any() else FEW_KNOWN
    if known < FEW_KNOWN:
        yield (
            f"the rankings hold only {known:.0f} distractors for half of the queries: forecasts from so few have erred "
            "by up to .07 with scores and by up to .1 from ranks alone"
        )
    if evidence.scored is None:
        return
    best = evidence.scored.best
    first = best[:, : FEW_KNOWN + 1]
    there = np.isfinite(first[:, 1:])
    ties = there & (first[:, :-1] == first[:, 1:])
    tied = float(ties.sum() / max(there.sum(), 1))  # of the best distractors, 16 of each query at most
    if tied > TIED_SHARE:
        yield (
            f"{tied:.0%} of the best distractors tie with the next one: the model takes scores for continuous, and "
            "forecasts of such runs have erred by .02 either way"
        )
    # of the logarithms of the scales of tails, beyond what level, hits and chance explain
    unlike = float(np.sqrt(shared_by(best, FEW_KNOWN, share_near(evidence, FEW_KNOWN)).variance))
    if unlike > UNLIKE:
        yield (
            f"how fast scores fall off differs by a factor of {np.exp(unlike):.1f} even among queries whose level and "
            "hits are alike: at 16 times one in three forecasts of such runs lay outside of its interval, by up to .035"
        )


def _of_the_test(forecast: MeasureForecast, ahead: float, tested: Sequence[BackTestTrial]) -> Iterable[str]:
    if not tested:
        yield f"{forecast.measure}: too few distractors for a back-test"
        return
    last = max(tested, key=lambda each: each.factor)
    if last.factor < ahead * (1.0 - SAME_FACTOR):
        yield f"{forecast.measure}: too few distractors to back-test {ahead:.3g} times; {last.factor:.3g} was tried"
    if abs(last.error) > forecast.these.width / 2 + 2.0 * last.noise:
        yield (
            f"{forecast.measure}: the back-test at {last.factor:.3g} times errs by {last.error:+.3f}, more than the "
            "interval allows for; it starts from a smaller collection than today's, where errors are larger"
        )


def forecast_line(result: Forecast) -> str:
    """From how many items to how many, on what."""
    most = max(result.measures, key=lambda each: each.queries)
    drawn = how_many(most.queries)
    if most.unit == "classes":  # other queries would be of other classes
        drawn += f" of {how_many(most.units, 'classes')}, the sampling units"
    return (
        f"{result.system}: from {result.collection:,} to {how_many(result.target, 'items')} ({result.factor:.3g} "
        f"times), {drawn}; {percent_text(result.level)} intervals for these queries and for "
        f"{other_queries_text(result)}, seed {result.seed}"
    )


def forecast_rows(result: Forecast) -> list[dict[str, object]]:
    """One row per measure, as people read it."""
    others = "all such queries" if result.other_queries == "all" else "another set"
    rows = []
    for row in result.rows():  # intervals in one column each; the reasons name the model
        shown: dict[str, object] = {name: row[name] for name in ("measure", "now", "forecast")}
        for which in ("these queries", others):
            shown[which] = f"{row[f'{which} low']:.3f} to {row[f'{which} high']:.3f}"
        errors = {name: value for name, value in row.items() if name.startswith("error at")}
        rows.append(shown | {name: f"{round(float(str(value)), 3) + 0.0:+.3f}" for name, value in errors.items()})
    return rows


def other_queries_text(result: Forecast) -> str:
    """What the wider of the intervals shown is for.

    Without units there would be no measure, so the first tells what other queries are drawn by.
    """
    most = max(result.measures, key=lambda each: each.queries)
    if result.other_queries == "all":
        return "the mean over all such queries" + (" (of all such classes)" if most.unit == "classes" else "")
    return f"another set of {how_many(most.units, most.unit)}"
