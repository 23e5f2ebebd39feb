"""Questions about feedback methods that need no whole study, by their names.

What a method learns from examples: how efficient, how soon, how consistent. Sessions with a user: errors, where they
begin, who gives the marks, how long they wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.commands.feedback import FeedbackProblem, LabelledProblem, methods_of, problem_of, start_of
from rankscope.core.catalogue import Catalogue
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.validation import WholeNumber, check, rule_of
from rankscope.core.wording import how_many

if TYPE_CHECKING:
    from rankscope.feedback.answers import Answer, AnswerTable
    from rankscope.feedback.examples.items import Items
    from rankscope.feedback.methods.method import Method
    from rankscope.feedback.normalization.baselines import BaselineRules
    from rankscope.feedback.normalization.stored_baselines import BaselineStore
    from rankscope.feedback.study.experiment import Experiment
    from rankscope.feedback.users.topics import Topics


Approach = Literal["I", "II", "III"]
DecisionForm = Literal["test", "whole", "decisions", "tuned"]


@strict_keywords
def efficiency(
    features: Any,
    *,
    methods: Texts | None = None,
    approach: Approach = "III",
    loss: str = "zero-one",
    form: DecisionForm = "test",
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
    from rankscope.feedback.answers import efficiency_tables, efficiency_warnings
    from rankscope.feedback.normalization.generalisation import generalise
    from rankscope.feedback.normalization.stored_baselines import save_baselines as save
    from rankscope.feedback.users.user_score import read_rates

    rules = _baseline_rules(approach, loss, form, folds, seed)
    errors = None if user_score is None else read_rates(user_score)
    asked = QuestionProblem.of(features, methods, problem)
    done = generalise(
        asked.items,
        asked.topics,
        asked.methods,
        rules,
        examples=examples,
        repeats=repeats,
        earlier=_earlier_store(baselines),
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


@strict_keywords
def convergence(
    features: Any,
    *,
    methods: Texts | None = None,
    approach: Approach = "III",
    loss: str = "zero-one",
    form: DecisionForm = "test",
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
    from rankscope.feedback.answers import convergence_table
    from rankscope.feedback.normalization.generalisation import converge

    rules = _baseline_rules(approach, loss, form, folds, seed)
    asked = QuestionProblem.of(features, methods, problem)
    done = converge(
        asked.items,
        asked.topics,
        asked.methods,
        rules,
        sizes=sizes,
        repeats=repeats,
        earlier=_earlier_store(baselines),
        progress=progress,
    )
    infeasible = ", ".join(dict.fromkeys(each.topic for each in done if not each.full.feasible))
    told = (f"cannot be learnt from these features, and not in the means: {infeasible}",) if infeasible else ()
    return asked.answer(
        "convergence",
        f"approach {approach}, seed {seed}",
        tables=(convergence_table(done), convergence_table(done, corrected=True)),
        result=done,
        warnings=told,
    )


@strict_keywords
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
    from rankscope.feedback.answers import growth_table
    from rankscope.feedback.normalization.example_sets import growth
    from rankscope.measures.notation import parse_measure

    how = parse_measure(measure)
    asked = QuestionProblem.of(features, methods, problem)
    topics = dict(zip(asked.topics.labels, asked.topics.targets, strict=True))
    pairs = [size if negatives is None else (size, negatives) for size in sizes]
    done = growth(asked.items, topics, asked.methods, pairs, repeats=repeats, common=common, seed=seed)
    return asked.answer("examples", f"seed {seed}", tables=(growth_table(done, how, len(topics)),), result=done)


@strict_keywords
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
    from rankscope.feedback.answers import consistency_table
    from rankscope.feedback.normalization.consistency import consistency as tested
    from rankscope.feedback.normalization.example_sets import ExampleSets, topic_seed

    asked = QuestionProblem.of(features, methods, problem)
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
    return asked.answer("consistency", f"seed {seed}", tables=(consistency_table(done, words),), result=tuple(done))


def _baseline_rules(approach: Approach, loss: str, form: DecisionForm, folds: int, seed: int) -> BaselineRules:
    from rankscope.feedback.normalization.baselines import Approach as Approaches
    from rankscope.feedback.normalization.baselines import BaselineRules
    from rankscope.feedback.normalization.losses import LOSSES
    from rankscope.feedback.normalization.losses import Form as Forms

    check(locals(), approach=rule_of(Approaches), form=rule_of(Forms), folds=WholeNumber(least=2))
    if form == "decisions" and approach != "III":
        raise SettingError("only classifiers decide by themselves: form decisions needs approach III")
    return BaselineRules(approach=approach, loss=LOSSES.parse(loss), form=form, folds=folds, seed=seed)


def _earlier_store(path: str | Path | None) -> BaselineStore | None:
    from rankscope.feedback.normalization.stored_baselines import load_store

    return None if path is None else load_store(path)


@strict_keywords
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
    from rankscope.feedback.answers import AnswerTable
    from rankscope.feedback.study.experiment import Protocol
    from rankscope.feedback.study.sensitivity import resilience as lasting
    from rankscope.measures.notation import parse_measure

    how = parse_measure(measure)
    asked = QuestionProblem.of(features, methods, problem)
    if not errors or min(errors) < 0 or max(errors) > 1:
        raise SettingError(f"errors are shares from 0 to 1, got {', '.join(map(str, errors)) or 'none'}")
    done = lasting(
        asked.methods,
        asked.items,
        asked.topics,
        rates=errors,
        start=start_of(start, asked.given),
        protocol=Protocol(rounds=rounds, scope=scope),
        starts=starts,
        measure=how,
        seed=seed,
    )
    whole = f"{how.bounds()[1]:g} - {how}" if how.lower_is_better else "it"
    note = f"{how} of the frozen list in round {rounds}; under each rate of errors the share of {whole} that is left."
    return asked.answer(
        "resilience",
        _sessions(starts, rounds, seed),
        tables=(AnswerTable("When users err", [each.row() for each in done], note),),
        result=tuple(done),
    )


@strict_keywords
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
    from rankscope.feedback.answers import AnswerTable
    from rankscope.feedback.study.sensitivity import stability_of
    from rankscope.measures.notation import parse_measure

    how = parse_measure(measure)
    asked = QuestionProblem.of(features, methods, problem)
    done = stability_of(
        asked.methods, _experiment(asked.given, start, user, rounds, scope, seed), starts=starts, measure=how, seed=seed
    )
    note = (
        f"{how} of the frozen list in round {rounds}; sd and 10 % quantile over starts of a topic, mean over topics; "
        "share of start: of the variance, one-way random effects."
    )
    return asked.answer(
        "stability",
        _sessions(starts, rounds, seed),
        tables=(AnswerTable("Where users begin", [each.row() for each in done], note),),
        result=tuple(done),
        warnings=tuple(f"{each.method}, share of start: {each.steady.note}" for each in done if each.steady.note),
    )


@strict_keywords
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
    from rankscope.feedback.answers import adaptation_tables
    from rankscope.feedback.study.sensitivity import adaptation as adapted
    from rankscope.feedback.study.sensitivity import shared_topics
    from rankscope.measures.notation import parse_measure

    how = parse_measure(measure)
    asked = QuestionProblem.of(features, methods, problem)
    topics = shared_topics(asked.topics)
    if not topics:
        raise SettingError(
            "no topic was judged by two assessors: give judgements of the same topics once for each, a file of its own"
        )
    setting = _experiment(asked.given, start, user, rounds, scope, seed)
    done = [
        adapted(method, setting, topic, starts=starts, seed=seed, measure=how)
        for method in asked.methods
        for topic in topics
    ]
    alone = [name for name in dict.fromkeys(asked.topics.names) if name not in topics]
    said = (f"judged by one assessor and left out: {', '.join(alone)}",) if alone else ()
    return asked.answer(
        "adaptation",
        _sessions(starts, rounds, seed),
        topics=topics,
        tables=tuple(adaptation_tables(done, str(how))),
        result=tuple(done),
        warnings=said,
    )


@strict_keywords
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
    from rankscope.core.threads import one_core_each
    from rankscope.feedback.answers import AnswerTable
    from rankscope.feedback.study.response_times import hardware, response_growth

    asked = QuestionProblem.of(features, methods, problem)
    row = int(asked.topics.relevant.argmax())
    with one_core_each():
        done = [
            response_growth(
                each, asked.items, asked.topics.targets[row], halvings=halvings, examples=examples, seed=seed
            )
            for each in asked.methods
        ]
    note = (
        f"Median wait from {examples} + {examples} examples to a ranking, one session at a time, warm-up not counted; "
        f"slope of log time on log size, 1: in proportion. {hardware()}."
    )
    return asked.answer(
        "scalability",
        f"seed {seed}",
        topics=asked.topics.labels[row : row + 1],
        tables=(AnswerTable("Waiting time by size of the collection", [each.row() for each in done], note),),
        result=tuple(done),
    )


def _experiment(given: FeedbackProblem, start: Any, user: str, rounds: int, scope: int, seed: int) -> Experiment:
    from rankscope.feedback.study.experiment import Experiment, Protocol
    from rankscope.feedback.users.users import USERS

    protocol = Protocol(rounds=rounds, scope=scope)
    first = start_of(start, given)
    return Experiment.of(given.items, given.topics, USERS.parse(user), first, protocol, ids=given.ids, seed=seed)


def _sessions(starts: int, rounds: int, seed: int) -> str:
    return f"{starts} starts of each topic, {how_many(rounds, 'rounds')}, seed {seed}"


@strict_keywords
def ask_feedback(question: str, features: Any, **options: Any) -> Answer:
    """The answer to one question about feedback methods, by its name; options as `rankscope feedback` has them.

    Questions: efficiency, convergence, examples, consistency, resilience, stability, adaptation, scalability.
    `features` and topics as for `simulate_feedback`. The answer has `tables`, `text()`, `json()` and the `result`.
    """
    found: Callable[..., Answer] = Catalogue[Any]("question", QUESTIONS).find(question)
    return found(features, **options)


QUESTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (efficiency, convergence, examples, consistency, resilience, stability, adaptation, scalability)
}


# A question's problem: items, topics and methods, and the answer's form.

Progress = Callable[[float], None]
Texts = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class QuestionProblem:
    """What a question is asked of."""

    given: FeedbackProblem
    methods: list[Method]

    @classmethod
    def of(cls, features: Any, methods: Texts | None, choices: LabelledProblem) -> QuestionProblem:
        """A name that is none is told before a large file is read."""
        if methods is not None:
            methods_of(methods)
        given = problem_of(features, **choices)
        return cls(given, given.methods(methods))

    @property
    def items(self) -> Items:
        return self.given.items

    @property
    def topics(self) -> Topics:
        return self.given.topics

    def answer(
        self,
        question: str,
        how: str,
        *,
        tables: Sequence[AnswerTable],
        result: Any,
        topics: Sequence[str] | None = None,
        warnings: Sequence[str] = (),
    ) -> Answer:
        """An answer that begins with the sizes of the problem, and how the question was put to it."""
        from rankscope.feedback.answers import Answer, sizes_of
        from rankscope.feedback.study.findings import truth_caveat

        asked_of = self.topics.labels if topics is None else topics
        return Answer(
            question=question,
            facts=sizes_of(len(self.items), asked_of, [*map(str, self.methods)], how),
            tables=tuple(tables),
            result=result,
            warnings=(*warnings, *(line.removeprefix("! ") for line in truth_caveat(self.topics.truth))),
        )
