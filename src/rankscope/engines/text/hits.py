"""What a search gives: documents in their order, with scores, and ids where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankscope.displayed import Tabular
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.reader import IndexReader

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Hits(Tabular):
    """Documents that match, the best first; of equal scores the one that stands first in the index.

    `docs` are their numbers in the index, and `total` is how many match in all.
    """

    docs: Numbers
    scores: NDArray[np.float32]
    total: int
    reader: IndexReader

    @cached_property
    def ids(self) -> pl.Series:
        """The ids of the documents, in the same order."""
        return self.reader.ids.gather(self.docs)

    def rank_of(self, document: int) -> int:
        """The place of a document, by its number in the index, from 1 on; 0 where it is not among them."""
        places = np.flatnonzero(self.docs == document)
        return int(places[0]) + 1 if places.size else 0

    def first(self, count: int) -> Hits:
        """The first of them."""
        return Hits(self.docs[:count], self.scores[:count], self.total, self.reader)

    def __len__(self) -> int:
        return len(self.docs)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self.ids.to_list(), self.scores.tolist(), strict=True)

    def __str__(self) -> str:
        return "\n".join(f"{score:.6g}  {name}" for name, score in self)
