"""The result of a feedback study: one long table, a row for each session and round, in one Parquet file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import did_you_mean
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic
from rankscope.core.names import name_of
from rankscope.core.rendering import Rows
from rankscope.feedback.methods import CONTROLS
from rankscope.feedback.study.loop import SHARES, Round, fingerprints, tied_pairs
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Sessions
from rankscope.inputs.formats import columnar_layouts
from rankscope.inputs.formats.columnar import read_frame
from rankscope.measures.measure import Measure
from rankscope.measures.notation import parse_measure
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks

KEY = "rankscope.feedback"
SCHEMA = 2
SHARED = " of the shared list"
WHO = ("method", "topic", "assessor", "start", "seed", "round", "list")


@dataclass(frozen=True, eq=False, repr=False)
class Results(Tabular):
    """`frame` has a row for each method, session and round; `about` says how it was made, and how quick methods are.

    Columns: who and when (`WHO`), relevant and items of the scored list, positives and negatives the method had, every
    measure, every share of `SHARES`, unjudged (of the items shown, the share that nobody has judged), tied (pairs of a
    relevant and an irrelevant item with equal scores, which stand in the order of the items), ranking (its
    fingerprint), seconds, flag and failed (empty where all went well; a session that failed shows nothing more, and
    counts with what it had shown).
    """

    frame: pl.DataFrame
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods in the order in which they were asked for."""
        return tuple(self.frame.get_column("method").unique(maintain_order=True).to_list())

    @property
    def asked(self) -> tuple[str, ...]:
        return tuple(name for name in self.methods if name not in CONTROLS)

    @property
    def controls(self) -> tuple[str, ...]:
        return tuple(name for name in self.methods if name not in self.asked)

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures of the scored list, the first one decides."""
        return tuple(self.about["measures"])

    @property
    def quantities(self) -> tuple[str, ...]:
        """Everything that can be asked for by name: measures, shares of what was shown, the list two methods share."""
        shared = [name for name in map(shared_name, self.measures) if name in self.frame.columns]
        return (*self.measures, *SHARES, *shared)

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics in the order of the table."""
        return tuple(self.frame.get_column("topic").unique(maintain_order=True).to_list())

    @property
    def last(self) -> int:
        return int(self.about["protocol"]["rounds"])

    def values(self, quantity: str, method: str) -> FloatArray:
        """Sessions x rounds; NaN where undefined or failed."""
        self._check(quantity)
        own = self.frame.filter(pl.col("method") == method).get_column(quantity).to_numpy()
        return own.reshape(-1, self.last + 1).astype(np.float64)

    def table(self, quantity: str, number: int | None = None, methods: Sequence[str] | None = None) -> ScoreTable:
        """Sessions x methods in one round, the last unless told, in the order of kept rankings; classes are units."""
        at = self.last if number is None else number
        names = tuple(methods or self.methods)
        values = np.stack([self.values(quantity, name)[:, at] for name in names], axis=1)
        order = sorted(range(len(values)), key=lambda row: self.sessions[row].encode())
        table = ScoreTable(
            measure=quantity,
            systems=names,
            queries=self.sessions,
            values=values,
            classes=self.session_units,
            lower_is_better=self.lower_is_better(quantity),
            bounds=self.bounds(quantity),
        )
        return table.take(np.array(order, dtype=np.int64))

    @cached_property
    def sessions(self) -> tuple[str, ...]:
        """Topic and start of each session, as its query is called in kept rankings."""
        told = self._one_round.select("topic", "assessor", "start").iter_rows()
        return tuple(f"{topic} by {who}/{start}" if who else f"{topic}/{start}" for topic, who, start in told)

    @cached_property
    def session_topics(self) -> tuple[str, ...]:
        return tuple(self._one_round.get_column("topic").to_list())

    def topics_of(self, sessions: Sequence[str]) -> list[str]:
        topics = dict(zip(self.sessions, self.session_topics, strict=True))
        return [topics[name] for name in sessions]

    @property
    def units(self) -> dict[str, str]:
        """The sampling unit of each topic, called by its first topic: topics that share a label are one."""
        return {name: name for name in self.topics} | self.about.get("units", {})

    @property
    def session_units(self) -> tuple[str, ...]:
        """The sampling unit of each session: what chance draws."""
        units = self.units
        return tuple(units[name] for name in self.session_topics)

    @property
    def unit_words(self) -> tuple[str, str]:
        """What a sampling unit is called, and several."""
        alone = len({*self.units.values()}) == len(self.topics)
        return ("topic", "topics") if alone else ("group of topics", "groups of topics")

    @property
    def _one_round(self) -> pl.DataFrame:
        return self.frame.filter((pl.col("method") == self.methods[0]) & (pl.col("round") == 0))

    def bounds(self, quantity: str) -> tuple[float, float]:
        """What a value of it can be."""
        return (0.0, 1.0) if quantity in SHARES else parse_measure(quantity.removesuffix(SHARED)).bounds()

    def lower_is_better(self, quantity: str) -> bool:
        """Whether less of it is better, as with errors."""
        return quantity not in SHARES and parse_measure(quantity.removesuffix(SHARED)).lower_is_better

    def alike(self) -> tuple[tuple[str, ...], ...]:
        """Groups of methods that made the same rankings in every round of every session, the first asked for first."""
        groups: dict[bytes, list[str]] = {}
        for name in self.asked:
            own = self.frame.filter(pl.col("method") == name).get_column("ranking").to_numpy()
            groups.setdefault(own.tobytes(), []).append(name)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)

    def failed_throughout(self) -> tuple[str, ...]:
        """Methods that failed in every session: there is nothing to compare."""
        last = self.frame.filter(pl.col("round") == self.last)
        worked = set(last.filter(pl.col("failed") == "").get_column("method").to_list())
        return tuple(name for name in self.asked if name not in worked)

    def tied(self) -> list[dict[str, object]]:
        """In how many sessions of the last round equal scores leave relevant and irrelevant items to their order."""
        counted = self.frame.filter((pl.col("tied") > 0) & (pl.col("round") == self.last))
        return counted.group_by("method", maintain_order=True).agg(pl.len().alias("sessions")).to_dicts()

    def unjudged_rows(self) -> list[dict[str, object]]:
        """By method and round, the mean share of the items shown that nobody has judged; nothing where all are."""
        if "unjudged" not in self.frame.columns or not self.frame["unjudged"].fill_nan(0.0).sum():
            return []
        rows: list[dict[str, object]] = []
        for name in (*self.asked, *self.controls):
            own = self.frame.filter(pl.col("method") == name)
            shares = own.group_by("round", maintain_order=True).agg(pl.col("unjudged").fill_nan(None).mean())
            rows.append({"method": name} | {f"round {number}": value for number, value in shares.iter_rows()})
        return rows

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
        write_noted(path, self.frame, KEY, {"schema": SCHEMA, **self.about})

    def records(self) -> Rows:
        return self.frame.to_dicts()

    def display(self) -> Display:
        from rankscope.feedback.study.findings import study_facts

        note = f"means of {self.measures[0]} over sessions; a row for each session and round in .frame"
        values = {method: self.values(self.measures[0], method) for method in self.methods}
        means = {method: each[~np.isnan(each).any(axis=1)] for method, each in values.items()}
        rows = [
            {"method": method}
            | ({f"round {at}": mean for at, mean in enumerate(each.mean(axis=0).tolist())} if len(each) else {})
            for method, each in means.items()
        ]
        return Display.of([study_facts(self), note], rows)


def load_results(path: str | Path) -> Results:
    """Read a study back; a clear error if the file is none."""
    advice = "rankscope feedback ... -o NAME.parquet makes one."
    frame, about = read_noted(path, KEY, "no feedback study", advice)
    if about.pop("schema", None) != SCHEMA:
        raise InputError.of(name_of(path), ["was written by another version of rankscope"], "Run the study again.")
    return Results(frame, about)


def write_noted(path: str | Path, frame: pl.DataFrame, key: str, about: Mapping[str, Any]) -> None:
    """Write a table with a note about it under a key, whole or not at all."""
    with atomic(path, "wb") as file:
        frame.write_parquet(file, metadata={key: json.dumps(dict(about), sort_keys=True)})


def read_noted(path: str | Path, key: str, other: str, advice: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table and the note about it; a file without one is what `other` says, an `InputError`."""
    name, file = name_of(path), Path(path)
    frame = read_frame(file, "parquet")
    text = columnar_layouts.parquet_notes(file.read_bytes()).get(key)
    if text is None:
        raise InputError.of(name, [f"is Parquet, but {other}"], advice)
    try:
        return frame, dict(json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError.of(name, [f"is damaged: {error}"], "Run the study again.") from None


def shared_name(measure: str) -> str:
    """A measure of the residual list that two methods share.

    >>> shared_name("AP")
    'AP of the shared list'
    """
    return measure + SHARED


def frame_of(
    method: str,
    sessions: Sessions,
    topics: Topics,
    rounds: Sequence[Round],
    measures: Sequence[Measure],
    listed: str,
    shared: Sequence[RelevantRanks | None] | None = None,
    kept: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """The rows of one method in some sessions, round after round of each session.

    `shared`: for each round the list shared with the other method, None for a method that is none of the two. `kept`:
    displays and marks, where they are kept.
    """
    whole = pl.concat([_round(each, measures) for each in rounds])
    if shared is not None:
        more = [_shared(each, measures, len(sessions)) for each in shared]
        whole = pl.concat([whole, pl.concat(more)], how="horizontal")
    if kept is not None:
        whole = pl.concat([whole, kept], how="horizontal")
    count, numbers = len(sessions), len(rounds)
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


def _round(result: Round, measures: Sequence[Measure]) -> pl.DataFrame:
    columns: dict[str, Any] = {"relevant": result.ranks.relevant, "items": result.ranks.collection}
    columns |= {"positives": result.positives, "negatives": result.negatives}
    columns |= {str(each): _values(each, result.ranks) for each in measures} | result.shown.shares()
    columns |= {"unjudged": divide(result.unjudged, (result.displayed >= 0).sum(axis=1))}
    columns |= {"tied": tied_pairs(result.ranks), "ranking": fingerprints(result.displayed, result.ranks.judged)}
    columns |= {"seconds": result.seconds, "flag": list(result.flags), "failed": list(result.failed)}
    return pl.DataFrame(columns, schema_overrides={"flag": pl.String, "failed": pl.String})


def _shared(ranks: RelevantRanks | None, measures: Sequence[Measure], count: int) -> pl.DataFrame:
    nothing = np.full(count, np.nan)
    return pl.DataFrame(
        {shared_name(str(each)): nothing if ranks is None else _values(each, ranks) for each in measures}
    )


def _values(measure: Measure, ranks: RelevantRanks) -> FloatArray:
    """NaN where nothing is relevant."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(ranks.relevant > 0, measure.of(ranks), np.nan)
