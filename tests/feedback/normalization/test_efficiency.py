"""Efficiency: worked values, what happens where the baseline has nothing, chance, and lists of another generality."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special

from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import stratified_folds
from rankscope.feedback.methods import NearestNeighbour, QueryPoint
from rankscope.feedback.normalization.baselines import Baseline, BaselineRules, baseline
from rankscope.feedback.normalization.efficiency import (
    BEATEN,
    RECALIBRATE,
    Efficiency,
    Over,
    chance_curve,
    efficiency,
    kept_for,
    mean_curve,
    places,
    thinned_chance,
    thinned_curve,
)
from rankscope.feedback.normalization.example_sets import fully_trained
from rankscope.feedback.normalization.generalisation import Generalisation
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.feedback.problems import SMALL, SMALL_FOLDS, SMALL_TARGET, drawn

positive = arrays(np.float64, 10, elements=st.floats(0.01, 1))


def small_baseline() -> Baseline:
    """Taken for feasible: the second of two folds, so small, shows nothing by itself."""
    made = baseline(SMALL, SMALL_TARGET, [QueryPoint(), NearestNeighbour()], folds=SMALL_FOLDS, permutations=999)
    return replace(made, feasibility=replace(made.feasibility, feasible=True))


def test_the_worked_example_has_its_efficiencies() -> None:
    done = Efficiency.of([1, 1, 1 / 3, 2 / 5, 5 / 11], [1, 1, 1, 0.9, 0.75])
    np.testing.assert_allclose(done.at, [0.2, 0.4, 0.6, 0.8, 1])
    np.testing.assert_allclose(done.values, [1, 1, 0.333333, 0.444444, 0.606061], atol=1e-6)
    np.testing.assert_allclose(done.deviation, [0, 0, 0.666667, 0.555556, 0.393939], atol=1e-6)
    assert done.mae == pytest.approx(0.676768, abs=1e-6)
    assert done.flags == ()


def test_chance_at_recall_levels_is_the_worked_one() -> None:
    ranks = RelevantRanks.from_ranks([[1, 2, 3, 4]], depth=20, collection=20)
    np.testing.assert_allclose(
        chance_curve(ranks, "recall", places("recall", 4)), [0.415154, 0.306060, 0.267464, 0.248836], atol=1e-6
    )
    assert chance_curve(ranks, "recall", places("recall", 4)).mean() == pytest.approx(0.309379, abs=1e-6)
    np.testing.assert_allclose(chance_curve(ranks, "precision-scope", np.array([0.5, 5, 6])), [0.2, 0.2, np.nan])
    np.testing.assert_allclose(chance_curve(ranks, "recall-scope", np.array([0.5, 5, 6])), [0.1, 1.0, np.nan])


@pytest.mark.parametrize(("relevant", "items"), [(35, 360), (3, 5), (200, 390), (1, 1000)])
def test_chance_is_the_sum_of_the_formula(relevant: int, items: int) -> None:
    ranks = RelevantRanks.from_ranks([list(range(1, relevant + 1))], depth=items, collection=items)
    found = chance_curve(ranks, "recall", places("recall"))
    hits = np.ceil(places("recall") * relevant - 1e-9)[:, None]
    k = np.arange(1, items + 1)[None, :]
    possible = (k >= hits) & (items - k >= relevant - hits)
    logs = _log_binom(k - 1, hits - 1) + _log_binom(items - k, relevant - hits) - _log_binom(items, relevant)
    expected = (np.where(possible, np.exp(np.where(possible, logs, -np.inf)), 0) * hits / k).sum(axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def _log_binom(n: Any, k: Any) -> Any:
    n, k = np.maximum(n, 0), np.maximum(k, 0)
    return special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(np.maximum(n - k, 0) + 1.0)


def test_chance_is_the_mean_over_all_orders() -> None:
    every = [list(each) for each in combinations(range(1, 8), 3)]
    orders = RelevantRanks.from_ranks(every, depth=7, collection=7)
    for over in ("recall", "precision-scope", "recall-scope"):
        at = places("recall", 6) if over == "recall" else np.array([1 / 3, 0.5, 1.0, 2.0])
        np.testing.assert_allclose(mean_curve(orders, over, at), chance_curve(orders, over, at), rtol=1e-12)


def test_curves_are_averaged_first_and_then_divided() -> None:
    best = small_baseline()
    runs = fully_trained(QueryPoint(), SMALL, SMALL_TARGET, SMALL_FOLDS)
    runs = replace(runs, judged=runs.judged.with_columns(rank=np.array([1, 2, 3, 4, 5, 6])))
    done = efficiency(runs, best, levels=3)
    np.testing.assert_allclose(done.reached, (np.ones(3) + np.array([1 / 4, 2 / 5, 3 / 6])) / 2)
    np.testing.assert_allclose(done.values, done.reached)
    assert (done.winner, done.runs, done.failed, done.topic) == ("nearest-neighbour", 2, 0, "topic")


def test_a_method_that_is_the_baseline_has_efficiency_one() -> None:
    best = small_baseline()
    runs = fully_trained(NearestNeighbour(), SMALL, SMALL_TARGET, SMALL_FOLDS)
    for over in ("recall", "precision-scope", "recall-scope"):
        done = efficiency(runs, best, over, scopes=(1 / 3, 1, 2))
        np.testing.assert_array_equal(done.values, np.ones(done.at.size))
        np.testing.assert_array_equal(done.corrected[done.baseline > done.chance], 1)
        assert done.flags == ()


def test_where_neither_has_a_hit_nothing_is_said() -> None:
    done = Efficiency.of([0, 0.2, 0.4], [0, 0.4, 0.4])
    assert np.isnan(done.values[0])
    assert done.undefined == 1
    assert done.mae == pytest.approx(0.75)
    assert done.flags == ("1 place undefined",)


def test_a_baseline_without_hits_is_beaten_and_never_helped_by_an_epsilon() -> None:
    done = Efficiency.of([0.1, 0.2], [0, 0.4])
    assert done.beaten.tolist() == [True, False]
    assert BEATEN in done.flags
    assert np.isinf(done.mae)
    assert np.isnan(done.curve().y).tolist() == [True, False]


def test_scope_axes_meet_a_baseline_without_hits() -> None:
    best = small_baseline()
    late = replace(best, ranks=RelevantRanks.from_ranks([[3, 4, 5]] * 2, depth=6, collection=6))
    runs = RelevantRanks.from_ranks([[1, 4, 5], [3, 4, 6]], depth=6, collection=6)
    done = efficiency(runs, late, "precision-scope", scopes=(1 / 3, 2 / 3, 1.0))
    np.testing.assert_allclose(done.values, [np.inf, np.inf, 1.0])
    done = efficiency(late.ranks, late, "recall-scope", scopes=(1 / 3, 2 / 3, 1.0))
    np.testing.assert_allclose(done.values, [np.nan, np.nan, 1.0])
    assert done.undefined == 2


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([1.01] * 10, True),
        ([1.03] * 3 + [0.5] * 7, True),
        ([1.03] * 2 + [0.5] * 8, False),
        ([1.02] * 3 + [0.5] * 7, False),
    ],
)
def test_efficiency_above_one_is_kept_and_asks_for_a_new_baseline(values: list[float], wanted: bool) -> None:
    done = Efficiency.of(values, [1.0] * 10)
    np.testing.assert_array_equal(done.values, values)
    assert done.recalibrate is wanted
    assert (RECALIBRATE in done.flags) is wanted


@given(positive, positive, positive)
def test_chance_correction_is_its_formula(reached: np.ndarray, best: np.ndarray, chance: np.ndarray) -> None:
    done = Efficiency.of(reached, best, chance)
    for found, p, top, low in zip(done.corrected, reached, best, chance, strict=True):
        if top > low:
            assert found == pytest.approx((p - low) / (top - low), rel=1e-9)
        else:
            assert np.isnan(found)


def test_random_retrieval_looks_good_on_a_hopeless_topic_until_chance_is_taken_off() -> None:
    done = Efficiency.of([0.21, 0.2], [0.22, 0.21], [0.21, 0.2])
    assert done.mae > 0.95
    np.testing.assert_allclose(done.corrected, 0)


def test_a_failed_run_is_left_out_and_counted() -> None:
    best = small_baseline()
    runs = fully_trained(NearestNeighbour(), SMALL, SMALL_TARGET, SMALL_FOLDS)
    done = efficiency(replace(runs, answered=np.array([True, False])), best)
    assert (done.runs, done.failed) == (1, 1)
    assert done.flags == ("1 run failed",)


@pytest.mark.parametrize("over", ["recall", "precision-scope", "recall-scope"])
def test_a_topic_without_a_baseline_has_no_efficiency(over: Over) -> None:
    items, target = drawn()
    lonely = baseline(items, np.arange(200) == 3, [QueryPoint()])
    runs = fully_trained(QueryPoint(), items, target, stratified_folds(target))
    done = efficiency(runs, lonely, over)
    assert np.isnan(done.values).all()
    assert np.isnan(done.mae)
    assert done.flags == (f"{done.at.size} places undefined", "infeasible topic")


def test_means_over_topics_leave_infeasible_ones_apart() -> None:
    good = [Efficiency.of([value], [1.0], [0.0], topic=str(value)) for value in (0.4, 0.6)]
    bad = Efficiency.of([0.9], [1.0], [0.9], topic="bad", feasible=False)
    for results, mean in (((*good, bad), 0.5), ((bad,), np.nan)):
        (row,) = Generalisation(BaselineRules(), ("method",), (), results, examples=1).mean_rows()
        assert (row["MAE"], row["corrected for chance"]) == pytest.approx((mean, mean), nan_ok=True)


def test_lists_of_another_generality_are_thinned_exactly() -> None:
    """Against the mean over all ways to keep distractors."""
    ranks = RelevantRanks.from_ranks([[2, 5]], depth=7, collection=7)
    at, kept = places("recall", 2), kept_for(ranks, 0.5)
    assert kept.tolist() == [2]
    above = [(pair[0] < 2) + (pair[1] < 2) for pair in combinations([1, 3, 4, 6, 7], 2)]
    both = [(pair[0] < 5) + (pair[1] < 5) for pair in combinations([1, 3, 4, 6, 7], 2)]
    expected = [np.mean([1 / (1 + each) for each in above]), np.mean([2 / (2 + each) for each in both])]
    np.testing.assert_allclose(thinned_curve(ranks, "recall", at, kept), expected)
    scopes = np.array([0.5, 1.0, 2.0])
    recall = [
        np.mean([((1 + a) <= s) + ((2 + b) <= s) for a, b in zip(above, both, strict=True)]) / 2 for s in (1, 2, 4)
    ]
    np.testing.assert_allclose(thinned_curve(ranks, "recall-scope", scopes, kept), recall)
    np.testing.assert_allclose(thinned_curve(ranks, "precision-scope", scopes, kept), np.array(recall) / scopes)
    np.testing.assert_allclose(thinned_chance(ranks, "precision-scope", scopes, kept), [0.5] * 3)


def test_generality_is_printed_and_corrected_where_it_differs() -> None:
    items, target = drawn()
    best = baseline(items, target, [QueryPoint()], permutations=99)
    same = fully_trained(QueryPoint(), items, target, best.folds)  # type: ignore[arg-type]
    assert not efficiency(same, best).thinned
    worse = RelevantRanks.from_ranks([[1, 60, 100]], depth=200, collection=200)  # g = .015 against .15
    done = efficiency(worse, best)
    assert done.thinned
    assert "generality 0.0150, of the baseline 0.1500; thinned to the same" in done.flags
    assert done.mae > Efficiency.of(mean_curve(worse, "recall", places("recall")), done.baseline).mae


def mean_over_thinnings(ranks: tuple[int, int], items: int, left_out: int) -> list[float]:
    """Precision at both recall levels of two relevant items, over all ways to leave some distractors out."""
    others = [rank for rank in range(1, items + 1) if rank not in ranks]
    gone = [tuple(sum(each < rank for each in some) for rank in ranks) for some in combinations(others, left_out)]
    return [float(np.mean([hits / (ranks[hits - 1] - each[hits - 1]) for each in gone])) for hits in (1, 2)]


@pytest.mark.parametrize(
    ("items", "left_out"),
    [(40, (0, 0)), (42, (0, 0)), (39, (0, 0)), (43, (3, 0)), (38, (0, 2))],  # 2 of 42 is 4.8 % rarer than 2 of 40
)
def test_a_generality_that_differs_by_more_than_one_twentieth_is_brought_to_the_same(
    items: int, left_out: tuple[int, int]
) -> None:
    mine, best = (5, 21), (2, 9)
    forty = replace(small_baseline(), ranks=RelevantRanks.from_ranks([best], depth=40, collection=40))
    done = efficiency(RelevantRanks.from_ranks([mine], depth=items, collection=items), forty, levels=2)
    assert done.thinned == (left_out != (0, 0))
    np.testing.assert_allclose(done.reached, mean_over_thinnings(mine, items, left_out[0]))
    np.testing.assert_allclose(done.baseline, mean_over_thinnings(best, 40, left_out[1]))


def test_rows_hold_the_baseline_they_were_divided_by() -> None:
    (first, second) = Efficiency.of([0.5, 0.2], [1, 0.8], method="svm").rows()
    assert (first["method"], first["at"], second["baseline"], second["efficiency"]) == ("svm", 0.5, 0.8, 0.25)


def test_wrong_questions_are_told() -> None:
    with pytest.raises(SettingError, match="recall, precision-scope, recall-scope"):
        places("scope")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="levels=0: must be a whole number of at least 1"):
        places("recall", 0)
    with pytest.raises(SettingError, match="one value at each place"):
        Efficiency.of([1, 1], [1])
