"""What a wrong decision costs (zero-one, weighted or balanced loss), the candidates for the baseline of a topic
(classifiers and feedback methods), and what each of them loses out of fold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, NamedCatalogue
from rankscope.core.validation import SHARE, Number, check, check_fields
from rankscope.feedback.examples.examples import Folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.kernel_methods import sklearn_part
from rankscope.feedback.methods.method import Method, list_ranks
from rankscope.feedback.normalization.feasibility import FoldPlaces
from rankscope.measures import AP
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.score_tables import numbered_names, ranks_from_scores


@dataclass(frozen=True)
class Loss:
    """The cost of an item wrongly called relevant, and of one wrongly called irrelevant; zero-one unless weighted.

    >>> str(Loss()), str(Loss.balanced(0.1))
    ('zero-one', 'weighted(false_positive=1, false_negative=9)')
    """

    false_positive: float = 1.0
    false_negative: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self, false_positive=Number(least=0), false_negative=Number(least=0))
        if self.false_positive == self.false_negative == 0:
            raise SettingError("weights of a loss cannot both be 0")

    @classmethod
    def balanced(cls, generality: float) -> Loss:
        """The weighted loss in which both classes matter alike: w_fn / w_fp = (1 - g) / g."""
        generality = check(locals(), generality=SHARE)["generality"]
        return cls(1.0, (1.0 - generality) / generality)

    def __str__(self) -> str:
        if self == Loss():
            return "zero-one"
        return f"weighted(false_positive={self.false_positive:g}, false_negative={self.false_negative:g})"

    def of(self, called: BoolArray, target: BoolArray, tested: BoolArray) -> FloatArray:
        """The mean loss over the tested items of each row; rows x items.

        >>> Loss().of(np.array([[True, True, False]]), np.array([[True, False, True]]), np.array([[True, True, True]]))
        array([0.66666667])
        """
        wrong = self.false_positive * (called & ~target & tested).sum(axis=1)
        missed = self.false_negative * (~called & target & tested).sum(axis=1)
        return divide(wrong + missed, tested.sum(axis=1))

    def at_scopes(self, hits: IntArray, relevant: int, items: int) -> FloatArray:
        """The loss of calling the first s of a list relevant, s = 0, 1, ...; `hits` are the v(s), from v(0) = 0 on."""
        scope = np.arange(hits.size)
        return (self.false_positive * (scope - hits) + self.false_negative * (relevant - hits)) / items

    def all_negative(self, generality: float) -> float:
        """What calling nothing relevant loses: g with zero-one loss."""
        return self.false_negative * generality

    def random(self, generality: float) -> float:
        """What calling c items at random relevant loses: 2 g (1 - g) with zero-one loss.

        >>> round(Loss().random(0.1), 6)
        0.18
        """
        return (self.false_positive + self.false_negative) * generality * (1.0 - generality)


class LossKind(Named, ABC):
    """A loss, before it is known how rare relevant items are."""

    @abstractmethod
    def at(self, generality: float) -> Loss:
        """The loss for a topic of this generality."""


@dataclass(frozen=True)
class ZeroOne(LossKind):
    """Both mistakes cost 1."""

    name: ClassVar[str] = "zero-one"

    def at(self, generality: float) -> Loss:
        return Loss()


@dataclass(frozen=True)
class Weighted(LossKind):
    """An item wrongly called relevant costs `false_positive`, one wrongly called irrelevant `false_negative`."""

    false_positive: float
    false_negative: float
    name: ClassVar[str] = "weighted"
    unnamed: ClassVar[tuple[str, ...]] = ("false_positive", "false_negative")
    least: ClassVar[Mapping[str, float]] = {"false_positive": 0, "false_negative": 0}

    def at(self, generality: float) -> Loss:
        return Loss(self.false_positive, self.false_negative)


@dataclass(frozen=True)
class Balanced(LossKind):
    """Both classes matter alike: a missed item costs (1 - g)/g times as much as a false alarm."""

    name: ClassVar[str] = "balanced"

    def at(self, generality: float) -> Loss:
        return Loss.balanced(generality)


LOSS_KINDS: tuple[type[LossKind], ...] = (ZeroOne, Weighted, Balanced)  # a new loss adds its name here
LOSSES: NamedCatalogue[LossKind] = NamedCatalogue("loss", LOSS_KINDS, example="weighted(1,9)")


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
    tested = folds.tested[fold.fold]
    names = numbered_names("fold ", len(fold.values))
    classes = [f"fold {each + 1}" for each in fold.fold.tolist()]
    ranks = ranks_from_scores(fold.values, target, tested, system=str(candidate), queries=names, classes=classes)
    rank = list_ranks(fold.values, tested)
    last = fold.fold == folds.count - 1  # all folds are before it
    forward = FoldPlaces(rank[last], fold.fold[last])
    if fold.failed:
        return Tried(BaselineTrial(str(candidate), NOT_COMPUTED, NOT_COMPUTED, failed=fold.failed[0]), ranks, forward)
    if folds.count > 2:
        # of each fold but the first and the last: learnt from the folds before it
        later, chosen = folds.fold[None, :] > np.arange(folds.count)[:, None], range(1, folds.count - 1)
        inner = out_of_fold(candidate, items, target, folds, left_out=later, seed=seed, chosen=chosen)
        before = FoldPlaces(list_ranks(inner.values, folds.tested[inner.fold]), inner.fold)
        forward = FoldPlaces(*(np.concatenate(both) for both in zip(before, forward, strict=True)))
    scope, everything = np.full(len(tested), int(target.sum())), np.ones_like(tested)
    trial = BaselineTrial(
        str(candidate),
        test=_mean_loss(_loss_at(rank, tested, (tested & target).sum(axis=1), target, tested, loss)),
        whole=_mean_loss(_loss_at(list_ranks(fold.values, everything), everything, scope, target, tested, loss)),
        decisions=NOT_COMPUTED if fold.decisions is None else _mean_loss(loss.of(fold.decisions, target[None], tested)),
        tuned=_tuned(candidate, fold, items, target, folds, loss, seed) if form == "tuned" else NOT_COMPUTED,
        average_precision=_mean_loss(AP().of(ranks)),
    )
    return Tried(trial, ranks, forward)


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
    shares = []  # of each list, how much of it to call relevant loses least; the smallest of equals
    for values, own in zip(inner.values, inside, strict=True):
        order = np.argsort(-values[own], kind="stable")
        hits = np.concatenate([[0], np.cumsum(target[own][order])])
        shares.append(float(np.argmin(loss.at_scopes(hits, int(hits[-1]), order.size))) / order.size)
    tested = folds.tested[fold.fold]
    scope = np.rint(np.array(shares) * tested.sum(axis=1))
    return _mean_loss(_loss_at(list_ranks(fold.values, tested), tested, scope, target, tested, loss))


def _mean_loss(values: FloatArray) -> float:
    return float(values.mean())


# Classifiers that may set the baseline of a topic (approach III): told all labels but those they are tested on.


@dataclass(frozen=True)
class Classifier(Named, ABC):
    """A classifier with its settings; two with equal settings are equal."""

    @abstractmethod
    def model(self, items: Items, seed: int) -> Any:
        """A scikit-learn estimator, not fitted yet."""

    def learn(
        self, items: Items, target: BoolArray, learnt: BoolArray, seed: int = 0
    ) -> tuple[FloatArray | None, BoolArray]:
        """Score and decision for every item, from the labels of those learnt; no score where the model has none."""
        model = self.model(items, seed).fit(items.matrix[learnt], target[learnt].astype(np.int64))
        decided = np.asarray(model.predict(items.matrix)) == 1
        if hasattr(model, "decision_function"):
            return np.asarray(model.decision_function(items.matrix), dtype=np.float64), decided
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(items.matrix)[:, 1], dtype=np.float64), decided
        return None, decided


@dataclass(frozen=True)
class LogisticClassifier(Classifier):
    """A plane between relevant items and others; both classes weigh alike."""

    C: float = 1.0
    name: ClassVar[str] = "logistic-classifier"

    def model(self, items: Items, seed: int) -> Any:
        return sklearn_part("linear_model").LogisticRegression(C=self.C, class_weight="balanced", max_iter=5000)


@dataclass(frozen=True)
class SvmClassifier(Classifier):
    """A support vector machine with a Gaussian kernel; `gamma` None is 1 / (features * variance)."""

    C: float = 10.0
    gamma: float | None = None
    name: ClassVar[str] = "svm-classifier"

    def model(self, items: Items, seed: int) -> Any:
        """The margin is its score."""
        return sklearn_part("svm").SVC(C=self.C, gamma=items.gamma if self.gamma is None else self.gamma)


@dataclass(frozen=True)
class ForestClassifier(Classifier):
    """Many decision trees on random parts of items and features; the score is the share of their votes."""

    trees: int = 200
    name: ClassVar[str] = "forest-classifier"

    def model(self, items: Items, seed: int) -> Any:
        return sklearn_part("ensemble").RandomForestClassifier(self.trees, random_state=seed)


@dataclass(frozen=True)
class LdaClassifier(Classifier):
    """Linear discriminant analysis with the covariance shrunk as Ledoit and Wolf advise."""

    name: ClassVar[str] = "lda-classifier"

    def model(self, items: Items, seed: int) -> Any:
        """The distance from the plane is its score."""
        return sklearn_part("discriminant_analysis").LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


@dataclass(frozen=True)
class Estimator(Classifier):
    """Any estimator of scikit-learn's kind, by its own settings; it is copied before it learns."""

    estimator: Any
    name: ClassVar[str] = "estimator"

    def __str__(self) -> str:
        return " ".join(str(self.estimator).split())

    def model(self, items: Items, seed: int) -> Any:
        """A copy that knows nothing yet."""
        return sklearn_part("base").clone(self.estimator)


CLASSIFIERS: tuple[Classifier, ...] = (LogisticClassifier(), SvmClassifier(), ForestClassifier(), LdaClassifier())


ORDERS = 20  # random orders of a classifier that has decisions but no scores

Candidate: TypeAlias = Method | Classifier


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Rows x items: one row per fold, or several where a candidate without scores had its ties broken at random."""

    values: FloatArray
    fold: IntArray  # of each row
    decisions: BoolArray | None  # rows x items; a feedback method decides nothing by itself
    failed: tuple[str, ...] = ()


def out_of_fold(
    candidate: Candidate,
    items: Items,
    target: BoolArray,
    folds: Folds,
    *,
    left_out: BoolArray | None = None,
    seed: int = 0,
    chosen: Sequence[int] | None = None,
) -> OutOfFold:
    """All of the training part is the candidate's examples; what is `left_out` (folds x items) is not learnt either.

    Of all folds, or of those `chosen`.
    """
    if not target.size == len(folds) == len(items):
        raise SettingError(f"{len(items)} items, but a target of {target.size} and folds of {len(folds)}")
    numbers = np.arange(folds.count) if chosen is None else np.array(chosen, dtype=np.int64)
    if isinstance(candidate, Classifier):
        learnt = ~folds.tested if left_out is None else ~(folds.tested | left_out)
        results = [candidate.learn(items, target, rows, seed) for rows in learnt[numbers]]
        decisions = np.stack([each[1] for each in results])
        if all(each[0] is not None for each in results):
            values = np.stack([each[0] for each in results if each[0] is not None])
            return OutOfFold(values, numbers, decisions)
        row = np.repeat(np.arange(numbers.size), ORDERS)
        noise = np.random.default_rng(seed).random((row.size, len(items)))
        return OutOfFold(decisions[row] + 0.5 * noise, numbers[row], decisions[row])
    scored = candidate.scores(items, folds.training(target, left_out).take(numbers))
    failed = tuple(reason for reason in scored.failed if reason)
    return OutOfFold(scored.values, numbers, None, failed)
