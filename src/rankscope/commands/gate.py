"""May the candidate replace the baseline? Once, or at every look (sequentially); and a record of each build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.commands import defaults
from rankscope.commands.compare import look_at, need_means, refuse_unmet, scores_given
from rankscope.commands.evaluate import scores_asked
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.settings import InputChoices
from rankscope.core.validation import check_for_each
from rankscope.core.wording import how_many, setting_usage, setting_value
from rankscope.measures.evaluation.coverage import column_values, counting

if TYPE_CHECKING:
    from rankscope.analysis.comparison.gate import GateResult, RuleOfLoss
    from rankscope.analysis.comparison.sequential_result import SequentialResult
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduction import Progress


SEQUENTIAL_ALPHA = 0.05


@strict_keywords
def gate(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.GATE,
    *,
    min_effect: float | Sequence[float] = defaults.MIN_EFFECT,
    rule: Literal["mean", "beyond"] = "mean",
    self_test: int = 0,
    history: str | Path | None = None,
    build: str = "",
    date: str = "",
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> GateResult:
    """May I merge it? `verdict` is "fail", "pass" or "undecided", `passed` whether it is "pass".

    Takes what `evaluate` takes, the baseline first and then the candidate, or scores that it gave. `min_effect` is the
    smallest loss that matters, once for all measures or once for each. It fails where a loss is shown whose mean is
    beyond that, with `rule="beyond"` only where the loss is shown to be beyond it; it passes where a loss beyond it is
    ruled out. `self_test`: swap the systems' labels at random
    so many times, and say how often the gate would fail. `history` is a file to which the result is appended as one
    line of JSON under the name of the `build`, with its `date` or the present one.
    >>> qrels = {f"q{n}": {"a": 1} for n in range(12)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> gate(qrels, [good, good]).passed
    True
    """
    check_history_options(history, build, date)
    scores = scores_asked(qrels, runs, measures, defaults.GATE, progress=progress, **given)
    result = gate_of(scores, min_effect, self_test, rule)
    if history is not None:
        append_gate(scores, result, history, build, date)
    return result


def gate_of(
    scores: Scores, min_effect: float | Sequence[float], self_test: int = 0, rule: RuleOfLoss = "mean"
) -> GateResult:
    """The gate on every measure of the scores; measures and systems that it cannot judge are errors."""
    from rankscope.analysis.comparison.gate import gate as gate_tables
    from rankscope.analysis.statistics.sampling_units import classes_are_targets
    from rankscope.analysis.statistics.score_table import ScoreTable

    _check_gated(scores)
    notes = answer_notes(scores)
    several = isinstance(min_effect, Sequence) and len(min_effect) != 1
    result = gate_tables(
        [ScoreTable.of(scores, measure) for measure in scores.measures],
        min_effect if several or not isinstance(min_effect, Sequence) else min_effect[0],
        rule=rule,
        by_class=scores.by_class_wanted,
        clusters=classes_are_targets(scores),
        self_test=self_test,
        seed=scores.settings.seed,
    )
    return replace(result, notes=notes)


def _check_gated(scores: Scores) -> None:
    """Refuse what is not two systems, no mean over queries, and runs of other items."""
    if len(scores.systems) != 2:
        raise SettingError(f"the gate compares two systems, a baseline and a candidate; got {len(scores.systems)}")
    need_means(scores)
    refuse_unmet(scores)


def answer_notes(scores: Scores) -> tuple[str, ...]:
    """What to say of queries that one system answered and the other did not; a system without answers did not run."""
    import numpy as np

    answered = []
    for system in scores.systems:
        ranks = system.ranks
        answered.append({query for query, there in zip(ranks.queries, ranks.answered.tolist(), strict=True) if there})
        if not answered[-1]:
            raise SettingError(
                f"{system.name} answered none of {how_many(len(ranks), 'judged queries')}: it did not run, which "
                "is no score of 0. "
                "Check that query ids are the same in both files"
            )
    if scores.settings.queries == "answered":
        return ()
    notes = []
    for one in (0, 1):
        if lacking := answered[1 - one] - answered[one]:
            system, other = scores.systems[one], scores.systems[1 - one].name
            rows = np.array([query in lacking for query in system.ranks.queries])
            fate = counting([column_values(system, rows)], "count as an empty answer")
            they, them = (
                (f"they {fate}", "them") if len(lacking) > 1 else (f"it {fate.replace('count', 'counts', 1)}", "it")
            )
            notes.append(
                f"{system.name} did not answer {how_many(len(lacking))} that {other} answered; {they}; "
                f"{setting_value('queries', 'answered')} leaves {them} out"
            )
    return tuple(notes)


# The gate that may be looked at after every query.


@strict_keywords
def gate_sequentially(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.GATE,
    *,
    sequential: str | Path,
    min_effect: float | Sequence[float] = defaults.MIN_EFFECT,
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
    scores = scores_given(qrels, runs, measures, progress, given)
    return gate_look(scores, sequential, min_effect)


def gate_look(scores: Scores, path: str | Path, min_effect: float | Sequence[float]) -> SequentialResult:
    """One look of the gate at some scores."""
    from rankscope.analysis.comparison.gate import EFFECT

    _check_gated(scores)
    effects = check_for_each("min_effect", min_effect, len(scores.measures), EFFECT)
    return replace(look_at(scores, path, "gate", effects, ((0, 1),), SEQUENTIAL_ALPHA), notes=answer_notes(scores))


# The gate build after build: a record of each.


def check_history_options(history: str | Path | None, build: str, date: str) -> None:
    """Refuse before any work what no record could be made of."""
    if history is None:
        if build or date:
            raise SettingError(f"a build and its date belong to a history: give {setting_usage('history', 'FILE')} too")
        return
    from rankscope.analysis.comparison.gate_history import check_date, read_history

    if not build.strip():
        raise SettingError(f"a history needs the name of the build: give {setting_usage('build', 'ID')}")
    check_date(date)
    if Path(history).exists() and Path(history).stat().st_size:
        read_history(history)


def append_gate(scores: Scores, result: GateResult, history: str | Path, build: str, date: str = "") -> None:
    """Append what the gate found on these scores."""
    from rankscope.analysis.comparison.gate_history import append_record, next_date, record_of
    from rankscope.analysis.statistics.sampling_units import classes_are_targets
    from rankscope.analysis.statistics.score_table import ScoreTable

    tables = [ScoreTable.of(scores, measure) for measure in scores.measures]
    when = date or next_date(history)
    append_record(history, record_of(result, tables, build, when, clusters=classes_are_targets(scores)))
