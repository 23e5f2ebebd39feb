"""What every part of one ranking by shards needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray
from rankscope.engines.nearest.mixture import Mixture
from rankscope.engines.nearest.values import Values
from rankscope.engines.shards.collection import StoredRows


@dataclass(frozen=True, eq=False)
class Shard:
    """A range of the items of a collection; `found` are the bits of those that can be found, None for all."""

    number: int
    first: int
    stop: int
    digest: str = ""
    found: bytes | None = None

    @classmethod
    def of(cls, number: int, first: int, stop: int, gallery: BoolArray, digest: str = "") -> Shard:
        """A range, and what of it is in the gallery of the whole collection."""
        mine = gallery[first:stop]
        bits = None if mine.all() else np.packbits(mine).tobytes()
        return cls(number=number, first=first, stop=stop, digest=digest, found=bits)

    def __len__(self) -> int:
        return self.stop - self.first

    @property
    def gallery(self) -> BoolArray:
        """Whether each of its items can be found."""
        if self.found is None:
            return np.ones(len(self), dtype=np.bool_)
        return np.unpackbits(np.frombuffer(self.found, dtype=np.uint8), count=len(self)).astype(np.bool_)

    def rows(self, collection: StoredRows) -> NDArray[Any]:
        """Its features."""
        return collection.rows(self.first, self.stop)


@dataclass(frozen=True, eq=False)
class ShardPlan:
    """The same for all parts; it travels to wherever they are worked on. Features do not: their files are named."""

    collection: StoredRows
    metric: str | Mixture
    keep_scores: bool
    memory: int
    device: str
    shards: tuple[Shard, ...]
    values: tuple[Values, ...] = ()  # of the whole collection, once they are known
    digest: str = ""  # of all that a shard in hand depends on
