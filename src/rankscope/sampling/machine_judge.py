"""A machine as one more assessor: how it agrees with people, and what its labels say once corrected by theirs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.displayed import Tabular
from rankscope.errors import SettingError
from rankscope.evaluation.evaluate import evaluate
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.measure import Measure
from rankscope.measures.notation import Asked, parse_measures
from rankscope.number_texts import how_many
from rankscope.sampling.estimate import EstimatedRange
from rankscope.sampling.prediction_powered import (
    CORRECT_FROM,
    FEWEST,
    FEWEST_OTHERS,
    Bounds,
    CorrectedMean,
    corrected_mean,
    uncorrected,
)
from rankscope.statistics.agreement.agreement import agreement
from rankscope.statistics.agreement.marks import AssessorGrades
from rankscope.statistics.agreement.two_assessors import tables_by_query
from rankscope.statistics.intervals.mean_intervals import mean_intervals
from rankscope.wording import setting_value

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
        """As a row of a table."""
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
        """As a row of a table."""
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
        if n < FEWEST:
            return f"people judged {how_many(n)}{after}: below {FEWEST} the machine's errors cannot be estimated"
        if n < self.correct_from:
            return (
                f"people judged {how_many(n)}{after}: below {self.correct_from} the corrected interval is often the "
                "wider one, and which is told is decided before both are seen "
                f"({setting_value('correct_from', FEWEST)} corrects from {FEWEST} on)"
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
        means = [make(y, f[:n], f[n:], level, bounds=ends) for *_, y, f, ends in of]
        alone = (
            people_means(np.stack([y for *_, y, _, _ in of], axis=1), level, [ends for *_, ends in of]) if of else []
        )
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


def people_means(values: FloatArray, level: float, bounds: Sequence[Bounds]) -> list[EstimatedRange]:
    """The mean of each column by people alone, with the interval that every command gives a mean over queries."""
    low, high = np.array(bounds).T
    made = mean_intervals(values, level=level, bounds=(low, high))
    return [EstimatedRange(*each) for each in np.stack([made.mean, made.low, made.high], axis=1).tolist()]


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
    graded = {name: _of_queries(qrels, some) for name, qrels in (("people", judges.human), ("machine", judges.machine))}
    marks = AssessorGrades.of(graded).binary(rel)
    both = marks.take(marks.both("people", "machine"))
    if not len(both) or both.levels.size < 2:
        return None
    kappa = agreement(both, by_class=False, level=level).two[0]["kappa"]
    table = tables_by_query(both, "people", "machine").sum(axis=0)
    missed = float(table[1, 0] / table[1].sum()) if table[1].sum() else float("nan")
    accepted = float(table[0, 1] / table[0].sum()) if table[0].sum() else float("nan")
    return MachineAgreement(int(table.sum()), kappa.value, kappa.low, kappa.high, missed, accepted)


def _of_queries(qrels: Qrels, some: set[str]) -> dict[str, dict[str, float]]:
    return {query: items for query, items in qrels.to_dict().items() if query in some}


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
