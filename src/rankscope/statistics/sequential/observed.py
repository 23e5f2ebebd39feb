"""What a look sees: of each query the values of all systems, and digests that tell whether they are the same again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.evaluation.scores import Scores
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.table.units import classes_are_targets

DIGITS = 16  # of a digest, in hexadecimal
COLUMNS = ("rank", "grade", "count")
LEFT_ASIDE = ("seed", "comments", "collection_size")  # a digest of each query tells of the size


@dataclass(frozen=True)
class QueryRecord:
    """One query: its unit of chance, digests of its judgements and of each system's answer, and the values.

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
    tables = [ScoreTable.of(scores, measure) for measure in scores.measures]
    queries = tables[0].queries
    values = np.stack([table.values for table in tables], axis=1)
    _check_values(tables, values)
    there = _answered_by_one(scores, queries)
    whole = ~np.isnan(values).any(axis=(1, 2)) & there
    by_class = classes_are_targets(scores)
    answers = [
        _digests(each.ranks, each.ranks.depth, (each.ranks.judged, each.ranks.pooled)) for each in scores.systems
    ]
    judged = [_digests(each.ranks, each.ranks.collection, (each.ranks.levels,)) for each in scores.systems]
    records = {}
    for row in np.flatnonzero(whole).tolist():
        query = queries[row]
        records[query] = QueryRecord(
            unit=(by_class and tables[0].labels[row]) or f"query {query}",
            judgements=next(each[query] for each in judged if query in each),
            answers=tuple(
                sha256(f"{each.get(query)} {mine}".encode()).hexdigest()[:DIGITS]
                for each, mine in zip(answers, values[row].T.tolist(), strict=True)
            ),
            values=tuple(tuple(each) for each in values[row].tolist()),
        )
    return Observed(
        systems=tables[0].systems,
        measures=scores.measures,
        lower_is_better=tuple(table.lower_is_better for table in tables),
        unit="class" if by_class else "query",
        settings=_settings(scores),
        records=records,
        left_out=int((~whole & there & (~np.isnan(values)).any(axis=(1, 2))).sum()),
    )


def _check_values(tables: list[ScoreTable], values: FloatArray) -> None:
    """Every measure must lie between 0 and 1: limits that hold at every look need to know the range beforehand."""
    low, high = np.nanmin(values, axis=(0, 2), initial=0.0), np.nanmax(values, axis=(0, 2), initial=1.0)
    wrong = [table.measure for table, one, other in zip(tables, low, high, strict=True) if one < 0 or other > 1]
    if wrong:
        raise SettingError(
            f"limits that hold at every look need a measure whose values lie between 0 and 1, and these do not: "
            f"{', '.join(wrong)}"
        )


def _answered_by_one(scores: Scores, queries: tuple[str, ...]) -> BoolArray:
    answered = {
        query
        for system in scores.systems
        for query, there in zip(system.ranks.queries, system.ranks.answered.tolist(), strict=True)
        if there
    }
    return np.array([query in answered for query in queries], dtype=np.bool_)


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
