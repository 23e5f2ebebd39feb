"""How good is it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from rankscope.facade import usual
from rankscope.facade.scoring import InputChoices, scores_of

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduce import Progress


def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: Asked = usual.EVALUATE,
    *,
    keep_scores: bool = False,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> Scores:
    """How good is it? Means and values per query, of one run or several against judgements.

    `qrels` and each run: a path, a nested dictionary, a polars or pandas frame, or three arrays; several runs are a
    list, or a dictionary by name. Without `runs`, reductions made before: ranks, or NAME.ranks.parquet files.
    `measures` as people write them, or as classes: "nDCG@10", nDCG @ 10. `keep_scores` leaves scores in the ranks of
    the result, for graphs and forecasts that read them.
    >>> scores = evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}})
    >>> scores["AP"], scores["RR"]
    (0.5, 0.5)
    """
    return scores_of(qrels, runs, measures, keep_scores=keep_scores, progress=progress, **given)
