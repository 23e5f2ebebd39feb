"""The gate and the comparison that may be looked at after every query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.calling import public
from rankscope.errors import SettingError
from rankscope.facade import usual
from rankscope.facade.comparing import answer_notes, need_means, refuse_unmet
from rankscope.facade.scoring import InputChoices, refuse_more, scores_of
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduce import Progress
    from rankscope.statistics.sequential.sequential_result import SequentialResult

ALPHA = 0.05


@public
def gate_sequentially(
    qrels: Any,
    runs: Any = None,
    measures: Asked = usual.GATE,
    *,
    sequential: str | Path,
    min_effect: float | Sequence[float] = usual.MIN_EFFECT,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> SequentialResult:
    """May I merge it? Look as often as you like: `failed` is true at any look with a chance of 5 % if nothing is worse.

    Takes what `gate` takes. `sequential` is the file that holds the looks so far, made at the first: a query counts
    once, a new candidate starts anew, another baseline is refused. Values must lie between 0 and 1.
    >>> import tempfile
    >>> qrels = {f"q{n}": {"a": 1} for n in range(40)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> bad = {query: {"x": 2.0, "a": 1.0} for query in qrels}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = gate_sequentially(qrels, [good, bad], sequential=f"{folder}/state.json")
    >>> made.decision, made.failed
    ('worse', True)
    """
    scores = _scores(qrels, runs, measures, progress, given)
    return gate_look(scores, sequential, min_effect)


@public
def compare_sequentially(
    qrels: Any,
    runs: Any = None,
    measures: Asked = usual.COMPARE,
    *,
    sequential: str | Path,
    baseline: str | None = None,
    pairs: Literal["all", "baseline"] = "all",
    level: float = 0.95,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> SequentialResult:
    """Is B better than A? Look as often as you like: all intervals hold at all looks together, with this level.

    Takes what `compare` takes; every pair by every measure is one family. `sequential` is the file that holds the
    looks so far: a query counts once, a changed system starts all anew, another baseline is refused.
    >>> import tempfile
    >>> qrels = {f"q{n}": {"a": 1} for n in range(40)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> bad = {query: {"x": 2.0, "a": 1.0} for query in qrels}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = compare_sequentially(qrels, {"old": bad, "new": good}, sequential=f"{folder}/state.json")
    >>> made.decision, made.checks[0].second
    ('better', 'new')
    """
    scores = _scores(qrels, runs, measures, progress, given)
    return compare_look(scores, sequential, baseline, pairs, level)


def gate_look(scores: Scores, path: str | Path, min_effect: float | Sequence[float]) -> SequentialResult:
    """One look of the gate at some scores."""
    from rankscope.statistics.verdicts.gate import EFFECT
    from rankscope.validation import check_for_each

    if len(scores.systems) != 2:
        raise SettingError(f"the gate compares two systems, a baseline and a candidate; got {len(scores.systems)}")
    need_means(scores)
    refuse_unmet(scores)
    effects = check_for_each("min_effect", min_effect, len(scores.measures), EFFECT)
    return replace(_look(scores, path, "gate", effects, ((0, 1),), ALPHA), notes=answer_notes(scores))


def compare_look(
    scores: Scores, path: str | Path, baseline: str | None, pairs: Literal["all", "baseline"], level: float
) -> SequentialResult:
    """One look of a comparison at some scores."""
    from rankscope.validation import SHARE, OneOf, check

    chosen = check({"pairs": pairs, "level": level}, pairs=OneOf(("all", "baseline")), level=SHARE)
    need_means(scores)
    refuse_unmet(scores)
    ordered = _baseline_first(scores, baseline)
    count = len(ordered.systems)
    if count < 2:
        raise SettingError(f"a comparison needs two systems at least, got {count}")
    asked = tuple(combinations(range(count), 2)) if chosen["pairs"] == "all" else tuple((0, n) for n in range(1, count))
    return _look(ordered, path, "compare", (0.0,) * len(scores.measures), asked, round(1 - chosen["level"], 12))


def _scores(qrels: Any, runs: Any, measures: Asked, progress: Progress | None, given: InputChoices) -> Scores:
    from rankscope.evaluation.scores import Scores

    if isinstance(qrels, Scores):
        refuse_more(runs, given)
        return qrels
    return scores_of(qrels, runs, measures, progress=progress, **given)


def _baseline_first(scores: Scores, baseline: str | None) -> Scores:
    names = [system.name for system in scores.systems]
    if baseline is None:
        return scores
    if baseline not in names:
        raise SettingError(f"no system '{baseline}'. There are: {', '.join(names)}")
    return replace(scores, systems=tuple(sorted(scores.systems, key=lambda system: system.name != baseline)))


def _look(
    scores: Scores,
    path: str | Path,
    kind: Literal["gate", "compare"],
    effects: tuple[float, ...],
    pairs: tuple[tuple[int, int], ...],
    alpha: float,
) -> SequentialResult:
    from rankscope.files import one_after_the_other
    from rankscope.measures.direction import direction_of
    from rankscope.statistics.sequential.look import take_look
    from rankscope.statistics.sequential.observed import observe
    from rankscope.statistics.sequential.state import Question, read_state, write_state

    if scores.by_class_wanted:
        raise SettingError(
            f"looks are taken at all queries together: leave {setting_usage('classes')} out, or give "
            f"each class its own {setting_usage('sequential', 'STATE.json')} and queries"
        )
    seen = observe(scores)
    if not seen.records:
        raise SettingError("no query can count: every system needs a value of every measure, and an answer is needed")
    question = Question(
        kind=kind,
        measures=seen.measures,
        better=tuple(map(direction_of, seen.lower_is_better)),
        min_effect=effects,
        pairs=pairs,
        alpha=alpha,
        unit=seen.unit,
        settings=seen.settings,
    )
    with one_after_the_other(path):
        before = read_state(path)
        state, result = take_look(path, before, question, seen)
        if state != before:
            write_state(path, state)
    return result
