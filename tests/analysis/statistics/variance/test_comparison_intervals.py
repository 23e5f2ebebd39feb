"""Comparison intervals: the worked example, statsmodels, and what the eye may read off them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.statistics.design import cells_of
from rankscope.analysis.statistics.multiple_comparisons import comparison_intervals, half_widths
from rankscope.analysis.statistics.score_table import ScoreTable
from tests.analysis.statistics.examples import CONSTANT, WORKED, drawn
from tests.needs import needed_module


def test_the_worked_example() -> None:
    intervals = comparison_intervals(WORKED)
    assert intervals.half.tolist() == pytest.approx([0.051517] * 2 + [0.057816] * 2 + [0.047208] * 2, abs=1e-6)
    assert intervals.disagreements == ()
    assert len(intervals.pairs.pairs) == 15


@pytest.mark.parametrize("table", [WORKED, drawn(2, (3, 12, 6)), drawn(1, (4, 7, 2))], ids=["worked", "two", "one"])
def test_half_widths_are_those_of_statsmodels(table: ScoreTable) -> None:
    multicomp = needed_module("statsmodels.stats.multicomp", "stats")
    cells = cells_of(table)
    result = multicomp.pairwise_tukeyhsd(
        np.concatenate(cells.samples), np.repeat([f"{i:03}" for i in range(len(cells))], cells.n)
    )
    result._simultaneous_ci()
    np.testing.assert_allclose(comparison_intervals(table).half, result.halfwidths, atol=1e-6)


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(2, 5), st.integers(2, 6))
def test_disjoint_means_different_where_all_cells_have_as_many_queries(
    seed: int, systems: int, classes: int, size: int
) -> None:
    intervals = comparison_intervals(drawn(systems, (size,) * classes, seed))
    np.testing.assert_allclose(intervals.half, intervals.pairs.width[0] / 2)
    assert intervals.disagreements == ()


def test_pairs_whose_picture_says_something_else_are_listed() -> None:
    found = [comparison_intervals(drawn(2, (2, 2, 30), seed, difficulty=0.1)) for seed in range(60)]
    listed = [(result, pair) for result in found for pair in result.disagreements]
    assert listed
    for result, (first, second) in listed:
        names = list(result.cells.names)
        i, j = names.index(first), names.index(second)
        disjoint = result.low[i] > result.high[j] or result.low[j] > result.high[i]
        assert disjoint != result.pairs.pair(first, second).different


def test_two_cells_have_half_of_the_width_each() -> None:
    assert half_widths(np.array([3.0]), 2).tolist() == [1.5, 1.5]


def test_constant_scores_have_no_interval_and_no_disagreement() -> None:
    intervals = comparison_intervals(CONSTANT)
    assert np.isnan(intervals.half).all()
    assert intervals.disagreements == ()
    assert "no spread" in intervals.note


def test_rows_name_system_and_class() -> None:
    row = comparison_intervals(WORKED).rows()[3]
    assert (row["system"], row["class"], row["n"]) == ("B", "b", 4)
    assert row["low"] < row["mean"] < row["high"]  # type: ignore[operator]
