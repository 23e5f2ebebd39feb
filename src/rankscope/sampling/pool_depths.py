"""How much deeper pools would move a mean: from what each doubling of the depth moved it so far.

The runs say how large a pool of any depth is. Of the depths that are judged, d, d/2 and d/4, the mean is computed with
the judgements of each pool alone. A doubling moved it by m_1 and the next by m_2; with r = |m_2/m_1|, at most .7, all
further doublings together are expected to move it by m_2 r/(1 - r), and after j more doublings r^j of that is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from rankscope.sampling.pools.rankings import Rankings

JUDGED = 0.9  # of a pool: then it counts as judged to this depth
LARGEST_RATIO = 0.7  # chosen on Robust 2003, measured on other collections: docs/performance.md
SHALLOWEST = 5
DOUBLINGS = 3  # beyond what is judged


@dataclass(frozen=True)
class PoolDepths:
    """Pools of doubled depths: their sizes for a query, and what the last two doublings moved the mean by.

    >>> pools = PoolDepths(depth=20, sizes={20: 60.0, 40: 110.0}, moved=(0.04, 0.02))
    >>> pools.shift(20), pools.shift(40), pools.deeper
    (0.02, 0.01, (40,))
    """

    depth: int  # the deepest that is judged
    sizes: Mapping[int, float]
    moved: tuple[float, float]  # by the doubling to half of this depth, and by that to it

    @property
    def ratio(self) -> float:
        """By what a further doubling moves the mean, as a share of the one before."""
        before, last = (abs(each) for each in self.moved)
        return min(LARGEST_RATIO, last / before) if before else 0.0

    @property
    def deeper(self) -> tuple[int, ...]:
        """The depths beyond."""
        return tuple(each for each in self.sizes if each > self.depth)

    def size(self, depth: int) -> float:
        """Items of a pool, in the mean over queries."""
        return self.sizes[depth]

    def shift(self, depth: int) -> float:
        """How far a mean from pools of this depth is expected to move with all deeper ones."""
        left = self.moved[1] * self.ratio / (1 - self.ratio)
        return float(left * self.ratio ** math.log2(depth / self.depth))


def pool_depths(
    rankings: Rankings, judged: pl.DataFrame, mean_of: Callable[[pl.DataFrame], float], depth: int | None = None
) -> PoolDepths | None:
    """Measured on judgements (query, item, grade) and the runs; `mean_of` gives the mean of what some of them say.

    `depth` that is judged: else the last of 5, 10, 20, ... of whose pool 90 % is judged. None where there are no three.
    """
    pools = _pools(rankings, SHALLOWEST if depth is None else max(1, depth // 4))
    known = [each for each in pools if depth is None or each <= depth]
    if depth is None:
        known = list(takewhile(lambda each: _judged_share(pools[each], judged) >= JUDGED, known))
    if len(known) < 3:
        return None
    last = known[-1]
    means = [mean_of(judged.join(pools[each], on=["query", "item"], how="semi")) for each in known[-3:]]
    queries = judged.get_column("query").n_unique()
    sizes = {each: len(pool) / queries for each, pool in pools.items() if last <= each <= last * 2**DOUBLINGS}
    return PoolDepths(last, sizes, (means[1] - means[0], means[2] - means[1]))


def _pools(rankings: Rankings, first: int) -> dict[int, pl.DataFrame]:
    """By depth, doubled from the first as far as the runs go."""
    import polars as pl

    deepest = rankings.rows.get_column("rank").max()
    last = int(deepest) if isinstance(deepest, int) else 0
    depths = [first * 2**power for power in range(20) if first * 2**power <= last]
    whole = rankings.best(last) if depths else pl.DataFrame()
    return {depth: whole.filter(pl.col("rank") <= depth).select("query", "item") for depth in depths}


def _judged_share(pool: pl.DataFrame, judged: pl.DataFrame) -> float:
    import polars as pl

    inside = pool.join(judged.filter(pl.col("grade") >= 0), on=["query", "item"], how="semi")
    return len(inside) / len(pool) if len(pool) else 0.0
