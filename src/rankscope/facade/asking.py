"""Questions about feedback methods that need no whole study: how efficient, how soon, how steady, how adaptive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.errors import SettingError
from rankscope.facade.problems import LabelledProblem, Problem, methods_of, problem_of, start_of

if TYPE_CHECKING:
    from rankscope.feedback.methods.method import Method
    from rankscope.feedback.normalization.approaches import BaselineRules
    from rankscope.feedback.normalization.stored_baselines import BaselineStore
    from rankscope.feedback.study.setting import Experiment
    from rankscope.measures.measure import Measure
    from rankscope.reports.texts.answers import Answer

Progress = Callable[[float], None]
Texts = str | Sequence[str]
Approach = Literal["I", "II", "III"]
Form = Literal["test", "whole", "decisions", "tuned"]


def ask_feedback(question: str, features: Any, **options: Any) -> Answer:
    """The answer to one question about feedback methods, by its name; options as `rankscope feedback` has them.

    Questions: efficiency, convergence, examples, consistency, resilience, stability, adaptation, scalability.
    `features` and topics as for `simulate_feedback`. The answer has `tables`, `text()`, `json()` and the `result`.
    """
    from rankscope.catalogue import Catalogue

    found: Callable[..., Answer] = Catalogue[Any]("question", QUESTIONS).find(question)
    return found(features, **options)


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
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """How much of what can be learnt from the features has each method learnt from a few examples?

    The baseline of a topic is the best of several candidates that are told all labels but those they are tested on.
    Baselines that an earlier study saved are used again or replaced by better ones, and its results re-calibrated.
    """
    from rankscope.feedback.normalization.generalisation import generalise
    from rankscope.feedback.normalization.stored_baselines import save_baselines as save
    from rankscope.reports.texts.answers import Answer, sizes_of
    from rankscope.reports.texts.feedback_answers import efficiency_tables, efficiency_warnings

    rules = _rules(approach, loss, form, folds, seed)
    given, chosen = _problem(features, methods, problem)
    done = generalise(
        given.items,
        given.topics,
        chosen,
        rules,
        examples=examples,
        repeats=repeats,
        earlier=_earlier(baselines),
        progress=progress,
    )
    if save_baselines is not None:
        save(done.store.baselines, save_baselines, done.store.results)
    return Answer(
        question="efficiency",
        facts=sizes_of(len(given.items), given.topics.labels, done.methods, f"seed {seed}"),
        tables=tuple(efficiency_tables(done)),
        result=done,
        warnings=tuple(efficiency_warnings(done)),
    )


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
    from rankscope.reports.texts.answers import Answer, sizes_of
    from rankscope.reports.texts.feedback_answers import convergence_table

    rules = _rules(approach, loss, form, folds, seed)
    given, chosen = _problem(features, methods, problem)
    done = converge(
        given.items,
        given.topics,
        chosen,
        rules,
        sizes=sizes,
        repeats=repeats,
        earlier=_earlier(baselines),
        progress=progress,
    )
    infeasible = dict.fromkeys(each.topic for each in done if not each.full.feasible)
    return Answer(
        question="convergence",
        facts=sizes_of(len(given.items), given.topics.labels, [*map(str, chosen)], f"approach {approach}, seed {seed}"),
        tables=(convergence_table(done), convergence_table(done, corrected=True)),
        result=done,
        warnings=_left_out(infeasible),
    )


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
    from rankscope.reports.texts.answers import Answer, sizes_of
    from rankscope.reports.texts.feedback_answers import growth_table

    how = _measure(measure)
    given, chosen = _problem(features, methods, problem)
    topics = dict(zip(given.topics.labels, given.topics.targets, strict=True))
    pairs = [size if negatives is None else (size, negatives) for size in sizes]
    done = growth(given.items, topics, chosen, pairs, repeats=repeats, common=common, seed=seed)
    return Answer(
        question="examples",
        facts=sizes_of(len(given.items), given.topics.labels, [*map(str, chosen)], f"seed {seed}"),
        tables=(growth_table(done, how, len(topics)),),
        result=done,
    )


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
    from rankscope.reports.texts.answers import Answer, sizes_of
    from rankscope.reports.texts.feedback_answers import consistency_table

    given, chosen = _problem(features, methods, problem)
    done = []
    for row, label in enumerate(given.topics.labels):
        target = given.topics.targets[row]
        size = min(examples, int(target.sum()) - 1, int((~target).sum()) - 1)
        sets = ExampleSets.drawn(target, repeats, (size, size), seed=topic_seed(label, seed))
        told = given.elementary(given.topics.names[row]) if elementary else None
        some = sets.of_size(size, size)
        done += tested(chosen, given.items, target, some, properties=told, gains=(None, *gains), topic=label)
        if progress is not None:
            progress((row + 1) / len(given.topics))
    words = "The labels that a topic is composed of" if elementary else "The indicator of the target"
    return Answer(
        question="consistency",
        facts=sizes_of(len(given.items), given.topics.labels, [*map(str, chosen)], f"seed {seed}"),
        tables=(consistency_table(done, words),),
        result=tuple(done),
    )


def resilience(
    features: Any,
    *,
    methods: Texts | None = None,
    errors: Sequence[float] = (0.05, 0.1, 0.2),
    start: Any = None,
    starts: int = 10,
    rounds: int = 5,
    scope: int = 20,
    measure: str = "AP",
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """What is left of each method when users err, as a share of what it has without errors?"""
    from rankscope.feedback.study.protocol import Protocol
    from rankscope.feedback.study.resilience import resilience as lasting
    from rankscope.reports.texts.answers import Answer, AnswerTable, sizes_of

    how = _measure(measure)
    given, chosen = _problem(features, methods, problem)
    if not errors or min(errors) < 0 or max(errors) > 1:
        raise SettingError(f"errors are shares from 0 to 1, got {', '.join(map(str, errors)) or 'none'}")
    done = lasting(
        chosen,
        given.items,
        given.topics,
        rates=errors,
        start=start_of(start, given),
        protocol=Protocol(rounds=rounds, scope=scope),
        starts=starts,
        measure=how,
        seed=seed,
    )
    note = f"{how} of the frozen list in round {rounds}; under each rate of errors the share of it that is left."
    return Answer(
        question="resilience",
        facts=sizes_of(len(given.items), given.topics.labels, [*map(str, chosen)], _sessions(starts, rounds, seed)),
        tables=(AnswerTable("When users err", [each.row() for each in done], note),),
        result=tuple(done),
    )


def stability(
    features: Any,
    *,
    methods: Texts | None = None,
    start: Any = None,
    user: str = "consistent",
    starts: int = 20,
    rounds: int = 5,
    scope: int = 20,
    measure: str = "AP",
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """How much does the result depend on where a user begins?"""
    from rankscope.feedback.study.start_stability import stability_of
    from rankscope.reports.texts.answers import Answer, AnswerTable, sizes_of

    how = _measure(measure)
    given, chosen = _problem(features, methods, problem)
    done = stability_of(
        chosen, _experiment(given, start, user, rounds, scope, seed), starts=starts, measure=how, seed=seed
    )
    note = (
        f"{how} of the frozen list in round {rounds}; sd and 10 % quantile over starts of a topic, mean over topics; "
        "share of start: of the variance, one-way random effects."
    )
    return Answer(
        question="stability",
        facts=sizes_of(len(given.items), given.topics.labels, [*map(str, chosen)], _sessions(starts, rounds, seed)),
        tables=(AnswerTable("Where users begin", [each.row() for each in done], note),),
        result=tuple(done),
        warnings=tuple(f"{each.method}, share of start: {each.steady.note}" for each in done if each.steady.note),
    )


def adaptation(
    features: Any,
    *,
    methods: Texts | None = None,
    start: Any = None,
    user: str = "consistent",
    starts: int = 10,
    rounds: int = 5,
    scope: int = 20,
    measure: str = "AP",
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """Does feedback adapt to the one who gives it? This needs judgements of several assessors, one file each."""
    from rankscope.feedback.study.assessors import adaptation as adapted
    from rankscope.feedback.study.assessors import shared_topics
    from rankscope.reports.texts.answers import Answer, sizes_of
    from rankscope.reports.texts.feedback_answers import adaptation_tables

    how = _measure(measure)
    given, chosen = _problem(features, methods, problem)
    topics = shared_topics(given.topics)
    if not topics:
        raise SettingError(
            "no topic was judged by two assessors: give judgements of the same topics once for each, a file of its own"
        )
    setting = _experiment(given, start, user, rounds, scope, seed)
    done = [
        adapted(method, setting, topic, starts=starts, seed=seed, measure=how) for method in chosen for topic in topics
    ]
    alone = [name for name in dict.fromkeys(given.topics.names) if name not in topics]
    said = (f"judged by one assessor and left out: {', '.join(alone)}",) if alone else ()
    return Answer(
        question="adaptation",
        facts=sizes_of(len(given.items), topics, [*map(str, chosen)], _sessions(starts, rounds, seed)),
        tables=tuple(adaptation_tables(done, str(how))),
        result=tuple(done),
        warnings=said,
    )


def scalability(
    features: Any,
    *,
    methods: Texts | None = None,
    halvings: int = 3,
    examples: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
    **problem: Unpack[LabelledProblem],
) -> Answer:
    """How long does a user wait for a ranking, and how does that grow with the collection?"""
    from rankscope.feedback.study.response import hardware, response_growth
    from rankscope.reports.texts.answers import Answer, AnswerTable, sizes_of
    from rankscope.running.cores import one_core_each

    given, chosen = _problem(features, methods, problem)
    row = int(given.topics.relevant.argmax())
    with one_core_each():
        done = [
            response_growth(
                each, given.items, given.topics.targets[row], halvings=halvings, examples=examples, seed=seed
            )
            for each in chosen
        ]
    note = (
        f"Median wait from {examples} + {examples} examples to a ranking, one session at a time, warm-up not counted; "
        f"slope of log time on log size, 1: in proportion. {hardware()}."
    )
    return Answer(
        question="scalability",
        facts=sizes_of(len(given.items), given.topics.labels[row : row + 1], [*map(str, chosen)], f"seed {seed}"),
        tables=(AnswerTable("Waiting time by size of the collection", [each.row() for each in done], note),),
        result=tuple(done),
    )


QUESTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (efficiency, convergence, examples, consistency, resilience, stability, adaptation, scalability)
}


def _problem(features: Any, methods: Texts | None, choices: LabelledProblem) -> tuple[Problem, list[Method]]:
    """Items, topics and methods; a name that is none is told before a large file is read."""
    if methods is not None:
        methods_of(methods)
    given = problem_of(features, **choices)
    return given, given.methods(methods)


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


def _experiment(given: Problem, start: Any, user: str, rounds: int, scope: int, seed: int) -> Experiment:
    from rankscope.feedback.study.protocol import Protocol
    from rankscope.feedback.study.setting import Experiment
    from rankscope.feedback.users.users import USERS

    protocol = Protocol(rounds=rounds, scope=scope)
    return Experiment.of(given.items, given.topics, USERS.parse(user), start_of(start, given), protocol, seed=seed)


def _earlier(path: str | Path | None) -> BaselineStore | None:
    from rankscope.feedback.normalization.stored_baselines import load_store

    return None if path is None else load_store(path)


def _measure(text: str) -> Measure:
    from rankscope.measures.notation import parse_measure

    return parse_measure(text)


def _sessions(starts: int, rounds: int, seed: int) -> str:
    return f"{starts} starts of each topic, {rounds} rounds, seed {seed}"


def _left_out(topics: Any) -> tuple[str, ...]:
    names = ", ".join(topics)
    return (f"cannot be learnt from these features, and not in the means: {names}",) if names else ()
