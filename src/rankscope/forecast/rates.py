"""Rates at which new distractors come above a hit, from its rank, and which hits have one from their score."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.forecast.evidence import Evidence

NEVER = 1e-300


def rate_by_count(evidence: Evidence) -> FloatArray:
    """(b + 1/2) / e: for hits that many distractors outrank already."""
    there = np.maximum(evidence.distractors[evidence.hits.row], 1.0)
    return np.clip((evidence.hits.above + 0.5) / there, NEVER, 1.0)


def outside(evidence: Evidence, threshold: FloatArray, used: IntArray) -> BoolArray:
    """Which hits stand above the threshold of their query, by rank and by score; it has `used` scores above it."""
    assert evidence.scored is not None
    row, score = evidence.hits.row, evidence.scored.hits
    by_rank = (evidence.hits.above <= used[row]) & (used[row] > 0)
    return by_rank & (score > threshold[row]) & np.isfinite(score)


def share_near(evidence: Evidence, used: int) -> FloatArray:
    """The share of each query's hits that no more distractors outrank than are used."""
    row, queries = evidence.hits.row, evidence.hits.queries
    near = np.bincount(row, evidence.hits.above <= used, minlength=queries)
    return near / np.maximum(np.bincount(row, minlength=queries), 1)
