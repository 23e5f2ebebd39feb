"""Small tables of Python objects that need no repair, by query and item as dictionaries have them.

A frame of some thousand rows is looked at row by row before a table of polars has been made of it. Where any column is
not plain (gaps, masks, kinds that must become text, a column of ranks), or the rows of a query are scattered, this
gives None and the table is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.column_names import GRADE, ITEM, QUERY, RANK, SCORE, plain_name
from rankscope.inputs.plain_nested import PlainNested, from_columns, plain_numbers

MOST_ROWS = 1 << 15  # of larger tables whole columns are quicker
VALUES = {"score": SCORE, "grade": GRADE}


def plain_columns(data: Any, value: str) -> PlainNested | None:
    """The rows of a frame, a dictionary of columns, or three arrays or lists; None where anything is not plain.

    >>> plain_columns((["q", "q"], ["a", "b"], [2.0, 1.0]), "score").lists
    ({'a': 2.0, 'b': 1.0},)
    """
    columns = _columns(data, value)
    if columns is None or not all(hasattr(each, "__len__") and len(each) <= MOST_ROWS for each in columns):
        return None
    query, item, values = (_plain(each) for each in columns)
    if query is None or item is None or values is None or not len(query) == len(item) == len(values):
        return None
    numbers = plain_numbers(values, value) if isinstance(values, list) else values.copy()
    return None if numbers is None else from_columns(_listed(query), _listed(item), numbers, value)


def _columns(data: Any, value: str) -> tuple[Any, Any, Any] | None:
    """Query, item and value; None where they are not all there, where two could be meant, or where there are ranks."""
    if type(data) is tuple:
        return data if len(data) == 3 else None
    names = _names(data)
    if names is None:
        return None
    by_name = {plain_name(name): name for name in names if isinstance(name, str)}
    wanted = [
        next((by_name[word] for word in words if word in by_name), None) for words in (QUERY, ITEM, VALUES[value])
    ]
    ranked = value == "score" and any(word in by_name for word in RANK)
    if len(by_name) < len(names) or None in wanted or ranked:
        return None
    query, item, number = (data[name] for name in wanted)
    return query, item, number


def _names(data: Any) -> list[Any] | None:
    """The columns of a frame or of a dictionary of columns."""
    package = type(data).__module__.partition(".")[0]
    if isinstance(data, Mapping) or (package in ("pandas", "polars") and type(data).__name__ == "DataFrame"):
        return list(data if isinstance(data, Mapping) else data.columns)
    return None


def _plain(column: Any) -> Any:
    """A column as a list or an array; None where it is neither, nor a column of a frame."""
    package = type(column).__module__.partition(".")[0]
    if package == "pandas":
        column = column.to_numpy() if isinstance(column.dtype, np.dtype) else column.tolist()
    if type(column) is np.ndarray and column.ndim == 1:
        return column.tolist() if column.dtype == object else column
    if type(column) is list:
        return column
    if package == "polars" and not column.null_count():
        return column.to_list() if column.dtype.is_(_text()) else _numeric(column)
    return None


def _text() -> Any:
    import polars as pl

    return pl.String


def _numeric(column: Any) -> Any:
    return column.to_numpy() if column.dtype.is_integer() or column.dtype.is_float() else None


def _listed(ids: Any) -> list[Any]:
    return ids if isinstance(ids, list) else ids.tolist()
