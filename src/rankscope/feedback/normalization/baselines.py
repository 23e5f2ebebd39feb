"""The baseline of a topic: the best that was learnt from its features, out of fold, and its curves on test items.

Who may set it: settings of one method (approach I), all methods compared (II), classifiers (III). They differ in the
candidates alone. Methods that differ in their settings alone are candidates of one method. A baseline that was stored
is used again where it was made from the same candidates; otherwise the new candidates are tried on its folds, and the
one with the least loss of old and new sets the baseline: it can only become better (Huiskes & Lew 2008, section 5).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.errors import InputError, SettingError
from rankscope.core.validation import COUNT, FLAG, SEED, Optional, check, rule_of
from rankscope.feedback.examples.examples import DEFAULT_FOLDS, Folds, checked_target, most_folds, stratified_folds
from rankscope.feedback.examples.items import Items, features_digest, target_digest
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization.feasibility import PERMUTATIONS, REFITTED, Feasibility, feasibility, permuted_ap
from rankscope.feedback.normalization.losses import (
    CLASSIFIERS,
    BaselineTrial,
    Candidate,
    Classifier,
    Form,
    Loss,
    LossKind,
    Tried,
    ZeroOne,
    out_of_fold,
    try_candidate,
)
from rankscope.measures import AP
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.score_tables import ranks_from_scores

Approach = Literal["I", "II", "III"]
SLACK = 1e-9
OPTION_RULES = {"form": rule_of(Form), "permutations": Optional(COUNT), "refit": FLAG, "seed": SEED}


@dataclass(frozen=True, eq=False)
class Baseline:
    """The winner among the candidates, what all of them lost, and the winner's rankings of test items, one per fold.

    Every curve is made from `ranks`, which hold no item the winner learnt from. A topic without folds has no winner.
    """

    topic: str
    approach: Approach
    winner: str
    trials: tuple[BaselineTrial, ...]
    form: Form
    loss: Loss
    ranks: RelevantRanks
    folds: Folds | None
    relevant: int
    items: int
    feasibility: Feasibility
    features: str  # digest
    target: str  # digest
    seed: int = 0

    @property
    def generality(self) -> float:
        """The relevant share of the items."""
        return self.relevant / self.items

    @property
    def references(self) -> dict[str, float]:
        """What deciding without knowledge loses."""
        return {"all negative": self.loss.all_negative(self.generality), "random": self.loss.random(self.generality)}

    def check(self, items: Items, target: ArrayLike) -> None:
        """Raise an `InputError` unless it was made from these features and for these relevant items."""
        own, problems = features_digest(items), []
        if own != self.features:
            problems.append(f"it was made from other features (digest {self.features[:12]}, these {own[:12]})")
        if target_digest(checked_target(target)) != self.target:
            problems.append("it was made for other relevant items")
        if problems:
            advice = "Use the features, scaling and topics it was made with, or make it anew."
            raise InputError.of(f"baseline of topic '{self.topic}'", problems, advice)

    def rows(self) -> list[dict[str, object]]:
        """One row per candidate, then the references."""
        tried_rows: list[dict[str, object]] = [
            {
                "candidate": each.candidate,
                "test": each.test,
                "whole": each.whole,
                "decisions": each.decisions,
                "tuned": each.tuned,
                "AP": each.average_precision,
                "chosen": each.candidate == self.winner,
                "failed": each.failed,
            }
            for each in self.trials
        ]
        return tried_rows + [{"candidate": name, "test": value} for name, value in self.references.items()]


def baseline(
    items: Items,
    target: ArrayLike,
    candidates: Sequence[Candidate] = CLASSIFIERS,
    *,
    topic: str = "topic",
    folds: Folds | int = DEFAULT_FOLDS,
    loss: Loss | None = None,
    form: Form = "test",
    permutations: int | None = None,
    refit: bool = False,
    seed: int = 0,
) -> Baseline:
    """The baseline of one topic: least mean loss over folds wins, then the higher AP, then the one listed first.

    `form` says by which loss (see `BaselineTrial`); all are reported. With zero-one loss and few relevant items calling
    nothing relevant beats every classifier of precision below a half: that is why `test` is the default for classifiers
    too. `refit` lets all candidates learn from permuted labels (999 times) for the test of feasibility.
    """
    form, permutations, refit, seed = check(locals(), **OPTION_RULES).values()
    if not candidates or len({str(each) for each in candidates}) < len(candidates):
        raise SettingError("a baseline needs at least one candidate, and each only once")
    relevant, cost = checked_target(target), Loss() if loss is None else loss
    known: dict[str, Any] = {
        "topic": topic,
        "approach": approach_of(candidates),
        "form": form,
        "loss": cost,
        "relevant": int(relevant.sum()),
        "items": relevant.size,
        "features": features_digest(items),
        "target": target_digest(relevant),
        "seed": seed,
    }
    if most_folds(relevant) < 2:  # nobody wins
        return Baseline(
            winner="",
            trials=(),
            ranks=RelevantRanks.from_ranks([], queries=()),
            folds=None,
            feasibility=Feasibility.without_folds(int(relevant.sum()), relevant.size),
            **known,
        )
    parts = folds if isinstance(folds, Folds) else stratified_folds(relevant, folds, seed=seed)
    results = [try_candidate(each, items, relevant, parts, cost, form, seed) for each in candidates]
    best = _winner(results, form)
    worked = [place for place, each in enumerate(results) if not each.trial.failed]
    if refit:
        learners = [candidates[place] for place in worked]
        null = refitted_ap(learners, items, relevant, parts, permutations or REFITTED, seed)
        observed = best.trial.average_precision
    else:
        forward = [results[place].forward for place in worked]
        null = permuted_ap(forward, relevant, parts, permutations or PERMUTATIONS, seed)
        observed = best.forward.average_precision(relevant, parts)
    random_loss = cost.random(float(relevant.mean()))
    return Baseline(
        winner=best.trial.candidate,
        trials=tuple(each.trial for each in results),
        ranks=best.ranks,
        folds=parts,
        feasibility=feasibility(best.ranks, best.trial.test, random_loss, observed, null, refitted=refit, seed=seed),
        **known,
    )


class BaselineOptions(TypedDict, total=False):
    """What `baseline` may be told next to the candidates."""

    folds: Folds | int
    loss: Loss | None
    form: Form
    permutations: int | None
    refit: bool
    seed: int


def baselines(
    items: Items,
    topics: Mapping[str, ArrayLike],
    candidates: Sequence[Candidate] = CLASSIFIERS,
    **choices: Unpack[BaselineOptions],
) -> dict[str, Baseline]:
    """The baseline of every topic, infeasible ones included; choices as in `baseline`."""
    return {name: baseline(items, target, candidates, topic=name, **choices) for name, target in topics.items()}


def approach_of(candidates: Sequence[Candidate]) -> Approach:
    """I for one method and its settings, II for several methods, III where a classifier takes part."""
    if any(isinstance(each, Classifier) for each in candidates):
        return "III"
    return "I" if len({type(each) for each in candidates}) == 1 else "II"


def _winner(trials: Sequence[Tried], form: Form) -> Tried:
    """Candidates that failed, or have no loss of this form, cannot win."""
    losses = np.array([getattr(each.trial, form) for each in trials])
    if np.isnan(losses).all():
        told = [f"{each.trial.candidate}: {each.trial.failed or f'has no {form} loss'}" for each in trials]
        raise InputError.of("baseline", told, "Take other candidates, or other folds.")
    precision = np.array([each.trial.average_precision for each in trials])
    least: BoolArray = losses <= np.nanmin(losses) + SLACK
    highest: BoolArray = least & (precision >= precision[least].max() - SLACK)
    return trials[int(np.flatnonzero(highest)[0])]


COMMON_FAMILY = ""  # the family whose baseline serves all methods


@dataclass(frozen=True)
class BaselineRules:
    """How baselines are made: by which approach, which loss chooses among candidates, and in how many folds."""

    approach: Approach = "III"
    loss: LossKind = field(default_factory=ZeroOne)
    form: Form = "test"
    folds: int = DEFAULT_FOLDS
    seed: int = 0

    def candidates(self, methods: Sequence[Method]) -> dict[str, Sequence[Candidate]]:
        """The candidates of each family: one family a method in approach I, else one for all.

        >>> from rankscope.feedback.methods import METHODS
        >>> some = [METHODS.parse(text) for text in ("svm(C=1)", "rocchio", "svm(C=3)")]
        >>> {name: [*map(str, own)] for name, own in BaselineRules("I").candidates(some).items()}
        {'svm': ['svm(C=1)', 'svm(C=3)'], 'rocchio': ['rocchio']}
        """
        if self.approach == "III":
            return {COMMON_FAMILY: CLASSIFIERS}
        if self.approach == "II":
            if len({type(each) for each in methods}) < 2:
                raise SettingError("approach II takes the best of several methods: give at least two")
            return {COMMON_FAMILY: list(methods)}
        families: dict[str, list[Candidate]] = {}
        for each in methods:
            families.setdefault(each.name, []).append(each)
        return dict(families)

    def family_of(self, method: str) -> str:
        """The family whose baseline a method is divided by.

        >>> BaselineRules("I").family_of("svm(C=1), 8 + 8"), BaselineRules("III").family_of("svm(C=1)")
        ('svm', '')
        """
        return _name_alone(method) if self.approach == "I" else COMMON_FAMILY


StoredBaselines = Mapping[tuple[str, str], Baseline]  # by topic and family


def stored_under(baselines: Iterable[Baseline]) -> dict[tuple[str, str], Baseline]:
    """Baselines by topic and family."""
    return {(each.topic, family_of(each)): each for each in baselines}


def family_of(one: Baseline) -> str:
    """The family a baseline serves: the method whose settings were its candidates, or all."""
    return _name_alone(one.winner) if one.approach == "I" else COMMON_FAMILY


def _name_alone(method: str) -> str:
    """The name without settings and size of example sets."""
    return re.split("[(,]", method, maxsplit=1)[0]


def baselines_of(
    items: Items,
    target: BoolArray,
    topic: str,
    methods: Sequence[Method],
    rules: BaselineRules,
    earlier: StoredBaselines | None = None,
) -> dict[str, Baseline]:
    """The baseline of each family for one topic; stored ones are checked, used again, or improved."""
    loss = rules.loss.at(float(target.mean()))

    def made(candidates: Sequence[Candidate], folds: Folds | int) -> Baseline:
        choices: BaselineOptions = {"folds": folds, "loss": loss, "form": rules.form, "seed": rules.seed}
        return baseline(items, target, candidates, topic=topic, **choices)

    found = {}
    for family, candidates in rules.candidates(methods).items():
        stored = (earlier or {}).get((topic, family))
        if stored is None:
            found[family] = made(candidates, rules.folds)
            continue
        _check_stored(stored, items, target, loss, rules)
        known = {each.candidate for each in stored.trials}
        unknown = [each for each in candidates if str(each) not in known]
        found[family] = stored
        if unknown and stored.folds is not None:
            found[family] = better_of(stored, made(unknown, stored.folds))
    return found


def better_of(stored: Baseline, again: Baseline) -> Baseline:
    """The one that lost less, with the trials of both; the stored one where they lost alike.

    Each was tested against its own candidates, so that the p of the better one counts twice.
    """
    old, new = _loss_of(stored), _loss_of(again)
    best = again if np.isnan(old) or new < old - SLACK else stored
    trials = (*stored.trials, *again.trials)
    return replace(best, trials=trials, approach=stored.approach, feasibility=best.feasibility.among(2))


def _loss_of(one: Baseline) -> float:
    trial = next(each for each in one.trials if each.candidate == one.winner)
    return float(getattr(trial, one.form))


def _check_stored(stored: Baseline, items: Items, target: BoolArray, loss: Loss, rules: BaselineRules) -> None:
    """Raise where a stored baseline is not for these items, or was chosen by another loss."""
    stored.check(items, target)
    problems = []
    if stored.approach != rules.approach:
        problems.append(f"it was made by approach {stored.approach}, and approach {rules.approach} is asked for")
    if stored.loss != loss or stored.form != rules.form:
        problems.append(
            f"it was chosen by {stored.loss} loss, form {stored.form}; asked for are {loss} and {rules.form}"
        )
    if problems:
        raise InputError.of(
            f"baseline of topic '{stored.topic}'", problems, "Ask for what it was made with, or make it anew."
        )


# The permutation test with learning anew: labels are permuted before the candidate learns, not only before scoring.


def refitted_ap(
    candidates: Sequence[Candidate], items: Items, target: BoolArray, folds: Folds, permutations: int, seed: int = 0
) -> FloatArray:
    """The best mean AP over folds of candidates that all learnt permuted labels, for each permutation: slow, and exact.

    Labels are permuted within folds, so that each fold keeps its number of relevant items.
    """
    chance = np.random.default_rng(seed)
    labels = (permute_labels(target, folds, chance) for _ in range(permutations))
    return np.array([max(_mean_ap(each, items, permuted, folds, seed) for each in candidates) for permuted in labels])


def permute_labels(target: BoolArray, folds: Folds, chance: np.random.Generator) -> BoolArray:
    """The labels of each fold in random order.

    >>> folds = Folds.of([0, 0, 0, 1, 1])
    >>> folds.sizes(permute_labels(np.array([True, True, False, False, True]), folds, np.random.default_rng(0)))
    array([2, 1])
    """
    by_fold = np.argsort(folds.fold, kind="stable")
    shuffled = np.lexsort((chance.random(target.size), folds.fold))
    result = np.empty_like(target)
    result[by_fold] = target[shuffled]
    return result


def _mean_ap(candidate: Candidate, items: Items, target: BoolArray, folds: Folds, seed: int) -> float:
    fold = out_of_fold(candidate, items, target, folds, seed=seed)
    if fold.failed:
        raise InputError.of(f"{candidate} on permuted labels", fold.failed, "Use the test without refitting.")
    return float(AP().of(ranks_from_scores(fold.values, target, folds.tested[fold.fold])).mean())
