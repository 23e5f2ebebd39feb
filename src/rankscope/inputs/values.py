"""Single values as files and Python objects have them: numbers, ids as text, and what a masked array hides."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray, Lines
from rankscope.core.errors import InputError
from rankscope.inputs.problems import Problems, shorten_value

# Numbers as they stand in files: the same rule for text, JSON and Python objects.

LARGEST_WHOLE_FLOAT = 2**53
DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
DECIMAL_COMMA_ADVICE = (
    "Decimals are written with a comma here, and rankscope reads a point: write 0.75 for 0,75. Replace the commas of "
    "this column, or export the file with points, as spreadsheets do for English."
)


def parse_number(text: str) -> float | None:
    """A number written in ASCII as C and Python write it, infinity included; None for anything else, NaN too.

    >>> parse_number("-1e3"), parse_number("inf"), parse_number("nan"), parse_number("1_000")
    (-1000.0, inf, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and "_" not in text and text.isascii() else None


def as_number(value: object, truth: bool = False) -> float | None:
    """A Python value as a number, None where it is none; `truth` lets True and False stand for 1 and 0.

    >>> as_number(3), as_number("0.5"), as_number(None), as_number(True), as_number(True, truth=True)
    (3.0, 0.5, None, None, 1.0)
    """
    if isinstance(value, bool | np.bool_):
        return float(value) if truth else None
    if isinstance(value, str):
        return parse_number(value)
    if not isinstance(value, int | float | np.integer | np.floating):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if number == number else None


def no_number(name: str, value: object, problems: Problems, rule: str = "a number") -> str:
    """What is wrong with a value that must be a number; a decimal comma is named, and what to do about it said once.

    >>> no_number("score", "0,75", Problems("bm25.run"))
    "score must be a number, got '0,75', with a decimal comma"
    """
    what = f"{name} must be {rule}, got {shorten_value(value)}"
    if not (isinstance(value, str) and DECIMAL_COMMA.fullmatch(value.strip())):
        return what
    problems.advise(DECIMAL_COMMA_ADVICE)
    return f"{what}, with a decimal comma"


def whole_ranks(ranks: FloatArray, line: Lines, word: str, problems: Problems) -> IntArray:
    """A rank column as int64; a rank that is no whole number is a problem."""
    broken = ~(np.abs(ranks) < LARGEST_WHOLE_FLOAT) | (ranks != np.floor(ranks))
    problems.add_rows(
        np.flatnonzero(broken),
        line,
        word,
        lambda row: f"rank must be a whole number, got {shorten_value(ranks[row].item())}",
    )
    return np.where(broken, 0, ranks).astype(np.int64)


# Ids of queries and items: text, or whole numbers that become text once.


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
        # Python writes no number of more than some thousand digits.
        try:
            return str(int(value))
        except ValueError:
            return None
    if isinstance(value, float | np.floating):
        return str(int(value)) if abs(float(value)) < LARGEST_WHOLE_FLOAT and value == int(value) else None
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    return None if isinstance(value, list | tuple | dict | set | np.ndarray) else str(value)


def is_unicode(text: str) -> bool:
    """JSON can write half of a surrogate pair, which no text can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# Arrays whose values are masked in part: what is masked has no value, and is not guessed.

MASK_ADVICE = "Leave those rows out, or fill them: array.filled(value)."


def refuse_masked(values: Any, source: str) -> NDArray[Any]:
    """The values as an array; masked ones are an `InputError`: numpy would show what lies behind the mask.

    >>> refuse_masked(np.ma.array([1, 2], mask=[False, False]), "run")
    array([1, 2])
    """
    hidden = int(np.ma.getmaskarray(values).sum()) if isinstance(values, np.ma.MaskedArray) else 0
    if hidden:
        raise InputError.of(
            source, [f"{hidden} value{'' if hidden == 1 else 's'} of {values.size} are masked"], MASK_ADVICE
        )
    return np.asarray(values)
