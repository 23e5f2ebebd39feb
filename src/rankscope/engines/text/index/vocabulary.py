"""All terms of a field in every segment as one list, with how many documents have each and how often it occurs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rankscope.engines.text.index.columns import FieldColumns, Numbers

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Terms in the order of code points; `codes` says for each segment where in this list its own terms stand."""

    terms: pl.Series
    documents: Numbers
    occurrences: Numbers
    codes: tuple[Numbers, ...]
    _made: dict[Hashable, Numbers] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, segments: Sequence[FieldColumns]) -> Vocabulary:
        """From the columns of a field in each segment that has it."""
        import polars as pl

        own = [columns.terms.series.rename("term") for columns in segments]
        terms = pl.concat(own).unique().sort() if len(own) > 1 else (own or [pl.Series("term", [], pl.String)])[0]
        codes = tuple(_codes(each, terms) for each in own)
        documents, occurrences = (np.zeros(len(terms), dtype=np.int64) for _ in range(2))
        for columns, places in zip(segments, codes, strict=True):
            documents[places] += np.diff(columns.starts)
            occurrences[places] += np.diff(columns.position_starts)
        return cls(terms, documents, occurrences, codes)

    def __len__(self) -> int:
        return len(self.terms)

    def remember(self, key: Hashable, make: Callable[[], Numbers]) -> Numbers:
        """What was made of the terms under this key, made now if it is the first time."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


def _codes(own: pl.Series, terms: pl.Series) -> Numbers:
    """The place of each of a segment's terms among all."""
    if len(own) == len(terms):
        return np.arange(len(own))
    table = terms.to_frame("term").with_row_index("code")
    return own.to_frame("term").join(table, on="term", how="left", maintain_order="left")["code"].to_numpy()
