"""Candidates next to judgements: what methods learn from and are tuned by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.evaluation.evaluate import evaluate
from rankscope.fusion.candidates import Candidates
from rankscope.fusion.fused_run import fused_run
from rankscope.fusion.training import Training
from rankscope.inputs.qrels import Qrels
from rankscope.measures.notation import parse_measure


@dataclass(frozen=True, eq=False)
class JudgedCandidates:
    """Lists, their judgements, and the grade from which on an item is relevant."""

    lists: Candidates
    qrels: Qrels
    measure: str = "AP"
    rel: float = 1.0

    @property
    def lower_is_better(self) -> bool:
        """Whether a small value of the measure is a good one."""
        return parse_measure(self.measure, self.rel).lower_is_better

    def training(self, allowed: BoolArray) -> Training:
        """What may be learnt from queries that are allowed and have a relevant item."""
        import polars as pl

        relevant = self.qrels.table.filter(pl.col("grade") >= self.rel).select("query", "item")
        rows = pl.DataFrame(
            {"query": self.lists.queries.gather(self.lists.query), "item": self.lists.ids.gather(self.lists.item)}
        )
        marked = relevant.with_columns(hit=pl.lit(value=True))
        hits = rows.join(marked, on=["query", "item"], how="left", maintain_order="left")
        counts = dict(relevant.group_by("query").len().iter_rows())
        wanted = np.array([counts.get(query, 0) for query in self.lists.queries], dtype=np.int64)
        return Training(self.lists, hits["hit"].fill_null(value=False).to_numpy(), wanted, allowed & (wanted > 0))

    def values(self, scores: FloatArray) -> FloatArray:
        """The measure of every query under these fused scores; NaN where it has none."""
        found = evaluate(self.qrels, fused_run(self.lists, scores, "fused"), [self.measure], rel=self.rel).systems[0]
        by_query: dict[str, Any] = dict(zip(found.ranks.queries, found.columns[0].values.tolist(), strict=True))
        return np.array([by_query.get(query, np.nan) for query in self.lists.queries])
