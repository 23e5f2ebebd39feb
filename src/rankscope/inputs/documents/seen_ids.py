"""Which ids were seen, in eight bytes each: a document whose id may have been there before is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rankscope.arrays import BoolArray
from rankscope.inputs.id_columns import Hashes

if TYPE_CHECKING:
    import polars as pl


@dataclass
class SeenIds:
    """Hashes of ids, sorted, in parts of which each is more than twice as long as the next."""

    parts: list[Hashes] = field(default_factory=list)

    def add(self, ids: pl.Series) -> BoolArray:
        """Remember ids; which of them may have been there before, in these or in earlier ones.

        >>> import polars as pl
        >>> seen = SeenIds()
        >>> seen.add(pl.Series(["a", "b", "a"])).tolist(), seen.add(pl.Series(["c", "b"])).tolist()
        ([False, False, True], [False, True])
        """
        hashes = ids.hash(0).to_numpy()
        order = np.argsort(hashes, kind="stable")
        ordered = hashes[order]
        again = np.zeros(len(ids), dtype=np.bool_)
        again[order[1:][ordered[1:] == ordered[:-1]]] = True
        for known in self.parts:
            at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            again |= known[at] == hashes
        if len(ids):
            self._keep(ordered)
        return again

    def _keep(self, hashes: Hashes) -> None:
        self.parts.append(hashes)
        while len(self.parts) > 1 and len(self.parts[-2]) <= 2 * len(self.parts[-1]):
            joined = np.concatenate([self.parts.pop(-2), self.parts.pop()])
            self.parts.append(np.sort(joined, kind="stable"))
