"""Baselines: worked losses, who wins, what is reported, and topics that have none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import InputError, SettingError
from rankscope.feedback import Examples, Items, Method
from rankscope.feedback.examples.examples import Folds, stratified_folds
from rankscope.feedback.methods import NearestNeighbour, Parzen, QueryPoint, Rocchio
from rankscope.feedback.methods.method import CannotScore
from rankscope.feedback.normalization.baselines import approach_of, baseline, baselines
from rankscope.feedback.normalization.efficiency import mean_curve, places
from rankscope.feedback.normalization.losses import (
    LdaClassifier,
    LogisticClassifier,
    Loss,
    SvmClassifier,
    try_candidate,
)
from rankscope.measures import AP, Rprec
from tests.feedback.normalization.test_out_of_fold import StumpClassifier
from tests.feedback.problems import SMALL, SMALL_FOLDS, SMALL_TARGET, drawn


@dataclass(frozen=True)
class Fixed(Method):
    """Scores given beforehand, regardless of the examples."""

    name: ClassVar[str] = "fixed"
    source: ClassVar[str] = "tests"
    scores_of: tuple[float, ...] = ()
    label: str = ""
    pointwise: ClassVar[bool] = False

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        return np.tile(np.array(self.scores_of), (len(examples), 1))


@dataclass(frozen=True)
class Memory(Method):
    """Puts its examples first and knows nothing else."""

    name: ClassVar[str] = "memory"
    source: ClassVar[str] = "tests"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        values = np.zeros((len(examples), len(items)))
        values[examples.positives.row, examples.positives["item"]] = 1.0
        return values


@dataclass(frozen=True)
class Broken(Method):
    name: ClassVar[str] = "broken"
    source: ClassVar[str] = "tests"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        raise CannotScore("it never works")


def test_the_small_example_has_its_worked_losses() -> None:
    result = baseline(SMALL, SMALL_TARGET, [QueryPoint(), NearestNeighbour()], folds=SMALL_FOLDS)
    point, near = result.trials
    assert (point.whole, point.test) == pytest.approx((0.833333, 0.666667), abs=1e-6)
    assert (near.whole, near.test) == (0.0, 0.0)
    assert (result.winner, result.approach) == ("nearest-neighbour", "II")
    np.testing.assert_array_equal(mean_curve(result.ranks, "recall", places("recall", 3)), [1, 1, 1])
    np.testing.assert_array_equal(mean_curve(result.ranks, "precision-scope", np.array([1 / 3, 1, 2])), [1, 1, 0.5])


def test_both_folds_of_the_small_example_lose_alike() -> None:
    alone = baseline(SMALL, SMALL_TARGET, [QueryPoint()], folds=SMALL_FOLDS)
    assert alone.approach == "I"
    curve = mean_curve(alone.ranks, "recall", places("recall", 3))
    np.testing.assert_allclose(curve, [0.333333, 0.4, 0.5], atol=1e-6)
    np.testing.assert_allclose(AP().of(alone.ranks), [0.411111] * 2, atol=1e-6)
    np.testing.assert_allclose(2 * 3 * (1 - Rprec().of(alone.ranks)) / 6, [0.666667] * 2, atol=1e-6)


@given(st.integers(0, 30), st.floats(0.1, 5), st.floats(0.1, 5))
@settings(max_examples=25)
def test_in_test_form_least_loss_is_highest_r_precision_whatever_the_weights(seed: int, fp: float, fn: float) -> None:
    items, target = drawn(12, 40, 1.0, seed)
    folds = stratified_folds(target, seed=seed)
    for candidate in (QueryPoint(), NearestNeighbour()):
        trial = try_candidate(candidate, items, target, folds, Loss(fp, fn))
        missed = trial.ranks.relevant * (1 - Rprec().of(trial.ranks))
        assert trial.trial.test == pytest.approx(((fp + fn) * missed / trial.ranks.collection).mean())


def test_losses_in_both_forms_are_those_of_slow_counting() -> None:
    items, target = drawn(15, 60, 1.0)
    folds = stratified_folds(target, 3)
    result = try_candidate(QueryPoint(), items, target, folds, Loss(1, 2)).trial
    test: list[float] = []
    whole: list[float] = []
    for fold in range(3):
        learnt, tested = folds.fold != fold, np.flatnonzero(folds.fold == fold)
        scores = -((items.matrix - items.matrix[learnt & target].mean(axis=0)) ** 2).sum(axis=1)
        everything = sorted(range(75), key=lambda item: (-scores[item], item))
        for ranked, scope, losses in (
            ([item for item in everything if item in tested], int(target[tested].sum()), test),
            (everything, 15, whole),
        ):
            called = set(ranked[:scope])
            wrong = [2 if target[each] else 1 for each in tested.tolist() if (each in called) != target[each]]
            losses.append(sum(wrong) / tested.size)
    assert (result.test, result.whole) == pytest.approx((np.mean(test), np.mean(whole)))


def test_a_baseline_is_never_made_from_training_items() -> None:
    items, target = drawn(20, 80)
    result = baseline(items, target, [Memory()])
    curve = mean_curve(result.ranks, "recall", places("recall"))
    assert curve.max() < 0.6  # a ranking with training items would show precision 1 up to recall 4/5
    assert not result.feasibility.feasible


def test_equal_losses_are_decided_by_ap_and_then_by_place_in_the_list() -> None:
    target = np.array([True, True, False, False] * 2)
    items, folds = Items.of(np.arange(8.0)[:, None]), Folds.of([0] * 4 + [1] * 4)
    first = Fixed((4.0, 1.0, 3.0, 2.0) * 2, "first")  # hits at 1 and 4
    second = Fixed((4.0, 2.0, 3.0, 1.0) * 2, "second")  # hits at 1 and 3: same loss at scope 2
    third = Fixed((4.0, 2.0, 3.0, 1.0) * 2, "third")
    result = baseline(items, target, [first, second, third], folds=folds, permutations=9)
    assert len({each.test for each in result.trials}) == 1
    assert result.winner == str(second)


def test_one_candidate_that_fails_does_not_stop_the_others() -> None:
    result = baseline(SMALL, SMALL_TARGET, [Broken(), QueryPoint()], folds=SMALL_FOLDS, permutations=9)
    assert result.winner == "query-point"
    assert result.trials[0].failed == "it never works"
    with pytest.raises(InputError, match="broken: it never works"):
        baseline(SMALL, SMALL_TARGET, [Broken()], folds=SMALL_FOLDS)


def test_by_their_own_decisions_rare_topics_favour_saying_no() -> None:
    """The pitfall of approach III: calling nothing relevant loses g, and beats classifiers of precision below 1/2."""
    items, target = drawn(12, 388, 1.0, seed=3)
    result = baseline(
        items, target, [LogisticClassifier(), SvmClassifier()], folds=4, form="decisions", permutations=99
    )
    balanced, careful = result.trials
    assert balanced.decisions > result.references["all negative"] >= careful.decisions
    assert careful.test > careful.decisions
    assert result.winner == careful.candidate
    assert result.rows()[-2:] == [
        {"candidate": "all negative", "test": 0.03},
        {"candidate": "random", "test": pytest.approx(2 * 0.03 * 0.97)},
    ]


def test_a_feedback_method_has_no_decisions_of_its_own() -> None:
    with pytest.raises(InputError, match="has no decisions loss"):
        baseline(SMALL, SMALL_TARGET, [QueryPoint()], folds=SMALL_FOLDS, form="decisions")


def test_a_classifier_without_scores_is_averaged_over_orders() -> None:
    items, target = drawn()
    result = baseline(items, target, [StumpClassifier()])
    assert len(result.ranks) == 100
    assert set(result.ranks.classes or ()) == {f"fold {number}" for number in range(1, 6)}
    assert result.feasibility.p_value == 1e-4


def test_a_tuned_scope_never_looks_at_the_tested_fold() -> None:
    items, target = drawn(20, 80, 1.0)
    folds = stratified_folds(target, 4)
    cost = Loss(1, 4)
    result = try_candidate(QueryPoint(), items, target, folds, cost, "tuned").trial
    losses = []
    for fold in range(4):
        inner = (fold + 1) % 4
        without = (folds.fold != fold) & (folds.fold != inner) & target
        order = _ranking(items, without, np.flatnonzero(folds.fold == inner))
        hits = np.concatenate([[0], np.cumsum(target[order])])
        scope = np.argmin([s - v + 4 * (hits[-1] - v) for s, v in enumerate(hits)]) / order.size
        tested = _ranking(items, (folds.fold != fold) & target, np.flatnonzero(folds.fold == fold))
        called = np.arange(tested.size) < np.rint(scope * tested.size)
        losses.append((called & ~target[tested]).sum() + 4 * (~called & target[tested]).sum())
    assert result.tuned == pytest.approx(sum(losses) / 100)
    with pytest.raises(SettingError, match="at least 3 folds"):
        baseline(SMALL, SMALL_TARGET, [QueryPoint()], folds=SMALL_FOLDS, form="tuned")


def _ranking(items: Items, learnt: np.ndarray, listed: np.ndarray) -> np.ndarray:
    scores = -((items.matrix - items.matrix[learnt].mean(axis=0)) ** 2).sum(axis=1)
    return np.array(sorted(listed.tolist(), key=lambda item: (-scores[item], item)))


def test_the_approach_follows_from_the_candidates() -> None:
    assert approach_of([Rocchio(), Rocchio(gamma=0.25)]) == "I"
    assert approach_of([Rocchio(), Parzen()]) == "II"
    assert approach_of([Rocchio(), LdaClassifier()]) == "III"


def test_topics_without_folds_stay_in_the_results() -> None:
    items, target = drawn()
    result = baselines(items, {"usual": target, "lonely": np.arange(200) == 7}, [QueryPoint()], permutations=999)
    assert result["usual"].feasibility.feasible
    lonely = result["lonely"]
    assert (lonely.winner, lonely.folds, len(lonely.ranks), lonely.relevant) == ("", None, 0, 1)
    assert lonely.feasibility.reasons == ("1 relevant among 200 items: no folds can be made",)
    assert np.isnan(mean_curve(lonely.ranks, "recall", places("recall"))).all()


def test_settings_that_make_no_baseline_are_told() -> None:
    for wrong in ([], [QueryPoint(), QueryPoint()]):
        with pytest.raises(SettingError, match="at least one candidate, and each only once"):
            baseline(SMALL, SMALL_TARGET, wrong)
    with pytest.raises(SettingError, match="one of test, whole, decisions, tuned"):
        baseline(SMALL, SMALL_TARGET, [QueryPoint()], form="train")  # type: ignore[arg-type]
