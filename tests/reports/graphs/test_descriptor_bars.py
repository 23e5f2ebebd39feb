"""The graphs of a benchmark."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.reports.graphs.graph import Dots, Guide, Spans, TextMark
from rankscope.reports.graphs.layout import text_width
from rankscope.reports.page.benchmark_page import (
    NAME_SIZE,
    Bar,
    _box,
    _overlap,
    _placed,
    cost_graph,
    frontier,
    quality_graph,
)
from tests.reports.graphs.recording import RecordingCanvas

BARS = [
    Bar("scalable-colour", 0.55, 0.44, 0.69, 1.1, "a"),
    Bar("cedd", 0.52, 0.41, 0.68, 1.0, "ab"),
    Bar("thumbnail", 0.32, 0.2, 0.57, 1.5, "b"),
    Bar("colour-layout", 0.4, 0.3, 0.5, 0.4, "b"),
]


def test_the_first_descriptor_stands_highest_with_its_interval_and_letters() -> None:
    canvas = RecordingCanvas()
    graph = quality_graph(BARS, "MAP", "corel1k")
    graph.draw(canvas)
    assert graph.y.texts == ("colour-layout", "thumbnail", "cedd", "scalable-colour")
    spans = next(mark for mark in canvas.marks if isinstance(mark, Spans))
    dots = next(mark for mark in canvas.marks if isinstance(mark, Dots))
    assert spans.y.tolist() == dots.y.tolist() == [4, 3, 2, 1]
    assert spans.low.tolist() == [0.44, 0.41, 0.2, 0.3]
    assert [mark.name for mark in canvas.marks if isinstance(mark, TextMark)] == ["a", "ab", "b", "b"]


def test_a_single_descriptor_without_interval_is_drawn() -> None:
    nan = float("nan")
    graph = quality_graph([Bar("cedd", 0.5, nan, nan, 1.0)], "MAP")
    assert graph.series == ("mean",)
    assert cost_graph([Bar("cedd", 0.5, nan, nan, 1.0)], "MAP").summary.endswith("cedd 1 ms.")


def test_the_line_joins_those_that_no_cheaper_one_beats() -> None:
    canvas = RecordingCanvas()
    cost_graph(BARS, "MAP").draw(canvas)
    line = next(mark for mark in canvas.marks if isinstance(mark, Guide))
    assert line.x.tolist() == [0.4, 1.0, 1.1]
    assert line.y.tolist() == [0.4, 0.52, 0.55]


@pytest.mark.parametrize("seed", range(5))
def test_a_frontier_is_what_nothing_cheaper_equals(seed: int) -> None:
    cost, mean = np.random.default_rng(seed).integers(1, 9, (2, 30)).astype(float)
    found = frontier(cost, mean)
    for at in range(30):
        beaten = any(
            (cost[o] <= cost[at]) & (mean[o] >= mean[at]) & ((cost[o], mean[o]) != (cost[at], mean[at]))
            for o in range(30)
        )
        same = [each for each in found if (cost[each], mean[each]) == (cost[at], mean[at])]
        assert bool(same) == (not beaten)


def test_names_stand_beside_each_other_where_there_is_room() -> None:
    across, up = np.array([0.3, 0.31, 0.32, 0.9]), np.array([0.5, 0.5, 0.52, 0.5])
    names = ["hsv-histogram", "cedd", "fcth", "gist"]
    boxes = [
        _box(side, x * 300, y * 190, text_width(name, NAME_SIZE)) for name, x, y, side in _placed(names, across, up, [])
    ]
    for number, box in enumerate(boxes):
        assert _overlap(box, boxes[:number]) == 0
