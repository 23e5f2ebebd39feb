"""Everything that any run has among its first items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankscope.sampling.pools.pool import FirstItems, FixedPool

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Depth(FirstItems, FixedPool):
    """The union of the first k items of each run, by best rank, then by run (Sparck Jones & van Rijsbergen 1975).

    Every one of them is judged: pi = 1.
    """

    name: ClassVar[str] = "depth"

    def draw(self, candidates: pl.DataFrame, seed: int) -> pl.DataFrame:
        """All within k."""
        import polars as pl

        inside = candidates.filter(pl.col("rank") <= self.k)
        return inside.with_columns(stratum=pl.lit(f"1-{self.k}"), pi=pl.lit(1.0), drawn=pl.lit(True))
