"""No graph takes class mates for independent queries: the sampling unit is that of `compare`."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.statistics.bands import band
from rankscope.analysis.statistics.power import ShownEffects
from rankscope.analysis.statistics.query_curves import over_scope
from rankscope.core.settings import Settings
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import ShadedRegion, Stroke
from tests.reports.graphs.classes import in_classes

SYSTEMS = [in_classes("one"), in_classes("two", 1)]
FREE = [replace(each, classes=None) for each in SYSTEMS]


@pytest.mark.parametrize("systems", [SYSTEMS, FREE], ids=["classes", "queries"])
def test_the_interval_of_a_mean_difference_is_that_of_compare(systems: list[RelevantRanks]) -> None:
    (pair,) = compare(evaluate_ranks(systems, ["AP"], Settings())).main.pairs
    subtitle = graphs.per_query_differences_graph(systems).subtitle.replace("\N{MINUS SIGN}", "-")
    units = "12 classes" if systems is SYSTEMS else f"{pair.queries} queries"
    assert f"95% interval {pair.low:+.4f} to {pair.high:+.4f}, {units}" in subtitle


def test_power_counts_classes_where_these_are_the_unit() -> None:
    graph = graphs.power_curve_graph(SYSTEMS, effects=(0.1,))
    result = compare(evaluate_ranks(SYSTEMS, ["AP"], Settings())).main
    shown = ShownEffects(result.units.differences("one", "two"), 0.025)
    (curve,) = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    assert curve.note == f"needs {shown.needed(0.1):,} classes"
    assert graph.x.title.startswith("number of classes")
    assert "12 classes find" in graph.subtitle
    assert "96 queries find" in graphs.power_curve_graph(FREE).subtitle


@pytest.mark.parametrize("axis", ["precision", "recall"])
def test_bands_over_scope_draw_classes_and_points_have_the_interval_of_compare(axis: str) -> None:
    graph = graphs.by_name(f"{axis}-scope")(SYSTEMS[0])
    (around,) = [mark for mark in graph.marks if isinstance(mark, ShadedRegion) and mark.role == "band"]
    (curve,) = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    expected = band(over_scope(SYSTEMS[0], curve.x.astype(np.int64), axis), classes=SYSTEMS[0].classes)  # type: ignore[arg-type]
    np.testing.assert_allclose(around.low, expected.drawn().low)
    means = compare(evaluate_ranks(SYSTEMS, ["P@8" if axis == "precision" else "R@8"], Settings())).main.means
    told = str(curve.facts["95% interval, pointwise"][curve.x.tolist().index(8)])
    assert told == f"{means.low[0]:.4f} to {means.high[0]:.4f}"
    assert re.search("95% bounded band for the whole curve", graph.subtitle)
    assert curve.note.startswith("96 queries of 12 classes")
