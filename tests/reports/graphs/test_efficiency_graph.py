"""The efficiency graph: its curves, its words, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback.normalization.baselines import baseline
from rankscope.feedback.normalization.efficiency import Efficiency
from rankscope.feedback.normalization.generalisation import Normalised
from rankscope.feedback.normalization.losses import LdaClassifier
from rankscope.reports import graphs
from rankscope.reports.graphs.feedback import _mean_efficiencies
from rankscope.reports.graphs.graph import Guide, Stroke
from tests.feedback.problems import drawn
from tests.reports.graphs.feedback_results import every_gallery_page_draws, recorded

FIRST = Efficiency.of([1, 0.8, 0.6], [1, 1, 0.8], [0.3, 0.2, 0.1], method="point", topic="eight", winner="machine")
SECOND = Efficiency.of([1, 1, 0.88], [1, 1, 0.8], [0.3, 0.2, 0.1], method="near", topic="eight", winner="machine")

BASELINE = baseline(*drawn(20, 60, 3.0), [LdaClassifier()], permutations=999)


def test_each_result_is_a_curve_with_its_mean_in_the_legend() -> None:
    canvas = recorded(graphs.efficiency_graph([FIRST, SECOND]))
    curves = [mark for mark in canvas.marks if isinstance(mark, Stroke)]
    np.testing.assert_allclose(curves[0].y, [1, 0.8, 0.75])
    assert [entry.text for entry in canvas.legend] == ["point: MAE 0.85", "near: MAE 1.03"]
    assert curves[0].facts["baseline"] == [1, 1, 0.8]


def test_methods_that_a_study_does_not_draw_are_named() -> None:
    results = [
        replace(FIRST, reached=FIRST.reached * share / 10, method=f"method {share}, 8 + 8") for share in range(1, 11)
    ]
    names = tuple(f"method {share}" for share in range(1, 11))
    baselines = (replace(BASELINE, topic="eight"),)
    made = Normalised(names, baselines, tuple(results), (), (), examples=8, topics=1, users="noisy(0.1,0.1)")
    graph = _mean_efficiencies(made, names)
    assert [mark.name for mark in graph.marks if isinstance(mark, Stroke)] == [f"method {n}" for n in range(10, 2, -1)]
    assert graph.subtitle.endswith(
        "8 + 8 examples, user noisy(0.1,0.1); not drawn: method 2 (MAE 0.17), method 1 (MAE 0.09)"
    )


def test_the_baseline_is_a_rule_at_one_and_excess_is_not_cut_off() -> None:
    graph = graphs.efficiency_graph(SECOND).resolved()
    (rule,) = [mark for mark in graph.marks if isinstance(mark, Guide)]
    assert rule.name == "baseline"
    assert rule.y.tolist() == [1, 1]
    assert graph.y.domain is not None
    assert graph.y.domain[1] > 1.1
    assert graph.subtitle == "topic eight; baseline: machine; recalibrate"


def test_chance_corrected_efficiency_says_so() -> None:
    graph = graphs.efficiency_graph(FIRST, corrected=True)
    (curve,) = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    np.testing.assert_allclose(curve.y, [1, 0.75, 5 / 7])
    assert graph.y.title == "chance-corrected efficiency"
    assert "0 is a random order" in graph.subtitle


def test_scopes_stand_on_a_doubling_axis() -> None:
    over = Efficiency.of([0.5, 0.6], [1, 1], over="recall-scope", at=[0.5, 2.0])
    graph = graphs.efficiency_graph(over)
    assert (graph.x.scale, graph.x.title, graph.y.title) == ("log2", "relevant scope a = s/c", "recall efficiency r/r~")


def test_an_infinite_efficiency_is_told_and_not_drawn() -> None:
    graph = graphs.efficiency_graph(Efficiency.of([0.1, 0.4], [0, 0.8]))
    (curve,) = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    assert np.isnan(curve.y).tolist() == [True, False]
    assert "baseline beaten" in graph.subtitle


def test_topics_are_named_where_there_are_several() -> None:
    other = Efficiency.of([1], [1], method="point", topic="three")
    assert graphs.efficiency_graph([FIRST, other]).series == ("eight: point", "three: point")


def test_what_does_not_go_on_one_graph_is_refused() -> None:
    with pytest.raises(SettingError, match="1 to 8 results, got 0"):
        graphs.efficiency_graph([])
    with pytest.raises(SettingError, match="same name"):
        graphs.efficiency_graph([FIRST, FIRST])
    with pytest.raises(SettingError, match="over recall and over scope"):
        graphs.efficiency_graph([FIRST, Efficiency.of([1], [1], over="recall-scope", at=[1.0])])


test_the_gallery_page_draws = pytest.mark.thorough(every_gallery_page_draws("efficiency"))
