"""The power curve: numbers of the power functions, marks where people look."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankscope.analysis.statistics.power import ShownEffects
from rankscope.core.errors import SettingError
from rankscope.reports.graphs.differences import power_curve_graph
from rankscope.reports.graphs.graph import Dots, Guide, Stroke
from rankscope.reports.graphs.systems import score_values
from tests.reports.graphs.examples import TWO, ranked

SHOWN = ShownEffects(score_values(list(TWO), "AP", "x").differences("first", "second"), 0.025)


def test_each_effect_has_its_curve_and_an_open_point_where_80_of_100_are_found() -> None:
    graph = power_curve_graph(TWO, effects=(0.05, 0.1))
    curves = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    points = [mark for mark in graph.marks if isinstance(mark, Dots)]
    assert [mark.name for mark in curves] == ["difference of 0.1", "difference of 0.05"]
    for effect, curve, point in zip((0.1, 0.05), curves, points, strict=True):
        assert curve.y == pytest.approx([SHOWN.power(effect, int(count)) for count in curve.x])
        assert point.role == "open point"
        assert point.x[0] == SHOWN.needed(effect)
        assert point.y[0] >= 0.8
        assert curve.note == f"needs {SHOWN.needed(effect):,} queries"


def test_the_number_of_queries_at_hand_is_marked() -> None:
    guides = [mark for mark in power_curve_graph(TWO).marks if isinstance(mark, Guide)]
    assert [(mark.name, mark.x[0]) for mark in guides if mark.name.startswith("now")] == [("now, n = 12", 12.0)]


def test_an_effect_that_needs_millions_does_not_stretch_the_axis_for_ever() -> None:
    graph = power_curve_graph(TWO, effects=(1e-6,))
    assert graph.x.domain == (4.0, 2.0**20)


def test_equal_systems_have_no_power_and_it_says_so() -> None:
    assert "no spread" in power_curve_graph([TWO[0], replace(TWO[0], system="same")]).subtitle


def test_too_few_queries_that_differ_say_nothing_about_more_of_them() -> None:
    with pytest.raises(SettingError, match=r"only 2 queries of 2 differ, and at least 5 must"):
        power_curve_graph([each.take(np.array([0, 1])) for each in TWO])
    sparse = ShownEffects(np.array([0.2, -0.2, *[0.0] * 58]), 0.025)
    assert not np.isnan(sparse.reached(60)).any()


def test_no_effect_lies_beyond_the_range_of_the_measure() -> None:
    with pytest.raises(SettingError, match=r"differ in AP by more than 1: there is no effect of 1\.5"):
        power_curve_graph(TWO, effects=(0.1, 1.5))


def test_other_than_two_systems_and_no_effect_are_errors() -> None:
    with pytest.raises(SettingError, match="two systems, got 3"):
        power_curve_graph([*TWO, ranked("third", 3)])
    with pytest.raises(SettingError, match="above 0"):
        power_curve_graph(TWO, effects=(0.0,))
    with pytest.raises(SettingError, match="one measure"):
        power_curve_graph(TWO, measure="AP,P@10")
