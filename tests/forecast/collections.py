"""Invented collections whose future is known: scores of hits and distractors drawn from chosen distributions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.ranks import Ragged, RelevantRanks


def drawn(
    queries: int = 150, members: int = 8, distractors: int = 4000, kept: int | None = None, seed: int = 0
) -> RelevantRanks:
    """Each query has its own scale; hits score higher than most. `kept` leaves out all but the first distractors."""
    random = np.random.default_rng(seed)
    scale = np.exp(random.normal(0, 0.3, (queries, 1)))
    others = scale * random.normal(0, 1, (queries, distractors))
    hits = scale * random.normal(3, 1.2, (queries, members))
    return ranks_of(hits, others[:, :kept])


def ranks_of(hits: FloatArray, others: FloatArray) -> RelevantRanks:
    """The reduction with scores, by counting."""
    hits, others = -np.sort(-hits, axis=1), -np.sort(-others, axis=1)
    above = (others[:, None, :] > hits[:, :, None]).sum(axis=2)
    ranks = above + np.arange(1, hits.shape[1] + 1)
    size = hits.shape[1] + others.shape[1]
    best = Ragged.of(list(others[:, :256]), "score", np.float64)
    queries = RelevantRanks.from_ranks(list(ranks), depth=size, collection=size, distractors=best)
    return replace(queries, judged=queries.judged.with_columns(score=hits.ravel()))


def without_scores(ranks: RelevantRanks) -> RelevantRanks:
    return replace(ranks, distractors=None)
