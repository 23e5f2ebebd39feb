"""Invented collections whose future is known: scores of hits and distractors drawn from chosen distributions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.ranks import Ragged, RelevantRanks
from rankscope.ranks.kept_scores import lots_of_numbers


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


def shared(
    queries: int = 60, members: int = 6, distractors: int = 200, alike: float = 0.5, seed: int = 0
) -> RelevantRanks:
    """Queries that share their distractors: each item scores alike for all of them, as far as `alike` says."""
    random = np.random.default_rng(seed)
    common, own = random.normal(0, 1, distractors), random.normal(0, 1, (queries, distractors))
    others = np.sqrt(alike) * common + np.sqrt(1.0 - alike) * own
    hits = random.normal(2.5, 1.0, (queries, members))
    order = np.argsort(-others, axis=1)
    ranks = ranks_of(hits, others)
    assert ranks.distractors is not None
    lots = np.concatenate([lots_of_numbers(row[:256]) for row in order])
    return replace(ranks, distractors=ranks.distractors.with_columns(lot=lots))


def unequal(seed: int = 0, kept: int | None = None) -> RelevantRanks:
    """200 queries of 100 classes in 32 dimensions whose spread goes from .5 to 1.5, by their squared distances."""
    random = np.random.default_rng(seed)
    centre, spread = random.normal(0, 0.8, (100, 32)), random.uniform(0.5, 1.5, 100)
    number = random.integers(0, 100, 20_000)
    items = centre[number] + spread[number, None] * random.normal(size=(number.size, 32))
    of = random.integers(0, 100, 200)
    queries = centre[of] + spread[of, None] * random.normal(size=(200, 32))
    mates = centre[of, None] + spread[of, None, None] * random.normal(size=(200, 9, 32))
    hits = -((mates - queries[:, None]) ** 2).sum(axis=2)
    others = 2.0 * queries @ items.T - (items**2).sum(axis=1) - (queries**2).sum(axis=1)[:, None]
    others = np.where(number == of[:, None], -1e9, others)[:, :kept]
    ranks, order = ranks_of(hits, others), np.argsort(-others, axis=1)
    assert ranks.distractors is not None
    lots = np.concatenate([lots_of_numbers(row[:256]) for row in order])
    return replace(ranks, distractors=ranks.distractors.with_columns(lot=lots))


def without_scores(ranks: RelevantRanks) -> RelevantRanks:
    return replace(ranks, distractors=None)
