"""The same runs on other collections: some of the items that are not relevant are left out, drawn at random.

An item that is drawn is left out of every ranking, but stays where it is relevant: the collection loses distractors, as
in the exact means of `rankscope.curves.thinning`. Half of the items left out makes values vary as much from draw to draw
as they would from one whole collection to another (delete-half jackknife, Shao & Wu 1989).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class ThinnedRuns:
    """Runs as tables (query, item, score, whether relevant), and all items that they name."""

    tables: Mapping[str, pl.DataFrame]
    items: pl.Series

    @classmethod
    def of(cls, qrels: Qrels, runs: Mapping[str, Run], rel: float = 1.0) -> ThinnedRuns:
        """From judgements and runs that were read; `rel` is the lowest grade that is relevant."""
        import polars as pl

        relevant = qrels.table.filter(pl.col("grade") >= rel).select("query", "item", relevant=pl.lit(True))
        tables = {
            name: run.table().join(relevant, on=["query", "item"], how="left", maintain_order="left")
            for name, run in runs.items()
        }
        items = pl.concat([each.get_column("item") for each in tables.values()]).unique().sort()
        return cls(tables, items)

    def draws(self, left_out: float, draws: int, seed: int = 0) -> Iterator[dict[str, Any]]:
        """The runs on so many other collections, each without such a share of its items."""
        import polars as pl

        chance = np.random.default_rng(seed)
        count = round(left_out * len(self.items))
        for _ in range(draws):
            gone = self.items.gather(np.sort(chance.choice(len(self.items), count, replace=False)))
            lost = pl.DataFrame({"item": gone, "gone": pl.repeat(True, len(gone), eager=True)})
            yield {name: _without(table, lost) for name, table in self.tables.items()}


def _without(table: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    joined = table.join(lost, on="item", how="left", maintain_order="left")
    kept = joined.filter(pl.col("gone").is_null() | pl.col("relevant").is_not_null())
    return kept.select("query", "item", "score")
