"""Fused scores as a run, with what was chosen for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.fusion.candidates import Candidates, places_of
from rankscope.inputs.run import Run


@dataclass(frozen=True)
class FusionChoice:
    """What some queries were fused by, and on how many other queries that was chosen (0: it was given)."""

    method: str
    weights: tuple[float, ...]
    queries: tuple[str, ...]
    chosen_on: int = 0
    value: float = float("nan")  # the mean of the measure on the queries it was chosen on


class FusedRun(Run):
    """The run of a fusion; `choices` say what each part of the queries was fused by."""

    choices: tuple[FusionChoice, ...] = ()


def fused_run(
    lists: Candidates, scores: FloatArray, name: str, choices: Sequence[FusionChoice] = (), depth: int | None = None
) -> FusedRun:
    """A run of the first `depth` items of each query, the best first.

    >>> lists = Candidates.of([Run.of({"q": {"a": 2.0, "b": 1.0}}), Run.of({"q": {"b": 5.0}})])
    >>> fused_run(lists, np.array([0.5, 0.7]), "both").table().rows()
    [('q', 'b', 0.7), ('q', 'a', 0.5)]
    """
    import polars as pl

    places = places_of(lists.query, scores[:, None])[:, 0]
    order = np.lexsort((places, lists.query))
    kept = order if depth is None else order[places[order] < depth]
    table = pl.DataFrame(
        {
            "query": lists.queries.gather(lists.query[kept]),
            "item": lists.ids.gather(lists.item[kept]),
            "score": scores[kept],
        }
    )
    run = FusedRun.from_frame(table, name)
    run.choices = tuple(choices)
    return run
