"""A graph as data: what is on it, in which order, under which names."""

from __future__ import annotations

from base64 import b64decode

import numpy as np
import pytest

from rankscope.analysis.curves.curve import Curve
from rankscope.core.errors import SettingError
from rankscope.reports.graphs.graph import Axis, Graph, Guide, Stroke
from tests.reports.graphs.examples import around, empty_graph, falling
from tests.reports.graphs.recording import RecordingCanvas


def recorded(graph: Graph) -> RecordingCanvas:
    canvas = RecordingCanvas()
    graph.draw(canvas)
    return canvas


def test_a_method_gives_a_new_graph_and_leaves_the_old_one_as_it_was() -> None:
    before = empty_graph()
    after = before.curve(falling(), "a")
    assert before.marks == ()
    assert len(after.marks) == 1


def test_marks_are_drawn_from_the_back_to_the_front_in_whatever_order_they_came() -> None:
    curve = falling()
    graph = (
        empty_graph()
        .text(0.5, 0.5, "here")
        .points(curve, "a", open=[False, True, False])
        .curve(curve, "a")
        .band(around(curve), "a")
        .guides([falling("line")])
        .area(around(curve), "region")
    )
    assert recorded(graph).roles == ["region", "guide", "band", "curve", "point", "open point", "label"]


def test_only_the_points_asked_for_are_open() -> None:
    canvas = recorded(empty_graph().points(falling(), "a", open=[False, True, False], facts={"query": ["x", "y", "z"]}))
    filled, hollow = canvas.marks
    assert filled.facts == {"query": ["x", "z"]}  # type: ignore[attr-defined]
    assert hollow.facts == {"query": ["y"]}  # type: ignore[attr-defined]


def test_the_legend_names_each_series_once_with_its_note_and_then_the_regions() -> None:
    curve = falling()
    graph = empty_graph().area(around(curve), "cannot be reached").band(around(curve), "a")
    graph = graph.curve(curve, "a", "3 queries, g = 0.1").points(curve, "a").curve(curve, "b")
    entries = recorded(graph).legend
    assert [entry.text for entry in entries] == ["a: 3 queries, g = 0.1", "b", "cannot be reached"]
    assert [(entry.line, entry.marker, entry.swatch) for entry in entries] == [
        (True, True, True),
        (True, True, False),
        (False, False, True),
    ]


def test_the_legend_shows_an_open_marker_where_all_points_of_a_series_are_open() -> None:
    curve = falling()
    graph = empty_graph().points(curve, "possible", open=True).points(curve, "some", open=[False, True, False])
    graph = graph.curve(curve, "joined").points(curve, "joined", open=True)
    assert [entry.name for entry in recorded(graph).legend if entry.hollow] == ["possible"]


def test_an_axis_says_its_quantity_in_words_and_its_symbol() -> None:
    canvas = recorded(empty_graph().curve(falling(), "a"))
    assert canvas.graph is not None
    assert (canvas.graph.x.title, canvas.graph.y.title) == ("recall r", "precision p")


def test_a_domain_that_nobody_gave_takes_in_everything_drawn() -> None:
    graph = Graph("t", Axis("scope", "s", "log2"), Axis("score")).curve(
        Curve(np.array([1.0, 8.0, 64.0]), np.array([-2.0, np.nan, 5.0])), "a"
    )
    shown = graph.resolved()
    assert shown.x.domain == (1.0, 64.0)
    assert shown.y.domain is not None
    assert shown.y.domain[0] < -2.0 < 5.0 < shown.y.domain[1]


def test_a_graph_without_data_still_has_axes() -> None:
    assert Graph("t", Axis("x"), Axis("y", scale="log2")).resolved().y.domain == (1.0, 2.0)


def test_a_rule_reaches_from_one_end_of_the_graph_to_the_other() -> None:
    (mark,) = recorded(empty_graph().rule(y=0.25, label="random")).marks
    assert isinstance(mark, Guide)
    assert mark.x.tolist() == [0.0, 1.0]
    assert mark.y.tolist() == [0.25, 0.25]
    (upright,) = recorded(empty_graph().rule(x=0.5)).marks
    assert isinstance(upright, Guide)
    assert upright.y.tolist() == [0.0, 1.0]


def test_a_rule_is_level_or_upright() -> None:
    with pytest.raises(ValueError):
        empty_graph().rule()
    with pytest.raises(ValueError):
        empty_graph().rule(x=1.0, y=1.0)


def test_markers_stand_only_where_the_curve_exists() -> None:
    curve = Curve(np.arange(4.0), np.array([1.0, np.nan, 0.5, 0.25]))
    (mark,) = empty_graph().curve(curve, "a", markers=9).marks
    assert isinstance(mark, Stroke)
    assert mark.markers == (0, 2, 3)


@pytest.mark.parametrize(
    ("scale", "domain"),
    [("log2", (0.0, 1.0)), ("linear", (1.0, 1.0)), ("linear", (0.0, float("inf"))), ("log", (1, 2))],
)
def test_an_axis_that_cannot_be_is_refused(scale: str, domain: tuple[float, float]) -> None:
    with pytest.raises(SettingError):
        Axis("precision", "p", scale, domain)  # type: ignore[arg-type]


def test_a_graph_says_what_it_is() -> None:
    assert repr(empty_graph().curve(falling(), "a")) == (
        "Graph('Precision and recall': precision p against recall r; 1 curve)"
    )


def test_a_notebook_gets_a_picture() -> None:
    shown = empty_graph().curve(falling(), "a")._repr_html_()
    assert shown.startswith("<img alt=")
    assert b64decode(shown.partition("base64,")[2].rstrip('">')).startswith(b"<svg")
