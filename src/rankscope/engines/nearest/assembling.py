"""All blocks together: `RelevantRanks`, in byte order of the query ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.engines.nearest.block import BlockRanks
from rankscope.engines.nearest.relevance import Relevance
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.reduce import versions
from rankscope.ranks.relevant_ranks import RelevantRanks


def assembled(
    blocks: Sequence[BlockRanks], relevance: Relevance, metric: str, keep_scores: bool, system: str
) -> RelevantRanks:
    """The result of all blocks."""
    items = relevance.items
    queries = np.concatenate([np.empty(0, dtype=np.int64), *(block.queries for block in blocks)])
    order = np.array(sorted(range(queries.size), key=lambda place: items.ids[queries[place]].encode()), dtype=np.int64)
    judged = _joined([block.judged for block in blocks]).take(order)
    judged = Ragged(judged.offsets, {"rank": judged["rank"], "grade": np.ones(judged.size), **judged.columns})
    left_out = np.concatenate([np.empty(0, dtype=np.int64), *(block.left_out for block in blocks)])[order]
    collection = int(np.count_nonzero(relevance.gallery)) - left_out
    best = [block.distractors for block in blocks if block.distractors is not None]
    rows, count = np.arange(queries.size), queries.size
    return RelevantRanks(
        queries=tuple(items.ids[row] for row in queries[order].tolist()),
        judged=judged,
        pooled=judged.where(np.zeros(judged.size, dtype=np.bool_)),
        levels=Ragged.from_rows(rows, count, grade=np.ones(count), count=judged.lengths),
        depth=collection,
        answered=np.ones(count, dtype=np.bool_),
        collection=collection,
        ties=_joined([block.ties for block in blocks]).take(order),
        system=system,
        classes=tuple(items.labels[row] for row in queries[order].tolist()),
        distractors=_joined(best).take(order) if keep_scores else None,
        left_out=left_out,
        provenance=_provenance(relevance, metric),
    )


def _joined(lists: Sequence[Ragged]) -> Ragged:
    """The lists of several one behind the other."""
    lengths = np.concatenate([np.zeros(1, dtype=np.int64), *(each.lengths for each in lists)])
    names = lists[0].columns if lists else {}
    return Ragged(np.cumsum(lengths), {name: np.concatenate([each[name] for each in lists]) for name in names})


def _provenance(relevance: Relevance, metric: str) -> dict[str, Any]:
    """Where the numbers come from, without path or time: equal inputs give equal bytes."""
    items = relevance.items
    rows, columns = items.matrix.shape
    settings: dict[str, Any] = {"metric": metric, "ties": "position", "query_item": relevance.policy}
    without = relevance.asked.size - relevance.queries.size
    more = {"junk_pairs": int(relevance.junk.size)} if relevance.junk.size else {}
    return {
        "features": {"sha256": items.digest, "rows": rows, "columns": columns, "type": str(items.matrix.dtype)},
        "judgements": {"complete": True, "queries_without_relevant": int(without), **more},
        "settings": settings,
        "versions": versions(),
    }
