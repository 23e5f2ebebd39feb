"""Bands: worked values, one resample at a time by hand, and the whole truth as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.analysis.statistics.bands import WAYS, band, difference_band, sup_t_statistics
from rankscope.analysis.statistics.query_curves import precision_at_recall
from rankscope.analysis.statistics.resampling import Queries, drawing
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks

CHECK = RelevantRanks.from_ranks([[1, 2, 3, 5], [1, 4, 9, 12], [2, 3, 8, 20]])
every_way = pytest.mark.parametrize("how", WAYS)


def some_curves(queries: int = 30, points: int = 6, seed: int = 0) -> FloatArray:
    return np.cumsum(np.random.default_rng(seed).random((queries, points)), axis=1) / points


def farthest(values: FloatArray, times: FloatArray) -> float:
    """T of one resample, written out."""
    drawn = np.repeat(values, times.astype(np.int64), axis=0)
    ratios = []
    for before, after in zip(values.T, drawn.T, strict=True):
        known = after[~np.isnan(after)]
        if known.size > 1 and np.ptp(known) > 0:
            error = known.std(ddof=1) / math.sqrt(known.size)
            ratios.append(abs(known.mean() - np.nanmean(before)) / error)
    return max(ratios, default=math.nan)


# the numbers


def test_the_pointwise_band_has_the_worked_values() -> None:
    result = band(precision_at_recall(CHECK, 5), how="t")
    np.testing.assert_allclose(result.mean, [0.833333, 0.833333, 0.722222, 0.569444, 0.444444], atol=5e-7)
    np.testing.assert_allclose(result.sd, [0.288675, 0.288675, 0.254588, 0.373454, 0.315054], atol=5e-7)
    np.testing.assert_allclose(result.critical, 4.302653, atol=5e-7)
    half = [0.717109, 0.717109, 0.632431, 0.927710, 0.782638]
    np.testing.assert_allclose(result.mean - result.low, half, atol=5e-7)
    np.testing.assert_allclose(result.high - result.mean, half, atol=5e-7)


def test_limits_are_raw_and_clipped_only_where_they_are_drawn() -> None:
    result = band(precision_at_recall(CHECK, 5), how="t")
    assert result.low.min() < 0
    assert result.high.max() > 1
    assert result.drawn().low.min() == 0
    assert result.drawn().high.max() == 1


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_the_pointwise_band_is_the_t_interval_of_scipy(level: float) -> None:
    values = some_curves()
    result = band(values, how="t", level=level)
    theirs = stats.ttest_1samp(values, 0.0, axis=0).confidence_interval(level)
    np.testing.assert_allclose(result.low, theirs.low)
    np.testing.assert_allclose(result.high, theirs.high)


def test_bonferroni_shares_the_tail_among_the_points() -> None:
    result = band(some_curves(30, 6), how="bonferroni")
    np.testing.assert_allclose(result.critical, stats.t.ppf(1 - 0.05 / 12, 29))


@pytest.mark.parametrize("holes", [False, True])
def test_the_sup_t_statistics_are_those_of_each_resample_written_out(holes: bool) -> None:
    values = some_curves(9, 4)
    values[:, 0] = values[:, 0] > 0.1  # ties, so that some resamples have no spread there
    if holes:
        values[2:5, 1] = np.nan
    result = sup_t_statistics(values, Queries(9), resamples=200, seed=3)
    times = Queries(9).times(np.random.default_rng(3), 200)
    np.testing.assert_allclose(result, [farthest(values, row) for row in times], rtol=1e-9)


def test_the_critical_value_is_the_quantile_of_the_statistics() -> None:
    values = some_curves()
    drawn = sup_t_statistics(values, Queries(30), 500, seed=4)
    result = band(values, how="sup-t", resamples=500, seed=4, level=0.9)
    np.testing.assert_allclose(result.critical, np.quantile(drawn, 0.9))
    np.testing.assert_allclose(result.high, values.mean(axis=0) + np.quantile(drawn, 0.9) * result.error)


@every_way
def test_batches_change_nothing(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = band(some_curves(), how=how, resamples=300).low
    monkeypatch.setattr("rankscope.analysis.statistics.resampling.AT_ONCE", 30 * 7)
    np.testing.assert_allclose(band(some_curves(), how=how, resamples=300).low, whole)


@given(seed=st.integers(0, 50), queries=st.integers(4, 40))
def test_a_band_for_the_whole_curve_is_no_narrower_than_one_for_a_point(seed: int, queries: int) -> None:
    values = some_curves(queries, 5, seed)
    narrow, *others = (band(values, how=how, resamples=200, seed=seed) for how in ("t", "bonferroni", "sup-t"))
    for wide in others:
        assert (wide.low <= narrow.low + 1e-12).all()
        assert (wide.high >= narrow.high - 1e-12).all()


def test_one_point_alone_needs_no_more_than_the_t_interval_but_for_chance() -> None:
    values = np.random.default_rng(1).normal(size=(200, 1))
    assert band(values, how="bonferroni").critical == pytest.approx(band(values, how="t").critical)
    assert band(values, how="sup-t", resamples=20_000).critical[0] == pytest.approx(stats.t.ppf(0.975, 199), rel=0.03)


@pytest.mark.parametrize("how", ["unseen-unit", "sup-t"])
def test_the_same_seed_gives_the_same_band_and_another_seed_another(how: str) -> None:
    first, again, other = (float(band(some_curves(), how=how, seed=seed).low[0]) for seed in (0, 0, 1))
    assert first == again
    assert first != other


# what is not there


@every_way
def test_one_query_has_no_band_and_the_note_says_so(how: str) -> None:
    result = band([[0.5, 0.25]], how=how)
    assert result.mean.tolist() == [0.5, 0.25]
    assert np.isnan([result.low, result.high, result.sd]).all()
    assert not result.exists
    assert "two queries at least" in result.note


@pytest.mark.parametrize("how", ["t", "bonferroni", "sup-t"])
def test_queries_that_agree_leave_no_width_in_standard_errors(how: str) -> None:
    result = band(np.full((5, 3), 0.1), how=how)
    np.testing.assert_allclose(result.low, 0.1)
    np.testing.assert_allclose(result.high, 0.1)


@every_way
def test_two_queries_have_a_band_that_is_wide_not_empty(how: str) -> None:
    result = band([[0.2, 0.4], [0.4, 0.5]], how=how)
    assert (result.high - result.low > (0.7 if how == "unseen-unit" else 1)).all()
    assert "2 of 2 points rest on few queries (fewer than 5 decide)" in result.note
    assert ("critical value that of Bonferroni" in result.note) == (how == "sup-t")


def test_a_point_without_some_queries_has_its_own_n() -> None:
    values = some_curves(10, 3)
    values[3:, 2] = np.nan
    result = band(values, how="t")
    assert result.count.tolist() == [10, 10, 3]
    np.testing.assert_allclose(result.critical, stats.t.ppf(0.975, [9, 9, 2]))
    assert result.mean[2] == pytest.approx(values[:3, 2].mean())
    assert "3 to 10 queries at a point" in result.note


def test_a_point_that_one_query_reaches_has_a_mean_but_no_limits() -> None:
    values = some_curves(10, 3)
    values[1:, 2] = np.nan
    result = band(values)
    assert np.isfinite(result.mean).all()
    assert np.isnan(result.low).tolist() == [False, False, True]
    assert "no band at 1 point" in result.note
    empty = band(np.full((4, 2), np.nan))
    assert np.isnan(empty.mean).all()


def rare() -> FloatArray:
    """Forty queries, of which three decide at the first point."""
    values = some_curves(40, 4)
    values[:, 0] = 0.0
    values[:3, 0] = 0.9, 0.02, 0.03
    values[:, 1:] = np.random.default_rng(1).random((40, 3))
    return values


@every_way
def test_a_point_that_few_queries_decide_is_marked_and_the_note_says_so(how: str) -> None:
    result = band(rare(), how=how)
    assert result.few.tolist() == result.to_polars()["few"].to_list() == [True, False, False, False]
    assert result.deciding[0] == pytest.approx(1.055, abs=0.001)
    assert np.isfinite(result.low).all()
    assert "1 of 4 points rests on few queries (fewer than 5 decide)" in result.note
    assert not band(rare()[:, 1:], how=how).few.any()
    assert "rests on few" not in band(rare()[:, 1:], how=how).note


def test_sup_t_leaves_points_that_few_decide_out_of_its_critical_value_and_says_so() -> None:
    result, others = band(rare(), how="sup-t"), band(rare()[:, 1:], how="sup-t")
    np.testing.assert_allclose(result.critical, others.critical[0])
    assert "critical value that of the other points" in result.note
    assert "critical value that of" not in others.note


@every_way
def test_a_way_that_judges_by_the_spread_says_that_it_may_not_hold(how: str) -> None:
    said = "may not hold where few units decide" in band(some_curves(), how=how).note
    assert said == (how in ("bonferroni", "sup-t"))


def test_wrong_choices_are_refused_in_words() -> None:
    for wrong in ({"how": "percentile"}, {"level": 95.0}, {"resamples": 0}, {"classes": ["a"]}, {"x": [1.0]}):
        with pytest.raises(SettingError):
            band(some_curves(), **wrong)


def test_rows_and_table_say_the_same() -> None:
    result = band(precision_at_recall(CHECK, 3), how="t")
    table = result.to_polars()
    columns = ["recall", "mean", "sd", "low", "high", "critical", "effective", "deciding", "few", "queries"]
    assert table.columns == columns
    assert [row["low"] for row in result.rows()] == table["low"].to_list()
    assert result.rows()[0]["queries"] == 3
    assert math.isnan(band([[0.5]]).rows()[0]["low"])
    assert band([[0.5]]).to_polars()["low"].to_list() == [None]


# differences


def paired(seed: int = 0) -> tuple[RelevantRanks, RelevantRanks]:
    """Queries of very different precision; the second system has somewhat more in each, and lacks one query."""
    precision = np.random.default_rng(seed).uniform(0.2, 0.85, 30)
    late, early = ([np.ceil(np.arange(1, 6) / each).astype(int) for each in precision + more] for more in (0.0, 0.12))
    names = [f"q{number:02}" for number in range(30)]
    first = RelevantRanks.from_ranks(late, queries=names, system="late")
    return first, RelevantRanks.from_ranks(early[1:], queries=names[1:], system="early")


def test_the_band_of_a_difference_is_that_of_the_differences() -> None:
    first, second = (precision_at_recall(each, 6) for each in paired())
    result = difference_band(first, second, seed=2)
    plain = band(second.values - first.values[1:], seed=2, bounds=(-1.0, 1.0))
    np.testing.assert_array_equal(result.low, plain.low)
    assert (result.queries, result.name, result.bounds) == (29, "early minus late", (-1.0, 1.0))


def test_a_difference_is_seen_where_two_bands_still_overlap() -> None:
    first, second = (precision_at_recall(each, 6) for each in paired())
    one, two, both = band(first), band(second), difference_band(first, second)
    assert (one.high > two.low).all()
    assert not both.holds(np.zeros(6))[-2:].any()


# queries that depend on each other


def test_classes_of_one_query_each_change_nothing_but_chance() -> None:
    values = some_curves(60)
    plain, classed = band(values), band(values, classes=[str(row) for row in range(60)])
    np.testing.assert_allclose(classed.low, plain.low, atol=0.01)
    np.testing.assert_allclose(classed.effective, 60)
    for how in ("t", "bonferroni"):
        np.testing.assert_allclose(
            band(values, how=how, classes=[str(row) for row in range(60)]).low, band(values, how=how).low
        )


def test_queries_that_only_repeat_their_class_count_as_one_each() -> None:
    values = some_curves(12)
    repeated, classes = np.repeat(values, 4, axis=0), [str(row // 4) for row in range(48)]
    result, plain = band(repeated, how="t", classes=classes), band(values, how="t")
    np.testing.assert_allclose(result.effective, 12)
    np.testing.assert_allclose(result.critical, plain.critical)
    np.testing.assert_allclose(result.high, plain.high)
    assert result.unit == "classes"
    assert "count as 12 to 12 independent ones" in result.note


def test_classes_of_a_difference_follow_their_queries() -> None:
    first, second = (precision_at_recall(each, 4) for each in paired())
    classes = [f"class {row % 7}" for row in range(30)]
    result = difference_band(first, second, classes=classes, seed=1)
    again = band(second.values - first.values[1:], classes=classes[1:], seed=1, bounds=(-1.0, 1.0))
    np.testing.assert_allclose(result.low, again.low)
    with pytest.raises(SettingError, match="30 queries need as many classes"):
        difference_band(first, second, classes=classes[1:])


def test_one_class_has_no_band() -> None:
    result = band(some_curves(5), classes=["a"] * 5)
    assert not result.exists
    assert "two classes at least" in result.note


def test_classed_draws_are_written_out_too() -> None:
    values, classes = some_curves(9, 3), list("aaabbcccc")
    result = sup_t_statistics(values, drawing(9, classes), 100, seed=5)
    times = drawing(9, classes).times(np.random.default_rng(5), 100)
    np.testing.assert_allclose(result, [farthest(values, row) for row in times], rtol=1e-9)
