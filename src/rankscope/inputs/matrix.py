"""Retrieved ids as a matrix, one row per query, best first: what FAISS and its kin return."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl

from rankscope.errors import InputError
from rankscope.inputs.checks import shorten_value
from rankscope.inputs.ids import id_text
from rankscope.inputs.masks import refuse_masked
from rankscope.inputs.tables import Table, from_array
from rankscope.number_texts import how_many


def table_of(items: Any, scores: Any, queries: Any, name: str) -> Table:
    """The rows of a matrix, each numbered by the matrix row it came from; -1 and None are padding and are skipped."""
    ids = _matrix(items, "items", name)
    values = np.broadcast_to(0.0 - np.arange(ids.shape[1]), ids.shape)
    if scores is not None:
        values = _matrix(scores, "scores", name)
        if values.shape != ids.shape:
            raise InputError.of(name, [f"items are {ids.shape} and scores {values.shape}; they must be of one shape"])
    labels = _labels(queries, len(ids), name)
    row, column = np.nonzero(~_is_padding(ids))
    columns = [labels.gather(row), from_array("item", ids[row, column]), from_array("score", values[row, column])]
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


def _labels(queries: Any, rows: int, name: str) -> pl.Series:
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
