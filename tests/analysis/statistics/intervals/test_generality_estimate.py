"""The same number has the same interval in every command: GRiP's full collection is R-precision."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.curves.generality import generality_table, grip
from rankscope.analysis.statistics.generality_estimate import generality_band, generality_estimate
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.sampling_units import unit_classes
from rankscope.core.settings import Settings
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.reports.graphs.classes import in_classes


def test_grip_at_the_full_collection_has_the_interval_that_compare_has() -> None:
    systems = [in_classes("one"), in_classes("two", 1)]
    table = generality_table(systems[0])
    estimate = generality_estimate(table)
    assert table.full[-1]
    compared = compare(evaluate_ranks(systems, ["Rprec"], Settings())).main
    assert estimate.unit == "classes" == compared.means.unit
    assert (estimate.precision[-1], estimate.low[-1], estimate.high[-1]) == (
        compared.means.mean[0],
        compared.means.low[0],
        compared.means.high[0],
    )


def test_class_mates_make_an_interval_wider() -> None:
    queries = in_classes()
    alone = replace(queries, classes=None)
    wide, narrow = generality_estimate(generality_table(queries)), generality_estimate(generality_table(alone))
    np.testing.assert_allclose(wide.precision, narrow.precision)
    assert (wide.high - wide.low > 1.8 * (narrow.high - narrow.low)).all()
    assert (set(wide.units.tolist()), set(narrow.units.tolist())) == ({12}, {96})
    some = generality_estimate(generality_table(queries.take(np.arange(32))))
    assert some.units.tolist() == [4] * 5
    assert some.few.all()


def test_each_level_of_varying_queries_has_the_interval_of_its_own_queries() -> None:
    random = np.random.default_rng(2)
    ranks = [np.sort(random.choice(60, size, replace=False)) + 1 for size in [1] * 12 + [8] * 12]
    queries = RelevantRanks.from_ranks(ranks, depth=64, collection=64)
    table = generality_table(queries, members="varying")
    estimate = generality_estimate(table)
    last = mean_intervals(table.precision[:12, -1:])
    assert estimate.queries.tolist() == [24] * 3 + [12] * 3
    assert (estimate.low[-1], estimate.high[-1]) == (last.low[0], last.high[0])


def test_the_band_is_for_the_whole_curve_and_holds_the_points() -> None:
    table = generality_table(replace(in_classes(), classes=None))
    result, point = generality_band(table), generality_estimate(table)
    assert result.lower.simultaneous
    drawn = result.drawn()
    assert (drawn.low <= grip(table.queries).precision).all()
    assert (drawn.high - drawn.low).sum() > (point.high - point.low).sum()


def test_upper_ends_count_what_lies_behind_the_end_of_a_ranking() -> None:
    random = np.random.default_rng(4)
    ranks = [np.sort(random.choice(200, 8, replace=False)) + 1 for _ in range(30)]
    whole = RelevantRanks.from_ranks(ranks, depth=200, collection=200)
    found = [each[each <= 40] for each in ranks]
    cut = RelevantRanks.from_ranks(found, relevant=[8] * 30, depth=40, collection=200)
    high, low = (generality_estimate(generality_table(each)) for each in (cut, whole))
    assert (high.high >= low.high - 1e-9).all()
    assert (high.low <= low.low + 1e-9).all()
    band = generality_band(generality_table(cut))
    assert (band.drawn().high >= band.lower.drawn().high).all()
    assert unit_classes(cut) is None
