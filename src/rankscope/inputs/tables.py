"""Tables with named columns, from CSV, JSON, Parquet, Arrow or Python objects: the three columns that everything needs.

Column names are found by the words that people use for them; ids become text once, in columns that polars holds;
every bad row is a problem with its number. Tables become rows of a run, and rows of a run a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankscope.core import columns
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.columns import ROLES, likely_names, plain_name
from rankscope.core.errors import InputError
from rankscope.core.wording import mapping_advice, setting_value
from rankscope.inputs.id_columns import BEFORE, Hashes, IdColumn, TextIds, padded
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.run_rows import ROWS_LOOKED_AT, RunBlock, RunRows, line_numbers
from rankscope.inputs.values import LARGEST_WHOLE_FLOAT, as_number, id_text, is_unicode, no_number, whole_ranks

if TYPE_CHECKING:
    from rankscope.inputs.lines import LineRows

SHOWN_COLUMNS = 30


@dataclass(frozen=True)
class Table:
    """A frame whose rows know where they came from: `line` numbers them, `word` says whether as lines or rows.

    `ordered` says that some scores were made here, from the order of a list. `notes` are what must be said of it.
    """

    frame: pl.DataFrame
    line: IntArray
    word: str = "row"
    ordered: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def numbered(cls, frame: pl.DataFrame, ordered: bool = False) -> Table:
        """The rows are counted from 1."""
        return cls(frame, np.arange(1, frame.height + 1, dtype=np.int64), ordered=ordered)

    def noted(self, notes: tuple[str, ...]) -> Table:
        """The same with what must be said of it."""
        return replace(self, notes=(*self.notes, *notes))

    def complain(self, bad: BoolArray, problems: Problems, wrong: Mapping[str, pl.Series], rule: str) -> None:
        """A problem for each bad row: `rule`, and what stood in the one column of `wrong` instead."""
        ((name, column),) = wrong.items()

        def what(row: int) -> str:
            value = column.slice(row, 1).to_list()[0]
            empty = value is None or (isinstance(value, str) and not value)
            return f"{name} is empty" if empty else no_number(name, value, problems, rule)

        problems.add_rows(np.flatnonzero(bad), self.line, self.word, what)


def find_column(frame: pl.DataFrame, names: Sequence[str]) -> str | None:
    """The column that bears one of these names, the first name that fits winning; case does not matter."""
    by_lower = {plain_name(name): name for name in reversed(frame.columns)}
    return next((by_lower[name] for name in names if name in by_lower), None)


def listed_columns(frame: pl.DataFrame) -> str:
    """The names of the columns, for messages; of very many the first.

    >>> listed_columns(pl.DataFrame({"query": [1], "item": [2]}))
    'query, item'
    """
    names = ", ".join(frame.columns[:SHOWN_COLUMNS]) or "none"
    more = frame.width - SHOWN_COLUMNS
    return f"{names} and {more:,} more" if more > 0 else names


def columns_of(
    frame: pl.DataFrame, needed: Mapping[str, Sequence[str]], problems: Problems, optional: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """The needed columns (and the optional ones that are there) under our own names."""
    found = {name: find_column(frame, words) for name, words in {**needed, **optional}.items()}
    found |= {name: _likely_column(frame, name, found, problems) for name, there in found.items() if there is None}
    missing = [name for name in needed if found[name] is None]
    if missing:
        have = listed_columns(frame)
        for name in missing:
            words = ", ".join([name, *(word for word in needed[name] if word != name)][:6])
            problems.add("", f"no column for the {name} (called {words}, ...); columns: {have}", _mapping(missing))
        problems.raise_if_any()
    return frame.select(pl.col(there).alias(name) for name, there in found.items() if there is not None)


def _likely_column(frame: pl.DataFrame, role: str, found: Mapping[str, str | None], problems: Problems) -> str | None:
    """The only column that may well mean a role; where several may, a problem says so."""
    likely = [name for name in likely_names(role, frame.columns) if name not in found.values()]
    if len(likely) > 1:
        listed = f"{', '.join(likely[:-1])} or {likely[-1]}"
        problems.add(
            "", f"which column is the {role}: {listed}?", mapping_advice("Say it with {}.", f"{role}={likely[0]}")
        )
        raise InputError([problems.report()])
    return likely[0] if likely else None


def _mapping(missing: Sequence[str]) -> str:
    """How columns of other names are given; nothing for what cannot be mapped."""
    mapped = [f"{name}=NAME" for name in missing if name in ROLES]
    return mapping_advice("Say which column it is: {}.", ",".join(mapped)) if mapped else ""


def check_names(names: Iterable[str], problems: Problems) -> None:
    """Raise where a name of a column is no text: JSON can write half of a surrogate pair."""
    wrong = [name for name in names if not is_unicode(name)]
    for name in wrong:
        problems.add("", f"the name {shorten_value(name)} holds half of a surrogate pair, which is no text")
    if wrong:
        raise InputError([problems.report()])


def series_of_values(name: str, values: list[object]) -> pl.Series:
    """A column from Python values; as Python objects where they are of several kinds."""
    kinds = set(map(type, values)) - {type(None)}
    plain = {str: pl.String, int: pl.Int64, float: pl.Float64}.get(kinds.pop()) if len(kinds) == 1 else None
    if plain is not None:
        try:
            return pl.Series(name, values, dtype=plain)
        except (OverflowError, UnicodeError, TypeError, pl.exceptions.PolarsError):
            pass  # an int beyond 64 bits, half a surrogate pair
    return pl.Series(name, values, dtype=pl.Object)


def series_of_array(name: str, values: np.ndarray[Any, Any]) -> pl.Series:
    """A column from whatever NumPy holds; its objects one by one."""
    if values.dtype == object:
        return series_of_values(name, values.tolist())
    try:
        return pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return series_of_values(name, values.tolist())  # complex numbers, long doubles and the like


def number_column(table: Table, name: str, problems: Problems) -> pl.Series:
    """A column as float64; what is not a number is a problem, as is NaN. True and False are numbers only as grades."""
    column = table.frame.get_column(name)
    result = _as_floats(column, truth=name == "grade").alias(name)
    bad = (result.is_null() | result.is_nan()).fill_null(True).to_numpy()
    table.complain(bad, problems, {name: column}, "a number")
    if name == "grade":
        table.complain(~bad & np.isinf(result.fill_null(0.0).to_numpy()), problems, {name: column}, "a finite number")
    return result


def any_floats(column: pl.Series) -> FloatArray:
    """A column as float64, NaN where it holds no number."""
    return np.array(_as_floats(column, truth=False).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _as_floats(column: pl.Series, truth: bool) -> pl.Series:
    kind = column.dtype
    if kind.is_numeric() or (kind == pl.Boolean and truth):
        return column.cast(pl.Float64, strict=False)
    if kind == pl.Object:
        return pl.Series([as_number(value, truth) for value in column.to_list()], dtype=pl.Float64)
    if kind in (pl.String, pl.Categorical, pl.Enum):
        return column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    return pl.Series([None] * len(column), dtype=pl.Float64)


def check_table(table: Table, value: str, problems: Problems) -> Table:
    """Query, item and value as text, text and float64, nothing missing; else every bad row is a problem."""
    columns = []
    for name in ("query", "item"):
        column = table.frame.get_column(name)
        ids = text_ids(column).alias(name)
        bad = (ids.is_null() | (ids == "").fill_null(True)).to_numpy()
        table.complain(bad, problems, {name: column}, "text or a whole number")
        columns.append(ids)
    columns.append(number_column(table, value, problems))
    rest = [table.frame.get_column(name) for name in table.frame.columns if name not in ("query", "item", value)]
    return Table(pl.DataFrame([*columns, *rest]), table.line, table.word)


def table_of_lines(parts: Sequence[LineRows]) -> Table:
    """Rows of lines, block by block, as a table of all their fields."""
    texts = {name: pl.concat([as_series(part.texts[name]) for part in parts]) for name in parts[0].texts}
    numbers = {name: np.concatenate([part.numbers[name] for part in parts]) for name in parts[0].numbers}
    line = np.concatenate([line_numbers(part.line) for part in parts])
    return Table(pl.DataFrame({**texts, **numbers}), line, "line")


# Ids that polars holds: as it read them from tables, and whatever a column holds as text.


@dataclass(frozen=True, eq=False)
class SeriesIds(IdColumn):
    """Ids as a column of texts of polars.

    >>> ids = SeriesIds(pl.Series(["d1", "d2", "d2"]))
    >>> ids[1], ids.starts(), ids.take(np.array([2, 0])).to_list()
    ('d2', array([0, 1]), ['d2', 'd1'])
    """

    series: pl.Series

    def __len__(self) -> int:
        return len(self.series)

    def __getitem__(self, row: int) -> str:
        return str(self.series[row])

    def slice(self, start: int, stop: int) -> SeriesIds:
        """Rows from `start` up to `stop`, of the same ids."""
        return SeriesIds(self.series.slice(start, stop - start))

    def take(self, rows: IntArray) -> SeriesIds:
        return SeriesIds(self.series.gather(rows))

    def to_list(self) -> list[str]:
        return self.series.to_list()

    def hashes(self) -> Hashes:
        return self.series.hash(0).to_numpy()

    def starts(self) -> IntArray:
        """The rows that differ from the row before them."""
        changed = (self.series != self.series.shift(1)).fill_null(True)
        return np.flatnonzero(changed.to_numpy())

    def equals(self, other: SeriesIds) -> BoolArray:
        """Whether the ids are the same, row by row."""
        return (self.series == other.series).to_numpy()

    def like(self, ids: TextIds) -> SeriesIds:
        return SeriesIds(as_series(ids))

    def as_texts(self) -> TextIds:
        length = self.series.str.len_bytes().to_numpy().astype(np.int64)
        text = str(self.series.str.join("").item() or "").encode()
        return TextIds(padded(text), BEFORE + np.cumsum(length) - length, length)

    def kept(self) -> SeriesIds:
        """As they are: polars shares what it can."""
        return self

    def joined(self, others: Sequence[SeriesIds]) -> SeriesIds:
        """The ids of all, one column behind the other."""
        return SeriesIds(pl.concat([self.series, *(each.series for each in others)]))

    def order(self, *first: IntArray) -> IntArray:
        columns = {str(number): each for number, each in enumerate(first)}
        frame = pl.DataFrame({**columns, "id": self.series}).with_row_index()
        return frame.sort([*columns, "id", "index"]).get_column("index").to_numpy().astype(np.int64)


def as_series(ids: IdColumn) -> pl.Series:
    """Ids as a column of polars."""
    return ids.series if isinstance(ids, SeriesIds) else pl.Series(ids.to_list(), dtype=pl.String)


def text_ids(column: pl.Series) -> pl.Series:
    """Ids as text: 7 becomes '7', and so does 7.0 (pandas makes floats of ints with gaps); null where it can be no id.

    >>> text_ids(pl.Series([7.0, None, 2.5])).to_list()
    ['7', None, None]
    """
    kind = column.dtype
    if kind == pl.String:
        return column
    if kind.is_float():
        exact = ((column.abs() < LARGEST_WHOLE_FLOAT) & (column.floor() == column)).fill_null(False)
        return column.set(~exact, None).cast(pl.Int64).cast(pl.String)
    if kind in (pl.Object, pl.Binary):
        return pl.Series(column.name, [id_text(value) for value in column.to_list()], dtype=pl.String)
    if kind.is_nested() or kind == pl.Boolean:
        return pl.Series(column.name, [None] * len(column), dtype=pl.String)
    try:
        return column.cast(pl.String, strict=False)
    except pl.exceptions.PolarsError:  # a span of time, and whatever else has no text
        return pl.Series(column.name, [None] * len(column), dtype=pl.String)


# Rankings in tables: the columns of a frame as rows of a run, and the other way round.


def frame_of_blocks(blocks: Sequence[RunBlock]) -> pl.DataFrame:
    """All rows as one table (query, item, score)."""
    columns: dict[str, list[pl.Series]] = {"query": [], "item": [], "score": []}
    for block in blocks:
        columns["query"].append(as_series(block.query))
        columns["item"].append(as_series(block.rows.item))
        columns["score"].append(pl.Series(block.rows.score))
    empty = pl.DataFrame(schema={"query": pl.String, "item": pl.String, "score": pl.Float64})
    return pl.DataFrame({name: pl.concat([empty.get_column(name), *parts]) for name, parts in columns.items()})


def block_of_table(given: Table, problems: Problems, rank: bool) -> tuple[RunBlock | None, bool, FloatArray | None]:
    """The good rows of a table, None where there are none; whether scores are only an order; ranks of the first rows.

    Ranks are looked at next to scores, whatever they are, where nothing is wrong with any row.
    """
    before = problems.count
    chosen = _run_columns(given, problems, rank)
    value = "score" if "score" in chosen.frame.columns else "rank"
    table = check_table(chosen, value, problems)
    ranks = number_column(chosen, "rank", problems) if rank and value != "rank" else None
    if problems.count > before:
        table, ranks = _good_rows(table, value, ranks)
    if table.frame.height == 0:
        return None, False, None
    values = np.array(table.frame.get_column(value).to_numpy(), dtype=np.float64)
    rank_values = values if ranks is None else ranks.to_numpy()
    rows = RunRows(
        item=SeriesIds(table.frame.get_column("item").rechunk()),
        score=values if value == "score" else -values,
        line=table.line,
        rank=whole_ranks(rank_values, table.line, table.word, problems) if rank else None,
        word=table.word,
    )
    query = SeriesIds(table.frame.get_column("query").rechunk())
    seen = None
    if value == "score" and not given.ordered and "rank" in chosen.frame.columns and problems.count == before:
        seen = any_floats(chosen.frame.get_column("rank").head(ROWS_LOOKED_AT))
    return RunBlock(query, rows), given.ordered or value == "rank", seen


def _good_rows(table: Table, value: str, ranks: pl.Series | None) -> tuple[Table, pl.Series | None]:
    """The rows in which every column holds what it must."""
    number = table.frame.get_column(value)
    good = number.is_not_null() & number.is_not_nan()
    for name in ("query", "item"):
        good &= (table.frame.get_column(name) != "").fill_null(False)
    if ranks is not None:
        good &= ranks.is_not_null() & ranks.is_not_nan()
    good = good.fill_null(False)
    kept = replace(table, frame=table.frame.filter(good), line=table.line[good.to_numpy()])
    return kept, None if ranks is None else ranks.filter(good)


def _run_columns(table: Table, problems: Problems, rank: bool) -> Table:
    """Our own columns; where there is no score, a lower rank is a higher score."""
    optional = {"score": columns.SCORE, "rank": columns.RANK}
    needed = {"query": columns.QUERY, "item": columns.ITEM}
    frame = columns_of(table.frame, needed, problems, optional)
    if "rank" not in frame.columns and "score" not in frame.columns:
        problems.add("", f"no column for the score or the rank; columns: {listed_columns(table.frame)}")
    elif "rank" not in frame.columns and rank:
        problems.add("", f"has no rank column, which {setting_value('ties', 'rank')} needs")
    else:
        return replace(table, frame=frame)
    raise InputError([problems.report()])
