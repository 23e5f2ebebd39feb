"""What each candidate for a baseline loses, out of fold, in every way of turning a ranking into decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.feedback.examples.folds import Folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.ranking import list_ranks
from rankscope.feedback.normalization.feasibility import FoldPlaces
from rankscope.feedback.normalization.losses import Loss
from rankscope.feedback.normalization.out_of_fold import Candidate, OutOfFold, out_of_fold
from rankscope.measures import AP
from rankscope.ranks.from_scores import numbered_names, ranks_from_scores
from rankscope.ranks.relevant_ranks import RelevantRanks

Form = Literal["test", "whole", "decisions", "tuned"]
NOT_COMPUTED = float("nan")


@dataclass(frozen=True)
class BaselineTrial:
    """A candidate with its mean losses over folds; NaN where a form does not exist for it or was not asked for.

    `test`: the test items ranked among themselves, the first c_k called relevant. `whole`: all items ranked, the first
    c called relevant, losses of test items. `decisions`: the candidate's own. `tuned`: the scope that lost least in
    another fold, learnt without either.
    """

    candidate: str
    test: float
    whole: float
    decisions: float = NOT_COMPUTED
    tuned: float = NOT_COMPUTED
    average_precision: float = NOT_COMPUTED
    failed: str = ""


@dataclass(frozen=True, eq=False)
class Tried:
    """A trial with the rankings of test items it comes from: one query per fold.

    `forward`: where every item of a fold stands after the candidate learnt the folds before it, and no other.
    """

    trial: BaselineTrial
    ranks: RelevantRanks
    forward: FoldPlaces


def try_candidate(
    candidate: Candidate, items: Items, target: BoolArray, folds: Folds, loss: Loss, form: Form = "test", seed: int = 0
) -> Tried:
    """Learn, rank and count losses; a candidate that fails in some fold has no losses, and says why."""
    fold = out_of_fold(candidate, items, target, folds, seed=seed)
    ranks = _test_ranks(str(candidate), fold, target, folds)
    tested = folds.tested[fold.fold]
    rank = list_ranks(fold.values, tested)
    last = fold.fold == folds.count - 1  # all folds are before it
    forward = FoldPlaces(rank[last], fold.fold[last])
    if fold.failed:
        return Tried(BaselineTrial(str(candidate), NOT_COMPUTED, NOT_COMPUTED, failed=fold.failed[0]), ranks, forward)
    if folds.count > 2:
        before = _learnt_before(candidate, items, target, folds, seed)
        forward = FoldPlaces(*(np.concatenate(both) for both in zip(before, forward, strict=True)))
    scope, everything = np.full(len(tested), int(target.sum())), np.ones_like(tested)
    trial = BaselineTrial(
        str(candidate),
        test=_mean(_loss_at(rank, tested, (tested & target).sum(axis=1), target, tested, loss)),
        whole=_mean(_loss_at(list_ranks(fold.values, everything), everything, scope, target, tested, loss)),
        decisions=NOT_COMPUTED if fold.decisions is None else _mean(loss.of(fold.decisions, target[None], tested)),
        tuned=_tuned(candidate, fold, items, target, folds, loss, seed) if form == "tuned" else NOT_COMPUTED,
        average_precision=_mean(AP().of(ranks)),
    )
    return Tried(trial, ranks, forward)


def _learnt_before(candidate: Candidate, items: Items, target: BoolArray, folds: Folds, seed: int) -> FoldPlaces:
    """The places of the items of each fold but the first and the last, learnt from the folds before it."""
    later = folds.fold[None, :] > np.arange(folds.count)[:, None]
    inner = out_of_fold(candidate, items, target, folds, left_out=later, seed=seed, chosen=range(1, folds.count - 1))
    return FoldPlaces(list_ranks(inner.values, folds.tested[inner.fold]), inner.fold)


def _test_ranks(name: str, fold: OutOfFold, target: BoolArray, folds: Folds) -> RelevantRanks:
    names = numbered_names("fold ", len(fold.values))
    classes = [f"fold {each + 1}" for each in fold.fold.tolist()]
    return ranks_from_scores(fold.values, target, folds.tested[fold.fold], system=name, queries=names, classes=classes)


def _loss_at(
    rank: IntArray, ranked: BoolArray, scope: FloatArray, target: BoolArray, tested: BoolArray, loss: Loss
) -> FloatArray:
    """The loss on test items when the first `scope` of the ranked items are called relevant."""
    called = (rank <= scope[:, None]) & ranked
    return loss.of(called, target[None], tested)


def _tuned(
    candidate: Candidate, fold: OutOfFold, items: Items, target: BoolArray, folds: Folds, loss: Loss, seed: int
) -> float:
    """Footnote 5 of Huiskes & Lew: the scope is chosen too, for each fold in the next one, learnt without both."""
    if folds.count < 3:
        raise SettingError(
            f"a tuned scope needs at least 3 folds: one tests, one tunes, one teaches; got {folds.count}"
        )
    tuning = np.roll(folds.tested, -1, axis=0)
    inner = out_of_fold(candidate, items, target, folds, left_out=tuning, seed=seed)
    if inner.failed:
        return NOT_COMPUTED
    inside = tuning[inner.fold]
    share = np.array([_best_share(*each, target, loss) for each in zip(inner.values, inside, strict=True)])
    tested = folds.tested[fold.fold]
    scope = np.rint(share * tested.sum(axis=1))
    return _mean(_loss_at(list_ranks(fold.values, tested), tested, scope, target, tested, loss))


def _best_share(values: FloatArray, inside: BoolArray, target: BoolArray, loss: Loss) -> float:
    """The share of the list to call relevant that loses least; the smallest of equals."""
    order = np.argsort(-values[inside], kind="stable")
    hits = np.concatenate([[0], np.cumsum(target[inside][order])])
    return float(np.argmin(loss.at_scopes(hits, int(hits[-1]), order.size))) / order.size


def _mean(values: FloatArray) -> float:
    return float(values.mean())
