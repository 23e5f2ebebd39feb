"""Questions about what a method learns from examples: how efficient, how soon, how consistent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.calling import public
from rankscope.errors import SettingError
from rankscope.facade.asked_problem import AskedProblem, Progress, Texts
from rankscope.facade.problems import LabelledProblem

if TYPE_CHECKING:
    from rankscope.feedback.normalization.approaches import BaselineRules
    from rankscope.feedback.normalization.stored_baselines import BaselineStore
    from rankscope.reports.texts.answers import Answer

Approach = Literal["I", "II", "III"]
Form = Literal["test", "whole", "decisions", "tuned"]


@public
def efficiency(
    features: Any,
    *,
    methods: Texts | None = None,
    approach: Approach = "III",
    loss: str = "zero-one",
    form: Form = "test",
    folds: int = 5,
    examples: int = 8,
    repeats: int = 3,
    baselines: str | Path | None = None,
    save_baselines: str | Path | None = None,
    user_score: str | Path | None = None,
    draws: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """How much of what can be learnt from the features has each method learnt from a few examples?

    The baseline of a topic is the best of several candidates that are told all labels but those they are tested on.
    Baselines that an earlier study saved are used again or replaced by better ones, and its results re-calibrated. With
    the score of a user (rankscope users score) methods learn from examples with that user's errors too, and how little
    is known of his error rates is in the interval.
    """
    from rankscope.feedback.normalization.generalisation import generalise
    from rankscope.feedback.normalization.stored_baselines import save_baselines as save
    from rankscope.feedback.users.user_score import read_rates
    from rankscope.reports.texts.feedback_answers import efficiency_tables, efficiency_warnings

    rules = _rules(approach, loss, form, folds, seed)
    errors = None if user_score is None else read_rates(user_score)
    asked = AskedProblem.of(features, methods, problem)
    done = generalise(
        asked.items,
        asked.topics,
        asked.methods,
        rules,
        examples=examples,
        repeats=repeats,
        earlier=_earlier(baselines),
        errors=errors,
        draws=draws,
        progress=progress,
    )
    if save_baselines is not None:
        save(done.store.baselines, save_baselines, done.store.results)
    return asked.answer(
        "efficiency",
        f"seed {seed}",
        tables=tuple(efficiency_tables(done)),
        result=done,
        warnings=tuple(efficiency_warnings(done)),
    )


@public
def convergence(
    features: Any,
    *,
    methods: Texts | None = None,
    approach: Approach = "III",
    loss: str = "zero-one",
    form: Form = "test",
    folds: int = 5,
    sizes: Sequence[int] = (1, 2, 4, 8, 16),
    repeats: int = 10,
    baselines: str | Path | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """How does efficiency grow with the number of examples, and where does it end?

    Sets of so many positives and as many negatives, each holding the smaller one; in the end the whole training part.
    """
    from rankscope.feedback.normalization.generalisation import converge
    from rankscope.reports.texts.feedback_answers import convergence_table

    rules = _rules(approach, loss, form, folds, seed)
    asked = AskedProblem.of(features, methods, problem)
    done = converge(
        asked.items,
        asked.topics,
        asked.methods,
        rules,
        sizes=sizes,
        repeats=repeats,
        earlier=_earlier(baselines),
        progress=progress,
    )
    infeasible = dict.fromkeys(each.topic for each in done if not each.full.feasible)
    return asked.answer(
        "convergence",
        f"approach {approach}, seed {seed}",
        tables=(convergence_table(done), convergence_table(done, corrected=True)),
        result=done,
        warnings=_left_out(infeasible),
    )


@public
def examples(
    features: Any,
    *,
    methods: Texts | None = None,
    sizes: Sequence[int] = (1, 2, 4, 8, 16),
    negatives: int | None = None,
    repeats: int = 10,
    common: bool = False,
    measure: str = "AP",
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """How good is one ranking made from an example set, without rounds and without a user who chooses?

    Sets of so many positives and as many negatives. Examples are taken out of the list that is scored, and on demand
    the largest set at every size, so that all sizes are scored on the same items.
    """
    from rankscope.feedback.normalization.growth import growth
    from rankscope.measures.notation import parse_measure
    from rankscope.reports.texts.feedback_answers import growth_table

    how = parse_measure(measure)
    asked = AskedProblem.of(features, methods, problem)
    topics = dict(zip(asked.topics.labels, asked.topics.targets, strict=True))
    pairs = [size if negatives is None else (size, negatives) for size in sizes]
    done = growth(asked.items, topics, asked.methods, pairs, repeats=repeats, common=common, seed=seed)
    return asked.answer(
        "examples",
        f"seed {seed}",
        tables=(growth_table(done, how, len(topics)),),
        result=done,
    )


@public
def consistency(
    features: Any,
    *,
    methods: Texts | None = None,
    elementary: bool = False,
    gains: Sequence[float] = (0.25, 1.0, 4.0, 16.0),
    examples: int = 10,
    repeats: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """With the answer among the features, does a method find it?

    The indicator of the target is one more feature; or the labels that a topic is composed of are, one feature each,
    where topics are expressions such as 'flower and red and not sky'.
    """
    from rankscope.feedback.normalization.consistency import consistency as tested
    from rankscope.feedback.normalization.example_sets import ExampleSets, topic_seed
    from rankscope.reports.texts.feedback_answers import consistency_table

    asked = AskedProblem.of(features, methods, problem)
    done = []
    for row, label in enumerate(asked.topics.labels):
        target = asked.topics.targets[row]
        size = min(examples, int(target.sum()) - 1, int((~target).sum()) - 1)
        sets = ExampleSets.drawn(target, repeats, (size, size), seed=topic_seed(label, seed))
        told = asked.given.elementary(asked.topics.names[row]) if elementary else None
        some = sets.of_size(size, size)
        done += tested(asked.methods, asked.items, target, some, properties=told, gains=(None, *gains), topic=label)
        if progress is not None:
            progress((row + 1) / len(asked.topics))
    words = "The labels that a topic is composed of" if elementary else "The indicator of the target"
    return asked.answer(
        "consistency",
        f"seed {seed}",
        tables=(consistency_table(done, words),),
        result=tuple(done),
    )


def _rules(approach: Approach, loss: str, form: Form, folds: int, seed: int) -> BaselineRules:
    from rankscope.feedback.normalization.approaches import BaselineRules
    from rankscope.feedback.normalization.baselines import Approach as Approaches
    from rankscope.feedback.normalization.loss_kinds import LOSSES
    from rankscope.feedback.normalization.trials import Form as Forms
    from rankscope.option_types import rule_of
    from rankscope.validation import WholeNumber, check

    check(locals(), approach=rule_of(Approaches), form=rule_of(Forms), folds=WholeNumber(least=2))
    if form == "decisions" and approach != "III":
        raise SettingError("only classifiers decide by themselves: form decisions needs approach III")
    return BaselineRules(approach=approach, loss=LOSSES.parse(loss), form=form, folds=folds, seed=seed)


def _earlier(path: str | Path | None) -> BaselineStore | None:
    from rankscope.feedback.normalization.stored_baselines import load_store

    return None if path is None else load_store(path)


def _left_out(topics: Any) -> tuple[str, ...]:
    names = ", ".join(topics)
    return (f"cannot be learnt from these features, and not in the means: {names}",) if names else ()
