"""Which feedback method learns fastest, with simulated users?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.facade import usual
from rankscope.facade.problems import Problem, ProblemChoices, methods_of, problem_of, start_of

if TYPE_CHECKING:
    from rankscope.feedback.study.protocol import Choice, DisplayName, ListName, Remember, Unjudged
    from rankscope.feedback.study.results import Results
    from rankscope.feedback.study.study import Plan
    from rankscope.running.runner import Runner


def simulate_feedback(
    features: Any,
    labels: Any = None,
    *,
    output: str | Path | None = None,
    methods: str | Sequence[str] = usual.METHODS,
    starts: int = 10,
    rounds: int = 5,
    scope: int = 20,
    start: Any = "one_query",
    user: str = "consistent",
    scored: ListName = "frozen",
    measures: Sequence[str] | None = None,
    k_pos: int | None = None,
    k_neg: int | None = None,
    choice: Choice = "top_ranked",
    display: DisplayName = "best",
    show_seen: bool = False,
    remember: Remember = "accumulate",
    unjudged: Unjudged = "silent",
    on: str | Runner | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    **problem: Unpack[ProblemChoices],
) -> Results:
    """Simulated users look for topics, mark what they are shown, and every method learns from the same marks.

    `features` is a file, the name of a collection that comes with vectors ("digits"), an array with `labels`, or
    `Features`; `problem` says what users look for (`topics`, or `judgements` of one or several assessors) and how
    features are grouped. `start` may be a run, or its file: a keyword search whose queries are the topics. `output`
    writes the result as NAME.parquet, and interrupted work continues. `on` says where sessions are simulated, which
    changes only times: "home", "processes:4", "dask://HOST:PORT", "tls://HOST:PORT", "spark"; None: as many processes
    as there are cores, once there is enough to do.
    """
    from rankscope.feedback.study.study import study

    plan = plan_of(
        problem_of(features, labels=labels, **problem),
        methods,
        start,
        user,
        starts=starts,
        measures=measures,
        seed=seed,
        rounds=rounds,
        scope=scope,
        scored=scored,
        k_pos=k_pos,
        k_neg=k_neg,
        choice=choice,
        display=display,
        show_seen=show_seen,
        remember=remember,
        unjudged=unjudged,
    )
    return study(plan, result=output, on=on, progress=progress)


def plan_of(
    problem: Problem,
    methods: str | Sequence[str],
    start: Any,
    user: str,
    *,
    starts: int,
    measures: Sequence[str] | None,
    seed: int,
    **protocol: Any,
) -> Plan:
    """What is simulated, from what people write; `protocol` holds the fields of `Protocol`."""
    from rankscope.feedback.study.protocol import Protocol
    from rankscope.feedback.study.setting import Experiment
    from rankscope.feedback.study.study import Plan
    from rankscope.feedback.users.users import USERS

    chosen, marks = methods_of(methods), USERS.parse(user)
    begins = start_of(start, problem)
    experiment = Experiment.of(problem.items, problem.topics, marks, begins, Protocol(**protocol), seed=seed)
    return Plan.of(experiment, chosen, starts=starts, measures=measures or None, seed=seed)
