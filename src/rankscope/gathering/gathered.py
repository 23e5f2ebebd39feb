"""What gathering gave, and the table of documents that it is written to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankscope.displayed import Tabular
from rankscope.files import atomic
from rankscope.gathering.state import COPY, STORED, GatheringState

COLUMNS: dict[str, pl.DataType] = {
    "id": pl.String(),
    "title": pl.String(),
    "text": pl.String(),
    "address": pl.String(),
    "copies": pl.List(pl.String()),
}
MARK = "rankscope.documents"  # in the table's metadata: by it rankscope knows its own


@dataclass(frozen=True, repr=False)
class Gathered(Tabular):
    """How many documents were stored and where, from how many pages; and what was left out, with the reasons.

    `waiting` are addresses that were beyond the limit of pages, of which only so many are kept as the limit has;
    `outside` are links that led out of the folders. `resumed` says that earlier work went on.
    """

    path: str
    documents: int
    copies: int
    asked: int
    waiting: int
    outside: int
    left_out: tuple[tuple[str, str], ...]
    resumed: bool = False

    @classmethod
    def of(cls, state: GatheringState, path: str | Path, resumed: bool) -> Gathered:
        """What a state holds."""
        counts = state.counts()
        return cls(
            path=os.fspath(path),
            documents=counts.get(STORED, 0),
            copies=counts.get(COPY, 0),
            asked=state.asked(),
            waiting=state.waiting(),
            outside=state.outside(),
            left_out=tuple(state.left_out()),
            resumed=resumed,
        )


def write_documents(state: GatheringState, path: str | Path) -> None:
    """The documents as Parquet, in the order they were found; equal pages give equal bytes."""
    table = pl.DataFrame(list(state.documents()), schema=COLUMNS, orient="row")
    with atomic(path, "wb") as file:
        table.write_parquet(file, metadata={MARK: "1"})
