"""Arrow tables: IPC files (Feather) and IPC streams; files are written."""

from __future__ import annotations

from typing import Any

import polars as pl

from rankscope.inputs.formats import arrow_layout, columnar
from rankscope.inputs.shapes.shape import HOLDS_EITHER, InputShape

SHAPES = (
    InputShape(
        name="Arrow",
        holds=HOLDS_EITHER,
        about="A table as in Parquet: IPC files (Feather) and IPC streams.",
        examples=(),
        format="arrow",
    ),
)


def _read(data: Any, source: Any) -> pl.DataFrame:
    if data[: len(arrow_layout.MARK)] == arrow_layout.MARK:
        return pl.read_ipc_stream(source)
    return pl.read_ipc(source)


ARROW = columnar.ColumnarFormat(
    name="arrow",
    about="Arrow tables: IPC files (Feather) and IPC streams; files are written",
    title="Arrow",
    suffixes=(".arrow", ".feather", ".ipc"),
    marks=(arrow_layout.MAGIC, arrow_layout.MARK),  # a file's name, or the mark before each message of a stream
    check=arrow_layout.check,
    read=_read,
    write=pl.DataFrame.write_ipc,
    shapes=SHAPES,
)
