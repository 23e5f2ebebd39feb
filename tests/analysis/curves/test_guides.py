"""Section 3 of the method: scope lines, the ideal system and the accessible region, with every worked value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.curves.precision_recall import (
    accessible_region,
    highest_precision,
    ideal_curve,
    lowest_precision,
    minimum_area,
    minimum_average_precision,
    points_at_hits,
    points_at_scopes,
    scope_line,
)
from rankscope.core.errors import MeasureError
from rankscope.measures import AP
from rankscope.ranks import RelevantRanks
from tests.analysis.curves.examples import complete_rankings

TOLERANCE = 1e-6
QUARTERS = [0.25, 0.5, 0.75, 1.0]
SIZES = [(4, 20), (1, 20), (16, 100), (20, 20), (1, 1), (7, 9)]

# the worked values


def test_the_worked_region_has_its_bounds() -> None:
    loose, tight = lowest_precision(QUARTERS, 0.2, tight=False), lowest_precision(QUARTERS, 0.2)
    np.testing.assert_allclose(loose, [0.05, 0.1, 0.15, 0.2], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(tight, [0.058824, 0.111111, 0.157895, 0.2], rtol=0, atol=TOLERANCE)


def test_the_worked_region_has_its_least_area_and_least_ap() -> None:
    assert minimum_area(0.2) == pytest.approx(0.107426, rel=0, abs=TOLERANCE)
    assert minimum_average_precision(4, 20) == pytest.approx(0.131957, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize(("relevant", "collection"), SIZES)
def test_no_point_lies_outside_the_region_and_every_border_is_reached(relevant: int, collection: int) -> None:
    """Brute force over all scopes and hits."""
    distractors = collection - relevant
    pairs = [
        (hits / relevant, hits / scope)
        for scope in range(1, collection + 1)
        for hits in range(max(1, scope - distractors), min(scope, relevant) + 1)
    ]
    recall, precision = np.array(pairs).T
    generality = relevant / collection
    tight, loose = lowest_precision(recall, generality), lowest_precision(recall, generality, tight=False)
    assert (precision <= highest_precision(recall, relevant) + 1e-12).all()
    assert (precision >= tight - 1e-12).all()
    assert (tight >= loose - 1e-12).all()
    for hits in range(1, relevant + 1):
        here = np.isclose(recall, hits / relevant)
        assert precision[here].min() == pytest.approx(hits / (hits + distractors)) == pytest.approx(tight[here][0])
        assert precision[here].max() == pytest.approx(1.0)
    assert precision[np.isclose(recall, 1.0)].min() == pytest.approx(loose.max())


@pytest.mark.parametrize(("relevant", "collection"), SIZES)
def test_the_worst_ranking_has_the_least_ap(relevant: int, collection: int) -> None:
    worst = RelevantRanks.from_ranks([list(range(collection - relevant + 1, collection + 1))])
    assert minimum_average_precision(relevant, collection) == pytest.approx(AP().of(worst)[0], rel=1e-14)


def test_the_least_ap_of_very_many_items_is_their_sum_too() -> None:
    from rankscope.analysis.curves import precision_recall

    relevant, collection = 1_000_001, 3_000_000
    hit = np.arange(1, relevant + 1)
    summed = math.fsum(hit / (hit + collection - relevant)) / relevant
    assert precision_recall.minimum_average_precision(relevant, collection) == pytest.approx(summed, rel=1e-12)


@pytest.mark.parametrize("generality", [1e-9, 1e-4, 0.00999, 0.01, 0.3, 0.9, 1.0])
def test_the_least_area_is_the_integral_of_the_tight_bound(generality: float) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(200)
    area = float((weights / 2 * lowest_precision((nodes + 1) / 2, generality)).sum())
    assert minimum_area(generality) == pytest.approx(area, rel=1e-9)


@given(queries=complete_rankings())
def test_points_of_any_ranking_lie_in_the_region_of_its_query(queries: RelevantRanks) -> None:
    for points in (points_at_hits(queries), points_at_scopes(queries)):
        some = points.where(points["hits"] > 0)
        for row in range(len(queries)):
            here = some.row == row
            relevant, collection = int(queries.relevant[row]), int(queries.collection[row])
            recall, precision = some["recall"][here], some["precision"][here]
            assert (precision <= highest_precision(recall, relevant) + 1e-12).all()
            assert (precision >= lowest_precision(recall, relevant / collection) - 1e-12).all()


def test_the_region_runs_from_the_first_hit_to_full_recall() -> None:
    region = accessible_region(4, 20, points=4)
    np.testing.assert_allclose(region.x, QUARTERS)
    np.testing.assert_allclose(region.low, lowest_precision(QUARTERS, 0.2))
    assert region.high.tolist() == [1, 1, 1, 1]
    assert accessible_region(1, 20).to_polars().rows() == [(1.0, 0.05, 1.0)]


# slips in the papers (section 10)


@pytest.mark.parametrize(("relevant", "collection"), [(4, 20), (16, 100)])
def test_the_left_border_is_c_times_r_not_r_over_c(relevant: int, collection: int) -> None:
    """Slip 1: a first hit at rank 1 lies above p = r/c."""
    recall = 1 / relevant
    assert highest_precision([recall], relevant)[0] == 1 > recall / relevant


def test_a_class_of_one_leaves_the_upper_left_half_unreachable() -> None:
    recall = np.linspace(0, 1, 11)
    np.testing.assert_allclose(highest_precision(recall, 1), recall)


def test_the_lower_border_is_g_times_r_not_d_r_over_c() -> None:
    """Slip 2: d r/c lies above 1 for nearly every point there is."""
    assert lowest_precision([0.5], 4 / 20, tight=False)[0] == pytest.approx(0.1)
    assert 20 * 0.5 / 4 > 1


@pytest.mark.parametrize("relevant", [1, 2, 3, 8, 60])
def test_every_whole_relevant_scope_is_shared_by_all_class_sizes(relevant: int) -> None:
    """Slip 18: not a = 1 alone; a = 1 is the smallest at which full recall is possible."""
    for a in (1, 2, 3, 4):
        line = scope_line(scope=a * relevant, relevant=relevant)
        np.testing.assert_allclose(line.y, scope_line(a).y)
        assert line.x[-1] == 1
    assert scope_line(0.99).x[-1] < 1


# lines


@given(a=st.floats(0.01, 100))
def test_a_scope_line_ends_at_the_border_of_the_square(a: float) -> None:
    line = scope_line(a)
    np.testing.assert_allclose(line.y * a, line.x, atol=1e-12)
    assert max(line.x[-1], line.y[-1]) == pytest.approx(1)
    assert line.x[0] == line.y[0] == 0


@pytest.mark.parametrize(
    "wrong", [{}, {"a": 0.0}, {"a": 1.0, "scope": 3, "relevant": 2}, {"scope": 3}, {"a": math.nan}]
)
def test_a_scope_line_needs_one_scope(wrong: dict[str, float]) -> None:
    with pytest.raises(MeasureError, match="scope"):
        scope_line(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("relevant", "collection"), SIZES)
def test_the_ideal_system_goes_along_the_top_and_down_the_right(relevant: int, collection: int) -> None:
    curve = ideal_curve(relevant, collection)
    assert (curve.x[0], curve.y[0]) == (1 / relevant, 1)
    assert (curve.x[-1], curve.y[-1]) == (1, relevant / collection)
    assert ((curve.x == 1) | (curve.y == 1)).all()
    assert (1.0, 1.0) in set(zip(curve.x.tolist(), curve.y.tolist(), strict=True))
    np.testing.assert_allclose(curve.more["scope"] / relevant, curve.x / curve.y)


@pytest.mark.parametrize(("relevant", "collection"), [(0, 5), (6, 5)])
def test_sizes_that_cannot_be_are_refused(relevant: int, collection: int) -> None:
    for function in (ideal_curve, accessible_region, minimum_average_precision):
        with pytest.raises(MeasureError, match="relevant <= collection"):
            function(relevant, collection)
    with pytest.raises(MeasureError, match="generality"):
        minimum_area(0.0)
