"""The forecast as a whole: sizes, back-test, intervals, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.errors import MeasureError, SettingError
from rankscope.forecast import ASSUMPTIONS, forecast
from rankscope.forecast.backtest import Trial, best_model, error_at, possible, spread_at
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.intervals import interval, query_weights
from rankscope.forecast.jeffreys import Jeffreys
from rankscope.forecast.pareto import Pareto
from rankscope.forecast.trend import Trend
from rankscope.measures import AP, Rprec
from rankscope.ranks import RelevantRanks
from tests.forecast.collections import drawn, without_scores

SAMPLE = drawn(kept=500)
WHOLE = drawn()


def test_the_future_lies_in_the_interval() -> None:
    grown = forecast(SAMPLE, 4008, ["Rprec", "AP", "R@10"])
    for measure in (Rprec(), AP()):
        said = grown[str(measure)]
        assert said.low < float(measure.of(WHOLE).mean()) < said.high
        assert said.high - said.low < 0.15
        assert said.now == pytest.approx(float(measure.of(SAMPLE).mean()))


def test_ranks_alone_give_a_forecast_with_a_warning() -> None:
    grown = forecast(without_scores(SAMPLE), "2x", ["Rprec"])
    assert grown["Rprec"].model in ("between", "trend", "jeffreys")
    assert any("no scores were kept" in line for line in grown.warnings)


@pytest.mark.parametrize("to", [2032, 4.0, "4x", "2,032", "4.0X"])
def test_a_size_is_a_whole_number_and_a_factor_any_other(to: int | float | str) -> None:
    assert forecast(SAMPLE, to, ["Rprec"], model="jeffreys").target == 2032


def test_the_same_seed_gives_the_same_forecast() -> None:
    assert forecast(SAMPLE, "4x", ["AP"], seed=3) == forecast(SAMPLE, "4x", ["AP"], seed=3)
    assert forecast(SAMPLE, "4x", ["AP"], seed=3) != forecast(SAMPLE, "4x", ["AP"], seed=4)


def test_the_result_says_what_it_rests_on() -> None:
    grown = forecast(SAMPLE, "2x", ["Rprec"])
    assert grown.assumptions == ASSUMPTIONS
    row = grown.rows()[0]
    assert row["measure"] == "Rprec"
    assert {"now", "forecast", "low", "high", "model", "error at 2x"} <= set(row)
    table = grown.backtest_rows()
    assert {line["factor"] for line in table} == {2.0, 4.0, 16.0}
    assert sum(bool(line["used"]) for line in table) == 3


def test_many_queries_are_tested_on_some() -> None:
    grown = forecast(drawn(queries=1200, members=2, distractors=80), "2x", ["Rprec"])
    assert grown["Rprec"].queries == 1200


def test_cut_lists_stay_cut() -> None:
    cut = SAMPLE.cut(40)
    grown = forecast(cut, "4x", ["AP"])
    assert grown["AP"].now == pytest.approx(float(AP().of(cut).mean()))
    assert grown["AP"].forecast < grown["AP"].now
    assert any("150 of 150 lists are cut" in line for line in grown.warnings)


def test_queries_without_relevant_items_are_left_out() -> None:
    ranks = RelevantRanks.from_ranks([[1, 3], []], relevant=[2, 0], depth=100, collection=100)
    assert forecast(ranks, "2x", ["Rprec"], force=True)["Rprec"].queries == 1


# refusals


def test_too_far_is_refused_unless_forced() -> None:
    with pytest.raises(SettingError, match="40 times is too far"):
        forecast(SAMPLE, "40x")
    assert any("forced" in line for line in forecast(SAMPLE, "40x", ["Rprec"], force=True).warnings)


def test_a_failed_back_test_is_refused_unless_forced() -> None:
    ranks = RelevantRanks.from_ranks([[1]] * 30, collection=30_000)
    with pytest.raises(SettingError, match="back-test errs by"):
        forecast(ranks, "16x", ["Rprec"], model="jeffreys")
    assert forecast(ranks, "16x", ["Rprec"], model="jeffreys", force=True).warnings


@pytest.mark.parametrize("to", ["1x", 0.5, 300, "-3x"])
def test_a_smaller_collection_is_no_forecast(to: float | str) -> None:
    with pytest.raises(SettingError, match="larger collection"):
        forecast(SAMPLE, to)


def test_nonsense_is_no_size() -> None:
    with pytest.raises(SettingError, match="'many' is no size"):
        forecast(SAMPLE, "many")


def test_an_unknown_collection_is_an_error() -> None:
    with pytest.raises(MeasureError, match="--collection-size D"):
        forecast(RelevantRanks.from_ranks([[1, 3]]), "2x")


def test_an_unknown_model_gets_a_suggestion() -> None:
    with pytest.raises(SettingError, match="did you mean 'trend'"):
        forecast(SAMPLE, "2x", model="trent")


def test_a_model_with_scores_needs_them() -> None:
    with pytest.raises(SettingError, match="keep_scores=True"):
        forecast(without_scores(SAMPLE), "2x", model="tail")


def test_other_measures_have_no_forecast() -> None:
    with pytest.raises(MeasureError, match="no exact mean"):
        forecast(SAMPLE, "2x", ["RR"])


def test_no_relevant_item_at_all_is_an_error() -> None:
    with pytest.raises(MeasureError, match="no query has a relevant item"):
        forecast(RelevantRanks.from_ranks([[]], relevant=[0], depth=3, collection=9), "2x")


# the pieces


def trials(model: str, *errors: float) -> list[Trial]:
    return [
        Trial(model, factor, 0.5 + error, 0.5, abs(error)) for factor, error in zip((2.0, 4.0), errors, strict=True)
    ]


def test_the_first_model_is_left_only_for_a_clearly_better_one() -> None:
    models = (Pareto(16), Trend(), Jeffreys())
    close = trials("pareto(16)", 0.02, 0.02) + trials("trend", 0.005, 0.005) + trials("jeffreys", 0.1, 0.1)
    assert best_model(close, models) == Pareto(16)
    clear = trials("pareto(16)", 0.05, 0.05) + trials("trend", 0.005, 0.005) + trials("jeffreys", 0.1, 0.1)
    assert best_model(clear, models) == Trend()


def test_without_a_back_test_the_first_model_is_taken() -> None:
    assert best_model([], (Pareto(16), Trend())) == Pareto(16)
    assert np.isnan(spread_at([], "trend", 4.0))


def test_errors_between_the_factors_tried_are_interpolated() -> None:
    table = trials("trend", 0.01, -0.03)
    assert error_at(table, "trend", 2.0) == pytest.approx(0.01)
    assert error_at(table, "trend", 2**1.5) == pytest.approx(0.02)
    assert error_at(table, "trend", 16.0) == pytest.approx(0.06)


def test_a_small_collection_is_not_thinned_to_nothing() -> None:
    evidence = Evidence.of(RelevantRanks.from_ranks([[1, 5]] * 3, collection=80))
    assert possible(evidence, (2.0, 4.0, 16.0, 4.1)) == [2.0, 4.0]


def test_intervals_grow_with_the_model_error_and_stay_within_bounds() -> None:
    means = np.array([0.5, 0.49, 0.51])
    narrow, wide = interval(means, 0.0, 0.9), interval(means, 0.1, 0.9)
    assert wide[0] < narrow[0] < 0.5 < narrow[1] < wide[1]
    assert interval(np.array([0.01, 0.0, 0.02]), 0.1, 0.9)[0] == 0.0


def test_weights_of_queries_add_up() -> None:
    weights = query_weights(50, seed=0)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    assert (weights[0] == 1 / 50).all()
