"""The baseline of a topic: the best that was learnt from its features, out of fold, and its curves on test items.

Approach I: the candidates are settings of one feedback method; II: all methods compared; III: classifiers (Huiskes &
Lew 2008, section 5). They differ in the candidates alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray
from rankscope.errors import InputError, SettingError
from rankscope.feedback.examples.digests import features_digest, target_digest
from rankscope.feedback.examples.folds import USUAL, Folds, checked_target, most_folds, stratified_folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.normalization.classifiers import CLASSIFIERS, Classifier
from rankscope.feedback.normalization.feasibility import PERMUTATIONS, REFITTED, Feasibility, feasibility, permuted_ap
from rankscope.feedback.normalization.losses import Loss
from rankscope.feedback.normalization.out_of_fold import Candidate
from rankscope.feedback.normalization.refitting import refitted_ap
from rankscope.feedback.normalization.trials import BaselineTrial, Form, Tried, try_candidate
from rankscope.option_types import rule_of
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.validation import COUNT, FLAG, SEED, Optional, check

Approach = Literal["I", "II", "III"]
SLACK = 1e-9
RULES = {"form": rule_of(Form), "permutations": Optional(COUNT), "refit": FLAG, "seed": SEED}


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
    folds: Folds | int = USUAL,
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
    form, permutations, refit, seed = check(locals(), **RULES).values()
    if not candidates or len({str(each) for each in candidates}) < len(candidates):
        raise SettingError("a baseline needs at least one candidate, and each only once")
    relevant, cost = checked_target(target), Loss() if loss is None else loss
    contest = _Contest(items=items, relevant=relevant, candidates=candidates, loss=cost, form=form, seed=seed)
    outcome = contest.outcome(folds, permutations, refit) if most_folds(relevant) > 1 else _without_folds(relevant)
    return Baseline(
        topic=topic,
        approach=approach_of(candidates),
        winner=outcome.winner,
        trials=outcome.trials,
        form=form,
        loss=cost,
        ranks=outcome.ranks,
        folds=outcome.folds,
        relevant=int(relevant.sum()),
        items=relevant.size,
        feasibility=outcome.feasibility,
        features=features_digest(items),
        target=target_digest(relevant),
        seed=seed,
    )


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What a baseline has of its candidates."""

    winner: str
    trials: tuple[BaselineTrial, ...]
    ranks: RelevantRanks
    folds: Folds | None
    feasibility: Feasibility


def _without_folds(relevant: BoolArray) -> _Outcome:
    """Of a topic with too few items for two folds: nobody wins."""
    return _Outcome(
        winner="",
        trials=(),
        ranks=RelevantRanks.from_ranks([], queries=()),
        folds=None,
        feasibility=Feasibility.without_folds(int(relevant.sum()), relevant.size),
    )


@dataclass(frozen=True, eq=False)
class _Contest:
    """Candidates that learn one topic, and by which loss they are compared."""

    items: Items
    relevant: BoolArray
    candidates: Sequence[Candidate]
    loss: Loss
    form: Form
    seed: int

    def outcome(self, folds: Folds | int, permutations: int | None, refit: bool) -> _Outcome:
        """Everybody's trial on the same folds, and whether the winner learnt anything."""
        parts = folds if isinstance(folds, Folds) else stratified_folds(self.relevant, folds, seed=self.seed)
        results = [self._trial(each, parts) for each in self.candidates]
        best = _winner(results, self.form)
        times = permutations if permutations is not None else REFITTED if refit else PERMUTATIONS
        worked = [place for place, each in enumerate(results) if not each.trial.failed]
        if refit:
            learners = [self.candidates[place] for place in worked]
            null = refitted_ap(learners, self.items, self.relevant, parts, times, self.seed)
            observed = best.trial.average_precision
        else:
            null = permuted_ap([results[place].forward for place in worked], self.relevant, parts, times, self.seed)
            observed = best.forward.average_precision(self.relevant, parts)
        random_loss = self.loss.random(float(self.relevant.mean()))
        return _Outcome(
            winner=best.trial.candidate,
            trials=tuple(each.trial for each in results),
            ranks=best.ranks,
            folds=parts,
            feasibility=feasibility(
                best.ranks, best.trial.test, random_loss, observed, null, refitted=refit, seed=self.seed
            ),
        )

    def _trial(self, candidate: Candidate, folds: Folds) -> Tried:
        return try_candidate(candidate, self.items, self.relevant, folds, self.loss, self.form, self.seed)


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
