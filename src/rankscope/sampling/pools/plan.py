"""Sums of pools: `bandit(100) + sample(101-1000:2%)`. Each part takes from what those before it left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankscope.errors import SettingError
from rankscope.notation import CLOSING, OPENING
from rankscope.sampling.pools import POOLS
from rankscope.sampling.pools.decide import Decide
from rankscope.sampling.pools.pool import AdaptivePool, FixedPool, Pool
from rankscope.sampling.pools.sample import Sample

if TYPE_CHECKING:
    import polars as pl

    from rankscope.sampling.pools.rankings import Rankings


@dataclass(frozen=True)
class PoolPlan:
    """The parts of a pool, in the order in which they are judged; a sample comes last, drawn from what is left."""

    parts: tuple[Pool, ...]

    @classmethod
    def parse(cls, text: str) -> PoolPlan:
        """From its notation; an error names the part that cannot be."""
        return cls(tuple(POOLS.parse(part) for part in _split_sum(text)))

    def __post_init__(self) -> None:
        samples = [place for place, each in enumerate(self.parts) if isinstance(each, Sample)]
        if samples[1:] or (samples and samples[0] < len(self.parts) - 1):
            raise SettingError(f"'{self}': one sample at most, as the last part, since it is drawn from what is left")
        if self.compares and len(self.parts) > 1:
            raise SettingError(f"'{self}': decide stands alone, since judging stops when it is decided")

    def __str__(self) -> str:
        return " + ".join(map(str, self.parts))

    @property
    def is_adaptive(self) -> bool:
        """Whether some part chooses as marks arrive."""
        return any(each.is_adaptive for each in self.parts)

    @property
    def compares(self) -> bool:
        """Whether it is judged only until two runs are decided."""
        return any(isinstance(each, Decide) for each in self.parts)

    @property
    def reach(self) -> int:
        """How far down the runs it looks."""
        return max(each.reach for each in self.parts)

    @property
    def adaptive(self) -> tuple[AdaptivePool, ...]:
        """The parts that choose."""
        return tuple(each for each in self.parts if isinstance(each, AdaptivePool))

    @property
    def sample(self) -> Sample | None:
        """The part with probabilities below 1."""
        return next((each for each in self.parts if isinstance(each, Sample)), None)

    @property
    def gives_probabilities(self) -> bool:
        """Whether estimates can be made: everything is judged or drawn by lot, nothing is left to a chooser alone."""
        return not self.is_adaptive or self.sample is not None

    def candidates(self, rankings: Rankings, seed: int) -> pl.DataFrame:
        """All candidates (query, item, stratum, pi, origin, drawn), by query, best rank and run.

        A fixed pool is drawn at once. With an adaptive part, pi and drawn are open (null) but for what an earlier part
        takes for certain.
        """
        import polars as pl

        origins = rankings.origins(self.reach)
        left = rankings.best(self.reach).join(origins, on=["query", "item"], maintain_order="left")
        order = left.select("query", "item", "origin").with_row_index("place")
        done: list[pl.DataFrame] = []
        waits = False
        for part in self.parts:
            found = self._take(part, left, seed, waits)
            waits = waits or part.is_adaptive
            done.append(found)
            left = left.join(found, on=["query", "item"], how="anti", maintain_order="left")
        whole = pl.concat(done).join(order, on=["query", "item"]).sort("place")
        return whole.select("query", "item", "stratum", "pi", "origin", "drawn")

    def _take(self, part: Pool, left: pl.DataFrame, seed: int, waits: bool) -> pl.DataFrame:
        """The rows that a part is about, of those that are left."""
        import polars as pl

        if isinstance(part, FixedPool) and not waits:
            found = part.draw(left, seed)
        else:
            named = left.filter(pl.col("rank") <= part.reach).with_columns(stratum=pl.lit(part.name))
            inside = part.banded(left) if isinstance(part, Sample) else named
            found = inside.with_columns(pi=pl.lit(None, dtype=pl.Float64), drawn=pl.lit(None, dtype=pl.Boolean))
        return found.select("query", "item", "stratum", "pi", "drawn")


def _split_sum(text: str) -> list[str]:
    """The parts between the plus signs that stand in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in OPENING) - (sign in CLOSING)
        if sign == "+" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts
