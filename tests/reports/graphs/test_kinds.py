"""Every kind of graph on small data: what stands on it, what its words say, and what it refuses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import vl_convert

from rankscope.core.errors import MeasureError, SettingError
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Bars, Dots, Graph, Guide, ShadedRegion, Stroke
from rankscope.reports.graphs.kinds import GraphKind
from rankscope.reports.graphs.vega_lite import VERSION
from tests.reports.graphs.examples import TWO, ranked, scored
from tests.reports.graphs.recording import RecordingCanvas


def systems_for(kind: GraphKind[Any]) -> tuple[RelevantRanks, ...]:
    return (scored(),) if kind.wants("scores") else TWO[: kind.systems.most]


def recorded(graph: Graph) -> RecordingCanvas:
    canvas = RecordingCanvas()
    graph.draw(canvas)
    return canvas


every_kind = pytest.mark.parametrize("kind", graphs.ALL, ids=lambda kind: str(kind.name))


@every_kind
def test_each_kind_gives_a_graph_that_says_what_it_shows(kind: GraphKind[Any]) -> None:
    graph = kind(systems_for(kind))
    assert graph.title
    assert graph.summary
    assert graph.x.title
    assert graph.y.title
    assert graph.marks
    assert kind.sentence.endswith(".")


@pytest.mark.sampled(12)
@every_kind
@pytest.mark.parametrize("interactive", [False, True])
def test_each_kind_renders_to_finite_paths(kind: GraphKind[Any], interactive: bool) -> None:
    spec = kind(systems_for(kind)).vega_lite(interactive=interactive)
    picture = str(vl_convert.vegalite_to_svg(spec, vl_version=VERSION))
    paths = re.findall(r' d="([^"]*)"', picture)
    assert paths
    assert not [path for path in paths if "NaN" in path or "Infinity" in path]


@every_kind
def test_each_kind_names_its_systems_and_queries_in_words(kind: GraphKind[Any]) -> None:
    shown = systems_for(kind)
    graph = kind(shown)
    words = " ".join([graph.title, graph.subtitle, *(entry.text for entry in recorded(graph).legend)])
    assert all(each.system in words for each in shown)
    assert re.search(r"\d+ quer", words)


@every_kind
def test_each_kind_refuses_judgements_without_a_relevant_item(kind: GraphKind[Any]) -> None:
    with pytest.raises(SettingError, match=r"no query of .* has a relevant item at grade 9"):
        kind([each.at(rel=9) for each in systems_for(kind)])


@pytest.mark.parametrize(
    "kind", [kind for kind in graphs.ALL if "collection size" in kind.needs], ids=lambda kind: str(kind.name)
)
def test_a_kind_that_needs_the_collection_size_says_how_to_give_it(kind: GraphKind[Any]) -> None:
    unknown = [replace(each, collection=np.full(len(each), UNKNOWN)) for each in systems_for(kind)]
    with pytest.raises(MeasureError, match="collection_size=D"):
        kind(unknown)


MORE_THAN_ONE = ("forecast", "power-curve")  # queries are needed


@pytest.mark.parametrize(
    "kind", [each for each in graphs.ALL if each.name not in MORE_THAN_ONE], ids=lambda kind: str(kind.name)
)
def test_a_kind_shows_a_single_query(kind: GraphKind[Any]) -> None:
    graph = kind([each.take(np.array([0])) for each in systems_for(kind)])
    assert graph.marks
    assert json.loads(json.dumps(graph.vega_lite(), allow_nan=False))


def test_guides_stand_behind_the_curves() -> None:
    roles = recorded(graphs.precision_recall_graph(TWO, scopes=[0.5, 1.0])).roles
    assert [role for role in roles if role in ("guide", "curve")] == ["guide"] * 4 + ["curve"] * 2


def test_more_than_two_bands_are_not_drawn() -> None:
    three = [*TWO, ranked("third", 3)]
    for kind in (graphs.precision_recall_graph, graphs.recall_scope_graph, graphs.grip_graph):
        assert "band" in recorded(kind(TWO)).roles
        assert "95% bounded bands for the whole curve" in kind(TWO).subtitle
        graph = kind(three)
        assert "band" not in recorded(graph).roles
        assert "band" not in graph.subtitle


def test_systems_of_one_name_are_told_apart() -> None:
    graph = graphs.recall_scope_graph([ranked("same", 1), ranked("same", 2)])
    assert [entry.name for entry in recorded(graph).legend] == ["same", "same (2)"]


def test_scope_graphs_run_between_random_and_ideal() -> None:
    for kind in (graphs.precision_scope_graph, graphs.recall_scope_graph):
        marks = {mark.name: mark for mark in kind(TWO[0]).marks if isinstance(mark, Guide | Stroke)}
        curve = marks["first"]
        ideal = np.interp(np.log2(curve.x), np.log2(marks["ideal"].x), marks["ideal"].y)
        assert (curve.y <= ideal + 0.02).all()
        assert {"random 0.02", "random s/d"} & set(marks)


def test_scope_graphs_say_where_rankings_have_ended() -> None:
    cut = RelevantRanks.from_ranks([[1, 3], [2]], relevant=[4, 4], depth=8, system="cut")
    graph = graphs.recall_scope_graph([cut, replace(cut, depth=np.array([8, 64]), system="longer")])
    assert "a lower bound from s = " in graph.subtitle


def test_grip_shades_what_one_system_gains_over_random() -> None:
    assert [entry.text for entry in recorded(graphs.grip_graph(TWO[0])).legend][-1] == "gain over random, E*"
    assert "region" not in recorded(graphs.grip_graph(TWO)).roles


def test_grip_refuses_ways_and_reaches_that_do_not_exist() -> None:
    with pytest.raises(SettingError, match="thinned, bins"):
        graphs.grip_graph(TWO, way="thin")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"reaches G = 20; the largest is 5\.64"):
        graphs.grip_graph(TWO, reach=20)
    with pytest.raises(SettingError, match="constant, varying"):
        graphs.grip_graph(TWO, members="all")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="constant members"):
        graphs.grip_graph(TWO, members="varying", reach=2)


@pytest.mark.parametrize("kind", [graphs.grip_graph, graphs.grnp_graph, graphs.grep_graph])
def test_a_collection_of_hardly_anything_but_relevant_items_has_no_level_of_generality(kind: GraphKind[Any]) -> None:
    with pytest.raises(SettingError, match="too few distractors"):
        kind(RelevantRanks.from_ranks([range(1, 15), range(1, 14)], collection=16, depth=16))


def test_grnp_has_recall_on_the_right() -> None:
    graph = graphs.grnp_graph(TWO, n=4)
    assert graph.right is not None
    assert (graph.right.axis.title, graph.right.factor) == ("recall r = 4p", 4.0)
    assert graph.y.domain == (0, 0.25)
    with pytest.raises(SettingError):
        graphs.grnp_graph(TWO, n=0)


def test_the_window_graph_marks_scopes_without_hits_at_the_bottom() -> None:
    late = RelevantRanks.from_ranks([[5, 9]], collection=64, depth=64, queries=["q"], system="late")
    graph = graphs.precision_window_graph(late, queries=["q"])
    (edge,) = [mark for mark in graph.marks if isinstance(mark, Dots)]
    assert edge.role == "open point"
    assert edge.edge
    assert edge.x.max() < 5
    assert graph.y.domain is not None
    assert set(edge.y) == {graph.y.domain[0]}
    with pytest.raises(SettingError, match="no query nobody"):
        graphs.precision_window_graph(late, queries=["nobody"])


def test_a_known_class_size_shades_what_more_than_all_hits_would_be() -> None:
    eight = RelevantRanks.from_ranks([[1, 2, 3, 50], [1, 4, 9, 60], [7]], collection=100, depth=100)
    graph = graphs.precision_window_graph(eight, relevant=4)
    (region,) = [mark for mark in graph.marks if mark.role == "region"]
    assert isinstance(region, ShadedRegion)
    np.testing.assert_allclose(region.low * region.x, 4.0)
    assert [mark.name for mark in graph.marks if mark.role == "guide"] == ["ceiling c/s", "random level c/d = 0.04"]
    with pytest.raises(SettingError, match="no query with 5 relevant items"):
        graphs.precision_window_graph(eight, relevant=5)


def test_the_lowest_random_level_of_an_unknown_class_is_one_item() -> None:
    graph = graphs.precision_window_graph(RelevantRanks.from_ranks([[1, 3]], collection=100, depth=100))
    (level,) = [mark for mark in graph.marks if mark.role == "guide" and mark.name == "lowest random level 1/d = 0.01"]
    assert isinstance(level, Guide)
    assert level.y.tolist() == [0.01, 0.01]


def test_diagonals_of_the_window_graph_are_lines_of_equal_hits() -> None:
    for mark in graphs.precision_window_graph(TWO).marks:
        if isinstance(mark, Guide) and "random" not in mark.name:
            hits = 1 if mark.name == "v = 1" else int(mark.name.replace(",", ""))
            assert np.allclose(mark.x * mark.y, hits)


def test_differences_are_sorted_and_counted_and_name_query_and_class() -> None:
    classed = [each.with_classes(dict.fromkeys(each.queries, "odd")) for each in TWO]
    graph = graphs.per_query_differences_graph(classed, measure="P@10")
    bars = [mark for mark in graph.marks if isinstance(mark, Bars)]
    assert [mark.name for mark in bars] == ["first is better", "second is better"]
    heights = np.concatenate([bars[1].y, bars[0].y])
    assert (np.diff(heights) <= 0).all()
    assert set(bars[1].facts) == {"query", "class", "P@10 of first", "P@10 of second"}
    assert "mean difference" in graph.subtitle


def test_many_differences_are_drawn_as_an_area() -> None:
    many = [ranked(name, seed).take(np.arange(200) % 12) for name, seed in (("a", 1), ("b", 2))]
    many = [replace(each, queries=tuple(f"q{number}" for number in range(200))) for each in many]
    assert recorded(graphs.per_query_differences_graph(many)).roles.count("bar") == 0


@pytest.mark.parametrize("systems", [TWO[:1], [*TWO, ranked("third", 3)], TWO[0]])
def test_differences_are_of_two_systems(systems: Any) -> None:
    with pytest.raises(SettingError, match="shows two systems"):
        graphs.per_query_differences_graph(systems)


def test_differences_need_a_query_that_both_have() -> None:
    other = replace(TWO[1], queries=tuple(f"x{number}" for number in range(12)))
    with pytest.raises(SettingError, match="share no query"):
        graphs.per_query_differences_graph([TWO[0], other])


def test_shares_of_the_score_distribution_add_up_to_one() -> None:
    graph = graphs.score_distribution_graph(scored())
    for mark in graph.marks:
        if isinstance(mark, Stroke):
            assert mark.y[1:-1:2].sum() == pytest.approx(1.0)


def test_the_score_distribution_says_how_to_keep_scores() -> None:
    with pytest.raises(SettingError, match="keep_scores=True"):
        graphs.score_distribution_graph(TWO[0])


def test_a_forecast_is_exact_up_to_today_and_open_beyond() -> None:
    graph = graphs.forecast_graph(scored(), to="4x", force=True)
    dots = [mark for mark in graph.marks if isinstance(mark, Dots)]
    today = 99.0
    assert max(mark.x.max() for mark in dots if mark.role == "point") == today
    assert min(mark.x.min() for mark in dots if mark.role == "open point") > today
    assert max(mark.x.max() for mark in dots) == pytest.approx(396)
    assert "back-test" in graph.subtitle


def test_a_kind_is_found_by_its_name_or_suggested() -> None:
    assert graphs.by_name("grip") is graphs.grip_graph
    with pytest.raises(SettingError, match="did you mean 'recall-scope'"):
        graphs.by_name("recall-scop")


@pytest.mark.parametrize("kind", [graphs.grep_graph, graphs.score_distribution_graph])
def test_some_kinds_show_one_system_only(kind: GraphKind[Any]) -> None:
    with pytest.raises(SettingError, match="shows one system, got 2"):
        kind(TWO)
