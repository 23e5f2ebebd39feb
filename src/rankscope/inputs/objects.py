"""Python objects as tables: polars, pandas and Arrow frames, dictionaries, structured arrays, three arrays, and
matrices of retrieved ids as FAISS and its kin return them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from rankscope.core.errors import InputError
from rankscope.core.wording import how_many
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.plain_objects import has_columns
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.tables import Table, series_of_array, series_of_values
from rankscope.inputs.values import id_text, refuse_masked


def table_of_object(data: Any, value: str, problems: Problems, columns: ColumnMap = ()) -> Table | None:
    """The table in a Python object, None if there is none in it; `value` is 'score' or 'grade'.

    Dictionaries and lists of the shapes that JSON files have are read as those are.
    """
    records = isinstance(data, list) and bool(data) and all(isinstance(each, Mapping) for each in data)
    if isinstance(data, Mapping):
        names_columns = bool(columns) and all(name in data for _, name in columns)
        records = not has_columns(data) and not names_columns
    if records:
        from rankscope.inputs.formats.json_rows import JsonChoices
        from rankscope.inputs.formats.json_tables import table_of_json

        table = table_of_json(data, JsonChoices(value, dict(columns)), problems)
        problems.raise_if_any()
        return table
    frame = frame_of_object(data, value, problems)
    return None if frame is None else next(rename_in_tables([Table.numbered(frame)], columns, problems))


def frame_of_object(data: Any, value: str, problems: Problems) -> pl.DataFrame | None:
    """The frame in a Python object that has columns, None if there are none."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, Mapping):
        return _from_columns({str(name): column for name, column in data.items()}, problems)
    if type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns"):
        return _from_pandas(data, problems)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _from_columns({name: data[name] for name in data.dtype.names}, problems)
    if isinstance(data, tuple) and len(data) == 3:
        return _from_columns(dict(zip(("query", "item", value), data, strict=True)), problems)
    try:
        return pl.DataFrame(data) if hasattr(data, "__arrow_c_stream__") else None
    except pl.exceptions.PolarsError:  # a single column
        return None


def _from_columns(given: Mapping[str, Any], problems: Problems) -> pl.DataFrame:
    columns = {name: refuse_masked(column, problems.source) for name, column in given.items()}
    if len({column.shape for column in columns.values()}) != 1 or any(column.ndim != 1 for column in columns.values()):
        shapes = ", ".join(f"{name} {column.shape}" for name, column in columns.items())
        raise InputError.of(problems.source, [f"needs one-dimensional columns of equal length, got {shapes}"])
    return pl.DataFrame([series_of_array(name, column) for name, column in columns.items()])


def _from_pandas(data: Any, problems: Problems) -> pl.DataFrame:
    """A pandas frame, its missing values as nulls; the index is not read."""
    names = [str(name) for name in data.columns]
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError.of(problems.source, [f"column '{name}' is there twice" for name in twice])
    columns = []
    for position, name in enumerate(names):
        column = data.iloc[:, position]
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
            columns.append(pl.Series(name, column.to_numpy()))
        else:
            columns.append(series_of_values(name, column.astype(object).where(column.notna(), None).tolist()))
    return pl.DataFrame(columns)


# Retrieved ids as a matrix, one row per query, best first: what FAISS and its kin return.


def table_of_matrix(items: Any, scores: Any, queries: Any, name: str) -> Table:
    """The rows of a matrix, each numbered by the matrix row it came from; -1 and None are padding and are skipped."""
    ids = _matrix(items, "items", name)
    values = np.broadcast_to(0.0 - np.arange(ids.shape[1]), ids.shape)
    if scores is not None:
        values = _matrix(scores, "scores", name)
        if values.shape != ids.shape:
            raise InputError.of(name, [f"items are {ids.shape} and scores {values.shape}; they must be of one shape"])
    labels = _query_ids(queries, len(ids), name)
    row, column = np.nonzero(~_is_padding(ids))
    columns = [
        labels.gather(row),
        series_of_array("item", ids[row, column]),
        series_of_array("score", values[row, column]),
    ]
    return Table(pl.DataFrame(columns), row + 1, ordered=scores is None)


def _matrix(data: Any, what: str, name: str) -> np.ndarray[Any, Any]:
    try:
        matrix = refuse_masked(data, name)
        if matrix.dtype.kind == "U":  # a list that mixes text with None or numbers must keep both as they are
            matrix = np.asarray(data, dtype=object)
    except ValueError:
        advice = "Pad short rows with -1 or None, or give {query: [item, ...]}."
        raise InputError.of(name, [f"the rows of the {what} are not of equal length"], advice) from None
    if matrix.ndim != 2:
        raise InputError.of(name, [f"{what} must have two dimensions, got {matrix.ndim}"], "Each row is one query.")
    return matrix


def _is_padding(ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if ids.dtype != object:
        return np.equal(ids, -1) if ids.dtype.kind in "iuf" else np.zeros(ids.shape, dtype=np.bool_)
    flat = [one is None or (not isinstance(one, str) and one == -1) for one in ids.ravel().tolist()]
    return np.array(flat, dtype=np.bool_).reshape(ids.shape)


def _query_ids(queries: Any, rows: int, name: str) -> pl.Series:
    """The ids of the queries; their row numbers from 0 where none are given."""
    given = list(range(rows)) if queries is None else list(queries)
    if len(given) != rows:
        raise InputError.of(name, [f"there are items in {how_many(rows, 'rows')} but {how_many(len(given))}"])
    labels = [id_text(query) for query in given]
    wrong = [query for query, label in zip(given, labels, strict=True) if not label]
    twice = [label for label, times in Counter(labels).items() if times > 1 and label]
    if wrong or twice:
        problems = [f"query must be text or a whole number, got {shorten_value(query)}" for query in wrong]
        raise InputError.of(name, [*problems, *(f"query {query} has two rows" for query in twice)])
    return pl.Series("query", labels, dtype=pl.String)
