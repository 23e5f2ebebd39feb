"""Sessions as they went, in a file: with what each began, every display, and what its user said, to be replayed.

One row for each method, session and round, with lists of item ids. A replay takes starts and marks from the file,
lets methods rank anew, and stops where a display is not the one that was kept: so nobody has to trust our simulated
users.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankscope.core.arrays import IntArray
from rankscope.core.errors import InputError
from rankscope.feedback.study.experiment import Marked, Marker
from rankscope.feedback.study.results import read_noted, write_noted
from rankscope.feedback.users.sessions import Sessions
from rankscope.feedback.users.topics import Topics
from rankscope.ranks.ragged import Ragged

if TYPE_CHECKING:
    from rankscope.feedback.study.experiment import Experiment
    from rankscope.feedback.study.loop import SessionBlock

KEY = "rankscope.feedback.sessions"
WHO = ("method", "topic", "assessor", "start", "seed", "round")
ITEMS = ("given", "shown", "taken back")  # lists of items: numbers while sessions run, ids in a file
KEPT = ("query", *ITEMS, "given marks", "marks", "worth")
ADVICE = "rankscope feedback ... --keep-sessions NAME.parquet makes one."
SAME = ("features", "topics", "protocol", "start", "start_scores", "items")  # what a replay must have alike


def kept_columns(block: SessionBlock) -> pl.DataFrame:
    """What a block of sessions was given, shown and told: sessions of round 0, then those of round 1, and so on."""
    sessions, history, last = block.sessions, block.history, block.protocol.rounds
    given = sessions.given
    first = pl.DataFrame(
        {
            "query": pl.Series(sessions.query, dtype=pl.Int64),
            "given": _lists(given, "item"),
            "given marks": _lists(given, "mark"),
        }
    )
    rounds = []
    for number, displayed in enumerate(block.displays):
        row, place = np.nonzero(displayed >= 0)
        shown = Ragged.from_rows(row, len(sessions), item=displayed[row, place])
        said = Ragged.empty(len(sessions), "mark", "worth")
        back = Ragged.empty(len(sessions), "item")
        if number < last:
            told = history.said[number]
            marks, worth = told.said[row, place].astype(np.int64), told.grades[row, place]
            said = Ragged.from_rows(row, len(sessions), mark=marks, worth=worth)
            taken, item = np.divmod(np.sort(history.taken_back[number]), history.items)
            back = Ragged.from_rows(taken, len(sessions), item=item)
        columns = {"shown": _lists(shown, "item"), "marks": _lists(said, "mark")}
        columns |= {"worth": _lists(said, "worth", pl.Float64), "taken back": _lists(back, "item")}
        rounds.append(pl.concat([first, pl.DataFrame(columns)], how="horizontal"))
    return pl.concat(rounds)


def _lists(values: Ragged, name: str, kind: type[pl.DataType] = pl.Int64) -> pl.Series:
    return pl.Series(values.lists(name), dtype=pl.List(kind))


@dataclass(frozen=True, eq=False)
class KeptSessions:
    """The sessions of a study; `about` says how they were made, as with its results."""

    frame: pl.DataFrame
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: pl.DataFrame, ids: Sequence[str], about: Mapping[str, Any]) -> KeptSessions:
        """From the frame of a study that kept them, in which items are numbers."""
        names = pl.lit(pl.Series(ids, dtype=pl.String))
        told = [pl.col(name).list.eval(names.gather(pl.element())) for name in ITEMS]
        query = pl.when(pl.col("query") >= 0).then(names.gather(pl.col("query").clip(0))).alias("query")
        return cls(frame.select(*WHO, *KEPT).with_columns(query, *told), about)

    def save(self, path: str | Path) -> None:
        """Write them, whole or not at all."""
        write_noted(path, self.frame, KEY, self.about)

    def check(self, about: Mapping[str, Any], methods: Sequence[str]) -> None:
        """Raise unless a study is one that these sessions can be replayed in."""
        wanted = json.loads(json.dumps(dict(about)))  # as a file holds it
        problems = [
            f"{name.replace('_', ' ')}: kept with {self.about.get(name)}, now {wanted.get(name)}"
            for name in SAME
            if self.about.get(name) != wanted.get(name)
        ]
        kept = set(self.frame["method"].unique().to_list())
        problems += [f"method {name} is not among those kept" for name in methods if name not in kept]
        if problems:
            advice = "Replay with the features, topics, methods and choices that the sessions were kept with."
            raise InputError.of("kept sessions", problems, advice)

    @cached_property
    def rounds(self) -> dict[tuple[str, str, str, int, int], dict[str, Any]]:
        """Each row by method, topic, assessor, start and round."""
        rows = self.frame.iter_rows(named=True)
        return {(row["method"], row["topic"], row["assessor"], row["start"], row["round"]): row for row in rows}

    def sessions(self, topics: Topics, ids: Sequence[str]) -> Sessions:
        """With what the sessions of every method began."""
        number = {name: place for place, name in enumerate(ids)}
        rows = {both: row for row, both in enumerate(zip(topics.names, topics.assessors, strict=True))}
        first = self.frame["method"][0]
        begun = self.frame.filter((pl.col("method") == first) & (pl.col("round") == 0)).to_dicts()
        topic = np.array([rows[each["topic"], each["assessor"]] for each in begun], dtype=np.int64)
        given = Ragged.of([[number[item] for item in each["given"]] for each in begun], "item")
        marks = np.array([mark for each in begun for mark in each["given marks"]], dtype=np.int64)
        return Sessions(
            topic=topic,
            start=np.array([each["start"] for each in begun], dtype=np.int64),
            seed=np.array([each["seed"] for each in begun], dtype=np.int64),
            query=np.array([-1 if each["query"] is None else number[each["query"]] for each in begun], dtype=np.int64),
            given=given.with_columns(mark=marks),
            scored=topic,
        )

    def replayed(self, setting: Experiment, method: str) -> Experiment:
        """The setting of one part of a study: displays are marked as they were when this method showed them."""
        return replace(setting, marker=AsKept(self, method, setting.topics, item_ids(setting)))


@dataclass(eq=False)
class AsKept(Marker):
    """Says of each display what was said of it, round after round; another display than the one kept is an error."""

    kept: KeptSessions
    method: str
    topics: Topics
    ids: Sequence[str]
    number: int = 0  # of the round

    def marked(self, sessions: Sessions, shown: IntArray) -> Marked:
        """The marks of the next round."""
        place = {name: number for number, name in enumerate(self.ids)}
        said, grades = np.zeros(shown.shape, np.int8), np.full(shown.shape, -1.0)
        back: list[tuple[int, int]] = []
        problems = []
        for row, (topic, start) in enumerate(zip(sessions.topic.tolist(), sessions.start.tolist(), strict=True)):
            who = (self.method, self.topics.names[topic], self.topics.assessors[topic], start, self.number)
            told, there = self.kept.rounds[who], shown[row] >= 0
            if [self.ids[item] for item in shown[row][there].tolist()] != told["shown"]:
                problems.append(f"{self.method}, {self.topics.labels[topic]}/{start}, round {self.number}")
                continue
            said[row, there], grades[row, there] = told["marks"], told["worth"]
            back += [(row, place[item]) for item in told["taken back"]]
        if problems:
            advice = "Features, methods or the version are not those of the study that kept them."
            raise InputError.of("kept sessions", [f"{each}: another display is shown" for each in problems], advice)
        self.number += 1
        gone = np.array(back, dtype=np.int64).reshape(-1, 2)
        return Marked(said, grades, (gone[:, 0], gone[:, 1]))


def item_ids(setting: Experiment) -> tuple[str, ...]:
    """Of the items of a study; numbers where nobody named them."""
    return tuple(getattr(setting.marker, "ids", ())) or tuple(map(str, range(len(setting.items))))


def load_sessions(path: str | Path) -> KeptSessions:
    """Read what `--keep-sessions` wrote; a clear error if the file is none."""
    return KeptSessions(*read_noted(path, KEY, "no file of sessions", ADVICE))
