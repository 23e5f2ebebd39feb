"""Rankings: what one system returned for each query, as scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankscope.errors import InputError
from rankscope.inputs import tables
from rankscope.inputs.blocks import Block
from rankscope.inputs.checks import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

BlockReader = Callable[["Run", Problems, bool], Iterator[Block]]


class Run:
    """A system's rankings; the rows come in blocks, as often as they are asked for, and need never be all in memory.

    `tag` is the run tag of a TREC file, known once it has been read; `name` is what results call the system.
    >>> Run.of({"q1": {"a": 2.0, "b": 1.0}}, name="mine").table().rows()
    [('q1', 'a', 2.0), ('q1', 'b', 1.0)]
    """

    def __init__(self, name: str, reader: BlockReader, source: Source | None = None, tag: str = "") -> None:
        self.name, self.source, self.tag = name, source, tag
        self._reader = reader

    def blocks(self, problems: Problems, rank: bool = False) -> Iterator[Block]:
        """The rows in the order they were given; `rank` asks for the rank column too."""
        return self._reader(self, problems, rank)

    @property
    def place(self) -> str:
        """What messages call it."""
        return self.source.name if self.source else self.name

    @property
    def share(self) -> float:
        """How much of the file has been read, from 0 to 1."""
        return self.source.share if self.source else 1.0

    @property
    def digest(self) -> str:
        """SHA-256 of the file; empty for Python objects."""
        return self.source.digest if self.source else ""

    @classmethod
    def of(cls, data: Any, reading: Reading | None = None, *, name: str = "") -> Run:
        """A run from a path (`-`: standard input), a dictionary, a frame, or three arrays (query, item, score).

        {query: {item: score}} gives scores, {query: [item, ...]} an order, best first.
        """
        if isinstance(data, Run):
            return data
        if isinstance(data, str | Path):
            from rankscope.inputs.formats import read_run

            run = read_run(Source(str(data)), reading or Reading())
            run.name = name or run.name
            return run
        frame = tables.frame_of(data, name or "run", "score")
        if frame is None:
            raise InputError.of(name or "run", [f"cannot read a run from a {type(data).__name__}"])
        return cls.from_frame(frame, name or "run")

    @classmethod
    def from_frame(
        cls, frame: pl.DataFrame, name: str, source: Source | None = None, word: str = "row", first: int = 1
    ) -> Run:
        """A run from any table that has a query and an item column and a score or a rank column."""

        def read(run: Run, problems: Problems, rank: bool) -> Iterator[Block]:
            yield from _block_of(frame, problems, rank, word, first)

        return cls(name, read, source, tag=name)

    def table(self) -> pl.DataFrame:
        """All rows as one table (query, item, score); raises on the first bad file, with all its problems."""
        problems = Problems(self.place)
        blocks = list(self.blocks(problems))
        problems.raise_if_any()
        if not blocks:
            return pl.DataFrame(schema={"query": pl.String, "item": pl.String, "score": pl.Float64})
        whole = Block.join(blocks)
        return pl.DataFrame({"query": whole.query, "item": whole.item, "score": whole.score})

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{query: {item: score}}."""
        nested: dict[str, dict[str, float]] = {}
        for query, item, score in self.table().iter_rows():
            nested.setdefault(query, {})[item] = score
        return nested


def _block_of(frame: pl.DataFrame, problems: Problems, rank: bool, word: str, first: int) -> Iterator[Block]:
    optional = {"score": tables.SCORE, "rank": tables.RANK}
    table = tables.columns_of(frame, {"query": tables.QUERY, "item": tables.ITEM}, problems, optional)
    if "score" not in table.columns:
        if "rank" not in table.columns:
            problems.add("", f"no column for the score or the rank; columns: {', '.join(frame.columns)}")
            problems.raise_if_any()
        ranks = tables.numbers(table.get_column("rank"), problems, word, first)
        table = table.with_columns((-ranks).alias("score"))
    before = problems.count
    table = tables.checked(table, "score", problems, word, first)
    if problems.count > before or table.height == 0:
        return
    yield Block(
        table.get_column("query"),
        table.get_column("item"),
        np.array(table.get_column("score").to_numpy(), dtype=np.float64),
        np.arange(first, table.height + first, dtype=np.int64),
        _ranks(table, problems, word, first) if rank else None,
        word,
    )


def _ranks(table: pl.DataFrame, problems: Problems, word: str, first: int) -> Any:
    if "rank" not in table.columns:
        problems.add("", "has no rank column, which --ties rank needs")
        problems.raise_if_any()
    return tables.numbers(table.get_column("rank"), problems, word, first).fill_null(0).cast(pl.Int64).to_numpy()
