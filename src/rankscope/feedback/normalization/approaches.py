"""Who may set the baseline of a topic: settings of one method (I), all methods compared (II), classifiers (III).

Methods that differ in their settings alone are candidates of one method. A baseline that was stored is used again where
it was made from the same candidates; otherwise the new candidates are tried on its folds, and the one with the least
loss of old and new sets the baseline: it can only become better (Huiskes & Lew 2008, section 5.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rankscope.arrays import BoolArray
from rankscope.errors import InputError, SettingError
from rankscope.feedback.examples.folds import USUAL
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization.baselines import SLACK, Approach, Baseline, baseline
from rankscope.feedback.normalization.classifiers import CLASSIFIERS
from rankscope.feedback.normalization.loss_kinds import LossKind, ZeroOne
from rankscope.feedback.normalization.losses import Loss
from rankscope.feedback.normalization.out_of_fold import Candidate
from rankscope.feedback.normalization.trials import BaselineTrial, Form

COMMON = ""  # the family whose baseline serves all methods


@dataclass(frozen=True)
class BaselineRules:
    """How baselines are made: by which approach, which loss chooses among candidates, and in how many folds."""

    approach: Approach = "III"
    loss: LossKind = field(default_factory=ZeroOne)
    form: Form = "test"
    folds: int = USUAL
    seed: int = 0

    def candidates(self, methods: Sequence[Method]) -> dict[str, Sequence[Candidate]]:
        """The candidates of each family: one family a method in approach I, else one for all.

        >>> from rankscope.feedback.methods import METHODS
        >>> some = [METHODS.parse(text) for text in ("svm(C=1)", "rocchio", "svm(C=3)")]
        >>> {name: [*map(str, own)] for name, own in BaselineRules("I").candidates(some).items()}
        {'svm': ['svm(C=1)', 'svm(C=3)'], 'rocchio': ['rocchio']}
        """
        if self.approach == "III":
            return {COMMON: CLASSIFIERS}
        if self.approach == "II":
            if len({type(each) for each in methods}) < 2:
                raise SettingError("approach II takes the best of several methods: give at least two")
            return {COMMON: list(methods)}
        families: dict[str, list[Candidate]] = {}
        for each in methods:
            families.setdefault(each.name, []).append(each)
        return dict(families)

    def family_of(self, method: str) -> str:
        """The family whose baseline a method is divided by.

        >>> BaselineRules("I").family_of("svm(C=1), 8 + 8"), BaselineRules("III").family_of("svm(C=1)")
        ('svm', '')
        """
        return _name_alone(method) if self.approach == "I" else COMMON


Stored = Mapping[tuple[str, str], Baseline]  # by topic and family


def stored_under(baselines: Iterable[Baseline]) -> dict[tuple[str, str], Baseline]:
    """Baselines by topic and family."""
    return {(each.topic, family_of(each)): each for each in baselines}


def family_of(one: Baseline) -> str:
    """The family a baseline serves: the method whose settings were its candidates, or all."""
    return _name_alone(one.winner) if one.approach == "I" else COMMON


def _name_alone(method: str) -> str:
    """The name without settings and size of example sets."""
    return re.split("[(,]", method, maxsplit=1)[0]


def baselines_of(
    items: Items,
    target: BoolArray,
    topic: str,
    methods: Sequence[Method],
    rules: BaselineRules,
    earlier: Stored | None = None,
) -> dict[str, Baseline]:
    """The baseline of each family for one topic; stored ones are checked, used again, or improved."""
    loss = rules.loss.at(float(target.mean()))
    return {
        family: _baseline(items, target, topic, candidates, rules, loss, (earlier or {}).get((topic, family)))
        for family, candidates in rules.candidates(methods).items()
    }


def _baseline(
    items: Items,
    target: BoolArray,
    topic: str,
    candidates: Sequence[Candidate],
    rules: BaselineRules,
    loss: Loss,
    stored: Baseline | None,
) -> Baseline:
    if stored is None:
        return baseline(
            items,
            target,
            candidates,
            topic=topic,
            folds=rules.folds,
            loss=loss,
            form=rules.form,
            seed=rules.seed,
        )
    _check_stored(stored, items, target, loss, rules)
    known = {each.candidate for each in stored.trials}
    unknown = [each for each in candidates if str(each) not in known]
    if not unknown or stored.folds is None:
        return stored
    again = baseline(
        items,
        target,
        unknown,
        topic=topic,
        folds=stored.folds,
        loss=loss,
        form=rules.form,
        seed=rules.seed,
    )
    return better_of(stored, again)


def better_of(stored: Baseline, again: Baseline) -> Baseline:
    """The one that lost less, with the trials of both; the stored one where they lost alike.

    Each was tested against its own candidates, so that the p of the better one counts twice.
    """
    old, new = _loss_of(stored), _loss_of(again)
    best = again if np.isnan(old) or new < old - SLACK else stored
    trials = (*stored.trials, *again.trials)
    return replace(best, trials=trials, approach=stored.approach, feasibility=best.feasibility.among(2))


def _loss_of(one: Baseline) -> float:
    return float(getattr(_trial_of(one), one.form))


def _trial_of(one: Baseline) -> BaselineTrial:
    return next(each for each in one.trials if each.candidate == one.winner)


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
