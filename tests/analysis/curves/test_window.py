"""Section 5 of the method: the precision-window graph and what is certain, with every worked value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rankscope.analysis.curves.window import (
    ceiling,
    ceilings,
    certain_bounds,
    random_floor,
    settled_hits,
    window_curves,
    window_mean,
    worst_case,
)
from rankscope.core.errors import MeasureError
from rankscope.measures import P
from rankscope.ranks import RelevantRanks
from tests.analysis.curves.examples import THREE, complete_rankings


def test_the_worked_ceilings_and_floors() -> None:
    assert ceiling(8, [8, 16, 64, 16384]).y.tolist() == [0, -1, -3, -11]
    assert random_floor(16384, 8).y.tolist() == [-11, -11]
    assert random_floor(16384).y.tolist() == [-14, -14]


def test_the_worked_certain_bounds() -> None:
    bounds = certain_bounds(collection=20000, scope=100, hits=6)
    assert bounds.least_recall == pytest.approx(0.000301417, rel=0, abs=5e-10)
    assert (bounds.least_relevant, bounds.most_relevant) == (6, 19906)
    assert (bounds.precision, bounds.least_generality, bounds.most_generality) == (0.06, 6 / 20000, 19906 / 20000)


@given(hits=st.integers(0, 6), misses=st.integers(0, 6), below=st.integers(0, 6), others=st.integers(0, 6))
def test_certain_bounds_hold_for_every_class_size_there_can_be(hits: int, misses: int, below: int, others: int) -> None:
    assume(hits + misses)
    scope, relevant, collection = hits + misses, hits + below, hits + misses + below + others
    bounds = certain_bounds(collection, scope, hits)
    assert bounds.least_relevant <= relevant <= bounds.most_relevant
    assert bounds.least_generality <= relevant / collection <= bounds.most_generality
    if relevant:
        assert hits / relevant >= bounds.least_recall - 1e-12


def test_nothing_is_certain_of_recall_where_nothing_can_be_relevant() -> None:
    assert math.isnan(certain_bounds(5, 5, 0).least_recall)
    with pytest.raises(MeasureError, match="hits <= scope"):
        certain_bounds(20, 5, 6)
    with pytest.raises(MeasureError, match="scope <= collection"):
        certain_bounds(20, 21, 6)


def test_the_ceiling_meets_the_floor_where_everything_was_looked_at() -> None:
    for relevant, collection in [(8, 16384), (1, 20), (20, 20)]:
        assert ceiling(relevant, [collection]).y[0] == pytest.approx(random_floor(collection, relevant).y[0])


@given(queries=complete_rankings())
def test_every_curve_stays_between_its_worst_case_and_its_ceiling(queries: RelevantRanks) -> None:
    for row, curve in enumerate(window_curves(queries)):
        relevant, collection = int(queries.relevant[row]), int(queries.collection[row])
        scopes = curve.more["scope"]
        there = ~curve.more["open"]
        assert (curve.y[there] <= ceiling(relevant, scopes).y[there] + 1e-12).all()
        worst = worst_case(relevant, collection, scopes)
        assert not (curve.more["open"] & ~worst.more["open"]).any()
        both = there & ~worst.more["open"]
        assert (curve.y[both] >= worst.y[both] - 1e-12).all()


def test_a_curve_without_hits_is_marked_open_and_not_clipped() -> None:
    queries = RelevantRanks.from_ranks([[3, 4]], depth=4)
    (curve,) = window_curves(queries)
    assert curve.more["open"].tolist() == [True, True, False, False]
    assert np.isnan(curve.y[:2]).all()
    np.testing.assert_allclose(curve.y[2:], np.log2([1 / 3, 2 / 4]))
    np.testing.assert_allclose(curve.x, np.log2([1, 2, 3, 4]))


def test_beyond_its_last_hit_a_curve_runs_down_the_diagonal_of_its_hits() -> None:
    """The lines v = k are the ceilings for c = k: the diagonal on which a curve settles bounds c from below."""
    queries = RelevantRanks.from_ranks([[1, 2, 5]], depth=1000)
    (curve,) = window_curves(queries, [8, 64, 512])
    assert settled_hits(queries).tolist() == [3]
    np.testing.assert_allclose(curve.y, ceiling(3, [8, 64, 512]).y)


def test_ceilings_of_an_unknown_class_double_up_to_the_collection() -> None:
    lines = ceilings(20)
    assert [line.name for line in lines] == ["c = 1", "c = 2", "c = 4", "c = 8", "c = 16"]
    assert [line.y[0] for line in lines] == [0] * 5
    np.testing.assert_allclose([line.y[-1] for line in lines], np.log2([1, 2, 4, 8, 16]) - math.log2(20))
    assert [len(line) for line in ceilings(1)] == [1]


def test_a_mean_window_is_the_logarithm_of_the_mean_precision() -> None:
    curve = window_mean(THREE, [1, 4, 16])
    np.testing.assert_allclose(curve.y, [math.log2(P(scope).of(THREE).mean()) for scope in (1, 4, 16)])
    assert curve.queries is not None
    assert curve.queries.tolist() == [3, 3, 3]


def test_sizes_that_cannot_be_are_refused() -> None:
    with pytest.raises(MeasureError, match="relevant <= collection"):
        random_floor(4, 5)
    with pytest.raises(MeasureError, match="at least one"):
        ceiling(0, [1])
