"""The precision-recall graph: hits of one query, groups of one class size, bins, and what stands behind them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.curves.averaging import radial_curves
from rankscope.analysis.curves.generality import grep_surface
from rankscope.analysis.curves.precision_recall import ideal_curve
from rankscope.core.errors import MeasureError, SettingError
from rankscope.core.settings import Settings
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Graph, Guide, ShadedRegion, Stroke
from rankscope.reports.graphs.precision_recall import (
    ENOUGH,
    group_choices,
    group_named,
    query_groups,
    spread_out,
    swept,
    usual,
)
from tests.reports.graphs.classes import in_classes
from tests.reports.graphs.examples import TWO, ranked

LECTURE = RelevantRanks.from_ranks([[1, 3, 6, 10, 15]], relevant=[10], depth=15, collection=100, system="lecture")
MIXED = RelevantRanks.from_ranks(
    [[1, 2]] * 12 + [list(range(1, 30))] * 12, collection=300, depth=300, system="one"
)  # two class sizes, G = 7.2 and 3.4
SPREAD = RelevantRanks.from_ranks(
    [list(range(2, 2 + size)) for size in range(3, 33)], collection=300, depth=300, system="one"
)  # thirty class sizes


def curves(graph: Graph) -> list[Stroke]:
    return [mark for mark in graph.marks if isinstance(mark, Stroke)]


def guide(graph: Graph, name: str) -> Guide:
    (only,) = [mark for mark in graph.marks if isinstance(mark, Guide) and mark.name == name]
    return only


# one query


def test_the_lectures_example_has_its_points_at_the_hits() -> None:
    graph = graphs.precision_recall_graph(LECTURE)
    (curve,) = curves(graph)
    np.testing.assert_allclose(curve.x, [0.1, 0.2, 0.3, 0.4, 0.5])
    np.testing.assert_allclose(curve.y, [1, 2 / 3, 1 / 2, 2 / 5, 1 / 3])
    assert curve.markers == (0, 1, 2, 3, 4)
    assert curve.facts["scope"] == [1, 3, 6, 10, 15]
    assert curve.note == "5 of 10 found, the ranking ends at 15"
    assert "band" not in {mark.role for mark in graph.marks}
    assert "1 query; c = 10, d = 100, G = 3.32, random level 0.1;" in graph.subtitle


def test_one_query_needs_no_collection_size_and_may_find_nothing() -> None:
    unknown = RelevantRanks.from_ranks([[1, 3]], relevant=[4], depth=9)
    graph = graphs.precision_recall_graph([unknown, RelevantRanks.from_ranks([[]], relevant=[4], depth=9, system="no")])
    first, second = curves(graph)
    assert first.x.tolist() == [0.25, 0.5]
    assert second.x.size == 0
    assert second.note == "0 of 4 found, the ranking ends at 9"
    assert not [mark for mark in graph.marks if "random" in mark.name]
    assert "c = 4, d not known: generality and random level unknown" in graph.subtitle
    graph.vega_lite()


def test_eleven_levels_of_one_query_can_be_asked_for() -> None:
    (curve,) = curves(graphs.precision_recall_graph(LECTURE, averaging="levels"))
    np.testing.assert_allclose(curve.y, [1, 1, 2 / 3, 0.5, 0.4, 1 / 3, 0, 0, 0, 0, 0])


# groups


def test_queries_of_one_class_size_are_not_interpolated() -> None:
    graph = graphs.precision_recall_graph(TWO)
    for queries, mark in zip(TWO, curves(graph), strict=True):
        (exact,) = radial_curves(queries, by="exact")
        rows = np.array(mark.facts["scope"]) - 1
        np.testing.assert_allclose(mark.x, exact.curve.x[rows])
        np.testing.assert_allclose(mark.y, exact.curve.y[rows])
        assert [mark.facts["a"][row] for row in mark.markers] == [0.25, 0.5, 1, 2, 4]
    stated = "c = 4, d = 200, G = 5.64, random level 0.02"
    assert f"all 12 queries with {stated}; radial means at whole scopes" in graph.subtitle
    assert "interpolated" not in graph.subtitle


def test_one_system_has_a_curve_for_each_class_size() -> None:
    graph = graphs.precision_recall_graph(MIXED)
    assert [mark.name for mark in curves(graph)] == ["c = 29", "c = 2"]
    stated = "d = 300, G = 3.37 to 7.23, random level g = c/d of each"
    assert f"all 2 groups of equal generality; {stated}; radial means at whole scopes" in graph.subtitle
    assert [mark.note for mark in curves(graph)] == ["g = 0.0967, 12 queries", "g = 0.00667, 12 queries"]
    for share, name in ((29 / 300, "random 0.0967"), (2 / 300, "random 0.00667")):
        assert set(guide(graph, name).y) == {share}
    bins = graphs.precision_recall_graph(MIXED, group="bins")
    assert [mark.name for mark in curves(bins)] == ["G = 3", "G = 7"]


def test_where_no_class_size_is_shared_queries_are_binned_and_that_is_said() -> None:
    graph = graphs.precision_recall_graph([SPREAD, SPREAD])
    shown = usual(query_groups(SPREAD))
    assert shown.name == "G = 4"
    assert f"the {len(shown.queries)} of 30 queries with G = 4, rounded; mixed generality: c = " in graph.subtitle
    assert "levels depend on the mix of queries; radial means, interpolated between scopes" in graph.subtitle
    (exact,) = {mark.name for mark in curves(graphs.precision_recall_graph(SPREAD, group="c=10"))}
    assert exact == "one"


def test_a_group_is_asked_for_by_class_size_or_generality_index() -> None:
    for name in ("c=2", "c = 2", "C=2", "c=2,d=300", "G=7", "g = 7.0"):
        graph = graphs.precision_recall_graph([MIXED, MIXED], group=name)
        assert "the 12 of 24 queries with" in graph.subtitle
        assert graph.subtitle.count("whole scopes") == 1  # one class size in a bin is exact too
    with pytest.raises(SettingError, match=r"no group 'c=3'.*G=3 \(12\), G=7 \(12\).*c=29 \(12\), c=2 \(12\)"):
        graphs.precision_recall_graph(MIXED, group="c=3")


def test_exact_groups_of_enough_units_must_hold_half_of_them() -> None:
    few = RelevantRanks.from_ranks(
        [[1, 2]] * ENOUGH + [list(range(1, 2 + size)) for size in range(3, 3 + ENOUGH)], collection=300, depth=300
    )
    assert {each.name[0] for each in query_groups(few)} == {"c"}
    fewer = few.take(np.arange(1, len(few)))
    assert {each.name[0] for each in query_groups(fewer)} == {"G"}
    assert len(query_groups(fewer, "exact")) == ENOUGH + 1


def test_class_mates_do_not_make_a_group_large() -> None:
    mates = in_classes(classes=2, size=40)
    other = in_classes(classes=3, size=9)
    both = RelevantRanks.from_ranks(
        [*mates.judged.lists("rank"), *other.judged.lists("rank")],
        collection=150,
        depth=150,
        classes=[*(mates.classes or ()), *(f"other {each}" for each in other.classes or ())],
        provenance={"judgements": {"complete": True}},
    )
    assert {each.name[0] for each in query_groups(both)} == {"G"}
    (shown,) = [each for each in query_groups(both, "exact") if len(each.queries) == 80]
    assert shown.units == 2
    assert "rests on fewer than 5 units" in graphs.precision_recall_graph([both, both], group=shown.name).subtitle


def test_the_group_of_the_query_in_the_middle_is_shown_first() -> None:
    sizes = [1] * 12 + [2] * 14 + [4] * 12 + [8] * 2
    queries = RelevantRanks.from_ranks([list(range(1, 1 + size)) for size in sizes], collection=64, depth=64)
    assert usual(query_groups(queries)).name == "c = 2"
    hardly = queries.take(np.array([*range(12), *range(24, 40)]))  # two of c = 2 are too few to be shown first
    assert usual(query_groups(hardly)).name == "c = 4"
    assert [each.name for each in spread_out(query_groups(queries), 2)] == ["c = 4", "c = 1"]


def test_a_page_is_offered_every_query() -> None:
    lonely = RelevantRanks.from_ranks([[1]] * 12 + [list(range(1, 41))], collection=300, depth=300)
    for queries in (MIXED, SPREAD, in_classes(), lonely):
        names = {query for _, groups in group_choices(queries) for each in groups for query in each.queries.queries}
        assert names == set(queries.queries)
    among = graphs.precision_recall_graph.variants([MIXED, MIXED])
    assert among is not None
    assert [each.value for each in among.values] == ["all", "c = 29", "c = 2"]
    assert [each.value for each in among.values if each.chosen] == ["all"]
    alone = graphs.precision_recall_graph.variants(MIXED)
    assert alone is not None
    assert [each.value for each in alone.values] == ["all", None, "bins", "c = 29", "c = 2"]
    assert graphs.precision_recall_graph.variants(LECTURE) is None


# what stands behind


def test_the_ideal_system_runs_along_the_top_and_down_to_the_generality() -> None:
    line = guide(graphs.precision_recall_graph(LECTURE), "ideal")
    tris = ideal_curve(10, 100)
    assert (line.x[0], line.y[0]) == (tris.x[0], tris.y[0]) == (0.1, 1)
    assert (line.x[-1], line.y[-1]) == (tris.x[-1], tris.y[-1]) == (1, 0.1)
    assert ((line.x == 1) | (line.y == 1)).all()
    for systems in (TWO, MIXED, [ranked("unknown", 1, collection=None)]):
        assert guide(graphs.precision_recall_graph(systems), "ideal").y.max() == 1


def test_precision_recall_takes_eleven_levels_where_the_size_is_unknown() -> None:
    unknown = [ranked(name, seed, collection=None) for name, seed in (("first", 1), ("second", 2))]
    graph = graphs.precision_recall_graph(unknown)
    assert [len(mark.x) for mark in curves(graph)] == [11, 11]
    assert curves(graph)[0].note == "12 queries"
    assert "95% bounded bands for the whole curve" in graph.subtitle


# which generality


STATING = {
    "precision-recall": graphs.precision_recall_graph,
    "at recall levels": partial(graphs.precision_recall_graph, group="all"),
    "precision-scope": graphs.precision_scope_graph,
    "recall-scope": graphs.recall_scope_graph,
    "precision-window": graphs.precision_window_graph,
    "band": graphs.band_graph,
    "band over scope": partial(graphs.band_graph, curve="precision-scope"),
    "difference": partial(graphs.band_graph, difference=True),
}
stating = pytest.mark.parametrize("draw", STATING.values(), ids=list(STATING))


@stating
def test_a_graph_of_one_generality_states_it_and_the_random_level(draw: Callable[..., Graph]) -> None:
    graph = draw([LECTURE.take(np.zeros(2, dtype=np.int64)), LECTURE.take(np.zeros(2, dtype=np.int64))])
    assert "c = 10, d = 100, G = 3.32, random level 0.1" in graph.subtitle
    assert "mixed" not in graph.subtitle + graph.summary


@stating
def test_a_graph_of_mixed_or_unknown_generality_has_a_caution(draw: Callable[..., Graph]) -> None:
    unknown = replace(MIXED, collection=np.full(len(MIXED), UNKNOWN))
    some = unknown.take(np.arange(12))
    caution = "levels depend on the mix of queries"
    assert f"mixed generality: c = 2 to 29, d not known, {caution}" in draw([unknown, unknown]).subtitle
    assert "c = 2, d not known: generality and random level unknown" in draw([some, some]).subtitle
    if draw is not graphs.precision_recall_graph:  # which takes one class size of several
        mixed = draw([MIXED, MIXED]).subtitle
        assert f"mixed generality: c = 2 to 29, d = 300, G = 3.37 to 7.23, {caution}" in mixed


def test_the_random_level_stands_at_its_line() -> None:
    line = guide(graphs.precision_recall_graph(MIXED, group="c=2"), "random 0.00667")
    assert set(line.y) == {2 / 300}
    scope = guide(graphs.precision_scope_graph(TWO), "random 0.02")
    np.testing.assert_allclose(scope.y, 0.02)
    mixed = guide(graphs.precision_scope_graph(MIXED), "mean random 0.0517")
    np.testing.assert_allclose(mixed.y, (2 + 29) / 600)
    shares = guide(graphs.recall_scope_graph(TWO), "random s/d")
    np.testing.assert_allclose(shares.y, shares.x / 200)


def test_at_recall_levels_chance_is_that_of_hits() -> None:
    queries = RelevantRanks.from_ranks([[1, 2, 3, 5], [1, 4, 9, 12]], collection=20, depth=20, system="one")
    line = guide(graphs.precision_recall_graph(queries, group="all"), "random 0.249 to 0.415")
    assert (line.x[0], line.x[-1]) == (0.1, 1)
    np.testing.assert_allclose(line.y[[0, -1]], [0.415154, 0.248836], atol=1e-6)  # above g = 0.2


def test_random_levels_that_run_together_share_a_name() -> None:
    graph = graphs.precision_recall_graph(SPREAD, at_generality=[1, 3, 4, 6], group="c=3")
    names = [mark.name for mark in graph.marks if isinstance(mark, Guide) and "random" in mark.name]
    assert names == ["random 0.5", "random 0.125", "random up to 0.0625"]
    level = [mark.y[0] for mark in graph.marks if isinstance(mark, Guide) and mark.dashed and np.isnan(mark.x).all()]
    assert level == [0.5, 0.125, 0.0625, 0.015625]


def test_a_group_is_averaged_at_recall_levels_too() -> None:
    graph = graphs.precision_recall_graph([MIXED, MIXED], group="c=2", averaging="levels")
    assert graph.subtitle.startswith("the 12 of 24 queries with c = 2, d = 300, G = 7.23, random level 0.00667; interp")
    (alone, _) = curves(graph)
    (two,) = curves(graphs.precision_recall_graph(MIXED.take(np.arange(12)), averaging="levels"))
    assert alone.y.tolist() == two.y.tolist()
    unknown = replace(MIXED, collection=np.full(len(MIXED), UNKNOWN))
    of_two = graphs.precision_recall_graph(unknown, group="c=2")
    assert of_two.subtitle.startswith("the 12 of 24 queries with c = 2, d not known: generality and random level unk")
    with pytest.raises(SettingError, match="one has no query with 3 relevant items"):
        graphs.precision_recall_graph(unknown, group="c=3")
    with pytest.raises(SettingError, match="group=bins has radial means: at recall levels give one group, or all"):
        graphs.precision_recall_graph(MIXED, group="bins", averaging="levels")
    with pytest.raises(MeasureError, match="needs the size of the collection"):
        graphs.precision_recall_graph(unknown, group="all", averaging="radial")


def test_every_query_has_a_radial_mean_that_says_what_it_mixes() -> None:
    graph = graphs.precision_recall_graph(MIXED, group="all", averaging="radial")
    (curve,) = curves(graph)
    row = list(curve.facts["a"]).index(1.0)
    assert curve.y[row] == pytest.approx(evaluate_ranks([MIXED], ["Rprec"], Settings())["one"]["Rprec"])
    assert graph.subtitle.startswith("all 24 queries; mixed generality: c = 2 to 29, d = 300, G = 3.37 to 7.23, levels")


# rankings that end


def test_beyond_the_end_of_a_ranking_the_curve_is_dotted_and_stops() -> None:
    cut = RelevantRanks.from_ranks([[1, 3], [2, 30]] * 6, relevant=[4] * 12, depth=[20, 40] * 6, collection=600)
    graph = graphs.precision_recall_graph(cut)
    solid, light = curves(graph)
    assert (solid.light, light.light) == (False, True)
    assert solid.facts["scope"][-1] == 20
    assert light.facts["scope"][-1] == 40
    assert "dotted: a lower bound, some rankings have ended" in graph.subtitle


# chance


def test_at_the_class_size_the_interval_is_that_of_r_precision() -> None:
    systems = [in_classes("one"), in_classes("two", 1)]
    means = compare(evaluate_ranks(systems, ["Rprec"], Settings())).main.means
    graph = graphs.precision_recall_graph(systems)
    for place, mark in enumerate(curves(graph)):
        row = list(mark.facts["a"]).index(1.0)
        assert mark.y[row] == pytest.approx(means.mean[place], abs=1e-12)
        told = str(mark.facts["95% interval of p, pointwise"][row])
        assert told == f"{means.low[place]:.4f} to {means.high[place]:.4f}"
    assert re.search(
        r"all 96 queries \(12 classes\) with c = 8, .*; 95% bounded bands for the whole curve", graph.subtitle
    )


def test_a_band_lies_along_the_rays_and_holds_its_curve() -> None:
    graph = graphs.precision_recall_graph(TWO[0])
    (curve,) = curves(graph)
    (band,) = [mark for mark in graph.marks if isinstance(mark, ShadedRegion) and mark.role == "band"]
    assert (band.low <= band.high + 1e-12).all()
    assert band.high.max() <= 1
    low, high = (np.interp(curve.x, band.x, each) for each in (band.low, band.high))
    inside = np.diff(band.x).max()  # where the region turns upright one side is ambiguous
    assert ((low <= curve.y + inside) & (curve.y <= high + inside)).all()


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=8), st.floats(0, 0.3))
def test_every_piece_of_a_ray_lies_in_what_they_sweep(rises: list[float], wide: float) -> None:
    a = np.array([2.0**power for power in range(len(rises))])
    recall = np.cumsum(rises) / (sum(rises) * 1.5)
    low, high = recall * (1 - wide), np.minimum(recall * (1 + wide), 1.0)
    region = swept(a, low, high)
    for ray, one, other in zip(a, low, high, strict=True):
        middle = (one + other) / 2
        inside = np.interp(middle, region.x, region.low), np.interp(middle, region.x, region.high)
        assert inside[0] - 1e-9 <= middle / ray <= inside[1] + 1e-9


def test_a_class_size_names_its_group_where_each_has_a_collection_of_its_own() -> None:
    ranks = [[1, 2]] * 3 + [[1, 2, 3]] * 3
    own = RelevantRanks.from_ranks(ranks, collection=[12] * 3 + [13] * 3, depth=[12] * 3 + [13] * 3, system="one")
    assert group_named(own, "c=2").rows.tolist() == [0, 1, 2]
    assert group_named(own, "c=3, d=13").rows.tolist() == [3, 4, 5]
    two = RelevantRanks.from_ranks(ranks[:3], collection=[12, 12, 13], depth=[12, 12, 13], system="one")
    with pytest.raises(SettingError, match="no group 'c=2'"):
        group_named(two, "c=2")


# whole levels of generality


def thinned_by_hand(ranks: list[int], size: int, kept: int, scope: int) -> float:
    """The mean recall over every set of distractors that can be kept."""
    distractors = [rank for rank in range(1, size + 1) if rank not in ranks]
    hits = [
        sum(sum(other < rank for other in some) + place <= scope for place, rank in enumerate(ranks, 1))
        for some in combinations(distractors, kept)
    ]
    return float(np.mean(hits)) / len(ranks)


def test_curves_at_whole_levels_are_the_means_over_all_thinnings() -> None:
    both = [[1, 4, 9], [2, 5, 14]]
    queries = RelevantRanks.from_ranks(both, depth=15, collection=15, system="one")
    graph = graphs.precision_recall_graph(queries, at_generality=[1, 2])
    first, second = curves(graph)
    assert [first.name, second.name] == ["G = 1", "G = 2"]
    for curve, level in ((first, 1), (second, 2)):
        scopes, kept = [int(str(scope)) for scope in curve.facts["scope"]], 3 * (2**level - 1)
        assert scopes[-1] == 3 * 2**level
        expected = [np.mean([thinned_by_hand(ranks, 15, kept, scope) for ranks in both]) for scope in scopes]
        np.testing.assert_allclose(curve.x, expected)
        np.testing.assert_allclose(curve.y, np.array(expected) * 3 / np.array(scopes))
    assert first.note == "random level 0.5"
    assert graph.subtitle.startswith("all 2 queries that reach G = 2; c = 3, d = c 2^G; random distractors left out")
    assert guide(graph, "ideal").y[-1] == 0.25


def test_a_level_is_the_cut_of_the_surface() -> None:
    levels = [1, 2, 3]
    surface = grep_surface(SPREAD, [1.0, 2.0, 4.0], levels=levels)
    graph = graphs.precision_recall_graph(SPREAD, at_generality=levels)
    for row, curve in enumerate(curves(graph)):
        at = [np.flatnonzero(np.isclose(np.array(curve.facts["a"], dtype=np.float64), a)) for a in (1.0, 2.0, 4.0)]
        there = [column for column, place in enumerate(at) if place.size]
        np.testing.assert_allclose(
            [curve.x[int(at[column][0])] for column in there], surface.recall[row, there], rtol=1e-12
        )
        assert there
    assert "interpolated between scopes" in graph.subtitle


def test_the_level_of_the_whole_collection_is_the_curve_of_its_group() -> None:
    queries = RelevantRanks.from_ranks([[1, 4], [2, 15]], depth=16, collection=16, system="one")
    (thinned,) = curves(graphs.precision_recall_graph(queries, at_generality=[3]))
    (plain,) = curves(graphs.precision_recall_graph(queries, group="c=2"))
    np.testing.assert_allclose(thinned.x, plain.x)
    np.testing.assert_allclose(thinned.y, plain.y)


def test_several_systems_are_compared_at_one_level() -> None:
    graph = graphs.precision_recall_graph([MIXED, MIXED], at_generality=[3], group="c=2")
    assert {curve.name for curve in curves(graph)} == {"one", "one (2)"}
    assert graph.title == "Precision and recall at G = 3"
    for wrong, words in (
        ({"at_generality": [2, 3]}, "give one system, or one level of at_generality"),
        ({"at_generality": [2], "averaging": "levels"}, "not at recall levels"),
        ({"at_generality": [0]}, "must each be a whole number of at least 1"),
        ({"at_generality": [9]}, "no query of one reaches G = 9; the largest is 7.23"),
    ):
        with pytest.raises(SettingError, match=words):
            graphs.precision_recall_graph([MIXED, MIXED], **wrong)
