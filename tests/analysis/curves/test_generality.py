"""Section 4 of the method: GRiP, GRnP and GReP in the three ways, with every worked value."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.analysis.curves.generality import (
    Way,
    generality_table,
    grep_surface,
    grip,
    grnp,
    random_line,
    shared_level,
)
from rankscope.analysis.curves.thinning import expected_value
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import MeasureError, SettingError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures import Estar, Rprec
from rankscope.ranks import RelevantRanks
from rankscope.ranks.reduction import reduce
from tests.analysis.curves.examples import THREE, complete_rankings, cut_at
from tests.data import data_folder

TOLERANCE = 1e-6
ONE = RelevantRanks.from_ranks([[1, 3, 10, 40]], depth=100, collection=100)
CUT = RelevantRanks.from_ranks([[1, 3, 10]], relevant=[4], depth=20, collection=100)
WAYS: tuple[Way, ...] = ("thinned", "bins")
EVERY_WAY = pytest.mark.parametrize("way", WAYS)


def close(values: FloatArray, expected: list[float]) -> None:
    np.testing.assert_allclose(values, expected, rtol=0, atol=TOLERANCE)


# the worked values


def test_the_worked_grip_has_its_levels_and_values() -> None:
    curve = grip(ONE)
    close(curve.index, [1, 2, 3, 4, 4.643856])
    close(curve.precision, [0.780272, 0.697871, 0.584614, 0.502626, 0.5])
    close(curve.spread, [0.099320, 0.102931, 0.118296, 0.025489, 0])
    assert curve.full.tolist() == [False] * 4 + [True]
    assert curve.queries.tolist() == [1] * 5


def test_the_worked_gain_over_random_is_the_shaded_height() -> None:
    curve = grip(ONE)
    close(curve.gain, [0.280272, 0.447871, 0.459614, 0.440126, 0.46])
    shading = curve.shading()
    np.testing.assert_allclose(shading.high - shading.low, curve.gain)
    assert shading.name == "E*"


def test_the_worked_gr2p_has_its_recall() -> None:
    curve = grnp(ONE, 2)
    close(curve.recall, [1, 0.877067, 0.749922, 0.704097, 0.5])
    np.testing.assert_allclose(curve.precision, curve.recall / 2)
    np.testing.assert_allclose(curve.curve("recall").y, 2 * curve.curve().y)


def test_the_worked_cut_ranking_has_both_ends() -> None:
    curve = grip(CUT, levels=[2])
    assert (curve.precision[0], curve.precision_high[0]) == pytest.approx((0.697311, 0.717806), rel=0, abs=TOLERANCE)
    assert curve.cut[0] == 1
    ends = grip(cut_at(ONE, 20), levels=[2])
    assert ends.precision[0] <= grip(ONE, levels=[2]).precision[0] <= ends.precision_high[0]


def test_a_seeded_simulation_agrees_with_the_worked_grip() -> None:
    generator = np.random.default_rng(0)
    relevant = np.array([1, 3, 10, 40])
    distractors = np.setdiff1d(np.arange(1, 101), relevant)
    for kept, expected, spread in ((12, 0.697871, 0.102931), (28, 0.584614, 0.118296)):
        values = []
        for _ in range(4000):
            stay = generator.choice(distractors, kept, replace=False)
            ranks = [np.sum(stay < rank) + hit for hit, rank in enumerate(relevant, start=1)]
            values.append(sum(rank <= 4 for rank in ranks) / 4)
        assert np.mean(values) == pytest.approx(expected, abs=5 * spread / math.sqrt(4000))
        assert np.std(values) == pytest.approx(spread, abs=0.01)


def test_a_real_run_of_a_thousand_items_has_ends_that_meet_where_it_was_deep_enough() -> None:
    folder = data_folder("trec-robust03")
    ranks = reduce(Qrels.of(folder / "qrels.txt.gz"), Run.of(sorted((folder / "runs").iterdir())[0]))
    curve = grip(ranks.with_collection(528155), members="varying")
    assert (curve.recall <= curve.recall_high + 1e-12).all()
    assert (np.diff(curve.queries) <= 0).all()
    assert (curve.cut[0], curve.cut[-1]) == (int((ranks.found < ranks.relevant).sum()), 0)
    with pytest.raises(MeasureError, match="collection_size=D"):
        grip(ranks)


# levels


def test_a_level_too_small_for_the_scope_is_left_out() -> None:
    assert grnp(ONE, 2).index.tolist()[:2] == [1, 2]
    assert grnp(ONE, 4).index.tolist()[:2] == [2, 3]
    assert grnp(ONE, 4.5).index.tolist()[:2] == [3, 4]
    assert grnp(ONE, 24).index.tolist() == pytest.approx([math.log2(25)])
    assert grnp(ONE, 26).index.size == 0


def test_varying_queries_drop_out_of_levels_they_do_not_reach() -> None:
    both = RelevantRanks.from_ranks([[1, 3, 10, 40], [2]], depth=100, collection=100)
    curve = grip(both, members="varying")
    assert curve.index.tolist() == [1, 2, 3, 4, 5, 6]
    assert curve.queries.tolist() == [2, 2, 2, 2, 1, 1]
    one, other = grip(ONE), grip(both.take(np.array([1])))
    np.testing.assert_allclose(curve.precision[:4], (one.precision[:4] + other.precision[:4]) / 2)
    np.testing.assert_allclose(curve.precision[4:], other.precision[4:6])
    np.testing.assert_allclose(curve.spread[:4], np.hypot(one.spread[:4], other.spread[:4]) / 2)
    asked = grip(both, levels=[3, 7], members="varying")
    assert asked.queries.tolist() == [2, 0]
    assert np.isnan(asked.precision[1])


SURVIVORS = RelevantRanks.from_ranks(
    [[1]] * 3 + [[1, 2]] * 3 + [list(range(20, 36))] * 2 + [list(range(40, 72))] * 2, depth=256, collection=256
)


def test_a_mean_over_whoever_is_left_rises_and_one_over_the_same_queries_does_not() -> None:
    """Small classes are found, large ones are not: G = 8, 8, 8, 7, 7, 7, 4, 4, 3, 3."""
    varying, constant = grip(SURVIVORS, members="varying"), grip(SURVIVORS)
    assert (np.diff(varying.precision) > 0).any()
    assert (np.diff(constant.precision) <= 1e-12).all()
    assert constant.index.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert constant.queries.tolist() == [6] * 7
    assert (constant.counted, constant.members) == (10, "constant")


@given(queries=complete_rankings())
def test_half_of_the_queries_or_more_are_followed_and_one_level_more_would_lose_them(queries: RelevantRanks) -> None:
    reach = np.log2(queries.collection / queries.relevant) + 1e-9
    top = shared_level(queries)
    table = generality_table(queries)
    if top > 1:
        assert 2 * (reach >= top).sum() >= len(queries)
    if top:
        assert 2 * (reach >= top + 1).sum() < len(queries)
        assert len(table.queries) == (reach >= top).sum()
    assert not np.isnan(table.low).any()


def test_a_level_that_no_query_reaches_has_no_constant_members() -> None:
    with pytest.raises(MeasureError, match=r"no query of run reaches G = 7; the largest is 4\.64"):
        grip(ONE, levels=[3, 7])
    with pytest.raises(SettingError, match="members='all': must be one of constant, varying"):
        grip(ONE, members="all")  # type: ignore[arg-type]


def test_a_full_collection_of_whole_index_is_not_drawn_twice() -> None:
    curve = grip(RelevantRanks.from_ranks([[1, 9]], depth=16, collection=16))
    assert curve.index.tolist() == [1, 2, 3]
    assert curve.precision[-1] == 0.5


def test_a_collection_of_relevant_items_alone_is_perfect() -> None:
    assert grip(ONE, levels=[0]).precision[0] == 1


@EVERY_WAY
@given(queries=complete_rankings(), n=st.sampled_from([0.5, 1.0, 1.5, 2.0, 4.0]))
def test_recall_is_n_times_precision_and_both_are_shares(queries: RelevantRanks, n: float, way: Way) -> None:
    curve = grnp(queries, n, way)
    there = curve.queries > 0
    np.testing.assert_allclose(curve.recall, n * curve.precision)
    assert (curve.recall[there] >= -1e-12).all()
    assert (curve.recall[there] <= 1 + 1e-12).all()
    assert (curve.cut == 0).all()
    np.testing.assert_allclose(curve.recall, curve.recall_high)


@EVERY_WAY
@given(queries=complete_rankings(), data=st.data())
def test_the_order_of_the_queries_does_not_matter(queries: RelevantRanks, data: st.DataObject, way: Way) -> None:
    shuffled = queries.take(np.array(data.draw(st.permutations(range(len(queries))))))
    one, other = grip(queries, way), grip(shuffled, way)
    np.testing.assert_allclose(one.precision, other.precision, atol=1e-12)
    np.testing.assert_allclose(one.spread, other.spread, atol=1e-9)
    assert one.queries.tolist() == other.queries.tolist()


@given(queries=complete_rankings(most=3), depth=st.integers(0, 20), n=st.sampled_from([1.0, 2.0]))
@settings(max_examples=50)
def test_the_ends_of_cut_rankings_hold_the_truth(queries: RelevantRanks, depth: int, n: float) -> None:
    for way in WAYS:
        whole, cut = grnp(queries, n, way), grnp(cut_at(queries, depth), n, way)
        assert (cut.recall <= whole.recall + 1e-9).all()
        assert (cut.recall_high >= whole.recall - 1e-9).all()


@given(queries=complete_rankings())
def test_at_the_class_size_grip_is_the_expected_r_precision(queries: RelevantRanks) -> None:
    curve = grip(queries, levels=[1, 2], members="varying")
    for place, level in enumerate((1, 2)):
        values = expected_value(queries, queries.relevant * (2**level - 1), Rprec()).low
        there = ~np.isnan(values)
        assert curve.queries[place] == there.sum()
        assert curve.precision[place] == pytest.approx(values[there].mean() if there.any() else np.nan, nan_ok=True)


def test_scopes_between_whole_ones_are_interpolated() -> None:
    low, middle, high = (grnp(ONE, n, levels=[3]).recall[0] for n in (1.25, 1.375, 1.5))
    assert middle == pytest.approx((low + high) / 2)
    assert np.isnan(grnp(ONE, 1.375, levels=[3]).spread[0])
    tiny = grnp(ONE, 0.125, levels=[3])
    assert tiny.recall[0] == pytest.approx(grnp(ONE, 0.25, levels=[3]).recall[0] / 2)


# the other ways


def test_bins_hold_queries_of_equal_rounded_index() -> None:
    queries = RelevantRanks.from_ranks([[1, 3, 10, 40], [2, 3, 4], [1]], depth=100, collection=100)
    curve = grip(queries, "bins")
    assert curve.index.tolist() == [5, 7]
    assert curve.queries.tolist() == [2, 1]
    close(curve.precision, [(0.5 + 2 / 3) / 2, 1])
    np.testing.assert_allclose(curve.mean_index, [(math.log2(25) + math.log2(100 / 3)) / 2, math.log2(100)])
    close(curve.chance, [0.035, 0.01])


@given(queries=complete_rankings())
def test_the_gain_of_bins_is_the_mean_of_the_measure(queries: RelevantRanks) -> None:
    curve = grip(queries, "bins")
    assert float((curve.gain * curve.queries).sum()) == pytest.approx(float(Estar().of(queries).sum()), abs=1e-9)
    assert curve.queries.sum() == len(queries)


def test_a_way_that_is_gone_says_what_to_do_instead() -> None:
    with pytest.raises(SettingError, match=r"hard is gone: ranks alone .* rank --distractors 'nearest\(M\)'"):
        grip(ONE, "hard")  # type: ignore[arg-type]


# weighting, random level, surface


def test_classes_may_count_alike() -> None:
    queries = replace(THREE, classes=("a", "a", "b"))
    alone = [grip(queries.take(np.array([row])), levels=[2]).precision[0] for row in range(3)]
    curve = grip(queries, levels=[2], weighting="per_class")
    assert curve.precision[0] == pytest.approx((np.mean(alone[:2]) + alone[2]) / 2)
    spreads = [grip(queries.take(np.array([row])), levels=[2]).spread[0] for row in range(3)]
    expected = math.sqrt((spreads[0] ** 2 + spreads[1] ** 2) / 16 + spreads[2] ** 2 / 4)
    assert curve.spread[0] == pytest.approx(expected)


def test_the_random_line_halves_with_every_level() -> None:
    index = np.arange(0.0, 5.0)
    assert random_line(index).y.tolist() == [1, 0.5, 0.25, 0.125, 0.0625]
    assert random_line(index, 2, "recall").y.tolist() == [2, 1, 0.5, 0.25, 0.125]
    np.testing.assert_allclose(grip(ONE).chance, random_line(grip(ONE).index).y)


def test_random_rankings_gain_nothing() -> None:
    generator = np.random.default_rng(0)
    ranks = [np.sort(generator.permutation(64)[:4] + 1) for _ in range(2000)]
    table = generality_table(RelevantRanks.from_ranks(ranks, depth=64, collection=64))
    error = (table.low - table.chance).std(axis=0) / math.sqrt(len(ranks))
    assert (np.abs((table.low - table.chance).mean(axis=0)) < 4 * error).all()


def test_the_surface_is_made_of_its_cuts() -> None:
    surface = grep_surface(ONE, [0.25, 1, 2, 3])
    assert surface.recall.shape == (5, 4)
    np.testing.assert_allclose(surface.recall[:, 1], grip(ONE).recall)
    np.testing.assert_allclose(surface.recall[:, 2], grnp(ONE, 2).recall)
    assert np.isnan(surface.recall[0, 3])
    np.testing.assert_allclose(surface.precision * [0.25, 1, 2, 3], surface.recall)
    assert surface.to_polars().height == 19
    row = surface.cut(1)
    np.testing.assert_allclose(row.y * row.more["a"], row.x)
    assert row.name == "G = 2"


def test_the_table_of_a_curve_has_a_row_for_each_level() -> None:
    table = grip(ONE).to_polars()
    assert table.height == 5
    assert table["precision"].to_list() == pytest.approx(grip(ONE).precision.tolist())
    assert "error" not in table.columns
    assert "thinned" in grip(ONE).curve().note


# refusals


def test_generality_needs_the_size_of_the_collection() -> None:
    unknown = RelevantRanks.from_ranks([[1, 3]])
    for way in WAYS:
        with pytest.raises(MeasureError, match="collection_size=D"):
            grip(unknown, way)
    with pytest.raises(MeasureError, match="query q1 has 3 and 7"):
        grip(RelevantRanks.from_ranks([[1, 2, 7]], collection=5))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n": 0}, "n=0: must be a number above 0"),
        ({"way": "A"}, "way='A': must be one of thinned, bins"),
        ({"levels": [-1]}, r"levels=\[-1\]: must each be a whole number of at least 0"),
        ({"n": 0, "way": "A"}, "2 settings cannot be so"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        grnp(ONE, **wrong)  # type: ignore[arg-type]


def test_queries_without_relevant_items_are_left_out() -> None:
    some = RelevantRanks.from_ranks([[1], []], relevant=[1, 0], depth=16, collection=16)
    for way in WAYS:
        assert set(grip(some, way).queries.tolist()) == {1}
    none = RelevantRanks.from_ranks([[]], relevant=[0], depth=4, collection=4)
    for way in WAYS:
        assert grip(none, way).index.size == 0


# speed


def test_fifteen_thousand_queries_at_fourteen_levels_take_seconds() -> None:
    """Classes as uneven as those of icons20k; the limit is generous because machines are shared."""
    generator = np.random.default_rng(0)
    sizes = np.minimum(308, generator.zipf(1.6, 15000))
    ranks = [np.unique((20000 ** generator.random(size)).astype(np.int64)) for size in sizes]
    queries = RelevantRanks.from_ranks(ranks, depth=20000, collection=20000)
    start = time.process_time()
    curve = grip(queries, members="varying")
    assert curve.index.size == 14
    assert time.process_time() - start < 10
