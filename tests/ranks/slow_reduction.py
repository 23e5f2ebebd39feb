"""The reduction once more, with dictionaries and loops, to hold the fast one against."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankscope.core.settings import Settings
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import RunBlock, RunRows
from rankscope.ranks import RelevantRanks
from tests.strategies import QrelsRow, RunRow, Topic


@dataclass(frozen=True)
class Reduced:
    """One query: its ranking, and (first rank, size) of the groups of equal scores that hold an item of the pool."""

    topic: Topic
    groups: list[tuple[int, int]]


def run_of(rows: Sequence[RunRow], sizes: Iterable[int] = (), ranks: Sequence[int] | None = None) -> Run:
    """A run that comes in blocks of the given sizes, the last one with all that is left."""

    def read(run: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        start = 0
        for size in [*sizes, len(rows)]:
            part = rows[start : start + size]
            yield RunBlock(
                TextIds.of([row[0] for row in part]),
                RunRows(
                    item=TextIds.of([row[1] for row in part]),
                    score=np.array([row[2] for row in part], dtype=np.float64),
                    line=np.arange(start + 1, start + 1 + len(part), dtype=np.int64),
                    rank=np.array(ranks[start : start + len(part)], np.int64) if rank and ranks is not None else None,
                ),
            )
            start += size

    return Run("run", read)


def qrels_of(rows: Sequence[QrelsRow]) -> Qrels:
    columns = [[row[place] for row in rows] for place in range(3)]
    return Qrels.of(pl.DataFrame(dict(zip(("query", "item", "grade"), columns, strict=True))))


def slow_reduction(
    qrels: Sequence[QrelsRow],
    run: Sequence[RunRow],
    settings: Settings,
    junk: Iterable[tuple[str, str]] = (),
    ranks: Sequence[int] | None = None,
) -> dict[str, Reduced]:
    judged_queries = {query for query, _, _ in qrels}
    gone = set(junk)
    if settings.query_item in ("removed", "kept_ignored"):
        gone |= {(query, query) for query in judged_queries}
    grade_of = _grades(qrels, settings)
    if settings.query_item == "counted":
        for query in judged_queries:
            grade_of.setdefault((query, query), 1.0)
    grade_of = {pair: grade for pair, grade in grade_of.items() if pair not in gone}
    result = {}
    for query in sorted({query for query, _ in grade_of}, key=str.encode):
        lines = [(item, score, at) for at, (each, item, score) in enumerate(run) if each == query]
        kept = [line for line in _settled(lines, settings.duplicates) if (query, line[0]) not in gone]
        ordered = _ordered(kept, query, settings, ranks)
        listed = tuple(grade_of.get((query, item)) for item, _, _ in ordered)
        names = {item for item, _, _ in ordered}
        missing = tuple(grade for (each, item), grade in grade_of.items() if each == query and item not in names)
        values = [_value(line, settings, ranks) for line in ordered]
        groups = []
        for value in dict.fromkeys(values):
            first, size = values.index(value), values.count(value)
            if size > 1 and any(grade is not None for grade in listed[first : first + size]):
                groups.append((first + 1, size))
        result[query] = Reduced(Topic(listed, missing, answered=bool(lines)), groups)
    return result


def _grades(qrels: Sequence[QrelsRow], settings: Settings) -> dict[tuple[str, str], float]:
    grade_of: dict[tuple[str, str], float] = {}
    for query, item, grade in qrels:
        old = grade_of.get((query, item))
        if old is None or settings.duplicates == "last" or (settings.duplicates == "best" and grade > old):
            grade_of[query, item] = grade
    return grade_of


Line = tuple[str, float, int]


def _settled(lines: list[Line], policy: str) -> list[Line]:
    kept = []
    for item in dict.fromkeys(line[0] for line in lines):
        same = [line for line in lines if line[0] == item]
        best = max(same, key=lambda line: (line[1], -line[2]))
        kept.append({"first": same[0], "last": same[-1], "best": best, "error": same[0]}[policy])
    return sorted(kept, key=lambda line: line[2])


def _value(line: Line, settings: Settings, ranks: Sequence[int] | None) -> float:
    if settings.ties == "rank" and ranks is not None:
        return -float(ranks[line[2]])
    with np.errstate(over="ignore"):
        return float(np.float32(line[1])) if settings.score_width == 32 else line[1]


def _ordered(lines: list[Line], query: str, settings: Settings, ranks: Sequence[int] | None) -> list[Line]:
    if settings.ties in ("trec_eval", "expected"):
        lines = sorted(lines, key=lambda line: line[0].encode(), reverse=True)
    elif settings.ties == "ascending":
        lines = sorted(lines, key=lambda line: line[0].encode())
    elif settings.ties == "hash":
        lines = sorted(lines, key=lambda line: _digest(settings.seed, query, line[0]))
    return sorted(lines, key=lambda line: -_value(line, settings, ranks))


def _digest(seed: int, query: str, item: str) -> bytes:
    return hashlib.blake2b(f"{seed}\0{query}\0{item}".encode()).digest()[:8]


def assert_reduced(ranks: RelevantRanks, expected: dict[str, Reduced]) -> None:
    """All fields of the fast result, as plain lists, equal the slow one's."""
    topics = [each.topic for each in expected.values()]
    assert ranks.queries == tuple(expected)
    places = [[(rank, grade) for rank, grade in enumerate(each.listed, 1) if grade is not None] for each in topics]
    for part, sign in ((ranks.judged, True), (ranks.pooled, False)):
        wanted = [[place for place in each if (place[1] >= 0) == sign] for each in places]
        assert part.lists("rank") == [[rank for rank, _ in each] for each in wanted]
        assert part.lists("grade") == [[grade for _, grade in each] for each in wanted]
    levels = [sorted(set(each.judgements)) for each in topics]
    assert ranks.levels.lists("grade") == levels
    assert ranks.levels.lists("count") == [
        [each.judgements.count(grade) for grade in level] for each, level in zip(topics, levels, strict=True)
    ]
    assert ranks.depth.tolist() == [len(each.listed) for each in topics]
    assert ranks.answered.tolist() == [each.answered for each in topics]
    groups = [each.groups for each in expected.values()]
    assert ranks.ties.lists("start") == [[start for start, _ in each] for each in groups]
    assert ranks.ties.lists("size") == [[size for _, size in each] for each in groups]
