"""Curves per query on a common grid: the worked values, a plain loop, and the means that curves/ has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.curves.generality import grip
from rankscope.analysis.curves.scope import (
    precision_relevant_scope,
    precision_scope,
    recall_relevant_scope,
    recall_scope,
)
from rankscope.analysis.statistics.query_curves import (
    Axis,
    QueryCurves,
    Start,
    over_generality,
    over_relevant_scope,
    over_scope,
    precision_at_recall,
    recall_grid,
)
from rankscope.core.errors import MeasureError, SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.strategies import relevant_ranks

CHECK = RelevantRanks.from_ranks([[1, 2, 3, 5], [1, 4, 9, 12], [2, 3, 8, 20]], collection=40, depth=40)


def one_by_one(queries: RelevantRanks, points: int, start: Start) -> list[list[float]]:
    """Knots of each query, joined by numpy."""
    rows = []
    for row in np.flatnonzero(queries.relevant > 0).tolist():
        c = int(queries.relevant[row])
        ranks = queries.ranks[queries.row == row].tolist()
        heights = [number / rank for number, rank in enumerate(ranks, start=1)] + [0.0] * (c - len(ranks))
        knots = [number / c for number in range(1, c + 1)]
        if start == "one":
            knots, heights = [0.0, *knots], [1.0, *heights]
        rows.append(np.interp(recall_grid(points), knots, heights).tolist())
    return rows


def test_means_at_recall_levels_are_the_worked_values() -> None:
    five, ten = (precision_at_recall(CHECK, points).values.mean(axis=0) for points in (5, 10))
    np.testing.assert_allclose(five, [0.833333, 0.833333, 0.722222, 0.569444, 0.444444], atol=5e-7)
    expected = [0.833333, 0.833333, 0.833333, 0.796296, 0.746914, 0.688272, 0.620370, 0.555556, 0.5, 0.444444]
    np.testing.assert_allclose(ten, expected, atol=5e-7)


@given(queries=relevant_ranks(), points=st.integers(2, 30), start=st.sampled_from(["first", "one"]))
def test_all_queries_at_once_are_each_joined_by_itself(queries: RelevantRanks, points: int, start: Start) -> None:
    expected = np.array(one_by_one(queries, points, start)).reshape(-1, points)
    np.testing.assert_allclose(precision_at_recall(queries, points, start).values, expected, atol=1e-8)


def test_hits_that_were_not_found_pull_the_curve_to_zero() -> None:
    half = RelevantRanks.from_ranks([[1, 2]], relevant=[4])
    curves = precision_at_recall(half, 5)
    assert curves.values.tolist() == [[1.0, 1.0, 1.0, 0.0, 0.0]]
    assert curves.cut == 1


def test_nothing_found_is_zero_everywhere() -> None:
    nothing = RelevantRanks.from_ranks([[]], relevant=[3])
    assert precision_at_recall(nothing, 3).values.tolist() == [[0.0, 0.0, 0.0]]


def test_below_the_first_hit_the_curve_is_held_or_starts_at_one() -> None:
    late = RelevantRanks.from_ranks([[4, 8]])
    assert precision_at_recall(late, 5).values[0, :2].tolist() == [0.25, 0.25]
    assert precision_at_recall(late, 5, "one").values[0, :3].tolist() == [1.0, 0.625, 0.25]


def test_queries_without_a_relevant_item_have_no_curve() -> None:
    mixed = RelevantRanks.from_ranks([[1], []], queries=["yes", "no"])
    assert precision_at_recall(mixed, 3).queries == ("yes",)


def test_means_over_scope_are_those_of_the_curves() -> None:
    scopes = [1, 2, 5, 20, 40]
    for axis, curve in (("precision", precision_scope), ("recall", recall_scope)):
        np.testing.assert_allclose(over_scope(CHECK, scopes, axis).values.mean(axis=0), curve(CHECK, scopes).y)  # type: ignore[arg-type]


def test_means_over_relevant_scope_are_those_of_the_curves() -> None:
    for axis, curve in (("precision", precision_relevant_scope), ("recall", recall_relevant_scope)):
        np.testing.assert_allclose(over_relevant_scope(CHECK, axis=axis).values.mean(axis=0), curve(CHECK).y)  # type: ignore[arg-type]


def test_means_over_generality_are_those_of_grip() -> None:
    mixed = RelevantRanks.from_ranks([[1, 2, 3, 5], [3], [2, 30]], collection=40, depth=40)
    for members in ("constant", "varying"):
        result = over_generality(mixed, members=members)
        mean = grip(mixed, members=members)
        np.testing.assert_allclose(np.nanmean(result.values, axis=0), mean.precision)
        np.testing.assert_array_equal((~np.isnan(result.values)).sum(axis=0), mean.queries)


def test_differences_pair_queries_by_their_names() -> None:
    one = precision_at_recall(RelevantRanks.from_ranks([[1], [2], [4]], queries=["a", "b", "c"], system="one"), 2)
    two = precision_at_recall(RelevantRanks.from_ranks([[1], [1]], queries=["c", "b"], system="two"), 2)
    curves = two.minus(one)
    assert curves.queries == ("c", "b")
    assert curves.values.tolist() == [[0.75, 0.75], [0.5, 0.5]]
    assert curves.system == "two minus one"


def test_curves_know_what_a_value_can_be() -> None:
    mixed = RelevantRanks.from_ranks([[1, 2, 3, 4], [1, 2]], collection=40, depth=40)
    assert over_scope(mixed, [1, 2, 4, 8], "precision").highest.tolist() == [1, 1, 1, 0.5]  # type: ignore[union-attr]
    assert over_scope(mixed, [1, 2, 4, 8], "recall").highest.tolist() == [0.5, 1, 1, 1]  # type: ignore[union-attr]
    assert over_relevant_scope(mixed, [0.5, 2]).highest.tolist() == [1, 0.5]  # type: ignore[union-attr]
    assert over_relevant_scope(mixed, [0.5, 2], "recall").highest.tolist() == [0.5, 1]  # type: ignore[union-attr]
    assert over_generality(mixed, n=4).highest == 0.25
    curves = over_scope(mixed, [8]).minus(over_scope(mixed, [8]))
    np.testing.assert_array_equal([curves.lowest, curves.highest], [[-0.5], [0.5]])


@given(queries=relevant_ranks())
def test_no_value_exceeds_what_it_can_be(queries: RelevantRanks) -> None:
    axes: tuple[Axis, Axis] = ("precision", "recall")
    for axis in axes:
        for result in (over_scope(queries, axis=axis), over_relevant_scope(queries, axis=axis)):
            assert (np.nan_to_num(result.values) <= np.asarray(result.highest) + 1e-12).all()


def test_what_cannot_be_paired_is_refused() -> None:
    one = precision_at_recall(RelevantRanks.from_ranks([[1]], queries=["a"]), 3)
    with pytest.raises(SettingError, match="share no query"):
        one.minus(precision_at_recall(RelevantRanks.from_ranks([[1]], queries=["b"]), 3))
    with pytest.raises(SettingError, match="one grid"):
        one.minus(precision_at_recall(RelevantRanks.from_ranks([[1]], queries=["a"]), 4))


def test_wrong_choices_are_refused_in_words() -> None:
    with pytest.raises(SettingError, match="points=1: must be a whole number of at least 2"):
        recall_grid(1)
    with pytest.raises(SettingError, match="must be one of first, one"):
        precision_at_recall(CHECK, 5, "two")  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="collection_size=D"):
        over_generality(RelevantRanks.from_ranks([[1]]))
    with pytest.raises(SettingError, match="a table of that shape"):
        QueryCurves(np.zeros(3), np.zeros((2, 2)), ("a", "b"))
