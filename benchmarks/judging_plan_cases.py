"""Values of two systems by assessor, depth of the pool and query: what plans of judging are tried on.

The runs, queries and relevant items are real. Assessors are not: no collection at hand has several for all queries, so
each one misses some of the relevant items and takes some of the others, at rates of their own that change from query to
query; two of them share about half of what either calls relevant, as assessors of texts do (Voorhees 2000).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.forecast_cases import DATA
from rankscope import Qrels, Run, evaluate
from rankscope.analysis.sampling.judged_run import ranking_table
from rankscope.analysis.sampling.pools import Rankings
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray

ASSESSORS = 12
DEPTHS = (10, 20, 40, 80)
CASES = {
    "Robust 2003": ("trec-robust03", "qrels.txt.gz", ("fub03IeOLKe3", "pircRBa1")),
    "Cranfield": ("text/cranfield", "qrels.txt", ("tfidf", "bm25stem")),
    "CISI": ("text/cisi", "qrels.txt", ("tfidf", "bm25stem")),
    "NPL": ("text/npl", "qrels.txt", ("tfidf", "bm25stem")),
}


@dataclass(frozen=True, eq=False)
class PlanCase:
    """Values of the difference of two systems: assessors x depths (and all judgements last) x queries."""

    name: str
    measure: str
    values: FloatArray
    sizes: dict[int, float]  # items of a pool, by depth
    what: str


def cases(measure: str) -> Iterator[PlanCase]:
    """Every collection that is there: the second system alone, and minus the first."""
    for name, (folder, judged, systems) in CASES.items():
        if (DATA / folder).is_dir():
            values, sizes = _measured(folder, judged, systems, measure)
            yield PlanCase(name, measure, values[1], sizes, systems[1])
            yield PlanCase(name, measure, values[1] - values[0], sizes, f"{systems[1]} minus {systems[0]}")


def _run_paths(folder: str) -> dict[str, Path]:
    return {
        path.name.removesuffix(".gz").removesuffix(".run"): path for path in sorted((DATA / folder / "runs").iterdir())
    }


@cache
def _measured(folder: str, judged: str, systems: tuple[str, str], measure: str) -> tuple[FloatArray, dict[int, float]]:
    """Systems x assessors x depths x queries."""
    truth = Qrels.of(str(DATA / folder / judged)).table
    queries = truth.filter(pl.col("grade") > 0).get_column("query").unique().sort().to_list()
    paths = _run_paths(folder)
    rankings = Rankings.of_tables([ranking_table(Run.of(path)) for path in paths.values()], queries)
    best = rankings.best(max(DEPTHS))
    pools = [best.filter(pl.col("rank") <= depth).select("query", "item") for depth in DEPTHS]
    seen = rankings.best(100).select("query", "item").join(truth, on=["query", "item"], how="left")
    whole = pl.concat([truth, seen.filter(pl.col("grade").is_null()).with_columns(grade=pl.lit(0.0))])
    runs = {name: Run.of(paths[name]).table() for name in systems}
    found = np.zeros((2, ASSESSORS, len(DEPTHS) + 1, len(queries)))
    for assessor in range(ASSESSORS):
        marks = _marks(whole, queries, assessor)
        parts = [*(marks.join(pool, on=["query", "item"], how="semi") for pool in pools), marks]
        for depth, part in enumerate(parts):
            table = ScoreTable.of(evaluate(part, runs, [measure]))
            place = [queries.index(query) for query in table.queries if query in set(queries)]
            rows = [row for row, query in enumerate(table.queries) if query in set(queries)]
            found[:, assessor, depth, place] = np.nan_to_num(table.values[rows]).T
    sizes = {depth: len(pool) / len(queries) for depth, pool in zip(DEPTHS, pools, strict=True)}
    return found, sizes


def _marks(whole: pl.DataFrame, queries: list[str], assessor: int) -> pl.DataFrame:
    """The judgements of one assessor: rates of missing and of taking by mistake, for each query anew."""
    chance = np.random.default_rng([23, assessor])
    own = {"miss": chance.beta(2.0, 5.0), "take": chance.beta(1.0, 150.0)}
    rates = {name: np.minimum(0.9, rate * chance.gamma(4.0, 0.25, len(queries))) for name, rate in own.items()}
    table = whole.join(pl.DataFrame({"query": queries, **rates}), on="query", how="inner")
    lot = pl.Series("lot", chance.random(len(table)))
    relevant = pl.col("grade") > 0
    says = pl.when(relevant).then(pl.col("lot") >= pl.col("miss")).otherwise(pl.col("lot") < pl.col("take"))
    return table.with_columns(lot).select("query", "item", grade=says.cast(pl.Float64))
