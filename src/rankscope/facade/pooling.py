"""How many judgements a query takes, and what deeper pools of the same runs would bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankscope.statistics.table.score_table import ScoreTable

if TYPE_CHECKING:
    from rankscope.facade.varied import VariedInputs
    from rankscope.sampling.pool_depths import PoolDepths


def judgements_of_a_query(inputs: VariedInputs) -> float:
    """Judged items of a query, in the mean over queries and assessors."""
    from rankscope.inputs.qrels import Qrels

    tables = [Qrels.of(each, inputs.reading).table for each in inputs.judgements.values()]
    counts = [len(each) / max(1, each.get_column("query").n_unique()) for each in tables]
    return sum(counts) / len(counts)


def pools_of(
    inputs: VariedInputs, systems: Sequence[str], baseline: str | None, of: str | None, depth: int | None = None
) -> PoolDepths | None:
    """Pools of the runs at hand, judged by the first assessor to some depth; None where nothing can be said of it."""
    import polars as pl

    from rankscope.facade.planning import contrast_names
    from rankscope.inputs.qrels import Qrels
    from rankscope.sampling.judged_run import ranking_table
    from rankscope.sampling.pool_depths import pool_depths
    from rankscope.sampling.pools.rankings import Rankings

    judged = Qrels.of(next(iter(inputs.judgements.values())), inputs.reading).table
    queries = judged.get_column("query").unique().sort().to_list()
    runs = inputs.named_runs()
    rankings = Rankings.of_tables([ranking_table(run) for run in runs.values()], queries)
    base, other = contrast_names(systems, baseline, of)
    compared = {name: runs[name].table() for name in dict.fromkeys((base, other))}

    def mean_of(some: pl.DataFrame) -> float:
        return _mean(ScoreTable.of(inputs.scores(some, compared)), base, other)

    return pool_depths(rankings, judged, mean_of, depth)


def _mean(table: ScoreTable, base: str, other: str) -> float:
    """Of one system, or of a difference; a query of which no pool has anything relevant counts as 0."""
    import numpy as np

    values: Any = table.select(base, other).values
    filled = np.nan_to_num(values)
    return float(filled[:, 0].mean() if base == other else (filled[:, 1] - filled[:, 0]).mean())
