"""The answers of an engine: as a run with its order, scores and latency, and as they are kept until all are there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankscope.core.files import atomic
from rankscope.engines.resumable import Resumable, WorkKind
from rankscope.inputs.formats.registry import OUR_SUFFIXES, write_file
from rankscope.inputs.problems import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import without_suffix
from rankscope.inputs.tables import Table

TOPICS_AT_ONCE = 20


@dataclass(frozen=True)
class Oddities:
    """How many topics found nothing, have ties, are not in the order of their scores, or changed while they were paged.

    `duplicates` counts documents that came a second time and were dropped.
    """

    empty: int = 0
    tied: int = 0
    unordered: int = 0
    moved: int = 0
    duplicates: int = 0

    @classmethod
    def of(cls, answers: Iterable[TopicAnswer]) -> Oddities:
        counted: Counter[str] = Counter()
        for each in answers:
            neighbours = list(pairwise(each.scores))
            counted.update(
                empty=int(not each.ids),
                tied=int(any(above == below for above, below in neighbours)),
                unordered=int(not all(above >= below for above, below in neighbours)),
                moved=int(each.moved),
                duplicates=each.duplicates,
            )
        return cls(**counted)


class LiveRun(Run):
    """The run of an engine; `latency` is how long it took, `oddities` are what was odd about the answers."""

    latency: Latency
    oddities: Oddities
    resumed: bool = False

    def note(self, read: Callable[[], Iterable[TopicAnswer]]) -> None:
        self.latency, self.oddities = Latency.of(read()), Oddities.of(read())


def run_of_answers(name: str, read: Callable[[], Iterable[TopicAnswer]]) -> LiveRun:
    """A run whose rows are read whenever they are asked for, in the order of the engine; without its latency."""

    def tables(_: Problems) -> Iterator[Table]:
        waiting = iter(read())
        while some := list(islice(waiting, TOPICS_AT_ONCE)):
            yield Table.numbered(pl.concat(map(answer_table, some)))

    plain = Run.from_tables(name, tables)
    run = LiveRun(name, lambda _, problems, rank: plain.blocks(problems, rank), tag=name)
    run.in_order = True
    return run


def answer_table(answer: TopicAnswer) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "query": pl.repeat(answer.topic, len(answer.ids), eager=True, dtype=pl.String),
            "item": pl.Series(answer.ids, dtype=pl.String),
            "score": pl.Series(answer.scores, dtype=pl.Float64),
            "rank": pl.int_range(1, len(answer.ids) + 1, eager=True, dtype=pl.Int64),
        }
    )


# What is left of an engine's answers: the run, and its latency in a file next to it.

LATENCY_SUFFIX = ".latency.json"


def latency_path(output: str | Path) -> Path:
    """Where the latency of a run lies.

    >>> latency_path("runs/mine.run.gz").as_posix()
    'runs/mine.latency.json'
    """
    path = Path(output)
    return path.with_name(f"{without_suffix(path.name, OUR_SUFFIXES)}{LATENCY_SUFFIX}")


def written_run(
    answers: Answers, topics: Sequence[str], name: str, output: str | Path, conditions: Mapping[str, Any]
) -> LiveRun:
    """The run, written with its latency; its rows are read from the file from then on."""

    def read() -> Iterable[TopicAnswer]:
        return answers.read(topics)

    write_file(run_of_answers(name, read), output)
    stored = Run.from_path(output, Reading())
    run = LiveRun(name, lambda _, problems, rank: stored.blocks(problems, rank), stored.source)
    run.note(read)
    with atomic(latency_path(output)) as file:
        json.dump(run.latency.record(**conditions), file, indent=2)
        file.write("\n")
    return run


# How long an engine takes: percentiles of what was measured here, and of what the engine says of itself.

PERCENTS = (50, 90, 95, 99)


@dataclass(frozen=True)
class Percentiles:
    """Milliseconds that so many percent of some requests stay within; each of them was measured.

    >>> Percentiles.of([5.0, 1.0, 2.0, 3.0]).p50
    2.0
    """

    count: int
    p50: float
    p90: float
    p95: float
    p99: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Percentiles | None:
        """None where nothing was measured."""
        if not values:
            return None
        found = np.percentile(np.array(values), PERCENTS, method="inverted_cdf").round(3).tolist()
        named = dict(zip((f"p{share}" for share in PERCENTS), found, strict=True))
        return cls(count=len(values), max=round(float(max(values)), 3), **named)


@dataclass(frozen=True)
class Latency:
    """Times of the first page of each topic, of all its pages, and what the engine says it took for the first one.

    Times hold for so many workers at once and pages of this size, with connections kept open; attempts that failed are
    not in them.
    """

    topics: int
    requests: int
    retries: int
    first_page: Percentiles | None
    whole_topic: Percentiles | None
    engine_time: Percentiles | None

    @classmethod
    def of(cls, answers: Iterable[TopicAnswer]) -> Latency:
        given = [(each.milliseconds, each.own, each.retries) for each in answers]
        return cls(
            topics=len(given),
            requests=sum(len(times) for times, _, _ in given),
            retries=sum(retries for _, _, retries in given),
            first_page=Percentiles.of([times[0] for times, _, _ in given]),
            whole_topic=Percentiles.of([sum(times) for times, _, _ in given]),
            engine_time=Percentiles.of([own for _, own, _ in given if own is not None]),
        )

    def record(self, **conditions: Any) -> dict[str, Any]:
        """As plain data, with the conditions under which it was measured."""
        return {**conditions, "unit": "milliseconds", **asdict(self)}


# What an engine gave for one topic.
@dataclass(frozen=True)
class TopicAnswer:
    """The ranking of a topic, the milliseconds of each of its requests, and what was odd about it.

    `own` are the milliseconds that the engine says it took for the first page. `retries` counts requests that had to be
    sent again, `duplicates` documents that came again on a later page and were dropped, and `moved` says that the
    number of matches changed between pages.
    """

    topic: str
    ids: tuple[str, ...]
    scores: tuple[float, ...]
    milliseconds: tuple[float, ...]
    own: float | None = None
    retries: int = 0
    duplicates: int = 0
    moved: bool = False


@dataclass(frozen=True)
class TopicFailure:
    """A topic without an answer, and why; `again` and `for_all` as in `EngineFailure`."""

    topic: str
    reason: str
    again: bool = False
    for_all: bool = False


# What an engine has answered so far, in one SQLite file next to the run: stopped work goes on from there.

SEARCHING = WorkKind(
    "searching", "searches", ".searching", {"request": "another request", "topics": "other topics, or other vectors"}
)
SCHEMA = "CREATE TABLE answers (topic TEXT PRIMARY KEY, ids TEXT NOT NULL, scores BLOB NOT NULL, facts TEXT NOT NULL)"


class Answers(Resumable):
    """The answers by topic; a topic is wholly there or still to be asked for."""

    kind = SEARCHING

    def begin(self, settings: Mapping[str, Any]) -> bool:
        """Start, or go on if that was done before with the same settings; whether it goes on."""
        with self.writing():
            return self.resume(SCHEMA, settings)

    def record(self, answers: Iterable[TopicAnswer]) -> None:
        with self.writing():
            self.base.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", map(_row, answers))

    def topics(self) -> set[str]:
        return {topic for (topic,) in self.base.execute("SELECT topic FROM answers")}

    def read(self, topics: Iterable[str]) -> Iterator[TopicAnswer]:
        """The answers of topics, in their order; those without one are left out."""
        for topic in topics:
            row = self.base.execute("SELECT ids, scores, facts FROM answers WHERE topic = ?", (topic,)).fetchone()
            if row is not None:
                yield _answer(topic, *row)


def _row(answer: TopicAnswer) -> tuple[str, str, bytes, str]:
    facts = {
        "milliseconds": answer.milliseconds,
        "own": answer.own,
        "retries": answer.retries,
        "duplicates": answer.duplicates,
        "moved": answer.moved,
    }
    scores = np.array(answer.scores, dtype="<f8").tobytes()
    return answer.topic, json.dumps(answer.ids), scores, json.dumps(facts)


def _answer(topic: str, ids: str, scores: bytes, facts: str) -> TopicAnswer:
    kept = json.loads(facts)
    return TopicAnswer(
        topic=topic,
        ids=tuple(json.loads(ids)),
        scores=tuple(np.frombuffer(scores, dtype="<f8").tolist()),
        milliseconds=tuple(kept.pop("milliseconds")),
        **kept,
    )
