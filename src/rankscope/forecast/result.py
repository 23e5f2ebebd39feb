"""What a forecast says: numbers, how they were come by, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.forecast.backtest import Trial

ASSUMPTIONS = (
    "new items come from the same population as the present ones: no near-duplicates, no new domain",
    "no new item is relevant to any query",
    "the score of an item does not depend on which other items are there (fixed features, not idf or reranking)",
)


@dataclass(frozen=True)
class MeasureForecast:
    """One measure: its mean now and in the larger collection, with an interval, and how the model did on these data."""

    measure: str
    now: float
    forecast: float
    low: float
    high: float
    model: str
    tested: tuple[Trial, ...]  # the back-test, all models
    queries: int

    @property
    def own_tests(self) -> tuple[Trial, ...]:
        """The back-test of the model used."""
        return tuple(each for each in self.tested if each.model == self.model)


@dataclass(frozen=True)
class Forecast:
    """Measures of one system in a larger collection."""

    system: str
    collection: int  # now; the median where queries differ
    target: int
    factor: float
    level: float
    seed: int
    measures: tuple[MeasureForecast, ...]
    warnings: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ASSUMPTIONS

    def __getitem__(self, measure: str) -> MeasureForecast:
        return next(each for each in self.measures if each.measure == measure)

    def rows(self) -> list[dict[str, object]]:
        """One row per measure."""
        return [
            {
                "measure": each.measure,
                "now": each.now,
                "forecast": each.forecast,
                "low": each.low,
                "high": each.high,
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
