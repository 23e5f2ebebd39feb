"""Tables with named columns, from CSV, JSON, Parquet, Arrow or Python objects, to the three columns everything needs.

Column names are found by the words people use for them; ids become text once; every bad row is a problem with its number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from rankscope.errors import InputError
from rankscope.inputs.checks import KEPT, Problems, shown

QUERY = ("query", "query_id", "query-id", "qid", "q_id", "topic", "topic_id", "queryid")
ITEM = (
    "item", "item_id", "doc", "doc_id", "docid", "docno", "document", "document_id", "corpus-id", "corpus_id", "pid",
    "passage_id",
)  # fmt: skip
SCORE = ("score", "sim", "similarity")
GRADE = ("grade", "relevance", "rel", "label", "judgement", "judgment", "score")
RANK = ("rank",)
CLASS = ("class", "group", "category", "type")
TEXT_ID = (pl.String, pl.Categorical, pl.Enum)


def find_column(frame: pl.DataFrame, names: Sequence[str]) -> str | None:
    """The column that bears one of these names, the first name that fits winning; case does not matter."""
    by_lower = {name.strip().lower(): name for name in reversed(frame.columns)}
    return next((by_lower[name] for name in names if name in by_lower), None)


def columns_of(
    frame: pl.DataFrame, needed: Mapping[str, Sequence[str]], problems: Problems, optional: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """The needed columns (and the optional ones that are there) under our own names."""
    found = {name: find_column(frame, words) for name, words in {**needed, **optional}.items()}
    missing = [name for name in needed if found[name] is None]
    if missing:
        have = ", ".join(frame.columns) or "none"
        for name in missing:
            problems.add("", f"no column for the {name} (called {', '.join(needed[name][:6])}, ...); columns: {have}")
        problems.raise_if_any()
    return frame.select(pl.col(there).alias(name) for name, there in found.items() if there is not None)


def text_ids(column: pl.Series) -> pl.Series:
    """Ids as text: 7 becomes '7'; a float column of whole numbers (as pandas makes of ints with gaps) too."""
    if column.dtype == pl.String:
        return column
    if column.dtype.is_float():
        whole = column.cast(pl.Int64, strict=False)
        return whole.cast(pl.String) if bool((whole.cast(pl.Float64) == column).all()) else column.cast(pl.String)
    if column.dtype == pl.Object:
        return pl.Series(column.name, [None if value is None else str(value) for value in column.to_list()])
    return column.cast(pl.String)


def numbers(column: pl.Series, problems: Problems, word: str, first: int) -> pl.Series:
    """A column as float64; what is no number is a problem, as is NaN."""
    values = column if column.dtype.is_numeric() else column.cast(pl.String, strict=False).str.strip_chars()
    result = values.cast(pl.Float64, strict=False)
    bad = (result.is_null() | result.is_nan()).fill_null(True)
    rows = np.flatnonzero(bad.to_numpy())
    for row in rows[:KEPT].tolist():
        what = f"{column.name} must be a number, got {shown(column[row])}"
        problems.add(f"{word} {row + first}", what, order=row + first)
    problems.more(max(0, rows.size - KEPT))
    return result.alias(column.name)


def checked(frame: pl.DataFrame, value: str, problems: Problems, word: str = "row", first: int = 1) -> pl.DataFrame:
    """Query, item and value as text, text and float64, nothing missing; else every bad row is a problem."""
    ids = {name: text_ids(frame.get_column(name)) for name in ("query", "item")}
    for name, column in ids.items():
        rows = np.flatnonzero((column.is_null() | (column == "").fill_null(True)).to_numpy())
        for row in rows[:KEPT].tolist():
            problems.add(f"{word} {row + first}", f"{name} is empty", order=row + first)
        problems.more(max(0, rows.size - KEPT))
    values = numbers(frame.get_column(value), problems, word, first)
    rest = [frame.get_column(name) for name in frame.columns if name not in ("query", "item", value)]
    return pl.DataFrame([ids["query"].alias("query"), ids["item"].alias("item"), values, *rest])


def frame_of(data: Any, name: str, value: str) -> pl.DataFrame | None:
    """A frame from a Python object: polars or pandas frame, nested dictionary, or arrays; None if it is none of these."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, Mapping):
        return _nested(data, name, value)
    if type(data).__module__.partition(".")[0] == "pandas":
        return pl.DataFrame({str(each): _plain_list(data[each]) for each in data.columns}, strict=False)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return pl.DataFrame({each: data[each] for each in data.dtype.names})
    if isinstance(data, tuple) and len(data) == 3:
        query, item, values = (np.asarray(each) for each in data)
        if len({each.shape for each in (query, item, values)}) != 1 or query.ndim != 1:
            raise InputError.of(
                name, [f"three one-dimensional arrays of equal length are needed (query, item, {value})"]
            )
        return pl.DataFrame({"query": query, "item": item, value: values}, strict=False)
    return None


def _plain_list(column: Any) -> list[object]:
    """A pandas column as a list, its missing values as None."""
    return column.astype(object).where(column.notna(), None).tolist()  # type: ignore[no-any-return]


def _nested(data: Mapping[Any, Any], name: str, value: str) -> pl.DataFrame:
    """{query: {item: value}}, or {query: [item, ...]} best first."""
    query: list[str] = []
    item: list[str] = []
    values: list[object] = []
    for each, answer in data.items():
        if isinstance(answer, Mapping):
            items, numbers_here = list(answer), [_number(number) for number in answer.values()]
        elif isinstance(answer, list | tuple | np.ndarray) and value == "score":
            items = list(answer)
            numbers_here = [float(-position) for position in range(len(items))]
        else:
            form = "{query: {item: score}} or {query: [item, ...]}" if value == "score" else "{query: {item: grade}}"
            raise InputError.of(name, [f"query {shown(each)}: {form} is needed, got {type(answer).__name__}"])
        query += [str(each)] * len(items)
        item += [str(one) for one in items]
        values += numbers_here
    try:
        column = pl.Series(value, values, dtype=pl.Float64)
    except (TypeError, pl.exceptions.PolarsError):
        column = pl.Series(value, [None if number is None else str(number) for number in values], dtype=pl.String)
    return pl.DataFrame([pl.Series("query", query, pl.String), pl.Series("item", item, pl.String), column])


def _number(value: object) -> object:
    return float(value) if isinstance(value, int | float | np.number) else value
