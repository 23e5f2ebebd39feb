"""What an engine has answered so far, in one SQLite file next to the run: stopped work goes on from there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.engines.live.answer import TopicAnswer
from rankscope.resumable import Resumable, WorkKind, explaining_database, remove_state

KIND = WorkKind(
    "searching", "searches", ".searching", {"request": "another request", "topics": "other topics, or other vectors"}
)
SCHEMA = "CREATE TABLE answers (topic TEXT PRIMARY KEY, ids TEXT NOT NULL, scores BLOB NOT NULL, facts TEXT NOT NULL)"
IN_MEMORY = ":memory:"


class Answers(Resumable):
    """The answers by topic; a topic is wholly there or still to be asked for."""

    def begin(self, settings: Mapping[str, Any]) -> bool:
        """Start, or go on if that was done before with the same settings; whether it goes on."""
        with self.writing():
            return self.resume(SCHEMA, settings)

    def record(self, answers: Iterable[TopicAnswer]) -> None:
        """Write answers down."""
        with self.writing():
            self.base.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", map(_row, answers))

    def topics(self) -> set[str]:
        """Those that have an answer."""
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


@contextmanager
def forgetting_nothing(answers: Answers, path: Path | None) -> Iterator[None]:
    """Where the block fails before there is any answer, no file stays: nothing could go on from it."""
    try:
        yield
    except BaseException:
        if path is not None and not answers.topics():
            answers.close()
            remove_state(path)
        raise


@contextmanager
def open_answers(path: Path | None) -> Iterator[Answers]:
    """The answers in a file, made if it is not there, or in memory; a `SettingError` where it cannot be had."""
    place: Path | str = IN_MEMORY if path is None else path
    with explaining_database(place, KIND):
        answers = Answers(place, KIND)
        try:
            yield answers
        finally:
            answers.close()
