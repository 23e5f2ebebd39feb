"""The frame: all items that could have been drawn for judging, in strata, and what was judged of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import InputError
from rankscope.sampling.strata import Strata

if TYPE_CHECKING:
    import polars as pl

ADVICE = (
    "A stratum that is not judged in full needs two judged items, so that its variance can be estimated. Judge more, "
    "or draw wider bands: rankscope project pool draws at least two of each."
)


@dataclass(frozen=True, eq=False)
class Frame:
    """Items (query, item) by stratum, with the grade of those that were judged (NaN: not judged).

    `strata.size` may be more than the items listed: then the others are known by number only.
    """

    queries: tuple[str, ...]
    table: pl.DataFrame  # query, item
    stratum: IntArray
    grade: FloatArray
    strata: Strata
    rel: float = 1.0
    name: str = "judgements"
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, rows: pl.DataFrame, sizes: pl.DataFrame | None = None, *, rel: float = 1.0, name: str = "judgements"
    ) -> Frame:
        """From rows (query, item, stratum, grade; below 0: not judged), queries and strata in the order they come.

        `sizes` (query, stratum, size) says how many items a stratum has where they are not all listed.
        """
        import polars as pl

        keys = rows.select("query", "stratum").unique(maintain_order=True)
        names = keys.get_column("query").unique(maintain_order=True)
        numbers = pl.DataFrame({"query": names}).with_row_index("number")
        keys = keys.join(numbers, on="query", maintain_order="left").sort("number", maintain_order=True)
        keys = keys.with_row_index("place")
        placed = rows.join(keys, on=["query", "stratum"], maintain_order="left")
        grade = placed.get_column("grade").cast(pl.Float64).to_numpy().copy()
        grade[grade < 0] = np.nan
        stratum = placed.get_column("place").to_numpy().astype(np.int64)
        listed = np.bincount(stratum, minlength=keys.height)
        size = listed if sizes is None else _sizes(keys, sizes, listed)
        strata = Strata(
            queries=names.len(),
            query=keys.get_column("number").to_numpy().astype(np.int64),
            name=tuple(keys.get_column("stratum").to_list()),
            size=size,
            judged=np.bincount(stratum[~np.isnan(grade)], minlength=keys.height),
        )
        frame = cls(
            queries=tuple(names.to_list()),
            table=placed.select("query", "item"),
            stratum=stratum,
            grade=grade,
            strata=strata,
            rel=rel,
            name=name,
        )
        frame._check()
        return frame

    def _check(self) -> None:
        """Every stratum that is not judged in full has two judged items; all that have not are told at once."""
        few = np.flatnonzero((self.strata.judged < 2) & (self.strata.judged < self.strata.size))
        if few.size:
            problems = [f"{self._place(each)} judged of {self.strata.size[each]:,}" for each in few.tolist()]
            raise InputError.of(self.name, problems, ADVICE)

    def _place(self, stratum: int) -> str:
        strata = self.strata
        return f"query {self.queries[strata.query[stratum]]}, stratum {strata.name[stratum]}: {strata.judged[stratum]}"

    @property
    def is_judged(self) -> BoolArray:
        """Of each item."""
        return ~np.isnan(self.grade)

    @cached_property
    def drawn(self) -> IntArray:
        """The places of the items that are judged relevant."""
        return np.flatnonzero(self.grade >= self.rel)

    @cached_property
    def unlisted(self) -> IntArray:
        """How many items of each stratum are known by number only."""
        return self.strata.size - np.bincount(self.stratum, minlength=len(self.strata))

    @cached_property
    def found(self) -> IntArray:
        """How many judged items of each stratum are relevant."""
        return np.bincount(self.stratum[self.drawn], minlength=len(self.strata))


def _sizes(keys: pl.DataFrame, sizes: pl.DataFrame, listed: IntArray) -> IntArray:
    known = keys.join(sizes, on=["query", "stratum"], how="left", maintain_order="left").get_column("size")
    return np.maximum(known.fill_null(0).to_numpy().astype(np.int64), listed)
