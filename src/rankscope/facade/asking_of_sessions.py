"""Questions about sessions with a user: errors, where they begin, who gives the marks, how long they wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.calling import public
from rankscope.errors import SettingError
from rankscope.facade.asked_problem import AskedProblem, Progress, Texts
from rankscope.facade.problems import FeedbackProblem, LabelledProblem, start_of
from rankscope.number_texts import how_many

if TYPE_CHECKING:
    from rankscope.feedback.study.setting import Experiment
    from rankscope.reports.texts.answers import Answer


@public
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
    from rankscope.measures.notation import parse_measure
    from rankscope.reports.texts.answers import AnswerTable

    how = parse_measure(measure)
    asked = AskedProblem.of(features, methods, problem)
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


@public
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
    from rankscope.measures.notation import parse_measure
    from rankscope.reports.texts.answers import AnswerTable

    how = parse_measure(measure)
    asked = AskedProblem.of(features, methods, problem)
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


@public
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
    from rankscope.measures.notation import parse_measure
    from rankscope.reports.texts.feedback_answers import adaptation_tables

    how = parse_measure(measure)
    asked = AskedProblem.of(features, methods, problem)
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


@public
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
    from rankscope.reports.texts.answers import AnswerTable
    from rankscope.running.cores import one_core_each

    asked = AskedProblem.of(features, methods, problem)
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
    from rankscope.feedback.study.protocol import Protocol
    from rankscope.feedback.study.setting import Experiment
    from rankscope.feedback.users.users import USERS

    protocol = Protocol(rounds=rounds, scope=scope)
    first = start_of(start, given)
    return Experiment.of(given.items, given.topics, USERS.parse(user), first, protocol, ids=given.ids, seed=seed)


def _sessions(starts: int, rounds: int, seed: int) -> str:
    return f"{starts} starts of each topic, {how_many(rounds, 'rounds')}, seed {seed}"
