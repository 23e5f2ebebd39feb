"""What a forecast says: numbers, how they were come by, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.catalogue import unknown_name
from rankscope.displayed import Tabular
from rankscope.forecast.backtest import BackTestTrial
from rankscope.forecast.intervals import ForecastInterval, OtherQueries

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
