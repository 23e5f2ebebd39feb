"""What counts most of a disagreement: whether systems come in another order, and whether verdicts on them turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rankscope.analysis.assessors.grades import AssessorGrades
from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError
from rankscope.measures.evaluation.evaluate import evaluate


@dataclass(frozen=True)
class SystemUnderTwo:
    """The mean of a system under the judgements of each of two assessors."""

    system: str
    first: float
    second: float

    @property
    def change(self) -> float:
        return self.second - self.first


@dataclass(frozen=True)
class OrderChange:
    """Systems under the judgements of two assessors, on the pairs that both judged and the queries that both measure.

    `reversed` verdicts name one system under the first assessor and the other under the second; `one_sided` ones exist
    under one of them alone.
    """

    first: str
    second: str
    measure: str
    pairs: int
    queries: int
    tau: float  # Kendall's, of the means; NaN where all means of one of them are equal
    swapped: int  # pairs of systems whose means change their order
    kept: int  # verdicts that both give
    reversed: int
    one_sided: int
    undecided: int  # pairs of systems that neither distinguishes
    systems: tuple[SystemUnderTwo, ...]  # the best under the first assessor first

    @property
    def largest(self) -> SystemUnderTwo:
        return max(self.systems, key=lambda each: abs(each.change))

    @property
    def system_pairs(self) -> int:
        return len(self.systems) * (len(self.systems) - 1) // 2

    def row(self) -> dict[str, object]:
        return {
            "first": self.first,
            "second": self.second,
            "pairs": self.pairs,
            "queries": self.queries,
            "tau": self.tau,
            "swapped": self.swapped,
            "same verdict": self.kept,
            "reversed": self.reversed,
            "by one alone": self.one_sided,
            "no verdict": self.undecided,
            "largest change": self.largest.change,
            "of": self.largest.system,
        }


def order_changes(marks: AssessorGrades, runs: Any, measure: str = "AP", **settings: Any) -> tuple[OrderChange, ...]:
    """The order of systems, and the verdicts on them, under the judgements of every two assessors.

    Both are taken from the pairs that both judged: what only one of them saw would be a difference of pools, not of
    opinions. Two assessors without a query that both can measure are left out.
    >>> run = lambda *items: {"q1": {item: -place for place, item in enumerate(items)}}
    >>> marks = AssessorGrades.of({"ann": {"q1": {"a": 1, "b": 0}}, "bob": {"q1": {"a": 0, "b": 1}}})
    >>> change, = order_changes(marks, {"one": run("a", "b"), "two": run("b", "a")})
    >>> change.tau, change.swapped, change.largest.change
    (-1.0, 1, -0.5)
    """
    found = [_change(marks, one, other, runs, measure, settings) for one, other in marks.pairs]
    return tuple(each for each in found if each is not None)


def _change(
    marks: AssessorGrades, one: str, other: str, runs: Any, measure: str, settings: Mapping[str, Any]
) -> OrderChange | None:
    from scipy.stats import kendalltau

    common = marks.take(marks.both(one, other))
    tables = [ScoreTable.of(evaluate(common.judgements(name), runs, [measure], **settings)) for name in (one, other)]
    if len(tables[0].systems) < 2:
        raise SettingError("the order of systems needs two runs at least")
    # the queries for which every system has a value under both assessors
    places = [{query: row for row, query in enumerate(each.queries) if each.whole[row]} for each in tables]
    shared = [query for query in places[0] if query in places[1]]
    if not shared:
        return None
    first, second = (
        table.take(np.array([place[query] for query in shared], dtype=np.int64))
        for table, place in zip(tables, places, strict=True)
    )
    before, after = first.gains.mean(axis=0), second.gains.mean(axis=0)
    order = np.argsort(-before, kind="stable").tolist()
    means = [table.values.mean(axis=0).tolist() for table in (first, second)]
    has_order = np.ptp(before) > 0 and np.ptp(after) > 0
    verdicts = list(zip(_verdicts(first), _verdicts(second), strict=True))
    signs = [np.sign(each[:, None] - each) for each in (before, after)]
    return OrderChange(
        first=one,
        second=other,
        measure=first.measure,
        pairs=len(common),
        queries=len(first),
        tau=float(kendalltau(before, after).statistic) if has_order else float("nan"),
        swapped=int((signs[0] * signs[1] < 0).sum()) // 2,
        kept=sum(named == later != "" for named, later in verdicts),
        reversed=sum("" not in (named, later) and named != later for named, later in verdicts),
        one_sided=sum((named == "") != (later == "") for named, later in verdicts),
        undecided=sum(named == later == "" for named, later in verdicts),
        systems=tuple(SystemUnderTwo(first.systems[each], means[0][each], means[1][each]) for each in order),
    )


def _verdicts(table: ScoreTable) -> list[str]:
    """Which of each two systems is significantly better, by the one procedure of `compare`; nothing: neither."""
    found = compare([table])
    return [
        one if found.shown_better(one, other) else other if found.shown_better(other, one) else ""
        for one, other in combinations(table.systems, 2)
    ]
