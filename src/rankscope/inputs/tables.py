"""Tables with named columns, from CSV, JSON, Parquet, Arrow or Python objects, to the three columns everything needs.

Column names are found by the words people use for them; ids become text once; every bad row is a problem with its
number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.column_names import ROLES, likely_names, plain_name
from rankscope.errors import InputError
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.ids import is_unicode
from rankscope.inputs.numbers import as_number, no_number
from rankscope.inputs.series_ids import text_ids
from rankscope.wording import mapping_advice

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
            return f"{name} is empty" if _is_missing(value) else no_number(name, value, problems, rule)

        problems.add_rows(np.flatnonzero(bad), self.line, self.word, what)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value)


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


def series(name: str, values: list[object]) -> pl.Series:
    """A column from Python values; as Python objects where they are of several kinds."""
    kinds = set(map(type, values)) - {type(None)}
    plain = {str: pl.String, int: pl.Int64, float: pl.Float64}.get(kinds.pop()) if len(kinds) == 1 else None
    if plain is not None:
        try:
            return pl.Series(name, values, dtype=plain)
        except (OverflowError, UnicodeError, TypeError, pl.exceptions.PolarsError):
            pass  # an int beyond 64 bits, half a surrogate pair
    return pl.Series(name, values, dtype=pl.Object)


def from_array(name: str, values: np.ndarray[Any, Any]) -> pl.Series:
    """A column from whatever NumPy holds; its objects one by one."""
    if values.dtype == object:
        return series(name, values.tolist())
    try:
        return pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return series(name, values.tolist())  # complex numbers, long doubles and the like


def numbers(table: Table, name: str, problems: Problems) -> pl.Series:
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
    columns = [*_checked_ids(table, problems), numbers(table, value, problems)]
    rest = [table.frame.get_column(name) for name in table.frame.columns if name not in ("query", "item", value)]
    return Table(pl.DataFrame([*columns, *rest]), table.line, table.word)


def _checked_ids(table: Table, problems: Problems) -> Iterator[pl.Series]:
    for name in ("query", "item"):
        column = table.frame.get_column(name)
        ids = text_ids(column).alias(name)
        bad = (ids.is_null() | (ids == "").fill_null(True)).to_numpy()
        table.complain(bad, problems, {name: column}, "text or a whole number")
        yield ids
