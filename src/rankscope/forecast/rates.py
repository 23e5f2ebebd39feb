"""Rates at which new distractors come above a hit, from its score and the scores of the best distractors."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.forecast.evidence import Evidence, Scored

NEVER = 1e-300


def rate_by_count(evidence: Evidence) -> FloatArray:
    """(b + 1/2) / e: for hits that many distractors outrank already."""
    there = np.maximum(evidence.distractors[evidence.hits.row], 1.0)
    return np.clip((evidence.hits.above + 0.5) / there, NEVER, 1.0)


def rate_by_score(
    evidence: Evidence, beyond: FloatArray, scale: FloatArray, shape: float, used: IntArray
) -> FloatArray:
    """The generalised Pareto tail above a threshold that `used` of e distractors exceed; exponential for shape 0."""
    row = evidence.hits.row
    base = used[row] / np.maximum(evidence.distractors[row], 1.0)
    with np.errstate(over="ignore", divide="ignore"):
        steps = np.maximum(beyond, 0.0) / np.maximum(scale, NEVER)
        tail = np.exp(-steps) if shape == 0 else np.maximum(1.0 + shape * steps, 0.0) ** (-1.0 / shape)
    return np.clip(base * tail, NEVER, 1.0)


def threshold(scored: Scored, used: IntArray) -> FloatArray:
    """The score of the best distractor behind the `used` ones; -inf where there is none."""
    return np.take_along_axis(scored.best, used[:, None], axis=1)[:, 0]


def outside(evidence: Evidence, scored: Scored, used: IntArray) -> tuple[BoolArray, FloatArray]:
    """Which hits stand above the threshold of their query, by rank and by score, and how far."""
    row = evidence.hits.row
    level = threshold(scored, used)[row]
    with np.errstate(invalid="ignore"):
        beyond = scored.hits - level
    return (evidence.hits.above <= used[row]) & (beyond > 0) & np.isfinite(beyond) & (used[row] > 0), beyond
