"""Section 3 of the method: radial averaging and boxes, with every worked value."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.curves.averaging import (
    doubling_grid,
    generality_groups,
    mean_along_rays,
    precision_boxes,
    radial_curves,
    radial_mean,
    recall_boxes,
)
from rankscope.analysis.curves.precision_recall import mean_at_precision_levels, mean_at_recall_levels, mean_at_scopes
from rankscope.core.errors import MeasureError, SettingError
from rankscope.ranks import RelevantRanks
from tests.analysis.curves.examples import LOGOS, MIXED, THREE, complete_rankings, hits_by_hand

TOLERANCE = 1e-6

# the worked values


def test_the_worked_radial_mean_of_equal_classes() -> None:
    curve = radial_mean(THREE, [0.25, 0.5, 1, 2, 4])
    np.testing.assert_allclose(curve.x, [0.166667, 0.333333, 0.583333, 0.75, 0.916667], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(curve.y, [0.666667, 0.666667, 0.583333, 0.375, 0.229167], rtol=0, atol=TOLERANCE)
    assert curve.interpolated is not None
    assert not curve.interpolated.any()


def test_the_worked_radial_mean_of_mixed_classes() -> None:
    curve = radial_mean(MIXED, [0.25, 0.5, 1])
    np.testing.assert_allclose(curve.x, [0.25, 0.416667, 0.625], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(curve.y, [1, 0.833333, 0.625], rtol=0, atol=TOLERANCE)
    assert curve.interpolated is not None
    assert curve.interpolated.tolist() == [True, False, False]


def test_the_worked_radial_curve_of_logos() -> None:
    (only,) = radial_curves(LOGOS, scopes=[1, 16, 64, 1024])
    np.testing.assert_allclose(only.curve.x, [0.03125, 0.4375, 0.625, 0.8125], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(only.curve.y, [0.5, 0.4375, 0.15625, 0.012695], rtol=0, atol=TOLERANCE)


def test_the_worked_boxes_overrate_where_the_radial_curve_does_not() -> None:
    (only,) = radial_curves(LOGOS)
    radial = only.curve
    recall, precision = recall_boxes(LOGOS), precision_boxes(LOGOS)
    assert recall.y[-1] == pytest.approx(0.1388, rel=0, abs=1e-4)
    assert radial.y[radial.x >= 0.95 - 1e-9][0] == pytest.approx(0.0016, rel=0, abs=1e-4)
    assert precision.x[-1] == pytest.approx(0.25, rel=0, abs=1e-4)
    assert precision.queries is not None
    assert precision.queries[-1] == 1
    assert radial.y[radial.x >= 0.25 - 1e-9][0] == pytest.approx(0.6667, rel=0, abs=1e-4)


# means along interpolated curves


def test_the_worked_means_along_interpolated_curves() -> None:
    """Hits at 1 2 3 5, at 1 4 9 12 and at 2 3 8 20 of four: precision 1 1 1 .8, 1 .5 .33 .33 and .5 .67 .375 .2."""
    up = mean_at_precision_levels(THREE, [0.9, 0.5, 0.35])
    np.testing.assert_allclose(up.x, [(0.75 + 0.25 + 0) / 3, (1 + 0.5 + 0.5) / 3, (1 + 0.5 + 0.75) / 3])
    along = mean_along_rays(THREE, [0.25, 1, 2])
    np.testing.assert_allclose(along.x, [(0.25 + 0.25 + 1 / 6) / 3, (0.8 + 0.5 + 0.5) / 3, (1 + 2 / 3 + 0.75) / 3])
    np.testing.assert_allclose(along.y, along.x / [0.25, 1, 2])
    for wrong in ([0.0], [1.1], [[0.5]]):
        with pytest.raises(MeasureError, match="precision levels must be above 0 and at most 1"):
            mean_at_precision_levels(THREE, wrong)  # type: ignore[arg-type]


@given(queries=complete_rankings(), a=st.floats(0.05, 4), level=st.floats(0.05, 1))
def test_the_means_are_of_one_curve(queries: RelevantRanks, a: float, level: float) -> None:
    """Of one query all three means are its curve: recall at a precision has it, and so has the ray's end."""
    one = queries.take(np.array([0]))
    hits = np.arange(1, int(one.relevant[0]) + 1) / one.relevant[0]
    precision = mean_at_recall_levels(one, hits).y
    across = mean_at_precision_levels(one, [level]).x[0]
    assert across == hits[precision >= level - 1e-9].max(initial=0)
    ray = mean_along_rays(one, [a])
    fine = np.linspace(0, 1, 2001)
    height = precision[np.maximum(np.ceil(fine * hits.size - 1e-9).astype(int) - 1, 0)]
    assert ray.x[0] == pytest.approx(fine[fine <= a * height + 1e-12].max(), abs=1 / 2000 + 1e-9)


def test_constant_precision_underrates_and_constant_recall_overrates_high_recall() -> None:
    """The two queries of class size 16 that the boxes are worked for."""
    rays = mean_along_rays(LOGOS, 2.0 ** np.linspace(-4, 10, 4001))
    recall = [0.75, 0.85, 0.95]
    radial = np.array([rays.y[rays.x >= each].max() for each in recall])
    levels = (2.0 ** -np.linspace(0, 14, 4001)).tolist()
    up = mean_at_precision_levels(LOGOS, levels)
    pbox = np.array([up.y[up.x >= each - 1e-9].max() for each in recall])
    assert (pbox < radial).all()
    assert (mean_at_recall_levels(LOGOS, recall).y > radial).all()


# radial means


@given(queries=complete_rankings(), a=st.lists(st.floats(0.05, 4), min_size=1, max_size=4))
def test_a_radial_mean_lies_on_its_scope_line(queries: RelevantRanks, a: list[float]) -> None:
    curve = radial_mean(queries, a)
    there = ~np.isnan(curve.x)
    np.testing.assert_allclose(curve.y[there] * np.array(a)[there], curve.x[there], atol=1e-12)
    for each in radial_curves(queries, "bins"):
        np.testing.assert_allclose(each.curve.y * each.curve.more["a"], each.curve.x, atol=1e-12)


@given(queries=complete_rankings(same_size=True))
def test_macro_and_micro_agree_in_a_group_of_one_class_size(queries: RelevantRanks) -> None:
    (only,) = radial_curves(queries)
    total = np.array([queries.hits(int(scope)).sum() for scope in only.curve.more["scope"]])
    np.testing.assert_allclose(only.curve.x, total / queries.relevant.sum())
    np.testing.assert_allclose(only.curve.y, total / (len(queries) * only.curve.more["scope"]))


@given(queries=complete_rankings(same_size=True))
def test_in_one_exact_group_the_radial_curve_is_the_mean_at_scopes(queries: RelevantRanks) -> None:
    (only,) = radial_curves(queries)
    mean, relevant = mean_at_scopes(queries), radial_mean(queries, only.curve.more["a"])
    for other in (mean, relevant):
        np.testing.assert_allclose(only.curve.x, other.x, atol=1e-12)
        np.testing.assert_allclose(only.curve.y, other.y, atol=1e-12)
        assert only.curve.error is not None
        assert other.error is not None
        np.testing.assert_allclose(only.curve.error, other.error, atol=1e-7)


@given(queries=complete_rankings(), data=st.data())
def test_the_order_of_the_queries_does_not_matter(queries: RelevantRanks, data: st.DataObject) -> None:
    shuffled = queries.take(np.array(data.draw(st.permutations(range(len(queries))))))
    for by in ("exact", "bins"):
        pairs = zip(radial_curves(queries, by), radial_curves(shuffled, by), strict=True)
        for one, other in pairs:
            assert one.group.name == other.group.name
            np.testing.assert_allclose(one.curve.y, other.curve.y, atol=1e-12)
    np.testing.assert_allclose(recall_boxes(queries).y, recall_boxes(shuffled).y, atol=1e-12)


def test_the_error_of_a_radial_mean_is_that_of_its_recalls() -> None:
    curve = radial_mean(THREE, [1.0, 2.0])
    recalls = [[hits_by_hand(ranks, 4 * a) / 4 for ranks in THREE.judged.lists("rank")] for a in (1, 2)]
    expected = [np.std(values, ddof=1) / math.sqrt(3) for values in recalls]
    assert curve.x_error is not None
    assert curve.error is not None
    np.testing.assert_allclose(curve.x_error, expected)
    np.testing.assert_allclose(curve.error, np.array(expected) / [1, 2])
    alone = radial_mean(THREE.take(np.array([0])), [1.0])
    assert alone.x_error is not None
    assert np.isnan(alone.x_error).all()


def test_classes_may_count_alike() -> None:
    queries = replace(THREE, classes=("a", "a", "b"))
    per_query = radial_mean(queries, [1.0])
    per_class = radial_mean(queries, [1.0], "per_class")
    assert per_query.x[0] == pytest.approx((3 + 2 + 2) / 12)
    assert per_class.x[0] == pytest.approx(((3 + 2) / 8 + 2 / 4) / 2)
    assert per_class.note == "per_class"
    (exact,) = radial_curves(queries, scopes=[4], weighting="per_class")
    assert exact.curve.x[0] == pytest.approx(per_class.x[0])


# groups


def test_exact_groups_share_class_size_and_collection_size() -> None:
    queries = RelevantRanks.from_ranks(
        [[1, 2], [1], [3, 4], [5, 6], []], relevant=[2, 1, 2, 2, 0], collection=[8, 8, 8, 9, 8]
    )
    groups = generality_groups(queries)
    assert [(group.name, group.rows.tolist()) for group in groups] == [
        ("c = 2, d = 8", [0, 2]),
        ("c = 2, d = 9", [3]),
        ("c = 1, d = 8", [1]),
    ]
    assert [group.index for group in groups] == pytest.approx([2, math.log2(4.5), 3])


def test_bins_round_the_generality_index_halves_upwards() -> None:
    queries = RelevantRanks.from_ranks([[1], [1], [1], [1]], collection=[1, 2, 8, 20])
    assert [(group.index, group.rows.tolist()) for group in generality_groups(queries, "bins")] == [
        (0, [0]),
        (1, [1]),
        (3, [2]),
        (4, [3]),
    ]
    wide = generality_groups(queries, "bins", width=2)
    assert [(group.index, group.rows.tolist()) for group in wide] == [(0, [0]), (2, [1]), (4, [2, 3])]


def test_the_grid_of_a_bin_exists_for_all_its_queries() -> None:
    queries = RelevantRanks.from_ranks([[1, 2, 3, 4], [1, 2]], collection=[32, 20])
    np.testing.assert_allclose(doubling_grid(queries), 2.0 ** (np.arange(-2, 7) / 2))
    assert doubling_grid(queries)[-1] == pytest.approx(8)


def test_groups_need_the_size_of_the_collection() -> None:
    with pytest.raises(MeasureError, match="collection_size=D"):
        radial_curves(MIXED)
    with pytest.raises(SettingError, match="by='size': must be one of exact, bins"):
        generality_groups(THREE, "size")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="width=0: must be a number above 0"):
        generality_groups(THREE, "bins", width=0)


# boxes


@given(queries=complete_rankings(), boxes=st.integers(1, 12))
def test_boxes_hold_the_points_at_hits(queries: RelevantRanks, boxes: int) -> None:
    ranks = queries.judged.lists("rank")
    for curve, axis in ((recall_boxes(queries, boxes), 0), (precision_boxes(queries, boxes), 1)):
        assert curve.queries is not None
        for box in range(boxes):
            means = []
            for row, listed in enumerate(ranks):
                points = [(hit / queries.relevant[row], hit / rank) for hit, rank in enumerate(listed, start=1)]
                inside = [p[1 - axis] for p in points if box / boxes + 1e-9 < p[axis] <= (box + 1) / boxes + 1e-9]
                means += [np.mean(inside)] if inside else []
            value = (curve.y if axis == 0 else curve.x)[box]
            assert curve.queries[box] == len(means)
            assert value == pytest.approx(np.mean(means) if means else np.nan, nan_ok=True)


def test_there_is_at_least_one_box() -> None:
    with pytest.raises(SettingError, match="boxes=0: must be a whole number of at least 1"):
        recall_boxes(THREE, 0)
