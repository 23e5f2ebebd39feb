"""The consistency graph, and the list of the graphs that are made of feedback results."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback.methods import NearestNeighbour, QueryPoint
from rankscope.feedback.normalization.consistency import consistency
from rankscope.feedback.normalization.example_sets import ExampleSets
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Dots, Stroke
from tests.feedback.problems import drawn
from tests.reports.graphs.feedback_results import every_gallery_page_draws, recorded
from tests.reports.graphs.test_gallery import GALLERY

ITEMS, TARGET = drawn(30, 170, 1.0)
EXAMPLES = ExampleSets.drawn(TARGET, 4, (5, 5)).of_size(5, 5)
RESULTS = consistency([QueryPoint(), NearestNeighbour()], ITEMS, TARGET, EXAMPLES, topic="cloud")


def test_lines_are_with_the_answer_and_hollow_points_without() -> None:
    graph = graphs.consistency_graph(RESULTS)
    lines = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    points = [mark for mark in graph.marks if isinstance(mark, Dots)]
    assert [mark.name for mark in lines] == ["query-point", "nearest-neighbour"]
    assert [mark.role for mark in points] == ["open point"] * 2
    assert lines[0].y.mean() > points[0].y.mean()
    before, after = RESULTS[0].average_precision
    assert recorded(graph).legend[0].text == f"query-point: AP {before:.2f} to {after:.2f}"
    assert graph.subtitle == "topic cloud; 4 sessions; indicator of the target 0 or 1; hollow: without it"


def test_a_gain_is_chosen_by_its_number() -> None:
    graph = graphs.consistency_graph(RESULTS, gain=16.0)
    lines = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    np.testing.assert_allclose(lines[0].y, RESULTS[8].efficiency().values)
    assert "gain 16" in graph.subtitle


def test_against_gain_it_shows_how_strong_the_answer_must_be() -> None:
    graph = graphs.consistency_graph(RESULTS, against="gain")
    lines = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    assert lines[0].x.tolist() == [0.25, 1, 4, 16]
    np.testing.assert_allclose(lines[0].y, [each.average_precision[1] for each in RESULTS[2::2]])
    assert graph.x.scale == "log2"


def test_what_it_cannot_show_is_refused() -> None:
    with pytest.raises(SettingError, match=r"got 0; gains: 0\.25, 1, 16, 4, none"):
        graphs.consistency_graph(RESULTS, gain=2.0)
    with pytest.raises(SettingError, match=r"against=.*: must be one of recall, gain"):
        graphs.consistency_graph(RESULTS, against="scope")  # type: ignore[arg-type]


def test_graphs_of_feedback_results_are_listed_apart_and_have_pages() -> None:
    names = [each.name for each in graphs.FEEDBACK]
    assert names == ["rounds", "efficiency", "growth", "consistency"]
    assert not set(names) & {each.name for each in graphs.ALL}
    for each in graphs.FEEDBACK:
        assert (GALLERY / f"{each.name}.py").exists()
        assert f"({each.name}.py)" in (GALLERY / "README.md").read_text()
        assert each.sentence.endswith(".")


test_the_gallery_page_draws = every_gallery_page_draws("consistency")
