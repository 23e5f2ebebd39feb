"""Is the difference real, and may the candidate replace the baseline? Once, or at every look (sequentially).

The history of a gate stands here too: a record of each build, and the page drawn from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.commands import defaults
from rankscope.commands.evaluate import refuse_more, scores_asked, scores_of
from rankscope.core.errors import InputError, Problem, ProblemReport, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.settings import InputChoices
from rankscope.core.validation import SHARE, OneOf, check, check_for_each
from rankscope.core.wording import how_many, setting_usage, setting_value
from rankscope.measures.evaluation.coverage import column_values, counting
from rankscope.measures.evaluation.scores import Scores

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared
    from rankscope.analysis.comparison.gate import GateResult, RuleOfLoss
    from rankscope.analysis.comparison.gate_history import GateHistory
    from rankscope.analysis.comparison.sequential_result import SequentialResult
    from rankscope.analysis.statistics.explanatory_variables import Explained
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduction import Progress
    from rankscope.ranks.relevant_ranks import RelevantRanks


# Is the difference real, and may the candidate replace the baseline?.


@strict_keywords
def compare(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.COMPARE,
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
    from rankscope.analysis.comparison.compare import compare as compare_tables

    chosen = check({"pairs": pairs}, pairs=OneOf(("all", "baseline")))
    if _is_tables(qrels):
        refuse_more(runs, given, "seed")
        scores = qrels
    else:
        scores = scores_asked(qrels, runs, measures, defaults.COMPARE, progress=progress, **given)
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


@strict_keywords
def explain_by(scores: Any, variables: Any, level: float = 0.95) -> Explained:
    """What do variables of the queries, such as their length, explain of the first measure, and of differences?

    `scores`: what `evaluate` gives, or a `ScoreTable`. `variables`: a CSV file, or {variable: {query: value}}.
    >>> from rankscope.analysis.statistics.score_table import ScoreTable
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.6], "B": [0.2, 0.4, 0.5, 1.0]})
    >>> found = explain_by(table, {"length": {"q1": 1, "q2": 2, "q3": 3, "q4": 4}})
    >>> [(each.of, round(each.slope, 4)) for each in found.slopes]
    [('all systems', 0.2292), ('B minus A', 0.1006)]
    """
    from rankscope.analysis.statistics.explanatory_variables import explain, read_variables
    from rankscope.analysis.statistics.score_table import ScoreTable

    read = read_variables(variables) if isinstance(variables, str | Path) else variables
    table = scores if isinstance(scores, ScoreTable) else ScoreTable.of(scores)
    return explain(table, read, level)


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
    from rankscope.analysis.statistics.score_table import ScoreTable

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
        ProblemReport(place_of_run(ranks), [Problem("", ranks.unmet.what)], ranks.unmet.ids.advice("item"))
        for ranks in (system.ranks for system in scores.systems)
        if ranks.unmet is not None and not ranks.unmet.occur
    ]
    if reports:
        raise InputError(reports)


def place_of_run(ranks: RelevantRanks) -> str:
    """The file of a run, where it came from one, else the system's name."""
    return str(ranks.provenance.get("run", {}).get("file") or ranks.system)


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


# The gate and the comparison that may be looked at after every query.

SEQUENTIAL_ALPHA = 0.05


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
    scores = _scores_given(qrels, runs, measures, progress, given)
    return gate_look(scores, sequential, min_effect)


@strict_keywords
def compare_sequentially(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.COMPARE,
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
    scores = _scores_given(qrels, runs, measures, progress, given)
    return compare_look(scores, sequential, baseline, pairs, level)


def gate_look(scores: Scores, path: str | Path, min_effect: float | Sequence[float]) -> SequentialResult:
    """One look of the gate at some scores."""
    from rankscope.analysis.comparison.gate import EFFECT

    if len(scores.systems) != 2:
        raise SettingError(f"the gate compares two systems, a baseline and a candidate; got {len(scores.systems)}")
    need_means(scores)
    refuse_unmet(scores)
    effects = check_for_each("min_effect", min_effect, len(scores.measures), EFFECT)
    return replace(_look(scores, path, "gate", effects, ((0, 1),), SEQUENTIAL_ALPHA), notes=answer_notes(scores))


def compare_look(
    scores: Scores, path: str | Path, baseline: str | None, pairs: Literal["all", "baseline"], level: float
) -> SequentialResult:
    """One look of a comparison at some scores."""
    chosen = check({"pairs": pairs, "level": level}, pairs=OneOf(("all", "baseline")), level=SHARE)
    need_means(scores)
    refuse_unmet(scores)
    ordered = _baseline_first(scores, baseline)
    count = len(ordered.systems)
    if count < 2:
        raise SettingError(f"a comparison needs two systems at least, got {count}")
    asked = tuple(combinations(range(count), 2)) if chosen["pairs"] == "all" else tuple((0, n) for n in range(1, count))
    return _look(ordered, path, "compare", (0.0,) * len(scores.measures), asked, round(1 - chosen["level"], 12))


def _scores_given(qrels: Any, runs: Any, measures: Asked, progress: Progress | None, given: InputChoices) -> Scores:
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
    from rankscope.analysis.comparison.sequential import take_look
    from rankscope.analysis.comparison.sequential_state import Question, observe, read_state, write_state
    from rankscope.core.files import one_after_the_other
    from rankscope.measures.direction import direction_of

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


# The gate build after build: a record of each, and the page drawn from them.


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


def history_page(history: str | Path, title: str = "") -> tuple[str, GateHistory]:
    """The page of a history, and the history that it shows."""
    from rankscope.analysis.comparison.gate_history import read_history
    from rankscope.reports.page import result_pages

    found = read_history(history)
    return result_pages.render_history(found, title), found
