"""A machine as one more assessor: how it agrees with people, and what its labels say once corrected by theirs.

Means and differences from people's judgements of some queries and a machine's judgements of these and of others.
Prediction-powered inference (Angelopoulos et al. 2023), tuned (PPI++): what the machine says of many queries, corrected
by how it errs where people judged as well. The weight lambda of the machine is fitted, hence Student's t on n - 2.

Few queries with large errors carry most of the uncertainty that a good machine leaves, and they draw lambda towards
themselves. So the commands divide each residual by 1 minus the leverage of its query, as the jackknife does (HC3,
MacKinnon & White 1985), and take so many degrees of freedom as the kurtosis of the residuals leaves (Satterthwaite
1946, n - 2 at most): with 20 queries of people the lowest of 108 quantities is held in .935 of samples so, in .926
without the second (machines of kappa .7 and .9). Few queries by people also leave the corrected interval wider than
theirs alone. So which of the two is told is decided before either is seen, by the number of queries: people alone below
`CORRECT_FROM`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from rankscope.analysis.assessors.agreement import agreement, tables_by_query
from rankscope.analysis.assessors.grades import AssessorGrades
from rankscope.analysis.sampling.estimate import EstimatedRange
from rankscope.analysis.sampling.intervals import t_quantile
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.core.arrays import FloatArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.wording import how_many, setting_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.measure import Measure
from rankscope.measures.notation import Asked, parse_measures
from rankscope.ranks.ragged import divide

if TYPE_CHECKING:
    from collections.abc import Sequence


CORRECT_FROM: Final = 20  # queries judged by people: from there machines of kappa .7 widen no interval by over 2 %
FEWEST_JUDGED: Final = 10  # below which errors of the machine cannot be estimated
Bounds = tuple[float, float]
ANYTHING: Final = (-math.inf, math.inf)
FEWEST_OTHERS = 2
MOST_LEVERAGE = 0.9


@dataclass(frozen=True)
class CorrectedMean:
    """The corrected mean, that of people alone, that of the machine alone, lambda, and what the machine is worth."""

    corrected: EstimatedRange
    human: EstimatedRange
    machine: float
    weight: float  # lambda
    queries: int
    others: int
    worth: float = math.nan  # queries that people would have to judge for an interval by Student's t as short


def corrected_mean(
    human: FloatArray,
    machine: FloatArray,
    others: FloatArray,
    level: float = 0.95,
    *,
    weight: float | None = None,
    small_sample: bool = False,
    bounds: Bounds = ANYTHING,
) -> CorrectedMean:
    """From values by people and by the machine on the same queries, and by the machine alone on `others`.

    lambda = cov(y, f)/((1 + n/N) var(f of all)), kept from 0 to 1, unless a `weight` is given; theta = mean(y - lambda
    f) + lambda mean of others; se^2 = sum of squared residuals/((n - 2) n) + lambda^2 var(others)/N. `small_sample`:
    the first part is the sum of (residual/(1 - h))^2/n^2, h the leverage of a query, and t has 2(n - 1)/(kurtosis - 1)
    degrees of freedom, n - 2 at most. Nothing lies outside of `bounds`, the range of a value.
    >>> y, f = np.array([0.5, 0.6, 0.4, 0.7, 0.3, 0.8]), np.array([0.6, 0.7, 0.5, 0.9, 0.5, 0.8])
    >>> others = np.array([0.7, 0.4, 0.6, 0.8, 0.5, 0.9, 0.3, 0.6, 0.7, 0.5, 0.8, 0.6])
    >>> found = corrected_mean(y, f, others)
    >>> [round(each, 6) for each in (found.weight, found.corrected.value, found.corrected.low, found.corrected.high)]
    [0.661111, 0.516944, 0.361821, 0.672068]
    """
    both = human[:, None], machine[:, None], others[:, None]
    columns = corrected_columns(*both, level, weight=weight, small_sample=small_sample, bounds=bounds)
    share, value, low, high, half = (float(each[0]) for each in columns)
    n = human.size
    of_human = t_quantile(level, n - 1) * float(human.std(ddof=1)) / math.sqrt(n)
    return CorrectedMean(
        corrected=EstimatedRange(value, low, high),
        human=human_mean(human, level, bounds),
        machine=float(np.concatenate([machine, others]).mean()),
        weight=share,
        queries=n,
        others=others.size,
        worth=n * (of_human / half) ** 2 if half > 0 else math.nan,
    )


class CorrectedColumns(NamedTuple):
    """Of each column: lambda, the corrected mean, its limits, and half of the width before it was cut to the range."""

    weight: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    half: FloatArray


def corrected_columns(
    human: FloatArray,
    machine: FloatArray,
    others: FloatArray,
    level: float = 0.95,
    *,
    weight: float | None = None,
    small_sample: bool = False,
    bounds: tuple[ArrayLike, ArrayLike] = ANYTHING,
) -> CorrectedColumns:
    """`corrected_mean` of each column: queries x quantities, with the bounds of all or of each."""
    n, many = len(human), len(others)
    share = _tuned(human, machine, others) if weight is None else np.full(human.shape[1], weight)
    corrected = human - share * machine
    value = corrected.mean(axis=0) + share * others.mean(axis=0)
    residual = corrected - corrected.mean(axis=0)
    if small_sample:
        # 1/n + (f - mean)^2/sum of squares: how much a query draws a fitted line towards itself.
        apart = (machine - machine.mean(axis=0)) ** 2
        leverage = np.minimum(1.0 / len(machine) + divide(apart, apart.sum(axis=0), nothing=0.0), MOST_LEVERAGE)
        of_people = ((residual / (1.0 - leverage)) ** 2).sum(axis=0) / n**2
        freedom = _freedom(residual)
    else:
        of_people = (residual**2).sum(axis=0) / ((n - 2) * n)
        freedom = np.full(human.shape[1], n - 2.0)
    error = np.sqrt(of_people + share**2 * others.var(axis=0, ddof=1) / many)
    half = stdtrit(freedom, 0.5 + level / 2.0) * error
    middle, low, high = (np.clip(each, *bounds) for each in (value, value - half, value + half))
    return CorrectedColumns(share, middle, low, high, half)


def human_mean(human: FloatArray, level: float = 0.95, bounds: Bounds = ANYTHING) -> EstimatedRange:
    """The mean of the queries that people judged, with Student's interval; none for a single query."""
    if human.size < 2:
        return EstimatedRange(float(human.mean()) if human.size else math.nan, math.nan, math.nan)
    error = float(human.std(ddof=1)) / math.sqrt(human.size)
    value = float(human.mean())
    half = t_quantile(level, human.size - 1) * error
    low, middle, high = np.clip([value - half, value, value + half], *bounds).tolist()
    return EstimatedRange(middle, low, high)


def uncorrected(
    human: FloatArray, machine: FloatArray, others: FloatArray, level: float = 0.95, *, bounds: Bounds = ANYTHING
) -> CorrectedMean:
    """People alone: where they judged too few queries, or the machine no others."""
    nothing = EstimatedRange(math.nan, math.nan, math.nan)
    every = np.concatenate([machine, others])
    return CorrectedMean(
        corrected=nothing,
        human=human_mean(human, level, bounds),
        machine=float(every.mean()) if every.size else math.nan,
        weight=math.nan,
        queries=human.size,
        others=others.size,
    )


def _tuned(human: FloatArray, machine: FloatArray, others: FloatArray) -> FloatArray:
    variance = (1.0 + len(human) / len(others)) * np.concatenate([machine, others]).var(axis=0, ddof=1)
    together = ((human - human.mean(axis=0)) * (machine - machine.mean(axis=0))).sum(axis=0) / (len(human) - 1)
    return np.clip(divide(together, variance, nothing=0.0), 0.0, 1.0)


def _freedom(residual: FloatArray) -> FloatArray:
    """Of the mean square of residuals, from its own variance: few that are large leave less than n - 2."""
    n, squares = len(residual), residual**2
    kurtosis = n * divide((squares**2).sum(axis=0), squares.sum(axis=0) ** 2, nothing=0.0)
    return np.clip(2.0 * (n - 1) / np.maximum(kurtosis - 1.0, 1e-9), 2.0, n - 2.0)


UNLIKE = 3.0  # standard errors between what the machine says of people's queries and of the others


class MachineAgreement(NamedTuple):
    """How the machine's labels agree with people's, relevant or not."""

    pairs: int
    kappa: float
    low: float
    high: float
    missed: float  # share of what people call relevant
    accepted: float  # share of what people call irrelevant that the machine calls relevant

    def row(self) -> dict[str, object]:
        return {
            "pairs judged by both": self.pairs,
            "kappa": self.kappa,
            "low": self.low,
            "high": self.high,
            "relevant missed": self.missed,
            "irrelevant accepted": self.accepted,
        }


class CorrectedRow(NamedTuple):
    """One measure of one run, or of a difference of two."""

    run: str
    measure: str
    mean: CorrectedMean

    def row(self) -> dict[str, object]:
        mean = self.mean
        return {
            "run": self.run,
            "measure": self.measure,
            "corrected": mean.corrected.value,
            "low": mean.corrected.low,
            "high": mean.corrected.high,
            "people": mean.human.value,
            "people: low": mean.human.low,
            "people: high": mean.human.high,
            "machine": mean.machine,
            "lambda": mean.weight,
            "worth queries": None if math.isnan(mean.worth) else round(mean.worth),
        }


@dataclass(frozen=True, eq=False, repr=False)
class MachineJudged(Tabular):
    """Corrected means and differences next to those of people and of the machine alone."""

    rows: tuple[CorrectedRow, ...]
    differences: tuple[CorrectedRow, ...]
    agreement: MachineAgreement | None
    queries: int
    others: int
    level: float
    reason: str  # why nothing is corrected, where nothing is
    warnings: tuple[str, ...] = ()

    def records(self) -> Rows:
        return [each.row() for each in (*self.rows, *self.differences)]

    def display(self) -> Display:
        return Display.of([machine_line(self), *machine_lines(self), *self.warnings], self.records(), ".warnings")

    def presentation(self) -> Presentation:
        about = f"over queries, intervals of {100 * self.level:.3g} %: corrected, people alone, machine alone"
        tables = [HeadedTable(f"Means {about}", [each.row() for each in self.rows])]
        if self.agreement is not None:
            tables.insert(
                0, HeadedTable("Agreement of the machine with people, relevant or not", [self.agreement.row()])
            )
        if self.differences:
            tables.append(HeadedTable(f"Differences {about}", [each.row() for each in self.differences]))
        return Presentation([machine_line(self)], tables, machine_lines(self), self.warnings, apart=True)

    def record(self) -> dict[str, Any]:
        return {
            "format": "rankscope.machine_judge",
            "version": 1,
            "level": self.level,
            "queries": self.queries,
            "others": self.others,
            "agreement": None if self.agreement is None else self.agreement._asdict(),
            "reason": self.reason,
            "means": [each.row() for each in self.rows],
            "differences": [each.row() for each in self.differences],
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, eq=False)
class TwoJudges:
    """Judgements of people and of the machine, and the queries judged by both, or by the machine alone."""

    human: Qrels
    machine: Qrels
    both: tuple[str, ...]
    alone: tuple[str, ...]
    left_out: tuple[str, ...]  # judged by people alone
    tuned_on: tuple[str, ...]
    correct_from: int = CORRECT_FROM

    @classmethod
    def of(cls, human: Any, machine: Any, tuned_on: Iterable[str] = (), correct_from: int = CORRECT_FROM) -> TwoJudges:
        """Queries that the machine was tuned on are left out, whoever judged them."""
        people, labels = Qrels.of(human), Qrels.of(machine)
        seen = set(tuned_on)
        judged, marked = _queries(people), _queries(labels)
        return cls(
            human=people,
            machine=labels,
            both=tuple(sorted((each for each in judged if each in marked and each not in seen), key=str.encode)),
            alone=tuple(each for each in marked if each not in judged and each not in seen),
            left_out=tuple(each for each in judged if each not in marked),
            tuned_on=tuple(each for each in judged if each in seen),
            correct_from=correct_from,
        )

    @property
    def reason(self) -> str:
        """Why nothing can be corrected; empty where it can."""
        n = len(self.both)
        after = " that the machine was not tuned on" if self.tuned_on else ""
        if n < FEWEST_JUDGED:
            return f"people judged {how_many(n)}{after}: below {FEWEST_JUDGED} the machine's errors cannot be estimated"
        if n < self.correct_from:
            return (
                f"people judged {how_many(n)}{after}: below {self.correct_from} the corrected interval is often the "
                "wider one, and which is told is decided before both are seen "
                f"({setting_value('correct_from', FEWEST_JUDGED)} corrects from {FEWEST_JUDGED} on)"
            )
        if len(self.alone) < FEWEST_OTHERS:
            return "the machine judged no queries beyond those of people: there is nothing to add to theirs"
        return ""


def judge_with_machine(
    judges: TwoJudges,
    runs: Mapping[str, Run],
    measures: Asked,
    *,
    rel: float = 1.0,
    level: float = 0.95,
    told_tuning: bool = False,
) -> MachineJudged:
    """Every measure of every run and every difference of two, by people on n queries and by the machine on all.

    Queries without a relevant item count with the worst value, so that every query has a value by both judges. Below
    `correct_from` queries of people, or where the machine judged no others, only people's means are given, and the
    reason. The interval of people alone is that of every mean over queries.
    """
    if not judges.both:
        raise SettingError("no query was judged both by people and by the machine: nothing says how the machine errs")
    asked = parse_measures(measures, rel)
    every = [*judges.both, *judges.alone]
    people = _values(judges.human, runs, asked, judges.both, rel)
    machine = _values(judges.machine, runs, asked, every, rel)
    n = len(judges.both)
    make = uncorrected if judges.reason else partial(corrected_mean, small_sample=True)

    def rows(of: Sequence[tuple[str, str, FloatArray, FloatArray, Bounds]]) -> tuple[CorrectedRow, ...]:
        if not of:
            return ()
        means = [make(y, f[:n], f[n:], level, bounds=ends) for *_, y, f, ends in of]
        low, high = np.array([ends for *_, ends in of]).T
        found = mean_intervals(np.stack([y for *_, y, _, _ in of], axis=1), level=level, bounds=(low, high))
        alone = [EstimatedRange(*each) for each in np.stack([found.mean, found.low, found.high], axis=1).tolist()]
        return tuple(
            CorrectedRow(run, name, replace(mean, human=own))
            for (run, name, *_), mean, own in zip(of, means, alone, strict=True)
        )

    ends = {str(measure): measure.bounds() for measure in asked}
    names = [(run, str(measure)) for run in runs for measure in asked]
    apart = [(one, two, str(each)) for one, two in combinations(runs, 2) for each in asked]
    return MachineJudged(
        rows=rows([(run, name, people[run, name], machine[run, name], ends[name]) for run, name in names]),
        differences=rows(
            [
                (
                    f"{two} minus {one}",
                    name,
                    people[two, name] - people[one, name],
                    machine[two, name] - machine[one, name],
                    (ends[name][0] - ends[name][1], ends[name][1] - ends[name][0]),
                )
                for one, two, name in apart
            ]
        ),
        agreement=_agreement(judges, rel, level),
        queries=n,
        others=len(judges.alone),
        level=level,
        reason=judges.reason,
        warnings=tuple(_warnings(judges, machine, n, told_tuning)),
    )


def _values(
    qrels: Qrels, runs: Mapping[str, Run], measures: list[Measure], queries: Iterable[str], rel: float
) -> dict[tuple[str, str], FloatArray]:
    """The value of each measure of each run for these queries, in their order; the worst where nothing is relevant."""
    scores = evaluate(qrels, dict(runs), measures, rel=rel, no_relevant="zero")
    found = {}
    for system in scores.systems:
        place = {query: row for row, query in enumerate(system.ranks.queries)}
        rows = np.array([place[query] for query in queries])
        for measure, column in zip(measures, system.columns, strict=True):
            found[system.name, str(measure)] = np.nan_to_num(column.values[rows], nan=measure.worst)
    return found


def _agreement(judges: TwoJudges, rel: float, level: float) -> MachineAgreement | None:
    """Of the pairs that both judged."""
    some = set(judges.both)
    graded = {
        name: {query: items for query, items in qrels.to_dict().items() if query in some}
        for name, qrels in (("people", judges.human), ("machine", judges.machine))
    }
    marks = AssessorGrades.of(graded).binary(rel)
    both = marks.take(marks.both("people", "machine"))
    if not len(both) or both.levels.size < 2:
        return None
    kappa = agreement(both, by_class=False, level=level).two[0]["kappa"]
    table = tables_by_query(both, "people", "machine").sum(axis=0)
    missed = float(table[1, 0] / table[1].sum()) if table[1].sum() else float("nan")
    accepted = float(table[0, 1] / table[0].sum()) if table[0].sum() else float("nan")
    return MachineAgreement(int(table.sum()), kappa.value, kappa.low, kappa.high, missed, accepted)


def _queries(qrels: Qrels) -> dict[str, None]:
    """Those with a judged item, in their order."""
    return dict.fromkeys(np.array(qrels.query.to_list(), dtype=object)[qrels.grade >= 0].tolist())


def _warnings(
    judges: TwoJudges, machine: Mapping[tuple[str, str], FloatArray], n: int, told_tuning: bool
) -> Iterable[str]:
    if judges.left_out:
        yield f"left out: {how_many(len(judges.left_out))} judged by people, without a label of the machine"
    if judges.tuned_on:
        yield f"left out: {how_many(len(judges.tuned_on))} that the machine was tuned on"
    if not told_tuning:
        yield (
            "nothing says which queries the machine was tuned on: if prompt, threshold or examples were chosen by "
            "these judgements of people, the interval is too short"
        )
    for (run, measure), values in machine.items():
        if not judges.reason and _apart(values[:n], values[n:]) > UNLIKE:
            yield (
                f"by the machine, {measure} of {run} is {values[:n].mean():.3f} for the queries that people judged and "
                f"{values[n:].mean():.3f} for the others: were they drawn at random?"
            )


def _apart(one: FloatArray, other: FloatArray) -> float:
    error = float(np.sqrt(one.var(ddof=1) / one.size + other.var(ddof=1) / other.size))
    return abs(float(one.mean() - other.mean())) / error if error > 0 else 0.0


# What may be believed of a machine judge, in words and numbers.

ASSUMED = (
    "This holds if the queries that people judged were drawn at random from all, not chosen as hard or frequent ones."
)


def machine_line(done: MachineJudged) -> str:
    return (
        f"{how_many(done.queries, 'queries')} judged by people and by the machine, {done.others:,} by the machine alone"
    )


def machine_lines(done: MachineJudged) -> list[str]:
    """What follows: why nothing is corrected, or how much the machine adds and where it alone would mislead."""
    if done.reason:
        return [f"Nothing is corrected: {done.reason}. Believe the columns of people."]
    first, worth = done.rows[0], done.rows[0].mean.worth
    if math.isnan(worth):
        lines = [f"{first.measure} of {first.run} does not vary: the machine adds nothing to it."]
    else:
        lines = [
            f"For {first.measure} of {first.run} the corrected interval is as short as that of {worth:.0f} queries "
            f"judged by people: {done.queries} were."
        ]
    every = [*done.rows, *done.differences]
    outside = [each for each in every if not each.mean.corrected.low <= each.mean.machine <= each.mean.corrected.high]
    if outside:
        named = ", ".join(f"{each.measure} of {each.run}" for each in outside[:4])
        more = f" and {len(outside) - 4} more" if len(outside) > 4 else ""
        lines.append(f"The machine alone lies outside of the corrected interval for {named}{more}.")
    else:
        lines.append("The machine alone lies within every corrected interval.")
    return [*lines, ASSUMED]
