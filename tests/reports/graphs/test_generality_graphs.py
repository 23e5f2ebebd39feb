"""GRiP, GRnP and GReP: who is followed, what is marked, and which interval is told."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.curves.generality import generality_table
from rankscope.analysis.statistics.generality_estimate import generality_band, generality_estimate
from rankscope.analysis.statistics.sampling_units import FEW_UNITS
from rankscope.core.settings import Settings
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Dots, Graph, Guide, ShadedRegion, Stroke
from rankscope.reports.graphs.saving import graph_csv
from tests.reports.graphs.classes import in_classes
from tests.reports.graphs.examples import TWO

POINTWISE, WHOLE = "95% interval, pointwise", "95% band, whole curve"
MIXED = RelevantRanks.from_ranks(
    [[1, 2]] * 7 + [list(range(40, 69))] * 5, collection=300, depth=300, system="one"
)  # G = 7.2 and 3.4


def dots(graph: Graph) -> list[Dots]:
    return [mark for mark in graph.marks if isinstance(mark, Dots)]


def strokes(graph: Graph) -> list[Stroke]:
    return [mark for mark in graph.marks if isinstance(mark, Stroke)]


# who is followed


@pytest.mark.parametrize("kind", [graphs.grip_graph, graphs.grnp_graph])
def test_every_point_is_of_the_same_queries_and_their_number_is_said(kind: type) -> None:
    graph = kind(MIXED)
    (points,) = dots(graph)
    assert set(points.facts["queries"]) == {7}
    assert "the 7 of 12 queries that reach G = 7" in graph.subtitle
    assert [mark.light for mark in strokes(graph)] == [False]
    assert not [mark for mark in graph.marks if isinstance(mark, Guide) and mark.x.size == 1]


def test_grip_does_not_rise_because_easy_queries_are_left() -> None:
    constant, varying = (dots(graphs.grip_graph(MIXED, members=each))[0].y for each in ("constant", "varying"))
    assert (np.diff(constant) <= 1e-12).all()
    assert (np.diff(varying) > 0).any()


def test_varying_members_are_named_so_and_each_point_says_its_number() -> None:
    graph = graphs.grip_graph(MIXED, members="varying")
    assert [mark.light for mark in strokes(graph)] == [False, True]
    counts = [mark.name for mark in graph.marks if isinstance(mark, Guide) and mark.x.size == 1]
    assert counts == ["12"] * 3 + ["7"] * 4
    assert [int(str(each)) for mark in dots(graph) for each in mark.facts["queries"]] == [12] * 3 + [7] * 4
    assert "all 12 queries, at each G those that reach it (12 to 7, see above)" in graph.subtitle
    reached = graphs.grip_graph(MIXED, reach=3)
    assert "at each G" not in reached.subtitle
    assert dots(reached)[0].x.tolist() == [1, 2, 3]


def test_bins_are_different_queries_and_are_never_joined_by_a_full_line() -> None:
    graph = graphs.grip_graph(MIXED, way="bins")
    assert {mark.light for mark in strokes(graph)} == {True}
    assert "all 12 queries, different ones in every bin" in graph.subtitle


def test_the_surface_follows_the_same_queries_as_its_cut() -> None:
    graph = graphs.grep_graph(MIXED)
    assert "the 7 of 12 queries that reach G = 7" in graph.subtitle
    (surface,) = [mark for mark in graph.marks if mark.role == "surface"]
    assert np.unique(surface.x).tolist() == dots(graphs.grip_graph(MIXED))[0].x.tolist()  # type: ignore[attr-defined]
    assert "reach G =" not in graphs.grep_graph(MIXED, members="varying").subtitle


def test_all_systems_share_the_levels() -> None:
    smaller = replace(TWO[1], collection=np.full(12, 210))
    lines = strokes(graphs.grip_graph([TWO[0].with_collection(900), smaller.with_collection(210)]))
    assert lines[0].x[:5].tolist() == lines[1].x[:5].tolist() == [1, 2, 3, 4, 5]


# marks


def test_points_of_few_units_are_hollow_and_it_is_said() -> None:
    few = graphs.grip_graph(TWO[0].take(np.arange(FEW_UNITS - 1)))
    assert {mark.role for mark in dots(few)} == {"open point"}
    assert "hollow: fewer than 5 queries decide" in few.subtitle
    many = graphs.grip_graph(in_classes(classes=FEW_UNITS - 1))
    assert {mark.role for mark in dots(many)} == {"open point"}
    assert "hollow: fewer than 5 classes decide" in many.subtitle
    assert "hollow" not in graphs.grip_graph(in_classes()).subtitle
    assert "fewer than 5 units decide from G = 1 on" in graphs.grep_graph(in_classes(classes=FEW_UNITS - 1)).subtitle


def test_lower_bounds_that_can_be_seen_are_dotted() -> None:
    cut = RelevantRanks.from_ranks([[1, 3]] * 8, relevant=[8] * 8, depth=20, collection=600, system="cut")
    graph = graphs.grip_graph(cut)
    assert strokes(graph)[0].light
    assert "dotted: lower bounds, rankings have ended" in graph.subtitle
    assert "dotted" not in graphs.grip_graph(TWO).subtitle


# intervals


def test_grip_tells_the_interval_that_compare_prints_for_r_precision() -> None:
    systems = [in_classes("one"), in_classes("two", 1)]
    means = compare(evaluate_ranks(systems, ["Rprec"], Settings())).main.means
    for place, points in enumerate(dots(graphs.grip_graph(systems))):
        assert points.y[-1] == means.mean[place]
        assert points.facts[POINTWISE][-1] == f"{means.low[place]:.4f} to {means.high[place]:.4f}"
        assert set(points.facts["classes"]) == {12}


def test_the_band_drawn_is_for_the_whole_curve_and_named_so() -> None:
    queries = in_classes()
    graph = graphs.grip_graph(queries)
    (band,) = [mark for mark in graph.marks if isinstance(mark, ShadedRegion) and mark.role == "band"]
    table = generality_table(queries)
    expected = generality_band(table).drawn()
    np.testing.assert_allclose(band.low, expected.low, atol=1e-12)
    np.testing.assert_allclose(band.high, expected.high, atol=1e-12)
    assert "95% bounded band for the whole curve" in graph.subtitle
    rows = [row for row in csv.DictReader(io.StringIO(graph_csv(graph).partition("\n")[2])) if row["role"] == "point"]
    assert [float(row["x"]) for row in rows] == pytest.approx(table.index.tolist())
    estimate = generality_estimate(table)
    assert rows[0][POINTWISE] == f"{estimate.low[0]:.4f} to {estimate.high[0]:.4f}"
    assert rows[0][WHOLE] == f"{expected.low[0]:.4f} to {expected.high[0]:.4f}"


def test_one_query_has_no_band_and_no_interval() -> None:
    graph = graphs.grip_graph(TWO[0].take(np.array([0])))
    assert "band" not in {mark.role for mark in graph.marks}
    assert "band" not in graph.subtitle
    assert set(dots(graph)[0].facts[POINTWISE]) == {"none"}
