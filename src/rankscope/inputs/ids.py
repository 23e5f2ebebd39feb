"""Ids of queries and items: text, or whole numbers that become text once."""

from __future__ import annotations

import numpy as np

from rankscope.inputs.numbers import LARGEST_WHOLE_FLOAT


def id_text(value: object) -> str | None:
    """An id as text, None where the value can be none: True, 1.5, a list.

    >>> id_text(7), id_text("07"), id_text(7.0), id_text(b"q7"), id_text(7.5)
    ('7', '07', '7', 'q7', None)
    """
    if isinstance(value, str):
        return value if value.isascii() or is_unicode(value) else None
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


def is_unicode(text: str) -> bool:
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
