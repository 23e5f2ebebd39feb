"""Is the difference real, and may the candidate replace the baseline?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.calling import public
from rankscope.errors import InputError, Problem, ProblemReport, SettingError
from rankscope.facade import usual
from rankscope.facade.scoring import InputChoices, refuse_more, scores_asked
from rankscope.number_texts import how_many
from rankscope.wording import setting_value

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduce import Progress
    from rankscope.ranks.relevant_ranks import RelevantRanks
    from rankscope.statistics.variance.explained import Explained
    from rankscope.statistics.verdicts.compared import Compared
    from rankscope.statistics.verdicts.gate_result import GateResult, RuleOfLoss


@public
def compare(
    qrels: Any,
    runs: Any = None,
    measures: Asked = usual.COMPARE,
    *,
    baseline: str | None = None,
    pairs: Literal["all", "baseline"] = "all",
    correction: str = "holm",
    level: float = 0.95,
    intervals: str = "auto",
    resamples: int | None = None,
    permutations: int = 10_000,
    tests: Sequence[str] = (),
    equivalent_within: float | Sequence[float] | None = None,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> Compared:
    """Is B better than A, by how much, and for which kind of query? The first measure decides.

    Takes what `evaluate` takes, or scores that it gave, as `compare(scores)` or `compare(scores, "AP")`, or tables of
    scores (`ScoreTable`). Every pair is compared, or
    with `pairs="baseline"` each system with the baseline, which is the first one unless named. `tests` are made too,
    by name; no verdict rests on them. `equivalent_within` is the smallest difference that matters, once for all
    measures or once for each: pairs are then tested for equivalence too.
    >>> qrels = {f"q{n}": {"a": 1} for n in range(12)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> bad = {query: {"x": 2.0, "a": 1.0} for query in qrels}
    >>> compare(qrels, {"old": bad, "new": good}).main.pairs[0].better
    'new'
    """
    from rankscope.statistics.verdicts.compare import compare as compare_tables
    from rankscope.validation import OneOf, check

    chosen = check({"pairs": pairs}, pairs=OneOf(("all", "baseline")))
    if _is_tables(qrels):
        refuse_more(runs, given, "seed")
        scores = qrels
    else:
        scores = scores_asked(qrels, runs, measures, usual.COMPARE, progress=progress, **given)
    check_comparable(scores, given.get("classes"))
    return compare_tables(
        scores,
        baseline=baseline,
        every_pair=chosen["pairs"] == "all",
        correction=correction,
        level=level,
        intervals=intervals,
        resamples=resamples,
        permutations=permutations,
        tests=tests,
        equivalent_within=equivalent_within,
        seed=_seed_of(scores, given.get("seed")),
    )


@public
def explain_by(scores: Any, variables: Any, level: float = 0.95) -> Explained:
    """What do variables of the queries, such as their length, explain of the first measure, and of differences?

    `scores`: what `evaluate` gives, or a `ScoreTable`. `variables`: a CSV file, or {variable: {query: value}}.
    >>> from rankscope.statistics.table.score_table import ScoreTable
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.6], "B": [0.2, 0.4, 0.5, 1.0]})
    >>> found = explain_by(table, {"length": {"q1": 1, "q2": 2, "q3": 3, "q4": 4}})
    >>> [(each.of, round(each.slope, 4)) for each in found.slopes]
    [('all systems', 0.2292), ('B minus A', 0.1006)]
    """
    from rankscope.statistics.table.score_table import ScoreTable
    from rankscope.statistics.variance.explained import explain, read_variables

    read = read_variables(variables) if isinstance(variables, str | Path) else variables
    table = scores if isinstance(scores, ScoreTable) else ScoreTable.of(scores)
    return explain(table, read, level)


@public
def gate(
    qrels: Any,
    runs: Any = None,
    measures: Asked = usual.GATE,
    *,
    min_effect: float | Sequence[float] = usual.MIN_EFFECT,
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
    from rankscope.facade.gate_history import append_gate, check_history_options

    check_history_options(history, build, date)
    scores = scores_asked(qrels, runs, measures, usual.GATE, progress=progress, **given)
    result = gate_of(scores, min_effect, self_test, rule)
    if history is not None:
        append_gate(scores, result, history, build, date)
    return result


def gate_of(
    scores: Scores, min_effect: float | Sequence[float], self_test: int = 0, rule: RuleOfLoss = "mean"
) -> GateResult:
    """The gate on every measure of the scores; measures and systems that it cannot judge are errors."""
    from rankscope.statistics.table.score_table import ScoreTable
    from rankscope.statistics.table.units import classes_are_targets
    from rankscope.statistics.verdicts.gate import gate as gate_tables

    if len(scores.systems) != 2:
        raise SettingError(f"the gate compares two systems, a baseline and a candidate; got {len(scores.systems)}")
    need_means(scores)
    refuse_unmet(scores)
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


def check_comparable(scores: Any, classes: Any) -> None:
    """Refuse runs whose items do not occur in the judgements, other means, and classes that know no query."""
    from rankscope.evaluation.scores import Scores

    if not isinstance(scores, Scores):
        return
    refuse_unmet(scores)
    if scores.settings.mean != "macro":
        mean = setting_value("mean", scores.settings.mean)
        raise SettingError(f"compare tests means over queries: leave {mean} out, or evaluate alone")
    if classes is None or any(any(system.ranks.classes or ()) for system in scores.systems):
        return
    example = ", ".join(scores.systems[0].ranks.queries[:3])
    what = setting_value("classes", classes if isinstance(classes, str) else "...")
    raise SettingError(f"{what}: none of its queries is among those compared, which are called {example}, ...")


def _seed_of(scores: Any, given: int | None) -> int:
    """The seed that was given, else that of the scores; tables have none."""
    settings = getattr(scores, "settings", None)
    return given if given is not None else settings.seed if settings is not None else 0


def _is_tables(source: Any) -> bool:
    """Several tables of scores."""
    from rankscope.statistics.table.score_table import ScoreTable

    several = isinstance(source, Sequence) and not isinstance(source, str) and len(source) > 0
    return several and all(isinstance(each, ScoreTable) for each in source)


def need_means(scores: Scores) -> None:
    """Refuse what is no mean over queries."""
    wrong = [column.asked for column in scores.systems[0].columns if column.measure.summary != "mean"]
    if wrong:
        raise SettingError(f"the gate compares means over queries, and these are none: {', '.join(wrong)}")
    if scores.settings.mean != "macro":
        mean = setting_value("mean", scores.settings.mean)
        raise SettingError(f"the gate compares means over queries; {mean} is another summary")


def refuse_unmet(scores: Scores) -> None:
    """Refuse runs none of whose items occurs in the judgements: nothing was measured, and both would seem equal."""
    reports = [
        ProblemReport(place_of(ranks), [Problem("", ranks.unmet.what)], ranks.unmet.ids.advice("item"))
        for ranks in (system.ranks for system in scores.systems)
        if ranks.unmet is not None and not ranks.unmet.occur
    ]
    if reports:
        raise InputError(reports)


def place_of(ranks: RelevantRanks) -> str:
    """The file of a run, where it came from one, else the system's name."""
    return str(ranks.provenance.get("run", {}).get("file") or ranks.system)


def answer_notes(scores: Scores) -> tuple[str, ...]:
    """What to say of queries that one system answered and the other did not; a system without answers did not run."""
    import numpy as np

    from rankscope.evaluation.coverage_report import column_values, counting

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
