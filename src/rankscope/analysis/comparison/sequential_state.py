"""What an interim analysis sees of each query, and what analyses leave behind in a file.

Looks leave behind the question, the queries that counted with digests and values, and each look's limits. One
JSON file, a line for each query. A query counts once; another question or another baseline is refused, because the
limits hold for one question only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankscope.analysis.comparison.sequential_result import Decision
from rankscope.analysis.statistics.sampling_units import classes_are_targets
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.files import atomic
from rankscope.core.names import in_json
from rankscope.core.wording import setting_value
from rankscope.measures.direction import Direction, direction_of, turned
from rankscope.measures.evaluation.scores import Column, Scores
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

FORMAT = "rankscope.sequential"
TURNED, VERSION = 1, 2  # 1 had changes turned so that more is better
FACTS = ("kind", "measures", "better", "min_effect", "pairs", "alpha", "unit")
NO_STATE = "is no state of earlier looks, or is damaged: give another name, or remove it to start anew"


@dataclass(frozen=True)
class Question:
    """What is decided; it is fixed at the first look."""

    kind: Literal["gate", "compare"]
    measures: tuple[str, ...]
    better: tuple[Direction, ...]  # of each measure
    min_effect: tuple[float, ...]  # of each measure
    pairs: tuple[tuple[int, int], ...]  # places of the systems
    alpha: float  # of all limits together: for the gate on each side, for a comparison on both
    unit: str
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def tail(self) -> float:
        """What each limit may miss: its part of alpha."""
        sides = 1 if self.kind == "gate" else 2
        return self.alpha / (sides * len(self.pairs) * len(self.measures))

    @property
    def better_of_checks(self) -> tuple[Direction, ...]:
        """What is better by the measure of each check: checks come measure by measure, and within it pair by pair."""
        return tuple(each for each in self.better for _ in self.pairs)

    def as_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = json.loads(json.dumps({name: getattr(self, name) for name in FACTS}))
        return plain | {"settings": json.loads(json.dumps(dict(self.settings)))}


@dataclass(frozen=True)
class LookCheck:
    """What a look found of one check; the change has the measure's own sign."""

    change: float
    low: float
    high: float
    decision: Decision


@dataclass(frozen=True)
class LookRecord:
    """One look: how many queries had been counted, and what was found."""

    queries: int
    checks: tuple[LookCheck, ...]


@dataclass(frozen=True)
class SequentialState:
    """All looks so far."""

    question: Question
    systems: tuple[str, ...]
    records: Mapping[str, QueryRecord] = field(default_factory=dict)
    looks: tuple[LookRecord, ...] = ()

    @property
    def digests(self) -> tuple[str, ...]:
        """Of each system, a digest of all answers that were counted."""
        ordered = [self.records[query] for query in sorted(self.records)]
        return tuple(
            sha256(" ".join(each.answers[number] for each in ordered).encode()).hexdigest()
            for number in range(len(self.systems))
        )

    def text(self) -> str:
        names = zip(self.systems, self.digests, strict=True)
        head = {
            "format": FORMAT,
            "version": VERSION,
            "question": self.question.as_json(),
            "systems": [{"name": name, "digest": digest} for name, digest in names],
        }
        looks = [[look.queries, [list(vars(check).values()) for check in look.checks]] for look in self.looks]
        queries = {query: list(vars(each).values()) for query, each in self.records.items()}
        lines = [f"{_json(name)}: {_json(value)}" for name, value in head.items()]
        looked = ",\n  ".join(map(_json, looks))
        counted = ",\n  ".join(f"{_json(query)}: {_json(row)}" for query, row in queries.items())
        body = [*lines, f'"looks": [\n  {looked}\n ]', f'"queries": {{\n  {counted}\n }}']
        return "{\n " + ",\n ".join(body) + "\n}\n"


def read_state(path: str | Path) -> SequentialState | None:
    """The looks so far; None where there is no file yet. What is no such file is a `SettingError`."""
    try:
        text = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingError(f"cannot read {path}: {error.strerror}") from None
    try:
        return _parse(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SettingError(f"{path} {NO_STATE}") from None


def write_state(path: str | Path, state: SequentialState) -> None:
    with atomic(path) as file:
        file.write(state.text())


def check_same_question(path: str | Path, before: Question, now: Question) -> None:
    """Refuse another question than the one that was begun, and say all that differs."""
    if before.kind != now.kind:
        raise SettingError(f"{path} holds looks of rankscope {before.kind}: give {now.kind} another file")
    old, new = before.as_json(), now.as_json()
    facts = [_spelled(before, name) for name in FACTS[1:] if old[name] != new[name]]
    settings = old["settings"]
    facts += [(name, settings.get(name)) for name, value in new["settings"].items() if settings.get(name) != value]
    if facts:
        words = ", ".join(f"{setting_value(name, value)} before" for name, value in facts)
        raise SettingError(
            f"{path} was begun with another question: {words}. The limits hold for one question: give the same, or "
            "another file"
        )


def check_same_systems(path: str | Path, before: SequentialState, now: Observed) -> None:
    """Refuse to go on with a comparison of other systems; a gate's candidate may be called as it likes."""
    if before.question.kind == "compare" and before.systems != now.systems:
        raise SettingError(
            f"{path} compares {', '.join(before.systems)}, now there are {', '.join(now.systems)}: give another file"
        )


def find_changed(path: str | Path, state: SequentialState, now: Observed) -> tuple[str, ...]:
    """The systems other than the first whose answers to counted queries changed.

    Another first system, other judgements, or nothing to compare by is a `SettingError`.
    """
    pairs = [(query, state.records[query], each) for query, each in now.records.items() if query in state.records]
    if state.records and not pairs:
        raise SettingError(
            f"none of the {len(state.records):,} queries counted in {path} is given again, so nothing tells whether "
            "the systems are the same: append new answers to the old ones, or give another file"
        )
    judged = [query for query, old, new in pairs if old.judgements != new.judgements]
    if judged:
        raise SettingError(
            f"{path}: {_some(judged)} counted with other judgements. A query is judged before it counts: give the "
            "judgements of then, or another file"
        )
    other = [query for query, old, new in pairs if old.answers[0] != new.answers[0]]
    if other:
        raise SettingError(
            f"{path} rests on another baseline than {now.systems[0]}: {_some(other)} counted with another answer of "
            "it. Give the same baseline, or another file to start anew"
        )
    return tuple(
        name
        for number, name in enumerate(now.systems)
        if any(old.answers[number] != new.answers[number] for _, old, new in pairs)
    )


def _spelled(question: Question, name: str) -> tuple[str, object]:
    """A fact of the question as it was given: its name and value."""
    if name == "pairs":
        return name, "all" if any(first for first, _ in question.pairs) else "baseline"
    return ("level", 1 - question.alpha) if name == "alpha" else (name, question.as_json()[name])


def _some(queries: list[str]) -> str:
    shown = ", ".join(queries[:3]) + (", ..." if len(queries) > 3 else "")
    return f"query {shown}" if len(queries) == 1 else f"{len(queries):,} queries ({shown})"


def _json(value: object) -> str:
    return in_json(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _parse(whole: dict[str, Any]) -> SequentialState:
    if whole["format"] != FORMAT or whole["version"] not in (TURNED, VERSION):
        raise ValueError
    asked, old = whole["question"], whole["version"] == TURNED
    question = Question(
        kind=asked["kind"],
        measures=tuple(asked["measures"]),
        better=tuple(map(_better, asked["measures"]) if old else asked["better"]),
        min_effect=tuple(asked["min_effect"]),
        pairs=tuple((int(one), int(other)) for one, other in asked["pairs"]),
        alpha=float(asked["alpha"]),
        unit=asked["unit"],
        settings=dict(asked["settings"]),
    )
    looks = [LookRecord(int(count), tuple(LookCheck(*each) for each in checks)) for count, checks in whole["looks"]]
    if old:
        looks = [replace(look, checks=tuple(_turned_back(question, look.checks))) for look in looks]
    return SequentialState(
        question=question,
        systems=tuple(each["name"] for each in whole["systems"]),
        records={
            query: QueryRecord(unit, judgements, tuple(answers), tuple(tuple(map(float, each)) for each in values))
            for query, (unit, judgements, answers, values) in whole["queries"].items()
        },
        looks=tuple(looks),
    )


def _better(measure: str) -> Direction:
    from rankscope.measures.notation import parse_measure

    return direction_of(parse_measure(measure).lower_is_better)


def _turned_back(question: Question, checks: tuple[LookCheck, ...]) -> Iterator[LookCheck]:
    """The checks of an old look with the measures' own signs."""
    for better, check in zip(question.better_of_checks, checks, strict=True):
        change, low, high = turned(check.change, check.low, check.high, better == "lower")
        yield LookCheck(change, low, high, check.decision)


# What a look sees: of each query the values of all systems, and digests that tell whether they are the same again.

DIGEST_DIGITS = 16  # of a digest, in hexadecimal
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
    >>> from rankscope.measures.evaluation.evaluate import evaluate
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
    # What made the values; where systems differ, one after the other, whatever they are called.
    found = {name: each for name, each in scores.settings_in_effect.items() if name not in LEFT_ASIDE}
    settings = {name: list(each.values()) if isinstance(each, dict) else each for name, each in found.items()}
    return Observed(
        systems=tables[0].systems,
        measures=scores.measures,
        lower_is_better=tuple(table.lower_is_better for table in tables),
        unit="class" if by_class else "query",
        settings=settings,
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
                sha256(f"{each.get(queries[row])} {mine}".encode()).hexdigest()[:DIGEST_DIGITS]
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

    >>> from rankscope.measures.evaluation.evaluate import evaluate
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
    parts = []
    for system in scores.systems:
        rows = np.array([row for row, query in enumerate(system.ranks.queries) if query in answered], dtype=np.int64)
        columns = tuple(_part_of_column(each, rows) for each in system.columns)
        parts.append(replace(system, ranks=system.ranks.take(rows), columns=columns))
    return replace(scores, systems=tuple(parts))


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


def _digests(ranks: RelevantRanks, numbers: IntArray, lists: tuple[Ragged, ...]) -> dict[str, str]:
    """Of each query, a digest of its number and of its part of some lists."""
    columns = [(each.offsets.tolist(), each[name]) for each in lists for name in COLUMNS if name in each]
    found = {}
    for row, (query, number) in enumerate(zip(ranks.queries, numbers.tolist(), strict=True)):
        digest = sha256(f"{number}".encode())
        for offsets, column in columns:
            digest.update(b"|" + np.asarray(column[offsets[row] : offsets[row + 1]], dtype=np.float64).tobytes())
        found[query] = digest.hexdigest()[:DIGEST_DIGITS]
    return found
