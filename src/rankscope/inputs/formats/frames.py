"""Whole tables from Parquet and Arrow files that may be large: mapped into memory for the check, read by polars."""

from __future__ import annotations

import io
import mmap
from pathlib import Path

import polars as pl

from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.inputs.expansion import MAX_RATIO
from rankscope.inputs.formats.arrow import ARROW
from rankscope.inputs.formats.parquet import PARQUET
from rankscope.names import name_of


def read_frame(path: str | Path, format: str = "") -> pl.DataFrame:
    """The table in a file, by its format or else its suffix; a damaged one is an `InputError`."""
    file, problems = Path(path), Problems(name_of(path))
    named = format == PARQUET.name or file.suffix.lower() in PARQUET.suffixes
    layout = PARQUET if named else ARROW
    try:
        with file.open("rb") as stored, mmap.mmap(stored.fileno(), 0, access=mmap.ACCESS_READ) as data:
            source = file if layout is PARQUET else io.BytesIO(data)  # a file of Arrow would be mapped unchecked
            return layout.frame(data, source, problems, MAX_RATIO)
    except (OSError, ValueError) as error:  # no such file, an empty one
        reason = getattr(error, "strerror", None) or "it is empty"
        raise InputError.of(problems.source, [f"cannot be read: {reason}"]) from None
