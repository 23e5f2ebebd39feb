"""The growth graph: measures and efficiencies over examples."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.core.errors import SettingError
from rankscope.feedback.methods import NearestNeighbour, QueryPoint
from rankscope.feedback.normalization.efficiency import Efficiency
from rankscope.feedback.normalization.example_sets import Convergence, ExampleGrowth, growth
from rankscope.measures import P
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Dots, ShadedRegion, Stroke
from tests.feedback.problems import drawn
from tests.reports.graphs.feedback_results import every_gallery_page_draws, recorded


def converged(method: str, topic: str, *values: float, feasible: bool = True) -> Convergence:
    results = [Efficiency.of([each], [1.0], [0.1], feasible=feasible, topic=topic) for each in values]
    return Convergence(topic, method, "II", (1, 4), tuple(results[:2]), results[2], 30)


def grown(**topics: int) -> ExampleGrowth:
    items, target = drawn(40, 160)
    targets = {name: np.roll(target, places) for name, places in topics.items()}
    return growth(items, targets, [QueryPoint(), NearestNeighbour()], [1, 4], repeats=3)


def test_a_measure_over_examples_has_a_curve_for_each_method() -> None:
    result = grown(a=0, b=7)
    graph = graphs.growth_graph(result, measure="P@5")
    curves = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    np.testing.assert_array_equal(curves[0].y, result.curve("query-point", P(5)).y)
    assert curves[0].x.tolist() == [1, 4]
    assert graph.title == "P@5 as examples grow"
    told = "2 topics; 3 example sets of each; bands: 95% intervals of the mean, bounded (fewer than 25 topics)"
    assert graph.subtitle == told
    band = next(mark for mark in graph.marks if isinstance(mark, ShadedRegion))
    made = mean_intervals(result.topic_means("query-point", P(5)))
    np.testing.assert_array_equal([band.low, band.high], [made.low, made.high])
    assert recorded(graph).roles.count("band") == 2


def test_one_topic_has_no_bands_over_topics() -> None:
    graph = graphs.growth_graph(grown(a=0))
    assert "band" not in recorded(graph).roles
    assert "bands" not in graph.subtitle


def test_efficiency_over_examples_ends_in_a_hollow_point() -> None:
    results = [converged("point", "a", 0.3, 0.5, 0.6), converged("point", "b", 0.5, 0.7, 0.8)]
    graph = graphs.growth_graph(results)
    (end,) = [mark for mark in graph.marks if isinstance(mark, Dots)]
    assert (end.role, end.x.tolist()) == ("open point", [30])
    np.testing.assert_allclose(end.y, [0.7])
    curve = next(mark for mark in graph.marks if isinstance(mark, Stroke))
    np.testing.assert_allclose(curve.y, [0.4, 0.6])
    assert graph.subtitle.startswith("approach II; 2 topics; hollow: all training examples")
    assert [entry.text for entry in recorded(graph).legend] == ["point: 0.40 to 0.60"]


def test_infeasible_topics_are_named_and_not_averaged() -> None:
    results = [converged("point", "a", 0.3, 0.5, 0.6), converged("point", "b", 0.9, 0.9, 0.9, feasible=False)]
    graph = graphs.growth_graph(results)
    assert "infeasible, left out: b" in graph.subtitle
    np.testing.assert_allclose(next(mark for mark in graph.marks if isinstance(mark, Stroke)).y, [0.3, 0.5])


def test_the_corrected_efficiency_takes_chance_off() -> None:
    graph = graphs.growth_graph([converged("point", "a", 0.3, 0.5, 0.6)], corrected=True)
    np.testing.assert_allclose(next(mark for mark in graph.marks if isinstance(mark, Stroke)).y, [2 / 9, 4 / 9])
    assert graph.y.title == "mean efficiency chance-corrected MAE"


def test_what_it_cannot_show_is_refused() -> None:
    with pytest.raises(SettingError, match="at least one convergence"):
        graphs.growth_graph([])
    with pytest.raises(SettingError, match="one measure"):
        graphs.growth_graph(grown(a=0), measure="P@5,P@10")


test_the_gallery_page_draws = pytest.mark.thorough(every_gallery_page_draws("growth"))
