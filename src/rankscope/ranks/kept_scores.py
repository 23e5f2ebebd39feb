"""Scores that a reduction keeps in addition to ranks, whether they are scores at all, and lots of distractors.

A collection that grows brings the same items to all queries. To thin it the same way, the best distractors of each
query keep a number from 0 to 65,535 that depends on the item alone: 2 bytes each, where ids would take many more.
Different items that share a lot come and go together, which in a draw of thousands of lots makes no difference.
"""

from __future__ import annotations

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.inputs.id_columns import IdColumn
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts

LOTS = 1 << 16
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that neighbouring numbers get distant lots


def lots_of_names(items: IdColumn) -> IntArray:
    """The lots of items by their ids; the same id has the same lot in every query.

    >>> from rankscope.inputs.id_columns import TextIds
    >>> lots = lots_of_names(TextIds.of(["d1", "d2", "d1"]))
    >>> bool(lots[0] == lots[2]), bool((lots < LOTS).all())
    (True, True)
    """
    from rankscope.inputs.tables import as_series

    return (as_series(items).hash(0).to_numpy() >> np.uint64(48)).astype(np.int64)


def lots_of_numbers(items: IntArray) -> IntArray:
    """The lots of items by their positions in the collection; up to 65,536 items have hardly any in common.

    >>> lots_of_numbers(np.array([0, 1, 2, 1])).tolist()
    [0, 40503, 15470, 40503]
    """
    return ((items.astype(np.uint64) * _MIX) >> np.uint64(48)).astype(np.int64)


# Whether kept scores are scores: positions, ranks and reciprocal ranks say nothing that the order does not say.

FEWEST_PLACES = 3
FEWEST_QUERIES = 3
MOSTLY = 0.9  # of all places: a few lists may have lost a duplicate or a junk item
SAME_STEP = 0.01  # of a step: numbers may be written with few digits
SAME_PLACE = 0.002  # of the way from the last score to the first; real curves of scores differ by many times that


def why_no_scores(queries: RelevantRanks) -> str:
    """Why the scores of these ranks must not be used as scores; empty where they can be.

    A run that gave an order only kept none. Where scores were kept, the values decide, so that files that hold ranks in
    their score column, and reductions saved by earlier versions, are seen through.
    >>> why_no_scores(RelevantRanks.from_ranks([[1, 3]]))
    'no scores were kept'
    """
    if queries.provenance.get("run", {}).get("scores", True) is False:
        return "the run gives an order, no scores"
    if "score" not in queries.judged or queries.distractors is None or "score" not in queries.distractors:
        return "no scores were kept"
    lists = scores_by_rank(queries)
    if (np.diff(lists, axis=1) > 0).any():
        return "the scores do not fall from rank to rank: the order came from elsewhere"
    return _only_ranks(lists)


def scores_by_rank(queries: RelevantRanks) -> FloatArray:
    """Scores of the first items of every list, a row per query and a column per rank; NaN where none was kept.

    Lists go as far as the last distractor whose score was kept.
    """
    assert queries.distractors is not None
    others, hits = queries.distractors, queries.judged.where(queries.judged["grade"] >= 1)
    above = hits.with_columns(rank=hits["rank"] - hits.position)
    rank = others.position + rank_counts(above, others.row, others.position - 1)
    table = np.full((len(queries), int(rank.max(initial=0))), np.nan)
    table[others.row, rank - 1] = others["score"]
    near = hits["rank"] <= table.shape[1]
    table[hits.row[near], hits["rank"][near] - 1] = hits["score"][near]
    return table


def _only_ranks(lists: FloatArray) -> str:
    """What the scores are, where they are nothing but a function of the rank."""
    known = np.cumprod(np.isfinite(lists), axis=1).sum(axis=1)
    places = int(np.median(known)) if known.size else 0
    if places < FEWEST_PLACES:
        return ""
    some = lists[known >= places, :places]
    span = some[:, 0] - some[:, -1]
    if not (span > 0).any():
        return "all scores of a list are equal"
    some = some[span > 0]
    if _even_steps(some):
        return "the scores are positions in the list"
    if (some > 0).all() and _even_steps(-1.0 / some):
        return "the scores are reciprocal ranks"
    first, last = some[:, :1], some[:, -1:]
    inner = (some[:, 1:-1] - last) / (first - last)  # how a list falls from its first to its last score
    if len(some) >= FEWEST_QUERIES and _nearly_all(np.abs(inner - np.median(inner, axis=0)) <= SAME_PLACE):
        return "the scores depend on the rank alone: their curve is the same for every query"
    return ""


def _even_steps(lists: FloatArray) -> bool:
    """Whether the steps from place to place are equal within each list."""
    step = lists[:, :-1] - lists[:, 1:]
    usual = np.median(step, axis=1, keepdims=True)
    return _nearly_all((usual > 0) & (np.abs(step - usual) <= SAME_STEP * usual))


def _nearly_all(each: BoolArray) -> bool:
    return bool(each.mean() >= MOSTLY)
