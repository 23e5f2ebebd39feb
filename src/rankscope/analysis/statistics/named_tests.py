"""Tests by name: every test that `compare --test` can name, of a whole table of scores or of one pair of systems after
another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.bootstrap import bootstrap_means
from rankscope.analysis.statistics.paired_tests import PairTest, known_differences, limits_within, paired_t, sign_test
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.sign_flip import sign_flip, wilcoxon
from rankscope.core.catalogue import Catalogue, Later, later
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many

FEW_QUERIES = 50


def bootstrap_interval(
    differences: ArrayLike, *, level: float = 0.95, how: str = "bca", resamples: int | None = None, seed: int = 0
) -> PairTest:
    """The bootstrap interval of the mean difference; it has no p-value, for no verdict rests on it.

    Under 50 queries it leaves zero out too often when nothing differs (see `benchmarks/error_rates.py`).
    """
    values = known_differences(differences)
    mean = low = high = math.nan
    note = "no query"
    if values.size:
        intervals = bootstrap_means(values[:, None], level=level, resamples=resamples, seed=seed, how=how)
        mean, low, high = float(values.mean()), float(intervals.low[0]), float(intervals.high[0])
        narrow = ", too narrow for so few queries" if values.size < FEW_QUERIES else ""
        note = f"{how_many(intervals.resamples, 'resamples')} ({how}), seed {seed}{narrow}"
    return PairTest(
        test="bootstrap",
        estimate=mean,
        low=low,
        high=high,
        p=math.nan,
        queries=values.size,
        note=note,
        level=level,
    )


PAIR_TEST_FUNCTIONS: dict[str, Callable[..., PairTest]] = {  # a new test adds its name here
    "sign-flip": sign_flip,
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
    "bootstrap": bootstrap_interval,
}
PAIR_TESTS: Catalogue[Callable[..., PairTest]] = Catalogue("test", PAIR_TEST_FUNCTIONS)


def paired_tests(differences: ArrayLike, *, level: float = 0.95, seed: int = 0) -> tuple[PairTest, ...]:
    """Every test of the same differences, second system minus first.

    >>> [each.test for each in paired_tests([0.1, 0.2, -0.1])]
    ['sign-flip', 't', 'Wilcoxon', 'sign', 'bootstrap']
    """
    values = known_differences(np.asarray(differences, dtype=np.float64))
    return tuple(test(values, **accepted_options(test, {"level": level, "seed": seed})) for test in PAIR_TESTS)


def accepted_options(test: Callable[..., object], options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that a test takes.

    >>> accepted_options(paired_t, {"level": 0.9, "seed": 2})
    {'level': 0.9}
    """
    return {name: value for name, value in options.items() if name in signature(test).parameters}


Test: TypeAlias = Callable[..., Any]
OF_DIFFERENCES = {"difference", "mean difference", "pseudo-median"}  # what an interval in a row is of
TABLE_TEST_ADDRESSES = later(  # a table to a result with rows(); a new test adds its line here
    "rankscope.analysis",
    {
        "pairs": "comparison.pairwise:compare_pairs",
        "rank-intervals": "comparison.rank_intervals:rank_intervals",
        "randomised-tukey": "statistics.multiple_comparisons:randomised_tukey",
        "two-way": "statistics.anova:two_way",
        "blocked-tukey": "statistics.multiple_comparisons:blocked_tukey",
        "repeated-measures": "statistics.anova:repeated_measures",
        "mixed": "statistics.mixed_model:mixed",
        "paired-and-unpaired": "statistics.mixed_model:paired_and_unpaired",
        "anova": "statistics.anova:anova",
        "tukey": "statistics.multiple_comparisons:tukey",
        "comparison-intervals": "statistics.multiple_comparisons:comparison_intervals",
        "welch": "statistics.anova:welch",
        "games-howell": "statistics.multiple_comparisons:games_howell",
        "assumptions": "statistics.assumptions:assumptions",
    },
)
TABLE_TESTS: Catalogue[Test] = Catalogue("test", TABLE_TEST_ADDRESSES, group="rankscope.tests")
_EVERY: dict[str, Test | Later] = {**TABLE_TEST_ADDRESSES, **PAIR_TEST_FUNCTIONS}
EVERY_TEST: Catalogue[Test] = Catalogue("test", _EVERY, group="rankscope.tests")


@dataclass(frozen=True)
class AskedTest:
    """What a named test says of one measure, as rows of plain values."""

    test: str
    rows: tuple[Mapping[str, object], ...]


def named_test(name: str, table: ScoreTable, **options: Any) -> AskedTest:
    """The test of a name on a table of scores; of the options (level, seed ...) it gets those that it takes.

    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.2, 0.4, 0.4, 0.6]})
    >>> [(row["first"], row["second"], round(row["p"], 4)) for row in named_test("T", table, seed=1).rows]
    [('A', 'B', 0.0138)]
    """
    spelled = EVERY_TEST.spell(name)
    test = EVERY_TEST.find(spelled)
    taken = accepted_options(test, {**options, "lower_is_better": table.lower_is_better})
    try:
        if spelled in PAIR_TEST_FUNCTIONS:
            rows = [
                {"first": first, "second": second, **test(table.differences(first, second), **taken).row()}
                for first, second in combinations(table.systems, 2)
            ]
        else:
            rows = test(table, **taken).rows()
    except SettingError as error:
        raise SettingError(f"the test {spelled} cannot be made: {error}") from error
    return AskedTest(spelled, tuple(_within(row, table.difference_bounds) for row in rows))


def _within(row: Mapping[str, object], bounds: tuple[float, float]) -> Mapping[str, object]:
    """A row whose interval of a difference holds what a difference can be; none of no width."""
    if "low" not in row or not OF_DIFFERENCES & row.keys():
        return row
    low, high = limits_within(np.float64(row["low"]), np.float64(row["high"]), bounds)  # type: ignore[arg-type]
    return {**row, "low": float(low), "high": float(high)}
