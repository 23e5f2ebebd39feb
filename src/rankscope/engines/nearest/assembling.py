"""All blocks together: `RelevantRanks`, in byte order of the query ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.engines.nearest.block import BlockRanks
from rankscope.engines.nearest.distractors import Distractors
from rankscope.engines.nearest.relevance import Relevance
from rankscope.ranks.provenance import versions
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


def assemble_ranks(
    blocks: Sequence[BlockRanks],
    relevance: Relevance,
    metric: str,
    keep_scores: bool,
    system: str,
    distractors: Distractors | None = None,
) -> RelevantRanks:
    """The result of all blocks; `distractors` are those among which each class was ranked, where that was not all."""
    items = relevance.items
    queries = np.concatenate([np.empty(0, dtype=np.int64), *(block.queries for block in blocks)])
    order = np.array(sorted(range(queries.size), key=lambda place: items.ids[queries[place]].encode()), dtype=np.int64)
    left_out = np.concatenate([np.empty(0, dtype=np.int64), *(block.left_out for block in blocks)])[order]
    collection = int(np.count_nonzero(relevance.gallery)) - left_out
    best = [block.distractors for block in blocks if block.distractors is not None]
    return RelevantRanks.assemble(
        [items.ids[row] for row in queries[order].tolist()],
        Ragged.join([block.judged for block in blocks]).take(order),
        depth=collection,
        collection=collection,
        ties=Ragged.join([block.ties for block in blocks]).take(order),
        system=system,
        classes=[items.labels[row] for row in queries[order].tolist()],
        distractors=Ragged.join(best).take(order) if keep_scores else None,
        left_out=left_out,
        provenance=_provenance(relevance, metric, distractors),
    )


def _provenance(relevance: Relevance, metric: str, distractors: Distractors | None) -> dict[str, Any]:
    """Where the numbers come from, without path or time: equal inputs give equal bytes."""
    items = relevance.items
    settings: dict[str, Any] = {"metric": metric, "ties": "position", "query_item": relevance.policy}
    settings |= {} if distractors is None else {"distractors": str(distractors)}
    without = relevance.asked.size - relevance.queries.size
    more = {"junk_pairs": int(relevance.junk.size)} if relevance.junk.size else {}
    return {
        "features": {
            "sha256": items.digest,
            "rows": len(items),
            "columns": items.width,
            "type": str(items.kind),
        },
        "judgements": {"complete": True, "queries_without_relevant": int(without), **more},
        "settings": settings,
        "versions": versions(),
    }
