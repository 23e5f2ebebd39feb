"""Every test that `compare --test` can name: of a whole table of scores, and of one pair of systems after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from rankscope.catalogue import Catalogue, Later, later
from rankscope.errors import SettingError
from rankscope.statistics.pairs.pair_test import limits_within
from rankscope.statistics.pairs.paired_tests import ALL as PAIR_TESTS
from rankscope.statistics.pairs.paired_tests import accepted_options
from rankscope.statistics.table.score_table import ScoreTable

Test: TypeAlias = Callable[..., Any]
OF_DIFFERENCES = {"difference", "mean difference", "pseudo-median"}  # what an interval in a row is of
ALL = later(  # a table to a result with rows(); a new test adds its line here
    "rankscope.statistics",
    {
        "pairs": "pairs.pairwise:compare_pairs",
        "rank-intervals": "verdicts.rank_intervals:rank_intervals",
        "randomised-tukey": "variance.randomised_tukey:randomised_tukey",
        "two-way": "variance.two_way:two_way",
        "blocked-tukey": "variance.blocked_tukey:blocked_tukey",
        "repeated-measures": "variance.two_way:repeated_measures",
        "mixed": "variance.mixed:mixed",
        "paired-and-unpaired": "variance.paired_and_unpaired:paired_and_unpaired",
        "anova": "variance.anova:anova",
        "tukey": "variance.tukey:tukey",
        "comparison-intervals": "variance.comparison_intervals:comparison_intervals",
        "welch": "variance.welch:welch",
        "games-howell": "variance.games_howell:games_howell",
        "assumptions": "variance.assumptions:assumptions",
    },
)
TABLE_TESTS: Catalogue[Test] = Catalogue("test", ALL, group="rankscope.tests")
_EVERY: dict[str, Test | Later] = {**ALL, **PAIR_TESTS}
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
        rows = _pair_rows(test, table, taken) if spelled in PAIR_TESTS else test(table, **taken).rows()
    except SettingError as error:
        raise SettingError(f"the test {spelled} cannot be made: {error}") from error
    return AskedTest(spelled, tuple(_within(row, table.difference_bounds) for row in rows))


def _within(row: Mapping[str, object], bounds: tuple[float, float]) -> Mapping[str, object]:
    """A row whose interval of a difference holds what a difference can be; none of no width."""
    if "low" not in row or not OF_DIFFERENCES & row.keys():
        return row
    low, high = limits_within(np.float64(row["low"]), np.float64(row["high"]), bounds)  # type: ignore[arg-type]
    return {**row, "low": float(low), "high": float(high)}


def _pair_rows(test: Test, table: ScoreTable, options: Mapping[str, Any]) -> list[dict[str, object]]:
    return [
        {"first": first, "second": second, **test(table.differences(first, second), **options).row()}
        for first, second in combinations(table.systems, 2)
    ]
