"""The graph of comparison intervals: one row per cell, grouped by class, and the words that go with it."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
import vl_convert

from rankscope.analysis.statistics.multiple_comparisons import comparison_intervals
from rankscope.core.errors import SettingError
from rankscope.reports.graphs import comparison_intervals_graph
from rankscope.reports.graphs.classes import class_table
from rankscope.reports.graphs.graph import Dots, Graph, Guide, Spans
from rankscope.reports.graphs.vega_lite import VERSION
from tests.reports.graphs.class_examples import FIVE, classed, pair
from tests.reports.graphs.examples import TWO
from tests.reports.graphs.recording import RecordingCanvas


def heights_of_words(graph: Graph) -> dict[str, float]:
    """How far down each text stands in the picture, from the transforms around it."""
    picture = str(vl_convert.vegalite_to_svg(graph.vega_lite(), vl_version=VERSION))
    found = re.findall(r"translate\([\d.-]+,([\d.-]+)\)[^>]*>([^<>]+)</text>", picture)
    return {text: float(y) for y, text in found}


def test_each_cell_has_an_interval_and_its_mean_in_the_middle() -> None:
    graph = comparison_intervals_graph(pair(FIVE))
    spans = {mark.name: mark for mark in graph.marks if isinstance(mark, Spans)}
    dots = {mark.name: mark for mark in graph.marks if isinstance(mark, Dots)}
    assert set(spans) == set(dots) == {"first", "second"}
    for name, span in spans.items():
        np.testing.assert_allclose((span.low + span.high) / 2, dots[name].x)
        np.testing.assert_array_equal(span.y, dots[name].y)
        assert span.y.size == 5


def test_its_numbers_are_those_of_the_statistic() -> None:
    systems = pair(FIVE)
    intervals = comparison_intervals(class_table(systems, "AP", 10, "it").table)
    drawn = [mark for mark in comparison_intervals_graph(systems).marks if isinstance(mark, Spans)]
    low = np.sort(np.concatenate([mark.low for mark in drawn]))
    np.testing.assert_allclose(low, np.sort(intervals.low))


def test_classes_stand_from_the_best_to_the_worst_beside_their_rows() -> None:
    graph = comparison_intervals_graph(pair(FIVE))
    assert graph.y.texts is not None
    assert graph.y.ticks is not None
    means = np.mean([mark.x for mark in graph.marks if isinstance(mark, Dots)], axis=0)
    assert all(a >= b for a, b in pairwise(means))
    heights = heights_of_words(graph)
    assert sorted(graph.y.texts, key=lambda text: heights[text]) == list(graph.y.texts)


def test_classes_are_parted_by_lines() -> None:
    graph = comparison_intervals_graph(pair(FIVE))
    assert sum(isinstance(mark, Guide) for mark in graph.marks) == 4
    alone = comparison_intervals_graph(pair(FIVE)[:1])
    assert not any(isinstance(mark, Guide) for mark in alone.marks)


def test_only_the_largest_classes_are_shown_and_the_subtitle_says_so() -> None:
    graph = comparison_intervals_graph(pair(FIVE), largest=2)
    assert {text.split(" (")[0] for text in graph.y.texts or ()} == {"castles", "trains"}
    assert "15 queries in the 2 largest of 5 classes" in graph.subtitle


def test_without_classes_all_queries_are_one_group() -> None:
    assert comparison_intervals_graph(TWO).y.texts == ("all queries (12)",)


def test_pairs_of_which_the_test_says_otherwise_are_named() -> None:
    sizes = {"few": 2, "some": 3, "many": 40}
    pairs = ([classed("a", seed, sizes, 60), classed("b", seed + 500, sizes, 25)] for seed in range(80))
    assert any("but the test says otherwise of (" in comparison_intervals_graph(each).subtitle for each in pairs)


def test_one_cell_has_no_interval_and_a_hollow_point() -> None:
    graph = comparison_intervals_graph(TWO[0])
    canvas = RecordingCanvas()
    graph.draw(canvas)
    assert "open point" in canvas.roles
    assert "no intervals" in graph.subtitle


def test_the_legend_shows_line_and_marker() -> None:
    canvas = RecordingCanvas()
    comparison_intervals_graph(pair(FIVE)).draw(canvas)
    assert [(entry.span, entry.marker, entry.line) for entry in canvas.legend] == [(True, True, False)] * 2


def test_queries_that_one_system_lacks_or_without_a_class_are_counted() -> None:
    first, second = pair(FIVE)
    fewer = second.take(np.arange(1, len(second)))
    assert "1 left out" in comparison_intervals_graph([first, fewer]).subtitle


@pytest.mark.parametrize(
    ("options", "words"),
    [({"level": 1.5}, "between 0 and 1"), ({"largest": 0}, "largest=0: must be a whole number of at least 1")],
)
def test_options_that_cannot_be_are_refused(options: dict[str, float], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        comparison_intervals_graph(TWO, **options)  # type: ignore[arg-type]


def test_systems_without_a_common_query_are_refused() -> None:
    first, second = pair(FIVE)
    with pytest.raises(SettingError, match="share no query"):
        comparison_intervals_graph([first.take(np.arange(5)), second.take(np.arange(6, 12))])
