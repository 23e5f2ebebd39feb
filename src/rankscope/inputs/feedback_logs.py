"""Logs of earlier feedback sessions: who searched, which item, and whether it was marked as relevant or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core import columns
from rankscope.core.arrays import BoolArray
from rankscope.core.errors import InputError
from rankscope.core.names import name_of
from rankscope.inputs.formats.columnar import read_frame
from rankscope.inputs.formats.delimited import read_delimited_table
from rankscope.inputs.formats.json_files import whole_json_lines
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table, columns_of, series_of_values, text_ids
from rankscope.inputs.values import as_number

COLUMNS: Final = ("session", "item", "mark")
SESSION: Final = ("session", "session_id", "session-id", "sid")
ITEM: Final = (*columns.ITEM, "id", "image")
MARK: Final = ("mark", "feedback", "opinion")
WORDS: Final = {"relevant": 1, "yes": 1, "true": 1, "irrelevant": -1, "not": -1, "no": -1, "false": -1}
RULE: Final = "1 or 'relevant', or -1 or 'irrelevant'"
ONCE: Final = "Give each item of a session once, with its last mark."
NO_MARK: Final = "Leave out items that were shown and not marked, and write -1 for what was marked as irrelevant."


@dataclass(frozen=True, eq=False)
class FeedbackLog:
    """Marks of earlier sessions, one row for each: +1 relevant, -1 irrelevant, 0 not marked.

    >>> log = FeedbackLog.of({"monday": {"a": 1, "c": -1}, "tuesday": {"b": 1}}, ["a", "b", "c"])
    >>> log.sessions, log.marks.tolist()
    (('monday', 'tuesday'), [[1, 0, -1], [0, 1, 0]])
    """

    sessions: tuple[str, ...]
    marks: NDArray[np.int8]

    @classmethod
    def of(cls, data: Any, ids: Sequence[str]) -> FeedbackLog:
        """From a file, a table with the columns session, item and mark, marks by session, or sessions x items.

        `ids` are the items' names in their order. Everything that is wrong is told at once.
        """
        if isinstance(data, FeedbackLog):
            return data
        if isinstance(data, np.ndarray) and data.ndim == 2:
            return _of_matrix(data, len(ids))
        name = name_of(data) if isinstance(data, str | Path) else "the log"
        problems = Problems(name)
        table = _read(Path(data), problems) if isinstance(data, str | Path) else Table.numbered(_frame(data, problems))
        return _checked(table, ids, problems)


def _read(path: Path, problems: Problems) -> Table:
    """The table in a file, by its name: .parquet, .jsonl, or text with a header."""
    if path.suffix.lower() == ".parquet":
        return Table.numbered(read_frame(path))
    source = Source(str(path))
    if path.suffix.lower() in (".jsonl", ".ndjson", ".json"):
        return whole_json_lines(source, Reading(), problems)
    known = frozenset((*SESSION, *ITEM, *MARK))
    return read_delimited_table(source, problems, expected="session,item,mark", known=known)


def _frame(data: Any, problems: Problems) -> pl.DataFrame:
    """A frame, three columns, or marks by item by session; anything else is an error."""
    from rankscope.inputs.objects import frame_of_object

    if isinstance(data, tuple) and len(data) == 3:
        data = dict(zip(COLUMNS, data, strict=True))
    elif isinstance(data, Mapping) and all(isinstance(each, Mapping) for each in data.values()):
        rows = [(session, item, mark) for session, marks in data.items() for item, mark in marks.items()]
        return pl.DataFrame(
            [series_of_values(name, [row[place] for row in rows]) for place, name in enumerate(COLUMNS)]
        )
    frame = frame_of_object(data, "mark", problems)
    if frame is None:
        what = f"cannot read marks from a {type(data).__name__}"
        raise InputError.of(problems.source, [what], "Give a file, or a table with the columns session, item and mark.")
    return frame


def _of_matrix(data: NDArray[Any], items: int) -> FeedbackLog:
    """Sessions x items; sessions are called by their numbers, from 1."""
    problems = Problems("the log")
    if data.shape[1] != items:
        problems.add("", f"a table of marks has a column for each of the {items:,} items, got {data.shape[1]:,}")
    if not np.isin(data, (-1, 0, 1)).all():
        problems.add("", "a table of marks has 1 for relevant, -1 for irrelevant, and 0 for not marked")
    problems.raise_if_any()
    return FeedbackLog(tuple(str(row) for row in range(1, len(data) + 1)), data.astype(np.int8))


def _checked(table: Table, ids: Sequence[str], problems: Problems) -> FeedbackLog:
    """The marks in their places, or an `InputError` with everything that is wrong."""
    frame = columns_of(table.frame, {"session": SESSION, "item": ITEM, "mark": MARK}, problems, {})
    marks = pl.Series("mark", [parse_mark(each) for each in frame.get_column("mark").to_list()], dtype=pl.Int8)
    rows = pl.DataFrame([*(text_ids(frame.get_column(name)) for name in COLUMNS[:2]), marks])
    places = pl.DataFrame({"item": list(ids), "place": range(len(ids))}, schema={"item": pl.String, "place": pl.Int64})
    rows = rows.join(places, on="item", how="left", maintain_order="left")
    _complain(table, frame, rows, ids[0] if ids else "", problems)
    problems.raise_if_any()
    names = rows.get_column("session").unique(maintain_order=True).to_list()
    number = rows.get_column("session").replace_strict(names, list(range(len(names))), return_dtype=pl.Int64)
    result = np.zeros((len(names), len(ids)), np.int8)
    result[number.to_numpy(), rows.get_column("place").to_numpy()] = rows.get_column("mark").to_numpy()
    return FeedbackLog(tuple(names), result)


def _complain(table: Table, frame: pl.DataFrame, rows: pl.DataFrame, example: str, problems: Problems) -> None:
    """Every row that cannot be used; `example` is the id of some item."""
    session, item, mark = (rows.get_column(name) for name in COLUMNS)
    given = frame.get_column("mark")
    empty = (session.is_null() | (session == "")).fill_null(True).to_numpy()
    lost, unread = (rows.get_column(name).is_null().to_numpy() for name in ("place", "mark"))
    again = ~rows.select(pl.struct("session", "item").is_first_distinct()).to_series().to_numpy() & ~empty & ~lost
    told: tuple[tuple[BoolArray, Callable[[int], str], str], ...] = (
        (empty, lambda row: "session is empty", ""),
        (
            lost,
            lambda row: f"there is no item {shorten_value(item[row])} in the collection",
            f"Items are called by their ids, as {shorten_value(example)}.",
        ),
        (unread, lambda row: f"mark must be {RULE}, got {shorten_value(given[row])}", NO_MARK),
        (again, lambda row: f"session {session[row]} marks item {item[row]} a second time", ONCE),
    )
    for bad, what, advice in told:
        problems.add_rows(np.flatnonzero(bad), table.line, table.word, what)
        problems.advise(advice if bad.any() else "")
    if not len(mark):
        problems.add("", "has no marks: nothing can be learnt from it")


def parse_mark(given: object) -> int | None:
    """1 or -1, from a number or a word; None where it says neither.

    >>> [parse_mark(each) for each in ("1", -1.0, " Relevant ", "not", True, 0, "maybe", None)]
    [1, -1, 1, -1, 1, None, None, None]
    """
    if isinstance(given, str) and given.strip().lower() in WORDS:
        return WORDS[given.strip().lower()]
    if isinstance(given, bool):
        return 1 if given else -1
    number = as_number(given)
    return int(number) if number in (1.0, -1.0) else None
