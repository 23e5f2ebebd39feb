"""What several runs rank, side by side: the ground that pools are drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

Lists = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rows (query, item, run, rank) of several runs; runs are numbered in their order, ranks count from 1.

    >>> Rankings.of([{"q": ["a", "b"]}, {"q": ["b", "c"]}]).best(2).rows()
    [('q', 'a', 1, 0), ('q', 'b', 1, 1), ('q', 'c', 2, 1)]
    """

    rows: pl.DataFrame

    @classmethod
    def of(cls, runs: Sequence[Mapping[str, Iterable[str]]]) -> Rankings:
        """From the ranked items of each query, run by run."""
        import polars as pl

        listed = [
            (query, item, number, rank)
            for number, run in enumerate(runs)
            for query, items in run.items()
            for rank, item in enumerate(items, 1)
        ]
        kinds = {"query": pl.String, "item": pl.String, "run": pl.Int64, "rank": pl.Int64}
        return cls(pl.DataFrame(listed, schema=kinds, orient="row"))

    @classmethod
    def of_tables(cls, tables: Sequence[pl.DataFrame], queries: Sequence[str]) -> Rankings:
        """From tables (query, item, rank), one a run; only these queries, in their order."""
        import polars as pl

        order = pl.DataFrame({"query": list(queries)}, schema={"query": pl.String}).with_row_index("place")
        numbered = [each.select("query", "item", pl.lit(run).alias("run"), "rank") for run, each in enumerate(tables)]
        whole = pl.concat([each.cast({"run": pl.Int64, "rank": pl.Int64}) for each in numbered])
        return cls(whole.join(order, on="query").sort("place", maintain_order=True).drop("place"))

    def best(self, depth: int) -> pl.DataFrame:
        """Every item within a depth with its best rank and the first run that has it (query, item, rank, run).

        Queries come in their order, items by best rank, then by run.
        """
        import polars as pl

        inside = self.rows.filter(pl.col("rank") <= depth).sort(["rank", "run"], maintain_order=True)
        first = inside.unique(["query", "item"], keep="first", maintain_order=True).select(
            "query", "item", "rank", "run"
        )
        return first.join(self._order, on="query").sort(["place", "rank", "run"]).drop("place")

    def origins(self, depth: int) -> pl.DataFrame:
        """Where items within a depth stand in each run (query, item, origin), as `0:3 4:17`: run and rank."""
        import polars as pl

        inside = self.rows.filter(pl.col("rank") <= depth).sort("run", maintain_order=True)
        written = pl.format("{}:{}", "run", "rank")
        return inside.group_by("query", "item", maintain_order=True).agg(written.str.join(" ").alias("origin"))

    @cached_property
    def _order(self) -> pl.DataFrame:
        """The queries in the order in which they come."""
        return self.rows.select("query").unique(maintain_order=True).with_row_index("place")


def ranks_of_origin(origin: str) -> dict[int, int]:
    """Runs and ranks of an origin.

    >>> ranks_of_origin("0:3 4:17")
    {0: 3, 4: 17}
    """
    parts = (each.partition(":") for each in origin.split())
    return {int(run): int(rank) for run, _, rank in parts}


def lists_of_origins(origins: Mapping[str, str], runs: int, depth: int) -> Lists:
    """The ranked items of each run within a depth, from the origins of the items of one query.

    >>> lists_of_origins({"a": "0:1 1:2", "b": "1:1", "c": "0:9"}, runs=2, depth=5)
    (('a',), ('b', 'a'))
    """
    placed: list[list[tuple[int, str]]] = [[] for _ in range(runs)]
    for item, origin in origins.items():
        for run, rank in ranks_of_origin(origin).items():
            if rank <= depth:
                placed[run].append((rank, item))
    return tuple(tuple(item for _, item in sorted(each)) for each in placed)
