"""What does a system do for one query?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.calling import public
from rankscope.facade.scoring import InputChoices, scores_of

if TYPE_CHECKING:
    from rankscope.curves.query_effort import SearchEffort
    from rankscope.evaluation.scores import Scores


@public
def explain_query(qrels: Any, runs: Any = None, query: str = "", **given: Unpack[InputChoices]) -> SearchEffort:
    """Decision tables of one query of one system, what its hits cost, and how far to look for a wanted recall.

    Takes what `evaluate` takes. Decision tables and windows to expect need the size of the collection:
    `collection_size=20000`.
    >>> effort = explain_query({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "q", collection_size=100)
    >>> effort.at[0].contingency, effort.wanted[-1].window
    (Contingency(true_positives=1, false_positives=0, false_negatives=1, true_negatives=98), 3.0)
    """
    from rankscope.errors import SettingError

    scores = scores_of(qrels, runs, ["num_q"], **given)
    if len(scores.systems) != 1:
        raise SettingError(f"a query is explained for one system, got {len(scores.systems)}")
    return efforts_of(scores, [query])[0]


def efforts_of(scores: Scores, queries: Sequence[str]) -> list[SearchEffort]:
    """What each system does for each query, query by query."""
    from rankscope.curves.query_effort import search_effort

    systems = scores.ranks
    return [search_effort(system, query) for query in queries for system in systems]
