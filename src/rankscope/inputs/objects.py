"""Python objects as tables: polars, pandas and Arrow frames, dictionaries, structured arrays, three arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.masks import refuse_masked
from rankscope.inputs.plain_objects import has_columns
from rankscope.inputs.tables import Table, from_array, series


def table_of(data: Any, value: str, problems: Problems, columns: ColumnMap = ()) -> Table | None:
    """The table in a Python object, None if there is none in it; `value` is 'score' or 'grade'.

    Dictionaries and lists of the shapes that JSON files have are read as those are.
    """
    records = isinstance(data, list) and bool(data) and all(isinstance(each, Mapping) for each in data)
    if records or (isinstance(data, Mapping) and not has_columns(data) and not _names_columns(data, columns)):
        return _of_json(data, value, problems, columns)
    frame = frame_of(data, value, problems)
    return None if frame is None else next(rename_in_tables([Table.numbered(frame)], columns, problems))


def _names_columns(data: Mapping[Any, Any], columns: ColumnMap) -> bool:
    return bool(columns) and all(name in data for _, name in columns)


def _of_json(data: Any, value: str, problems: Problems, columns: ColumnMap) -> Table:
    from rankscope.inputs.shapes.hits import JsonChoices
    from rankscope.inputs.shapes.parsed import table_of as parsed_table

    table = parsed_table(data, JsonChoices(value, dict(columns)), problems)
    problems.raise_if_any()
    return table


def frame_of(data: Any, value: str, problems: Problems) -> pl.DataFrame | None:
    """The frame in a Python object that has columns, None if there are none."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, Mapping):
        return _from_columns(
            {str(name): refuse_masked(column, problems.source) for name, column in data.items()}, problems
        )
    if type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns"):
        return _from_pandas(data, problems)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _from_columns({name: refuse_masked(data[name], problems.source) for name in data.dtype.names}, problems)
    if isinstance(data, tuple) and len(data) == 3:
        columns = [refuse_masked(column, problems.source) for column in data]
        return _from_columns(dict(zip(("query", "item", value), columns, strict=True)), problems)
    return _from_arrow(data) if hasattr(data, "__arrow_c_stream__") else None


def _from_arrow(data: Any) -> pl.DataFrame | None:
    """A table of any library that speaks Arrow; a single column is none."""
    try:
        return pl.DataFrame(data)
    except pl.exceptions.PolarsError:
        return None


def _from_columns(columns: Mapping[str, Any], problems: Problems) -> pl.DataFrame:
    if len({column.shape for column in columns.values()}) != 1 or any(column.ndim != 1 for column in columns.values()):
        shapes = ", ".join(f"{name} {column.shape}" for name, column in columns.items())
        raise InputError.of(problems.source, [f"needs one-dimensional columns of equal length, got {shapes}"])
    return pl.DataFrame([from_array(name, column) for name, column in columns.items()])


def _from_pandas(data: Any, problems: Problems) -> pl.DataFrame:
    """A pandas frame, its missing values as nulls; the index is not read."""
    names = [str(name) for name in data.columns]
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError.of(problems.source, [f"column '{name}' is there twice" for name in twice])
    columns = (data.iloc[:, position] for position in range(len(names)))
    return pl.DataFrame([_from_pandas_column(name, column) for name, column in zip(names, columns, strict=True)])


def _from_pandas_column(name: str, column: Any) -> pl.Series:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
        return pl.Series(name, column.to_numpy())
    return series(name, column.astype(object).where(column.notna(), None).tolist())
