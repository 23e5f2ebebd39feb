"""What a look sees: of each query the values of all systems, and digests that tell whether they are the same again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.evaluation.scores import Column, Scores, SystemScores
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.table.units import classes_are_targets

DIGITS = 16  # of a digest, in hexadecimal
COLUMNS = ("rank", "grade", "count")
LEFT_ASIDE = ("seed", "comments", "collection_size", "scores")  # digests of each query tell of size and order


@dataclass(frozen=True)
class QueryRecord:
    """One query: its sampling unit, digests of its judgements and of each system's answer, and the values.

    A value for each measure and, within it, for each system.
    """

    unit: str
    judgements: str
    answers: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Observed:
    """All queries of one look that can count."""

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    lower_is_better: tuple[bool, ...]  # of each measure
    unit: str  # query or class
    settings: Mapping[str, object]
    records: Mapping[str, QueryRecord]
    left_out: int  # queries for which a system has no value


def observe(scores: Scores) -> Observed:
    """What some scores hold: a query counts once every system has a value of every measure and one has answered.

    A query that no system has answered yet is not there yet, even if it is judged already; so runs may grow.
    >>> from rankscope.evaluation.evaluate import evaluate
    >>> both = {"old": {"q1": {"a": 1.0}}, "new": {"q1": {"x": 2.0, "a": 1.0}}}
    >>> seen = observe(evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, both, ["RR"]))
    >>> {query: each.values for query, each in seen.records.items()}
    {'q1': ((1.0, 0.5),)}
    """
    part = answered_part(scores)
    tables = [ScoreTable.of(part, measure) for measure in scores.measures]
    values = np.stack([table.values for table in tables], axis=1)
    _check_values(tables, values)
    whole = ~np.isnan(values).any(axis=(1, 2))
    by_class = classes_are_targets(part)
    units = tables[0].labels if by_class else ("",) * len(tables[0])
    return Observed(
        systems=tables[0].systems,
        measures=scores.measures,
        lower_is_better=tuple(table.lower_is_better for table in tables),
        unit="class" if by_class else "query",
        settings=_settings(scores),
        records=_records(part, tables[0].queries, units, values, np.flatnonzero(whole)),
        left_out=int((~whole & (~np.isnan(values)).any(axis=(1, 2))).sum()),
    )


def _records(
    scores: Scores, queries: tuple[str, ...], units: tuple[str, ...], values: FloatArray, rows: IntArray
) -> dict[str, QueryRecord]:
    """A record for each of these rows; a query without a class is a unit of its own."""
    ranks = [system.ranks for system in scores.systems]
    answers = [_digests(each, each.depth, (each.judged, each.pooled)) for each in ranks]
    judged = [_digests(each, each.collection, (each.levels,)) for each in ranks]
    return {
        queries[row]: QueryRecord(
            unit=units[row] or f"query {queries[row]}",
            judgements=next(each[queries[row]] for each in judged if queries[row] in each),
            answers=tuple(
                sha256(f"{each.get(queries[row])} {mine}".encode()).hexdigest()[:DIGITS]
                for each, mine in zip(answers, values[row].T.tolist(), strict=True)
            ),
            values=tuple(tuple(each) for each in values[row].tolist()),
        )
        for row in rows.tolist()
    }


def _check_values(tables: list[ScoreTable], values: FloatArray) -> None:
    """Every measure must lie between 0 and 1: limits that hold at every look need to know the range beforehand."""
    low, high = np.nanmin(values, axis=(0, 2), initial=0.0), np.nanmax(values, axis=(0, 2), initial=1.0)
    wrong = [table.measure for table, one, other in zip(tables, low, high, strict=True) if one < 0 or other > 1]
    if wrong:
        raise SettingError(
            f"limits that hold at every look need a measure whose values lie between 0 and 1, and these do not: "
            f"{', '.join(wrong)}"
        )


def answered_part(scores: Scores) -> Scores:
    """Only the queries that some system has answered: the others are not there yet, and nothing is to be said of them.

    >>> from rankscope.evaluation.evaluate import evaluate
    >>> scores = evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}, ["RR"])
    >>> answered_part(scores).systems[0].ranks.queries, answered_part(scores)["RR"]
    (('q1',), 1.0)
    """
    answered = {
        query
        for system in scores.systems
        for query, there in zip(system.ranks.queries, system.ranks.answered.tolist(), strict=True)
        if there
    }
    return replace(scores, systems=tuple(_part_of_system(system, answered) for system in scores.systems))


def _part_of_system(system: SystemScores, queries: set[str]) -> SystemScores:
    rows = np.array([row for row, query in enumerate(system.ranks.queries) if query in queries], dtype=np.int64)
    return replace(
        system, ranks=system.ranks.take(rows), columns=tuple(_part_of_column(each, rows) for each in system.columns)
    )


def _part_of_column(column: Column, rows: IntArray) -> Column:
    values, counted = column.values[rows], column.counted[rows]
    known = values[counted & ~np.isnan(values)]
    return replace(
        column,
        values=values,
        counted=counted,
        summary=float(known.mean()) if known.size else math.nan,
        words=None if column.words is None else [column.words[row] for row in rows.tolist()],
        worst=None if column.worst is None else column.worst[rows],
        best=None if column.best is None else column.best[rows],
        error=None if column.error is None else column.error[rows],
    )


def _settings(scores: Scores) -> dict[str, object]:
    """What made the values; where systems differ, one after the other, whatever they are called."""
    found = {name: each for name, each in scores.settings_in_effect.items() if name not in LEFT_ASIDE}
    return {name: list(each.values()) if isinstance(each, dict) else each for name, each in found.items()}


def _digests(ranks: RelevantRanks, numbers: IntArray, lists: tuple[Ragged, ...]) -> dict[str, str]:
    """Of each query, a digest of its number and of its part of some lists."""
    columns = [(each.offsets.tolist(), each[name]) for each in lists for name in COLUMNS if name in each]
    found = {}
    for row, (query, number) in enumerate(zip(ranks.queries, numbers.tolist(), strict=True)):
        digest = sha256(f"{number}".encode())
        for offsets, column in columns:
            digest.update(b"|" + np.asarray(column[offsets[row] : offsets[row + 1]], dtype=np.float64).tobytes())
        found[query] = digest.hexdigest()[:DIGITS]
    return found
