"""The forecast graph: what its bands are."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.forecast.backtest import OtherQueries
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.sampling_units import unit_classes
from rankscope.measures import Rprec
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import ShadedRegion
from tests.reports.graphs.examples import scored

CHOICES: tuple[OtherQueries, ...] = ("all", "another-set")


def test_the_band_for_these_queries_lies_within_the_one_for_others() -> None:
    ranks = scored()
    marks = graphs.forecast_graph(ranks, to="4x", force=True).marks
    others, these = (mark for mark in marks if isinstance(mark, ShadedRegion))
    assert (others.low <= these.low).all()
    assert (these.high <= others.high).all()
    assert these.low[0] == these.high[0] == pytest.approx(float(Rprec().of(ranks).mean()))
    intervals = mean_intervals(Rprec().of(ranks)[:, None], unit_classes(ranks), level=0.9)
    assert (others.low[0], others.high[0]) == (intervals.low[0], intervals.high[0])


def test_the_light_band_for_another_set_is_the_wider_one_and_says_so() -> None:
    ranks = scored()
    everyone, another = (graphs.forecast_graph(ranks, to="4x", force=True, other_queries=which) for which in CHOICES)
    classes = len(set(unit_classes(ranks) or ()))
    assert "these queries dark, all such classes light" in everyone.subtitle
    assert f"these queries dark, another {classes} classes light" in another.subtitle
    light, wider = (next(mark for mark in each.marks if isinstance(mark, ShadedRegion)) for each in (everyone, another))
    assert (wider.low <= light.low).all()
    assert (wider.high >= light.high).all()
    now = float(Rprec().of(ranks).mean())
    assert wider.high[0] == pytest.approx(min(1.0, now + np.sqrt(2) * (light.high[0] - now)))


def test_one_query_says_nothing_of_others_today() -> None:
    one = scored().take(np.array([0]))
    others = next(mark for mark in graphs.forecast_graph(one, force=True).marks if isinstance(mark, ShadedRegion))
    assert (others.low[0], others.high[0]) == (0.0, 1.0)
