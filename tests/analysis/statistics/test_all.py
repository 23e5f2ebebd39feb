"""What holds for every test of a table: rows of plain values, nothing random left open, clear words for little data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.stats

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.analysis.statistics.named_tests import EVERY_TEST, TABLE_TESTS, named_test
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError
from tests.analysis.statistics.brughi import CLASSED

rng = np.random.default_rng(0)
THREE = ScoreTable.make({name: rng.beta(1, 2, 12) for name in "abc"}, classes=list("xyz") * 4)
LITTLE = {
    "one query": ScoreTable.make({"A": [0.1], "B": [0.4]}, classes=["x"]),
    "constant": ScoreTable.make({"A": [0.5] * 4, "B": [0.5] * 4}, classes=list("xxyy")),
    "lone class": ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.2, 0.2, 0.5]}, classes=["x", "x", "lone"]),
    "NaN": ScoreTable.make({"A": [0.1, np.nan, 0.3], "B": [0.2, 0.2, 0.5]}, classes=["x", "x", "y"]),
    "nothing shared": ScoreTable.make({"A": [0.1, np.nan], "B": [np.nan, 0.2]}, classes=["x", "y"]),
    "one system": ScoreTable.make({"A": [0.1, 0.2, 0.5]}, classes=["x", "x", "y"]),
}

every_test = pytest.mark.parametrize("test", TABLE_TESTS.own(), ids=lambda test: str(test.__name__))


def rows_of(test: Any, table: ScoreTable) -> list[dict[str, object]]:
    return test(table).rows()


@every_test
@pytest.mark.parametrize("table", [CLASSED, THREE], ids=["two systems", "three systems"])
def test_rows_are_plain_values_and_the_same_each_time(test: Any, table: ScoreTable) -> None:
    rows = rows_of(test, table)
    assert rows
    assert all(isinstance(value, str | int | float | bool | None) for row in rows for value in row.values())
    assert repr(rows) == repr(rows_of(test, table))


@every_test
@pytest.mark.parametrize("table", LITTLE.values(), ids=LITTLE.keys())
def test_little_data_give_a_result_or_a_clear_error(test: Any, table: ScoreTable) -> None:
    said = "rows"
    try:
        rows_of(test, table)
    except SettingError as error:
        said = str(error)
    assert said == "rows" or len(said) > 20


@pytest.mark.parametrize("name", EVERY_TEST.names())
def test_every_test_can_be_asked_of_a_comparison(name: str) -> None:
    made = compare([CLASSED], tests=[name])
    assert made.main.asked[0].rows
    assert f"AP: {name}\n" in made.render()
    assert json.loads(made.render("json"))["measures"][0]["tests"][name]
    plain = compare([CLASSED])
    assert verdict_sentences(plain) == verdict_sentences(made)
    assert not plain.main.asked


@pytest.mark.parametrize("name", EVERY_TEST.names())
@pytest.mark.parametrize("queries", [2, 3, 5])
def test_intervals_of_differences_lie_in_their_range_and_have_a_width(name: str, queries: int) -> None:
    """Student's t of two queries reaches from -4 to 4; of equal differences its limits are one number."""
    hard = np.arange(queries) / 10
    varied = {"A": np.resize([0.1, 0.9, 0.5], queries), "B": np.resize([0.9, 0.2, 0.6], queries), "C": hard}
    for values in (varied, {"A": hard, "B": hard + 0.25, "C": hard}):
        try:
            rows = named_test(name, ScoreTable.make(values, np.resize(["x", "y"], queries).tolist()), seed=0).rows
        except SettingError:
            continue
        ends = [
            [float(str(row[f"{paired}{end}"])) for end in ("low", "high")]
            for row in rows
            if {"difference", "mean difference", "pseudo-median"} & row.keys()
            for paired in ("", "paired ")
            if f"{paired}low" in row
        ]
        assert all(np.isnan(low) or -1 <= low < high <= 1 for low, high in ends)


def test_a_named_test_of_pairs_is_that_test_of_each_difference() -> None:
    rows = named_test("Wilcoxon", THREE, seed=4).rows
    assert [(row["first"], row["second"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    theirs = scipy.stats.wilcoxon(THREE.differences("b", "c"))
    assert rows[2]["p"] == pytest.approx(theirs.pvalue, abs=1e-9)


def test_an_unknown_test_is_told() -> None:
    with pytest.raises(SettingError, match="did you mean 'tukey'"):
        compare([CLASSED], tests=["tuky"])


@every_test
def test_a_test_says_what_it_does(test: Any) -> None:
    assert test.__doc__
