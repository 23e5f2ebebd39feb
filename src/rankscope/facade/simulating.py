"""Which feedback method learns fastest, with simulated users?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.calling import public
from rankscope.facade.problems import FeedbackProblem, ProblemChoices, methods_of, problem_of, start_of

if TYPE_CHECKING:
    from rankscope.feedback.study.protocol import Choice, DisplayName, ListName, Remember, Unjudged
    from rankscope.feedback.study.results import Results
    from rankscope.feedback.study.setting import Experiment
    from rankscope.feedback.study.study import StudyPlan
    from rankscope.running.runner import Runner

SESSIONS = 10  # of a topic, where nothing is said


@public
def simulate_feedback(
    features: Any,
    labels: Any = None,
    *,
    output: str | Path | None = None,
    methods: str | Sequence[str] | None = None,
    starts: int | None = None,
    rounds: int = 5,
    scope: int = 20,
    start: Any = None,
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
    keep_sessions: str | Path | None = None,
    replay: str | Path | None = None,
    **problem: Unpack[ProblemChoices],
) -> Results:
    """Simulated users look for topics, mark what they are shown, and every method learns from the same marks.

    `features` is a file, the name of a collection that comes with vectors ("digits"), an array with `labels`, or
    `Features`; `problem` says what users look for (`topics`, or `qrels` of one or several assessors) and how features
    are grouped. Or it is an index of texts, or its folder: then `topics` are questions, in a file or a dictionary,
    `qrels` says which documents have at least the grade `rel`, and sessions begin with the ranking of the engine
    (`similarity`, `field`); methods on words share it, all others see vectors of latent semantic indexing. `start` may
    be a run, or its file: a keyword search whose queries are the topics. `output` writes the result as NAME.parquet,
    and interrupted work continues. `on` says where sessions are simulated, which changes only times: "home",
    "processes:4", "dask://HOST:PORT", "tls://HOST:PORT", "spark"; None: as many processes as there are cores, once
    there is enough to do. `keep_sessions` writes what each session began with, every display and every mark into
    NAME.parquet; `replay` takes starts and marks from such a file, and stops where a method shows another display.
    """
    from rankscope.feedback.study.kept_sessions import load_sessions
    from rankscope.feedback.study.study import study

    if methods is not None:
        methods_of(methods)  # before a large file is read
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
    if replay is not None:
        plan = plan.replaying(load_sessions(replay))
    return study(plan, result=output, on=on, progress=progress, keep_sessions=keep_sessions)


def plan_of(
    problem: FeedbackProblem,
    methods: str | Sequence[str] | None,
    start: Any,
    user: str,
    *,
    starts: int | None,
    measures: Sequence[str] | None,
    seed: int,
    **protocol: Any,
) -> StudyPlan:
    """What is simulated, from what people write; `protocol` holds the fields of `Protocol`.

    Unless it is said there are ten sessions of a topic, and one where all would be alike.
    """
    from rankscope.feedback.study.protocol import Protocol
    from rankscope.feedback.study.setting import Experiment
    from rankscope.feedback.study.study import StudyPlan
    from rankscope.feedback.users.users import USERS

    chosen, marks, how = problem.methods(methods), USERS.parse(user), Protocol(**protocol)
    first = start_of(start, problem)
    experiment = Experiment.of(problem.items, problem.topics, marks, first, how, ids=problem.ids, seed=seed)
    sessions = starts or (1 if _all_alike(experiment) else SESSIONS)
    return StudyPlan.of(experiment, chosen, starts=sessions, measures=measures or None, seed=seed)


def _all_alike(experiment: Experiment) -> bool:
    """Whether chance decides nothing: one ranking to begin with, a user without errors, and marks from the top."""
    from rankscope.feedback.study.marking import ByUser
    from rankscope.feedback.users.starts import ExternalRanking
    from rankscope.feedback.users.users import Consistent

    marker = experiment.marker
    steady = isinstance(marker, ByUser) and isinstance(marker.user, Consistent)
    return steady and isinstance(experiment.start, ExternalRanking) and experiment.protocol.choice == "top_ranked"
