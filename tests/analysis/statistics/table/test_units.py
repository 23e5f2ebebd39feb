"""Classes as sampling units: means stay, and errors are those of drawing classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.statistics.bootstrap import bootstrap_means
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.sampling_units import class_sums, unit_values, units_of
from rankscope.analysis.statistics.score_table import ScoreTable


@st.composite
def classed(draw: st.DrawFn) -> ScoreTable:
    labels = draw(st.lists(st.sampled_from("abcde"), min_size=2, max_size=30))
    values = st.lists(st.floats(0, 1), min_size=len(labels), max_size=len(labels))
    return ScoreTable.make({"A": draw(values), "B": draw(values)}, classes=labels)


@given(table=classed())
def test_the_mean_over_classes_is_the_mean_over_queries(table: ScoreTable) -> None:
    mean = table.values.mean(axis=0)
    np.testing.assert_allclose(class_sums(table).values.mean(axis=0), mean, atol=1e-12)
    np.testing.assert_allclose(units_of(table, by_unit=True).values.mean(axis=0), mean, atol=1e-12)


@given(table=classed())
def test_differences_of_deviations_are_deviations_of_differences(table: ScoreTable) -> None:
    difference = table.values[:, 1] - table.values[:, 0]
    alone = units_of(ScoreTable.make({"d": difference}, classes=list(table.labels)), by_unit=True)
    np.testing.assert_allclose(units_of(table, by_unit=True).differences("A", "B"), alone.values[:, 0], atol=1e-12)


def test_the_error_is_that_of_drawing_classes_with_replacement() -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 30, 60)
    labels = [f"c{number}" for number, size in enumerate(sizes) for _ in range(size)]
    values = np.repeat(rng.random(60), sizes) + 0.1 * rng.random(sizes.sum())
    table = ScoreTable.make({"A": values}, classes=labels)
    linear = units_of(table, by_unit=True).values.std(ddof=1) / 60**0.5
    drawn = bootstrap_means(values[:, None], classes=labels, resamples=4000)
    assert (drawn.high[0] - drawn.low[0]) / (2 * 1.96 * linear) == pytest.approx(1, abs=0.1)


def test_a_query_without_a_value_is_left_out_of_its_class() -> None:
    values = np.array([[0.2, 0.2], [0.4, np.nan], [0.9, 0.9], [0.1, np.nan]])
    classes = ["x", "x", "y", "z"]
    result = unit_values(values, classes)
    alone = unit_values(values[[0, 2], 1:], ["x", "y"])
    np.testing.assert_allclose(result[:2, 1], alone[:, 0], atol=1e-12)
    assert np.isnan(result[2, 1])
    np.testing.assert_allclose(np.nanmean(result, axis=0), np.nanmean(values, axis=0), atol=1e-12)


def test_queries_of_no_class_are_units_of_their_own() -> None:
    table = ScoreTable.make({"A": [0.2, 0.4, 0.9, 0.3]}, classes=["", "x", "", "x"])
    assert len(class_sums(table)) == len(units_of(table, by_unit=True)) == 3
    assert class_sums(table).queries == ("x", "q1", "q3")


def test_a_report_and_a_comparison_give_one_mean_the_same_interval() -> None:
    rng = np.random.default_rng(1)
    labels = [f"c{number:02}" for number in np.repeat(np.arange(12), 5)]
    values = np.repeat(rng.random(12), 5) * rng.random(60)
    alone = mean_intervals(values[:, None], labels)
    both = compare([ScoreTable.make({"A": values, "B": values[::-1]}, classes=labels)], by_unit=True).main.means
    assert (alone.low[0], alone.high[0]) == pytest.approx((both.low[0], both.high[0]), abs=1e-12)
    assert alone.units == both.units == 12
