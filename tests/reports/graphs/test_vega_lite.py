"""The Vega-Lite specification: plain JSON, a schema that vl-convert knows, and a picture of finite paths."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
import vl_convert

from rankscope.analysis.curves.curve import Curve
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.vega_lite import SCHEMA, VERSION
from tests.reports.graphs.examples import around, empty_graph, falling


def full_graph() -> Graph:
    curve = falling()
    graph = empty_graph("Everything & <nothing> else").area(around(curve), "region").guides([falling("line")])
    graph = (
        graph.rule(y=0.3, label="random").band(around(curve), "a \"b\" 'c'").curve(curve, "a \"b\" 'c'", "3 queries")
    )
    graph = graph.bars(Curve(np.array([0.1, 0.3]), np.array([0.2, 0.1])), "bars", thick=0.1)
    return graph.points(curve, "dots", open=[True, False, False], facts={"query": ["x", "y", "z"]}).text(0.5, 0.5, "w")


def svg_of(graph: Graph, **more: Any) -> str:
    return str(vl_convert.vegalite_to_svg(graph.vega_lite(**more), vl_version=VERSION))


def test_the_schema_is_one_that_vl_convert_has() -> None:
    known = vl_convert.get_vegalite_versions()
    assert VERSION.removeprefix("v") in known
    assert SCHEMA.rsplit("/", 1)[1] == f"{VERSION.split('.')[0]}.json"


@pytest.mark.parametrize("interactive", [False, True])
def test_a_specification_is_plain_json_without_nan(interactive: bool) -> None:
    spec = full_graph().vega_lite(interactive=interactive)
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("interactive", [False, True])
def test_it_renders_to_paths_that_are_all_finite(theme: str, interactive: bool) -> None:
    picture = svg_of(full_graph(), theme=theme, interactive=interactive)
    assert picture.startswith("<svg")
    paths = re.findall(r' d="([^"]*)"', picture)
    assert len(paths) > 10
    assert not [path for path in paths if "NaN" in path or "Infinity" in path or "undefined" in path]


def test_the_picture_names_axes_series_guides_and_title() -> None:
    picture = svg_of(full_graph())
    for text in ("recall r", "precision p", "a &quot;b&quot; 'c': 3 queries", "random", "line", "&lt;nothing&gt;"):
        assert text in picture or text.replace("&quot;", '"') in picture, text


def test_the_width_of_the_picture_is_that_of_the_column() -> None:
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg_of(full_graph()))
    assert size is not None
    assert float(size[1]) == pytest.approx(85 * 96 / 25.4, abs=0.5)


def test_a_curve_has_a_gap_where_it_does_not_exist() -> None:
    curve = Curve(np.array([0.1, 0.2, 0.4, 0.6, 0.8]), np.array([0.9, 0.8, np.nan, 0.4, 0.3]))
    picture = svg_of(empty_graph().curve(curve, "a", markers=0))
    strokes = re.findall(r' d="([^"]*)" stroke="#0072b2"', picture)
    assert any(path.count("M") == 2 for path in strokes)


def test_words_on_the_axis_are_ours() -> None:
    axis = Axis("precision", "p", "log2", (1 / 16, 1))
    picture = svg_of(Graph("t", Axis("difference", domain=(-1, 1)), axis).curve(falling(), "a"))
    texts = re.findall(r">([^<>]+)</text>", picture)
    assert {"1/16", "1/4", "1", "\N{MINUS SIGN}0.5", "0.5"} <= set(texts)


def test_the_second_axis_shows_the_same_heights_in_another_quantity() -> None:
    graph = empty_graph().curve(falling(), "a").second_axis(Axis("recall", "r = 2p", domain=(0, 2)), factor=2)
    picture = svg_of(graph)
    texts = re.findall(r">([^<>]+)</text>", picture)
    assert "recall r = 2p" in texts
    assert {"0.5", "1.5", "2"} <= set(texts)


def test_a_pointer_finds_the_facts_of_each_point_and_only_on_a_page() -> None:
    told = json.dumps(full_graph().vega_lite(interactive=True))
    assert '"query": "y"' in told
    assert '"title": "dots"' in told
    assert '"query"' not in json.dumps(full_graph().vega_lite())


def test_tooltips_and_the_choice_of_a_series_reach_vega() -> None:
    spec = full_graph().vega_lite(interactive=True)
    compiled = json.dumps(vl_convert.vegalite_to_vega(spec, vl_version=VERSION))
    assert '"tooltip": {"signal": "datum.tip || datum.datum.tip"}' in compiled
    assert "focus_store" in compiled
    assert "near_store" in compiled


def test_equal_graphs_give_equal_pictures() -> None:
    assert svg_of(full_graph()) == svg_of(full_graph())
