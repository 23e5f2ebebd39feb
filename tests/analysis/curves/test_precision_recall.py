"""Points and means of the precision-recall graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from rankscope.analysis.curves.precision_recall import (
    mean_at_recall_levels,
    mean_at_scopes,
    points_at_hits,
    points_at_scopes,
    query_curve,
)
from rankscope.core.errors import MeasureError
from rankscope.measures import AP, IPrec, P, R
from rankscope.measures.measure import RECALL_LEVELS
from rankscope.ranks import RelevantRanks
from tests.analysis.curves.examples import THREE, complete_rankings
from tests.strategies import relevant_ranks

FIRST = RelevantRanks.from_ranks([[1, 3, 6, 10, 15]], relevant=[10])


def test_points_stand_at_hits_or_at_every_scope() -> None:
    hits, scopes = points_at_hits(THREE), points_at_scopes(THREE)
    assert hits.lists("scope")[1] == [1, 4, 9, 12]
    assert hits.lists("precision")[0] == pytest.approx([1, 1, 1, 0.8])
    assert scopes.lists("hits")[0] == [1, 2, 3, 3, 4]
    assert scopes.lengths.tolist() == THREE.depth.tolist()


@given(queries=relevant_ranks())
def test_points_are_the_measures_at_their_scope(queries: RelevantRanks) -> None:
    scopes = [1, 2, 5]
    scopes = [scope for scope in scopes if scope <= int(queries.collection.min())]
    points = points_at_scopes(queries, scopes)
    for place, scope in enumerate(scopes):
        np.testing.assert_array_equal(points["precision"].reshape(len(queries), -1)[:, place], P(scope).of(queries))
        np.testing.assert_array_equal(points["recall"].reshape(len(queries), -1)[:, place], R(scope).of(queries))


@given(queries=complete_rankings())
def test_the_mean_precision_at_hits_is_ap(queries: RelevantRanks) -> None:
    points = points_at_hits(queries)
    np.testing.assert_allclose(points.total(points["precision"]) / queries.relevant, AP().of(queries))


@given(queries=complete_rankings())
def test_the_lattice_of_recall_has_one_step_for_each_relevant_item(queries: RelevantRanks) -> None:
    points = points_at_scopes(queries)
    steps = points["recall"] * queries.relevant[points.row]
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-12)


def test_one_query_is_a_curve() -> None:
    at_hits, everywhere = query_curve(THREE, "q1"), query_curve(THREE, "q1", at="scopes")
    assert at_hits.x.tolist() == [0.25, 0.5, 0.75, 1]
    assert everywhere.y.tolist() == pytest.approx([1, 1, 1, 0.75, 0.8])
    with pytest.raises(MeasureError, match="no query '9'"):
        query_curve(THREE, "9")


def test_a_mean_at_scopes_averages_both_axes() -> None:
    curve = mean_at_scopes(THREE, [1, 4, 20])
    np.testing.assert_allclose(curve.x, [R(scope).of(THREE).mean() for scope in (1, 4, 20)])
    np.testing.assert_allclose(curve.y, [P(scope).of(THREE).mean() for scope in (1, 4, 20)])
    assert curve.queries is not None
    assert curve.queries.tolist() == [3, 3, 3]


def test_the_eleven_points_are_those_of_the_measure() -> None:
    curve = mean_at_recall_levels(FIRST)
    expected = [1, 1, 0.666667, 0.5, 0.4, 0.333333, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(curve.y, expected, rtol=0, atol=1e-6)
    assert curve.lower_bound is not None
    assert curve.lower_bound.tolist() == [False] * 6 + [True] * 5


@given(queries=relevant_ranks())
def test_the_mean_at_recall_levels_leaves_out_queries_without_relevant_items(queries: RelevantRanks) -> None:
    curve = mean_at_recall_levels(queries)
    for level, value in zip(RECALL_LEVELS, curve.y, strict=True):
        values = IPrec(level).of(queries)
        assert value == pytest.approx(
            values[~np.isnan(values)].mean() if (~np.isnan(values)).any() else np.nan, nan_ok=True
        )
    assert curve.queries is not None
    assert (curve.queries == (queries.relevant > 0).sum()).all()


def test_precision_at_recall_levels_that_is_not_interpolated_stands_at_the_hits() -> None:
    curve = mean_at_recall_levels(THREE, [0.25, 0.3, 1.0], interpolated=False)
    expected = [np.mean([1, 1, 1 / 2]), np.mean([2 / 2, 2 / 4, 2 / 3]), np.mean([4 / 5, 4 / 12, 4 / 20])]
    np.testing.assert_allclose(curve.y, expected)
    with pytest.raises(MeasureError, match="above 0"):
        mean_at_recall_levels(THREE, [0.0], interpolated=False)


def test_levels_follow_the_rounding_of_trec_eval_where_asked() -> None:
    four = RelevantRanks.from_ranks([[2, 3, 4, 5]])
    assert mean_at_recall_levels(four, [0.1], interpolated=False).y.tolist() == [0.5]
    assert mean_at_recall_levels(four, [0.3], rounding="trec_eval-10", interpolated=False).y.tolist() == [0.5]
    assert mean_at_recall_levels(four, [0.3], interpolated=False).y.tolist() == pytest.approx([2 / 3])


def test_a_higher_lowest_grade_is_followed() -> None:
    graded = RelevantRanks.from_ranks([[1, 2, 3]], grades=[[1, 2, 2]])
    assert mean_at_recall_levels(graded.at(rel=2), [1.0]).y.tolist() == pytest.approx([2 / 3])
    assert points_at_hits(graded.at(rel=2)).lists("scope") == [[2, 3]]
