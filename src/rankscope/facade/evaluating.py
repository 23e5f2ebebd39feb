"""How good is it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.calling import public
from rankscope.facade import usual
from rankscope.facade.scoring import InputChoices, scores_of

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduce import Progress
    from rankscope.running.runner import Runner


@public
def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: Asked = usual.EVALUATE,
    *,
    keep_scores: bool = False,
    progress: Progress | None = None,
    on: str | Runner = "home",
    memory: str | int | None = None,
    work: str | Path | None = None,
    shuffle: Literal["auto", "none"] = "auto",
    digest: bool = True,
    both_levels: bool = False,
    **given: Unpack[InputChoices],
) -> Scores:
    """How good is it? Means and values per query, of one run or several against judgements.

    `qrels` and each run: a path, a nested dictionary, a polars or pandas frame, three arrays, or an object of another
    library (`rankscope.adapters`); several runs are a list, or a dictionary by name. Without `runs`, reductions made
    before: ranks, or NAME.ranks.parquet files. `measures` as people write them, or as classes: "nDCG@10", nDCG @ 10.
    `keep_scores` leaves scores in the ranks of the result, for graphs and forecasts that read them.

    A folder of files or a pattern is one system. A run that does not fit into `memory` ("1GB"; None: half of what is
    free) is reduced in parts, `on` "home", "processes:4", "dask://HOST:PORT" or "spark"; no number depends on it.
    `work` is a folder in which finished parts wait for the rest, `shuffle="none"` counts rows where they lie, and
    `digest=False` leaves the SHA-256 of large runs out. With `roll_up`, `both_levels` shows chunks and documents.
    >>> scores = evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}})
    >>> scores["AP"], scores["RR"]
    (0.5, 0.5)
    """
    where = None
    if (on, memory, work, shuffle, digest) != ("home", None, None, "auto", True):
        from rankscope.scale.where import Where

        where = Where(on=on, memory=memory, work=work, shuffle=shuffle, digest=digest)
    return scores_of(
        qrels,
        runs,
        measures,
        keep_scores=keep_scores,
        progress=progress,
        where=where,
        both_levels=both_levels,
        **given,
    )
