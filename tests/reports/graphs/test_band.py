"""The graph of bands: what stands on it, what its words promise, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.analysis.curves.scope import ideal_precision_scope, ideal_recall_scope
from rankscope.analysis.statistics.bands import band, difference_band
from rankscope.analysis.statistics.query_curves import over_scope, precision_at_recall
from rankscope.analysis.statistics.sampling_units import unit_classes
from rankscope.commands.line.main import cli
from rankscope.core.errors import MeasureError, SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import save_ranks
from rankscope.reports.graphs import band_graph, precision_scope_graph, recall_scope_graph
from rankscope.reports.graphs.generality import CURVES, CurveName
from rankscope.reports.graphs.graph import Graph, Guide, ShadedRegion, Stroke
from tests.reports.graphs.examples import TWO, ranked, scored


def marks(graph: Graph, kind: type[Any]) -> list[Any]:
    return [mark for mark in graph.marks if isinstance(mark, kind)]


def test_bands_are_those_of_the_statistics_kept_within_zero_and_one() -> None:
    graph = band_graph(TWO, points=10, band="t")
    for each, mark, queries in zip(marks(graph, ShadedRegion), marks(graph, Stroke), TWO, strict=True):
        result = band(precision_at_recall(queries, 10), how="t")
        np.testing.assert_array_equal(each.low, np.clip(result.low, 0, 1))
        np.testing.assert_array_equal(mark.y, result.mean)
        assert each.name == mark.name == queries.system


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("unseen-unit", "90% bounded bands for the whole curve"),
        ("sup-t", "90% sup-t bands for the whole curve, may not hold where few units decide"),
        ("bonferroni", "90% Bonferroni bands for the whole curve, may not hold where few units decide"),
        ("t", "90% t bands, each point by itself"),
    ],
)
def test_the_subtitle_says_what_the_band_promises(how: str, words: str) -> None:
    assert words in band_graph(TWO, band=how, level=0.9).subtitle


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("difference", [False, True])
def test_every_curve_is_drawn_alone_and_as_a_difference(curve: CurveName, difference: bool) -> None:
    graph = band_graph(TWO, curve=curve, difference=difference)
    assert len(marks(graph, Stroke)) == len(marks(graph, ShadedRegion)) == (1 if difference else 2)
    graph.vega_lite()


def test_a_difference_stands_around_the_line_of_zero_with_markers_where_it_leaves_it_out() -> None:
    better = replace(TWO[1], judged=TWO[1].judged.with_columns(rank=TWO[1].judged.position))
    graph = band_graph([TWO[0], better], difference=True, points=5)
    result = difference_band(precision_at_recall(TWO[0], 5), precision_at_recall(better, 5))
    (curve,), (zero,) = marks(graph, Stroke), marks(graph, Guide)
    assert list(curve.markers) == np.flatnonzero(~result.holds(np.zeros(5))).tolist()
    assert curve.markers
    assert set(zero.y) == {0.0}
    assert graph.title == "Precision at recall levels: second minus first"
    assert curve.name == "second minus first"
    assert "markers: 0 is outside" in graph.subtitle
    assert "0 is inside everywhere" in band_graph([TWO[0], TWO[0]], difference=True).subtitle


def test_many_points_do_not_make_a_string_of_markers() -> None:
    better = replace(TWO[1], judged=TWO[1].judged.with_columns(rank=TWO[1].judged.position))
    (curve,) = marks(band_graph([TWO[0], better], difference=True, points=101), Stroke)
    assert 0 < len(curve.markers) <= 25


def test_queries_of_labelled_classes_are_drawn_class_by_class() -> None:
    assert "sampling units: classes" in band_graph(scored()).subtitle
    by_hand = [each.with_classes(dict.fromkeys(each.queries, "kind")) for each in TWO]
    assert "sampling units: classes" not in band_graph(by_hand).subtitle


def rare() -> RelevantRanks:
    """Twenty queries of two relevant items: all find the first, one alone finds the second early."""
    return RelevantRanks.from_ranks(
        [[1 + row % 2, 4 if row == 0 else 900 + row] for row in range(20)], system="rare", collection=1000, depth=1000
    )


def test_points_that_few_queries_decide_are_thin_and_told() -> None:
    graph = band_graph(rare(), points=3)
    (curve,) = marks(graph, Stroke)
    result = band(precision_at_recall(rare(), 3))
    assert list(curve.thin) == np.flatnonzero(result.few).tolist() == [2]
    assert curve.facts["few"] == ["no", "no", "yes"]
    assert curve.facts["deciding queries"] == [round(each, 2) for each in result.deciding.tolist()]
    assert "thin: fewer than 5 queries decide" in graph.subtitle
    even = RelevantRanks.from_ranks([[1 + row % 2] for row in range(70)], system="even")
    assert not marks(band_graph(even, points=2), Stroke)[0].thin
    assert "thin" not in band_graph(even, points=2).subtitle


def test_thin_lines_and_hollow_markers_are_drawn_apart() -> None:
    layers = [layer for layer in band_graph(rare(), points=3).vega_lite()["layer"] if "mark" in layer]
    lines = [layer for layer in layers if layer["mark"].get("type") == "line" and "strokeJoin" in layer["mark"]]
    thick, thin = (layer["mark"]["strokeWidth"] for layer in lines)
    assert thick > 2 * thin
    assert [[row["y"] is not None for row in layer["data"]["values"]] for layer in lines] == [
        [True, True, False],
        [False, True, True],
    ]
    paper = [layer["mark"]["fill"] for layer in layers if layer["mark"].get("shape") == "circle"]
    assert "#ffffff" in paper


@pytest.mark.parametrize("kind", [precision_scope_graph, recall_scope_graph])
def test_graphs_over_scope_have_the_band_of_the_whole_curve(kind: Any) -> None:
    graph = kind(TWO[0])
    (shaded,), (curve,) = marks(graph, ShadedRegion), marks(graph, Stroke)
    which = "precision" if kind is precision_scope_graph else "recall"
    result = band(over_scope(TWO[0], curve.x.astype(int), which))  # type: ignore[arg-type]
    np.testing.assert_array_equal(shaded.low, result.low)
    np.testing.assert_array_equal(shaded.high, result.high)
    np.testing.assert_allclose(curve.y, result.mean)
    assert "95% bounded band for the whole curve" in graph.subtitle
    many = kind([ranked(str(seed), seed) for seed in range(3)])
    assert not marks(many, ShadedRegion)
    assert "band" not in many.subtitle
    assert all("band" not in stroke.facts for stroke in marks(many, Stroke))


def test_classes_are_the_units_of_graphs_over_scope_too() -> None:
    graph = precision_scope_graph(scored())
    (curve,) = marks(graph, Stroke)
    result = band(over_scope(scored(), curve.x.astype(int)), classes=unit_classes(scored()))
    np.testing.assert_array_equal(marks(graph, ShadedRegion)[0].low, result.low)
    assert "sampling units: classes" in graph.subtitle


def test_grip_follows_the_same_queries_and_says_how_many() -> None:
    few = ranked("few", 3, collection=np.array([40] * 6 + [400] * 6))
    few = replace(few, depth=np.minimum(few.depth, few.collection))
    few = few.take(np.flatnonzero([few.ranks[few.row == row].max() <= few.collection[row] for row in range(12)]))
    graph = band_graph(few, curve="grip")
    (curve,) = marks(graph, Stroke)
    reach = np.log2(few.collection / few.relevant) >= curve.x.max()
    assert 2 * reach.sum() >= len(few)
    assert set(curve.facts["queries"]) == {int(reach.sum())}
    assert f"{int(reach.sum())} of {len(few)} queries" in graph.title


def test_one_query_has_a_curve_and_no_band() -> None:
    graph = band_graph(TWO[0].take(np.array([0])))
    assert not marks(graph, ShadedRegion)
    assert "two queries at least" in graph.subtitle


def test_what_cannot_be_drawn_is_refused_in_words() -> None:
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (TWO, {"curve": "roc"}, "curve='roc': must be one of"),
        (TWO, {"band": "bca"}, "band='bca': must be one of"),
        (TWO[:1], {"difference": True}, "two systems, got 1"),
        ([*TWO, ranked("third", 3)], {"difference": True}, "a difference is of two systems, got 3"),
        ([ranked(str(seed), seed) for seed in range(5)], {}, "1 to 4 systems, got 5"),
        (TWO, {"level": 95}, "between 0 and 1"),
        (TWO, {"points": 1}, "points=1: must be a whole number of at least 2"),
    ]
    for systems, options, words in wrong:
        with pytest.raises(SettingError, match=words):
            band_graph(systems, **options)
    with pytest.raises(MeasureError, match="collection_size=D"):
        band_graph(ranked("unknown", 1, collection=None), curve="grip")


def test_the_command_takes_all_its_options(tmp_path: Path) -> None:
    paths = [tmp_path / f"{each.system}.ranks.parquet" for each in TWO]
    for each, path in zip(TWO, paths, strict=True):
        save_ranks(each, path)
    target = tmp_path / "band.csv"
    more = ["--curve", "recall-scope", "--band", "bonferroni", "--level", "0.9", "--difference", "--points", "5"]
    done = CliRunner().invoke(cli, ["graph", "band", *map(str, paths), "-o", str(target), "--seed", "3", *more])
    assert done.exit_code == 0, done.output
    assert "second minus first" in target.read_text()
    refused = CliRunner().invoke(cli, ["graph", "grip", *map(str, paths), "-o", str(target), "--level", "0.9"])
    assert "grip has no option --level" in str(refused.exception)


def test_a_band_over_scope_stays_below_the_ideal_system() -> None:
    """Of c relevant items no more than c/s of the first s can be: nor can the unseen query have more."""
    one_size = RelevantRanks.from_ranks([[1, 3 + row, 90] for row in range(9)], collection=200, depth=200)
    for kind, ideal in ((precision_scope_graph, ideal_precision_scope), (recall_scope_graph, ideal_recall_scope)):
        (shaded,) = marks(kind(one_size), ShadedRegion)
        assert (shaded.high <= ideal(3, shaded.x.astype(np.int64)).y + 1e-12).all()
