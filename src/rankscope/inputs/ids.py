"""Ids of queries and items: text, or whole numbers that become text once."""

from __future__ import annotations

import numpy as np
import polars as pl

LARGEST_WHOLE_FLOAT = 2**53


def id_text(value: object) -> str | None:
    """An id as text, None where the value can be none: True, 1.5, a list.

    >>> id_text(7), id_text("07"), id_text(7.0), id_text(b"q7"), id_text(7.5)
    ('7', '07', '7', 'q7', None)
    """
    if isinstance(value, str):
        return value if value.isascii() or _is_unicode(value) else None
    if isinstance(value, bool | np.bool_) or value is None:
        return None
    if isinstance(value, int | np.integer):
        return _whole(int(value))
    if isinstance(value, float | np.floating):
        return str(int(value)) if abs(float(value)) < LARGEST_WHOLE_FLOAT and value == int(value) else None
    if isinstance(value, bytes):
        return _decoded(value)
    return None if isinstance(value, list | tuple | dict | set | np.ndarray) else str(value)


def _whole(value: int) -> str | None:
    """Python writes no number of more than some thousand digits."""
    try:
        return str(value)
    except ValueError:
        return None


def _is_unicode(text: str) -> bool:
    """JSON can write half of a surrogate pair, which no text can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _decoded(value: bytes) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


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
