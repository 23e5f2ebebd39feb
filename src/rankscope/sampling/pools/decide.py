"""What decides between two runs: of each query the items by which their precision differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankscope.sampling.pools.pool import FirstItems, FixedPool
from rankscope.sampling.pools.rankings import ranks_of_origin

if TYPE_CHECKING:
    import polars as pl

DIFFERS, SHARED = "differs", "shared"


@dataclass(frozen=True)
class Decide(FirstItems, FixedPool):
    """The items that only one of the first two runs has among its first k: nothing else moves the difference in P@k.

    Judged query by query in an order that the seed fixes beforehand, and only until the difference is decided
    (Waudby-Smith & Ramdas 2024). Items that both have cancel out: they are candidates that are not drawn.
    """

    name: ClassVar[str] = "decide"

    def draw(self, candidates: pl.DataFrame, seed: int) -> pl.DataFrame:
        """Those of the first two runs within k; drawn where one of them alone has it."""
        import polars as pl

        sides = [self.side(origin) for origin in candidates.get_column("origin")]
        differs = pl.Series([side != 0 for side in sides if side is not None], dtype=pl.Boolean)
        inside = candidates.filter(pl.Series([side is not None for side in sides], dtype=pl.Boolean))
        return inside.with_columns(
            stratum=pl.Series([DIFFERS if each else SHARED for each in differs], dtype=pl.String),
            pi=pl.Series([1.0 if each else None for each in differs], dtype=pl.Float64),
            drawn=differs,
        )

    def side(self, origin: str) -> int | None:
        """1: only the second run has it within k, -1: only the first, 0: both, None: neither.

        >>> [Decide(10).side(each) for each in ("1:4", "0:4 1:11", "0:4 1:9", "2:1")]
        [1, -1, 0, None]
        """
        ranks = ranks_of_origin(origin)
        first, second = (ranks.get(run, self.k + 1) <= self.k for run in (0, 1))
        return int(second) - int(first) if first or second else None
