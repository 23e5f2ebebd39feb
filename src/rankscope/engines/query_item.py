"""What becomes of the query itself: engines remove it from its own ranking; some published rules keep it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


def put_query_back(ranks: RelevantRanks) -> RelevantRanks:
    """The rankings of class mates with each query put back, first of all and relevant: d and c grow by one.

    The bull's-eye test of MPEG-7 and the score of UKBench count so. Scores are not kept.
    >>> kept = put_query_back(RelevantRanks.from_ranks([[1, 4]], collection=9))
    >>> kept.judged.lists("rank"), kept.relevant, kept.collection
    ([[1, 2, 5]], array([3]), array([10]))
    """
    count, judged = len(ranks), ranks.judged
    row = np.concatenate([np.arange(count), judged.row])
    order = np.argsort(row, kind="stable")
    rank = np.concatenate([np.ones(count, dtype=np.int64), judged["rank"] + 1])[order]
    grade = np.concatenate([np.ones(count), judged["grade"]])[order]
    levels = ranks.levels
    own = levels["grade"] == 1.0
    return replace(
        ranks,
        judged=Ragged.from_rows(row[order], count, rank=rank, grade=grade),
        pooled=ranks.pooled.with_columns(rank=ranks.pooled["rank"] + 1),
        levels=levels.with_columns(count=levels["count"] + own),
        depth=ranks.depth + 1,
        collection=np.where(ranks.collection >= 0, ranks.collection + 1, ranks.collection),
        ties=ranks.ties.with_columns(start=ranks.ties["start"] + 1),
        distractors=None,
        provenance={**ranks.provenance, "query_item": "kept"},
    )
