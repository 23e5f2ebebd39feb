"""Is the difference real, and for which kind of query? Once, or at every look (sequentially)."""

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
from rankscope.core.settings import LEVEL, InputChoices
from rankscope.core.validation import SHARE, OneOf, check
from rankscope.core.wording import setting_usage, setting_value
from rankscope.measures.evaluation.scores import Scores

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared
    from rankscope.analysis.comparison.sequential_result import SequentialResult
    from rankscope.analysis.statistics.explanatory_variables import Explained
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduction import Progress


@strict_keywords
def compare(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.COMPARE,
    *,
    baseline: str | None = None,
    pairs: Literal["all", "baseline"] = "all",
    correction: str = "holm",
    level: float = LEVEL,
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
    seed = given.get("seed")
    if _is_tables(qrels):
        refuse_more(runs, given, "seed")
        scores = qrels
    else:
        scores = scores_asked(qrels, runs, measures, defaults.COMPARE, progress=progress, **given)
        seed = scores.settings.seed if seed is None else seed
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
        seed=seed or 0,
    )


@strict_keywords
def explain_by(scores: Any, variables: Any, level: float = LEVEL) -> Explained:
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


def _is_tables(source: Any) -> bool:
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
    reports = []
    for ranks in (system.ranks for system in scores.systems):
        if ranks.unmet is not None and not ranks.unmet.occur:
            place = str(ranks.provenance.get("run", {}).get("file") or ranks.system)
            reports.append(ProblemReport(place, [Problem("", ranks.unmet.what)], ranks.unmet.ids.advice("item")))
    if reports:
        raise InputError(reports)


# The comparison that may be looked at after every query.


@strict_keywords
def compare_sequentially(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.COMPARE,
    *,
    sequential: str | Path,
    baseline: str | None = None,
    pairs: Literal["all", "baseline"] = "all",
    level: float = LEVEL,
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
    scores = scores_given(qrels, runs, measures, progress, given)
    return compare_look(scores, sequential, baseline, pairs, level)


def compare_look(
    scores: Scores, path: str | Path, baseline: str | None, pairs: Literal["all", "baseline"], level: float
) -> SequentialResult:
    """One look of a comparison at some scores."""
    chosen = check({"pairs": pairs, "level": level}, pairs=OneOf(("all", "baseline")), level=SHARE)
    need_means(scores)
    refuse_unmet(scores)
    names = [system.name for system in scores.systems]
    if baseline is not None:
        if baseline not in names:
            raise SettingError(f"no system '{baseline}'. There are: {', '.join(names)}")
        systems = sorted(scores.systems, key=lambda system: system.name != baseline)
        scores = replace(scores, systems=tuple(systems))
    count = len(names)
    if count < 2:
        raise SettingError(f"a comparison needs two systems at least, got {count}")
    asked = tuple(combinations(range(count), 2)) if chosen["pairs"] == "all" else tuple((0, n) for n in range(1, count))
    return look_at(scores, path, "compare", (0.0,) * len(scores.measures), asked, round(1 - chosen["level"], 12))


def scores_given(qrels: Any, runs: Any, measures: Asked, progress: Progress | None, given: InputChoices) -> Scores:
    """Scores as they are, or of judgements and runs."""
    if isinstance(qrels, Scores):
        refuse_more(runs, given)
        return qrels
    return scores_of(qrels, runs, measures, progress=progress, **given)


def look_at(
    scores: Scores,
    path: str | Path,
    kind: Literal["gate", "compare"],
    effects: tuple[float, ...],
    pairs: tuple[tuple[int, int], ...],
    alpha: float,
) -> SequentialResult:
    """One look at some scores, kept in the file with those before."""
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
