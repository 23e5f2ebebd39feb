"""Several collections (tasks) at once: which system is better on the whole and which one wins where, with intervals
over tasks.

Tasks are drawn with replacement, and in each task drawn its queries. A mean over few
tasks varies as tasks do. Resampling T tasks makes their spread too small by (T - 1)/T, and a normal tail is too short
for so few: the percentiles are taken further out, as far as Student's t with T - 1 degrees of freedom times sqrt(T/(T -
1)) is beyond the normal (expanded percentile interval, Hesterberg 2015, The American Statistician).

Each task is compared by
itself, as everywhere. Means over tasks and mean ranks are of the systems that have every task; a system that lacks one
gets neither, because another selection of tasks would give it other numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.analysis.comparison.compare import Compared, MeasureCompared, compare
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.analysis.statistics.corrections import holm
from rankscope.analysis.statistics.resampling import batches, drawing
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import unknown_name
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.validation import COUNT, SEED, SHARE, check
from rankscope.core.wording import decimal_text, how_many, join_words, percent_text, signed_text, span_text
from rankscope.measures.direction import best_first, side_of, turn

RESAMPLES = 10_000
FEWEST_TASKS = 2


@dataclass(frozen=True, eq=False)
class TaskValues:
    """One task: values of queries x systems, without gaps, and the class of each query where classes are drawn."""

    values: FloatArray
    classes: tuple[str, ...] | None = None

    @property
    def means(self) -> FloatArray:
        return np.asarray(self.values.mean(axis=0))


def two_level_means(tasks: Sequence[TaskValues], resamples: int = RESAMPLES, seed: int = 0) -> FloatArray:
    """The mean of each system in each task of each resample: resamples x tasks drawn x systems.

    A task that is drawn twice has its queries drawn twice, each time anew.
    >>> one = TaskValues(np.array([[0.2, 0.4]]))
    >>> two_level_means([one, one], resamples=3).tolist() == [[[0.2, 0.4]] * 2] * 3
    True
    """
    if not tasks:
        raise SettingError("there is no task to draw")
    chance = np.random.default_rng(seed)
    drawn = chance.integers(0, len(tasks), (resamples, len(tasks)))
    means = np.empty((resamples * len(tasks), tasks[0].values.shape[1]))
    for number, task in enumerate(tasks):
        places = np.flatnonzero(drawn.ravel() == number)
        # Means of one task with its queries drawn again, one row for each place.
        draw = drawing(len(task.values), task.classes)
        parts = [draw.times(chance, some) for some in batches(places.size, len(task.values))]
        drawn_means = [times @ task.values / times.sum(axis=1)[:, None] for times in parts]
        means[places] = np.concatenate([np.empty((0, task.values.shape[1])), *drawn_means])
    return means.reshape(resamples, len(tasks), -1)


def expanded_tail(tasks: int, level: float) -> float:
    """The share of resamples beyond each limit; NaN for a single task, whose spread nobody knows.

    >>> round(expanded_tail(6, 0.95), 4), round(expanded_tail(1000, 0.95), 4), expanded_tail(1, 0.95)
    (0.0024, 0.0248, nan)
    """
    if tasks < FEWEST_TASKS:
        return math.nan
    from scipy.special import ndtr, stdtrit

    t = float(stdtrit(tasks - 1, (1 - level) / 2))
    return float(ndtr(t * math.sqrt(tasks / (tasks - 1))))


def two_level_p(value: float, drawn: FloatArray, tasks: int) -> float:
    """How often a mean so far from 0 comes up by chance, two-sided; NaN for a single task.

    Student's t with T - 1 degrees of freedom, the error from the resamples and widened as the intervals are: unlike
    their percentiles it needs no resample far out in the tail, which a correction for several systems asks for.
    >>> drawn = np.random.default_rng(0).normal(0.3, 0.1, 10_000)
    >>> round(two_level_p(0.3, drawn, tasks=6), 3), two_level_p(0.0, np.zeros(9), tasks=6)
    (0.041, 1.0)
    """
    if tasks < FEWEST_TASKS:
        return math.nan
    from scipy.special import stdtr

    error = float(drawn.std()) * math.sqrt(tasks / (tasks - 1))
    if error == 0:
        return 0.0 if value else 1.0
    return 2 * float(stdtr(tasks - 1, -abs(value) / error))


def two_level_limits(drawn: FloatArray, tasks: int, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limits of each column, from its values in the resamples (rows).

    NaN for a single task, and where all resamples are equal: other tasks could differ, and nothing tells how far.
    """
    tail = expanded_tail(tasks, level)
    if math.isnan(tail):
        nowhere = np.full(drawn.shape[1], np.nan)
        return nowhere, nowhere.copy()
    low, high = np.where(np.ptp(drawn, axis=0) > 0, np.quantile(drawn, [tail, 1 - tail], axis=0), np.nan)
    return low, high


FEW_PERMUTATIONS = 100  # permutations of a test that a suite does not show
ENOUGH_TASKS = 6  # fewer cannot tell how tasks differ: intervals then hold less often than they say


@dataclass(frozen=True, eq=False)
class SuiteTask:
    """One task: its systems compared, or where there is one system its table alone."""

    name: str
    table: ScoreTable  # queries that every system of the task has
    compared: Compared | None
    left_out: int = 0
    classes: tuple[str, ...] | None = None  # of the queries, where these are the sampling unit

    @property
    def main(self) -> MeasureCompared | None:
        return None if self.compared is None else self.compared.main

    def mean(self, system: str) -> float:
        """Of a system; NaN where the task has none of this name."""
        if system not in self.table.systems:
            return math.nan
        return float(self.table.values[:, self.table.number(system)].mean())

    @property
    def best(self) -> str:
        """The system with the best mean."""
        return self.table.systems[int(self.table.gains.mean(axis=0).argmax())]

    @property
    def beaten(self) -> tuple[str, ...]:
        """Systems that the best one is significantly better than."""
        if self.compared is None:
            return ()
        return tuple(
            name for name in self.table.systems if name != self.best and self.compared.shown_better(self.best, name)
        )


@dataclass(frozen=True)
class SuiteEstimate:
    """A number over tasks with its interval; NaN where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class SuiteSystem:
    """One system over the tasks: its mean, its mean rank, how far it is from the baseline, where it wins."""

    name: str
    missing: tuple[str, ...]  # tasks that it lacks
    mean: SuiteEstimate
    rank: SuiteEstimate
    difference: SuiteEstimate  # from the baseline, on the tasks that both have
    p: float  # of the difference, corrected for all systems compared with the baseline; NaN where it is not tested
    side: str  # better or worse than the baseline, where that is shown
    wins: tuple[str, ...]  # tasks where it has the best mean


@dataclass(frozen=True, eq=False, repr=False)
class Suite(Tabular):
    """What a suite shows: tasks in the order given, systems from the best mean to the worst, those with gaps last."""

    measure: str
    tasks: tuple[SuiteTask, ...]
    systems: tuple[SuiteSystem, ...]
    baseline: str
    lower_is_better: bool = False
    level: float = 0.95
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def complete(self) -> tuple[SuiteSystem, ...]:
        """Systems that have every task."""
        return tuple(each for each in self.systems if not each.missing)

    @property
    def compared_with_baseline(self) -> int:
        """How many systems are compared with the baseline: p-values are corrected for so many."""
        return max(1, len(self.complete) - 1)

    def system(self, name: str) -> SuiteSystem:
        by_name = {each.name: each for each in self.systems}
        if name not in by_name:
            raise SettingError(unknown_name("system", name, by_name))
        return by_name[name]

    def records(self) -> Rows:
        return suite_rows(self)

    def display(self) -> Display:
        words = [f"{suite_headline(self)}.", *suite_sentences(self), *suite_notes(self)]
        return Display.of(words, self.records(), ".to_markdown()", places=3)

    def presentation(self) -> Presentation:
        tasks = [{key: value for key, value in row.items() if key != "in words"} for row in task_rows(self)]
        tables = [HeadedTable("", suite_rows(self), places=3), HeadedTable("", tasks, places=3)]
        return Presentation([f"{suite_headline(self)}.", *suite_sentences(self)], tables, suite_notes(self))


def compare_suite(
    tables: Mapping[str, ScoreTable],
    *,
    baseline: str | None = None,
    by_unit: Mapping[str, bool] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Suite:
    """Compare systems over tasks, one table each; the baseline is the first system that has every task unless named.

    `by_unit`: for a task, whether the classes of its queries are the sampling unit. Intervals draw tasks and queries.
    >>> easy = ScoreTable.make({"A": [0.5, 0.6, 0.7], "B": [0.6, 0.7, 0.9]})
    >>> hard = ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.2, 0.2, 0.5]})
    >>> made = compare_suite({"easy": easy, "hard": hard}, resamples=100)
    >>> [(each.name, round(each.mean.value, 3), each.rank.value) for each in made.systems]
    [('B', 0.517, 1.0), ('A', 0.4, 2.0)]
    """
    level, resamples, seed = check(locals(), level=SHARE, resamples=COUNT, seed=SEED).values()
    if not tables:
        raise SettingError("a suite needs one task at least")
    tasks = tuple(_task(name, each, bool((by_unit or {}).get(name)), seed) for name, each in tables.items())
    first = next(iter(tables.values()))
    names = tuple(dict.fromkeys(name for task in tasks for name in task.table.systems))
    complete = [name for name in names if all(name in task.table.systems for task in tasks)]
    if baseline is not None and baseline not in names:
        raise SettingError(unknown_name("system", baseline, names))
    if baseline is not None and baseline not in complete:
        raise SettingError(f"the baseline must have every task, and {baseline} does not")
    chosen = baseline or (complete[0] if complete else "")
    how = _Drawn(baseline=chosen, lower_is_better=first.lower_is_better, level=level, resamples=resamples, seed=seed)
    overall = _Overall.of(tasks, complete, how)
    systems = [_system(name, tasks, overall) for name in names]
    means = [math.nan if each.missing else each.mean.value for each in systems]
    order = [systems[each] for each in best_first(means, first.lower_is_better)]
    return Suite(
        measure=first.measure,
        tasks=tasks,
        systems=tuple(order),
        baseline=chosen,
        lower_is_better=first.lower_is_better,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def _task(name: str, table: ScoreTable, by_unit: bool, seed: int) -> SuiteTask:
    whole = table.complete()
    if not len(whole):
        raise SettingError(f"{name}: no query has a value of {table.measure} for every system")
    several = len(whole.systems) > 1
    return SuiteTask(
        name=name,
        table=whole,
        compared=compare([whole], by_unit=by_unit, permutations=FEW_PERMUTATIONS, seed=seed) if several else None,
        left_out=len(table) - len(whole),
        classes=whole.labels if by_unit else None,
    )


@dataclass(frozen=True)
class _Drawn:
    """How numbers over tasks are made."""

    baseline: str
    lower_is_better: bool
    level: float
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class _Overall:
    """Numbers over all tasks of the systems that have them, and the same in every resample."""

    names: tuple[str, ...]
    how: _Drawn
    tasks: int
    means: FloatArray  # tasks x systems
    drawn: FloatArray  # resamples x tasks x systems

    @classmethod
    def of(cls, tasks: Sequence[SuiteTask], names: Sequence[str], how: _Drawn) -> _Overall:
        """Of the systems named, which every task has."""
        values = [TaskValues(task.table.select(*names).values, task.classes) for task in tasks] if names else []
        return cls(
            names=tuple(names),
            how=how,
            tasks=len(tasks),
            means=np.stack([each.means for each in values]) if values else np.empty((0, 0)),
            drawn=two_level_means(values, how.resamples, how.seed) if values else np.empty((0, 0, 0)),
        )

    def mean(self, name: str) -> SuiteEstimate:
        return self._estimate(self.means, self.drawn, self.names.index(name))

    def rank(self, name: str) -> SuiteEstimate:
        """Mean over tasks of the rank among these systems; equal means share theirs."""
        return self._estimate(*self._ranks, self.names.index(name))

    @cached_property
    def _ranks(self) -> tuple[FloatArray, FloatArray]:
        sign = -turn(self.how.lower_is_better)
        return ranks_of_means(sign * self.means), ranks_of_means(sign * self.drawn)

    def difference(self, name: str, level: float) -> SuiteEstimate:
        """Mean over tasks minus that of the baseline, on the same tasks and queries in every resample."""
        values, drawn = self._from_baseline(name)
        return self._estimate(values[..., None], drawn[..., None], 0, level)

    def _from_baseline(self, name: str) -> tuple[FloatArray, FloatArray]:
        own, base = self.names.index(name), self.names.index(self.how.baseline)
        return self.means[..., own] - self.means[..., base], self.drawn[..., own] - self.drawn[..., base]

    def _estimate(self, values: FloatArray, drawn: FloatArray, place: int, level: float | None = None) -> SuiteEstimate:
        low, high = two_level_limits(drawn[..., place].mean(axis=1)[:, None], self.tasks, level or self.how.level)
        return SuiteEstimate(float(values[:, place].mean()), float(low[0]), float(high[0]))

    @cached_property
    def p(self) -> dict[str, float]:
        """Of the difference of each other system from the baseline, corrected together."""
        others = [name for name in self.names if name != self.how.baseline]
        apart = map(self._from_baseline, others)
        raw = [two_level_p(float(values.mean()), drawn.mean(axis=1), self.tasks) for values, drawn in apart]
        return dict(zip(others, holm(np.array(raw)).tolist(), strict=True)) if others else {}

    def side(self, name: str) -> str:
        """On which side of the baseline a system is shown to be."""
        if not self.p.get(name, math.nan) <= 1 - self.how.level:
            return ""
        return side_of(self.difference(name, self.how.level).value, self.how.lower_is_better)


def ranks_of_means(values: FloatArray) -> FloatArray:
    """Ranks along the last axis from 1, the smallest first; equal values share the mean of their ranks.

    >>> ranks_of_means(np.array([[0.2, 0.1, 0.2]])).tolist()
    [[2.5, 1.0, 2.5]]
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=-1))


def _system(name: str, tasks: Sequence[SuiteTask], overall: _Overall) -> SuiteSystem:
    shared = [task for task in tasks if name in task.table.systems]
    missing = tuple(task.name for task in tasks if name not in task.table.systems)
    mean = rank = difference = SuiteEstimate(math.nan)
    how = overall.how
    if not missing:
        mean, rank, difference = overall.mean(name), overall.rank(name), overall.difference(name, how.level)
    elif how.baseline and shared:  # against the baseline on the tasks that it has
        difference = _Overall.of(shared, [how.baseline, name], how).difference(name, how.level)
    return SuiteSystem(
        name=name,
        missing=missing,
        mean=mean,
        rank=rank,
        difference=difference,
        p=math.nan if missing else overall.p.get(name, math.nan),
        side="" if missing else overall.side(name),
        wins=tuple(task.name for task in tasks if task.best == name),
    )


NAMED = 4


def suite_headline(suite: Suite) -> str:
    """Who has the best mean over the tasks, as far as anybody has all of them."""
    complete, count = suite.complete, len(suite.tasks)
    if not complete:
        return f"No system has all {how_many(count, 'tasks')}, so there is no mean over them"
    best = complete[0]
    mean = f"{decimal_text(best.mean.value)}{span_text(best.mean.low, best.mean.high)}"
    of = f"of the {how_many(len(complete), 'systems')} that have all {_tasks(count)}"
    if len(complete) == 1:
        return f"{best.name} is the only system with all {_tasks(count)}: its mean {suite.measure} is {mean}"
    return f"{best.name} has the best mean {suite.measure} {of}, {mean}"


def suite_sentences(suite: Suite) -> list[str]:
    """What is shown against the baseline, who wins where, and who lacks a task."""
    return [*_against_baseline(suite), winners_sentence(suite), *_gaps(suite)]


def _tasks(count: int) -> str:
    return "one task" if count == 1 else f"{count} tasks"


def _against_baseline(suite: Suite) -> list[str]:
    others = [each for each in suite.complete if each.name != suite.baseline]
    if not others or len(suite.tasks) < 2:
        return []
    said = [
        f"{_named(found)} {'is' if len(found) == 1 else 'are'} significantly {side} than {suite.baseline}"
        for side in ("better", "worse")
        if (found := [each for each in others if each.side == side])
    ]
    alike = [each for each in others if not each.side]
    if alike:
        said.append(f"{_named(alike)} without a significant difference from {'it' if said else suite.baseline}")
    return [f"On the whole {'; '.join(said)}."]


def _named(found: list[SuiteSystem]) -> str:
    """Systems with their differences, few of them by name."""
    if len(found) > NAMED:
        return f"{how_many(len(found), 'systems')}"
    return join_words([f"{each.name} ({signed_text(each.difference.value)})" for each in found])


def winners_sentence(suite: Suite) -> str:
    """On how many tasks each system has the best mean."""
    winners = sorted((each for each in suite.systems if each.wins), key=lambda each: -len(each.wins))
    said = [f"{each.name} on {len(each.wins)} ({_listed(each.wins)})" for each in winners[:NAMED]]
    shown = sum(len(task.beaten) == len(task.table.systems) - 1 > 0 for task in suite.tasks)
    rest = sum(len(each.wins) for each in winners[NAMED:])
    others = [f"others on {rest}"] if rest else []
    sure = f"on {shown} of {len(suite.tasks)} the winner is significantly better than all others"
    return f"The best mean of a task belongs to {join_words([*said, *others])}; {sure}."


def _listed(names: tuple[str, ...]) -> str:
    return join_words(list(names)) if len(names) <= NAMED else f"{join_words(list(names[: NAMED - 1]))}, ..."


def _gaps(suite: Suite) -> list[str]:
    """Systems without some task, and what may be said of them."""
    said = []
    for each in suite.systems:
        if not each.missing:
            continue
        there = len(suite.tasks) - len(each.missing)
        start = f"{each.name} lacks {join_words(list(each.missing))} and has no mean over tasks and no mean rank"
        if math.isnan(each.difference.value):
            said.append(f"{start}.")
        else:
            less = each.difference
            span = "" if math.isnan(less.low) else f" [{signed_text(less.low)}, {signed_text(less.high)}]"
            change = f"{signed_text(less.value)}{span}"
            said.append(f"{start}; on the {_tasks(there)} that it has it is {change} from {suite.baseline}.")
    return said


def suite_notes(suite: Suite) -> list[str]:
    """How numbers over tasks are made, and what so few tasks cannot show."""
    count = len(suite.tasks)
    tests = suite.compared_with_baseline
    lines = [
        f"Means over tasks: every task counts the same. {percent_text(suite.level)} intervals draw tasks with "
        f"replacement and in each task drawn its queries, {suite.resamples:,} times (seed {suite.seed}), with limits "
        f"as far out as {how_many(count, 'task asks', 'tasks ask')} for. Better and worse: t test of the difference "
        f"over tasks, its error from the same draws, Holm's correction for {tests} "
        f"comparison{'' if tests == 1 else 's'} with the baseline.",
        "Mean rank: among the systems that have every task. Marks in the columns of tasks are of each task by itself, "
        "corrected for all pairs of its systems.",
    ]
    if count < 2:
        lines.append("One task says nothing about other tasks: there are no intervals over tasks.")
    elif count < ENOUGH_TASKS:
        lines.append(
            f"{how_many(count, 'tasks')} are few to tell how tasks differ: intervals over them hold less often "
            "than they say."
        )
    left_out = [f"{task.name} {task.left_out:,}" for task in suite.tasks if task.left_out]
    if left_out:
        lines.append(f"Queries left out because not every system of the task has a value: {', '.join(left_out)}.")
    return lines


def task_rows(suite: Suite) -> list[dict[str, object]]:
    """One row for each task: who wins, and over whom that is shown."""
    rows: list[dict[str, object]] = []
    for task in suite.tasks:
        count, done = len(task.table.systems), task.compared
        said = verdict_sentences(done)[0] if done is not None and len(done.systems) > 1 else "-"
        row: dict[str, object] = {"task": task.name, "queries": len(task.table), "systems": count}
        row |= {"best mean": task.best, "value": task.mean(task.best)}
        row["significantly better than"] = f"{len(task.beaten)} of {count - 1} others" if count > 1 else "alone"
        rows.append(row | {"in words": said})
    return rows


def suite_rows(suite: Suite) -> list[dict[str, object]]:
    """One row for each system, for the terminal."""
    return [
        {
            "system": each.name,
            "mean": each.mean.value,
            "low": each.mean.low,
            "high": each.mean.high,
            "mean rank": each.rank.value,
            f"minus {suite.baseline}": each.difference.value,
            "p (holm)": each.p,
            "side": each.side,
            "wins": len(each.wins),
            "tasks": f"{len(suite.tasks) - len(each.missing)} of {len(suite.tasks)}",
        }
        for each in suite.systems
    ]
