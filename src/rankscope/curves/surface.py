"""GReP: the surface of recall and precision over generality, as a grid of levels of G and relevant scopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.curve import Curve
from rankscope.curves.generality import generality_curve
from rankscope.curves.generality_tables import Members, Way, generality_table
from rankscope.curves.relevant_scope import relevant_scopes
from rankscope.curves.weighting import Weighting
from rankscope.ranks.relevant_ranks import RelevantRanks

SURFACE_SCOPES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


@dataclass(frozen=True, eq=False)
class Surface:
    """Rows are levels of G, columns relevant scopes a; NaN where a scope is larger than the collection."""

    way: Way
    index: FloatArray
    a: FloatArray
    recall: FloatArray
    recall_high: FloatArray
    queries: IntArray
    weighting: Weighting = "per_query"

    @property
    def precision(self) -> FloatArray:
        """p = r/a."""
        return self.recall / self.a

    def cut(self, level: int) -> Curve:
        """The precision-recall curve of one level, by its place in the grid."""
        name = f"G = {self.index[level]:g}"
        row = self.queries[level]
        more = {"a": self.a}
        return Curve(
            x=self.recall[level],
            y=self.precision[level],
            name=name,
            x_name="recall",
            y_name="precision",
            queries=row,
            more=more,
        )

    def to_polars(self) -> pl.DataFrame:
        """One row per point that exists: index, a, recall, precision, recall_high, queries."""
        index, a = np.meshgrid(self.index, self.a, indexing="ij")
        columns = {"index": index, "a": a, "recall": self.recall, "precision": self.precision}
        more = {"recall_high": self.recall_high, "queries": self.queries}
        return pl.DataFrame({name: grid.ravel() for name, grid in {**columns, **more}.items()}).filter(
            pl.col("queries") > 0
        )


def grep_surface(
    queries: RelevantRanks,
    a: ArrayLike = SURFACE_SCOPES,
    way: Way = "thinned",
    levels: Sequence[int] | None = None,
    weighting: Weighting = "per_query",
    members: Members = "constant",
) -> Surface:
    """The surface (G, r, p) at scopes a c; its cut at a = 1 is GRiP, at a = n GRnP. The same queries at every level.

    >>> surface = grep_surface(RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100), a=[1, 2], levels=[2])
    >>> surface.recall.round(6).tolist()
    [[0.697871, 0.877067], [0.5, 0.5]]
    """
    given = relevant_scopes(a)
    tables = [generality_table(queries, float(each), way, levels, members) for each in given]
    cuts = [generality_curve(table, weighting) for table in tables]
    grids = [np.stack([getattr(cut, name) for cut in cuts], axis=1) for name in ("recall", "recall_high", "queries")]
    return Surface(
        way=way,
        index=cuts[0].index,
        a=given,
        recall=grids[0],
        recall_high=grids[1],
        queries=grids[2],
        weighting=weighting,
    )
