"""The result of a feedback study: one long table, a row for each session and round, in one Parquet file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankscope.arrays import FloatArray
from rankscope.catalogue import did_you_mean
from rankscope.errors import InputError, SettingError
from rankscope.feedback.display_quality import SHARES
from rankscope.feedback.drawn_sessions import Sessions
from rankscope.feedback.loop import Round
from rankscope.feedback.topics import Topics
from rankscope.files import atomic
from rankscope.inputs.formats import parquet_layout
from rankscope.inputs.formats.frames import read_frame
from rankscope.inputs.names import name_of
from rankscope.measures.measure import Measure
from rankscope.statistics.score_table import ScoreTable

KEY = "rankscope.feedback"
SCHEMA = 1
WHO = ("method", "topic", "assessor", "start", "seed", "round", "list")


@dataclass(frozen=True, eq=False)
class Results:
    """`frame` has a row for each method, session and round; `about` says how it was made, and how quick methods are.

    Columns: who and when (`WHO`), relevant and items of the scored list, positives and negatives the method had, every
    measure, every share of `SHARES`, seconds, flag and failed (empty where all went well; else no measures).
    """

    frame: pl.DataFrame
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods in the order in which they were asked for."""
        return tuple(self.frame.get_column("method").unique(maintain_order=True).to_list())

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures of the scored list, the first one decides."""
        return tuple(self.about["measures"])

    @property
    def quantities(self) -> tuple[str, ...]:
        """Everything that can be asked for by name: measures, and shares of what was shown."""
        return (*self.measures, *SHARES)

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics in the order of the table."""
        return tuple(self.frame.get_column("topic").unique(maintain_order=True).to_list())

    @property
    def last(self) -> int:
        """The number of the last round."""
        return int(self.about["protocol"]["rounds"])

    def values(self, quantity: str, method: str) -> FloatArray:
        """Sessions x rounds; NaN where undefined or failed."""
        self._check(quantity)
        own = self.frame.filter(pl.col("method") == method).get_column(quantity).to_numpy()
        return own.reshape(-1, self.last + 1).astype(np.float64)

    def table(self, quantity: str, number: int | None = None, methods: Sequence[str] | None = None) -> ScoreTable:
        """Sessions x methods in one round, the last unless told; classes are topics."""
        self._check(quantity)
        names = tuple(methods or self.methods)
        chosen = self.frame.filter(pl.col("round") == (self.last if number is None else number))
        parts = [chosen.filter(pl.col("method") == name) for name in names]
        values = np.stack([part.get_column(quantity).to_numpy() for part in parts], axis=1).astype(np.float64)
        first = parts[0]
        queries = [
            f"{topic} by {who}/{start}" if who else f"{topic}/{start}"
            for topic, who, start in first.select("topic", "assessor", "start").iter_rows()
        ]
        return ScoreTable(quantity, names, tuple(queries), values, tuple(first.get_column("topic").to_list()))

    def failures(self) -> list[dict[str, object]]:
        """How many sessions of each method failed, and why."""
        counted = self.frame.filter((pl.col("failed") != "") & (pl.col("round") == self.last))
        return counted.group_by("method", "failed", maintain_order=True).len("sessions").to_dicts()

    def flagged(self) -> list[dict[str, object]]:
        """In how many rounds of how many sessions each method went another way, and which."""
        counted = self.frame.filter((pl.col("flag") != "") & (pl.col("failed") == ""))
        return counted.group_by("method", "flag", maintain_order=True).len("rounds").to_dicts()

    def _check(self, quantity: str) -> None:
        if quantity not in self.quantities:
            hint = did_you_mean(quantity, self.quantities)
            raise SettingError(f"the study has no '{quantity}'{hint} There are: {', '.join(self.quantities)}")

    def save(self, path: str | Path) -> None:
        """Write it, whole or not at all."""
        with atomic(path, "wb") as file:
            about = json.dumps({"schema": SCHEMA, **self.about}, sort_keys=True)
            self.frame.write_parquet(file, metadata={KEY: about})


def load_results(path: str | Path) -> Results:
    """Read a study back; a clear error if the file is none."""
    name, file = name_of(path), Path(path)
    frame = read_frame(file, "parquet")
    text = parquet_layout.notes_of(file.read_bytes()).get(KEY)
    if text is None:
        advice = "rankscope feedback ... -o NAME.parquet makes one."
        raise InputError.of(name, ["is Parquet, but no feedback study"], advice)
    try:
        about = dict(json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError.of(name, [f"is damaged: {error}"], "Run the study again.") from None
    if about.pop("schema", None) != SCHEMA:
        raise InputError.of(name, ["was written by another version of rankscope"], "Run the study again.")
    return Results(frame, about)


def frame_of(
    method: str, sessions: Sessions, topics: Topics, made: Sequence[Round], measures: Sequence[Measure], listed: str
) -> pl.DataFrame:
    """The rows of one method in some sessions, round after round of each session."""
    whole = pl.concat([_round(each, measures) for each in made])
    count, numbers = len(sessions), len(made)
    session = np.tile(np.arange(count), numbers)
    who = pl.DataFrame(
        {
            "method": [method] * whole.height,
            "topic": [topics.names[row] for row in sessions.topic[session].tolist()],
            "assessor": [topics.assessors[row] for row in sessions.topic[session].tolist()],
            "start": sessions.start[session],
            "seed": sessions.seed[session],
            "round": np.repeat(np.arange(numbers), count),
            "list": [listed] * whole.height,
        }
    )
    order = np.argsort(session, kind="stable")
    return pl.concat([who, whole], how="horizontal")[order]


def _round(made: Round, measures: Sequence[Measure]) -> pl.DataFrame:
    good = made.ranks.answered
    columns: dict[str, Any] = {"relevant": made.ranks.relevant, "items": made.ranks.collection}
    columns |= {"positives": made.positives, "negatives": made.negatives}
    with np.errstate(invalid="ignore", divide="ignore"):
        columns |= {str(each): np.where(good, each.of(made.ranks), np.nan) for each in measures}
    columns |= {name: np.where(good, share, np.nan) for name, share in made.shown.shares().items()}
    columns |= {"seconds": made.seconds, "flag": list(made.flags), "failed": list(made.failed)}
    return pl.DataFrame(columns, schema_overrides={"flag": pl.String, "failed": pl.String})
