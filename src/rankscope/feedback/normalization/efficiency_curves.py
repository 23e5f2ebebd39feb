"""The three curves that efficiency compares: precision over recall, precision over scope, recall over scope."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.chances import mean_inverse
from rankscope.curves.hits import hits_of
from rankscope.curves.precision_recall import level_hits, mean_at_recall_levels
from rankscope.curves.random_levels import random_at_recall_levels
from rankscope.curves.scope import precision_relevant_scope, recall_relevant_scope
from rankscope.curves.thinned_recall import recall_when_kept
from rankscope.curves.thinning import after
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.validation import COUNT, OneOf, check

Over = Literal["recall", "precision-scope", "recall-scope"]
LEVELS = 10
SCOPES = tuple(2.0 ** (step / 2) for step in range(-4, 5))  # of a = s/c


def places(over: Over, levels: int = LEVELS, scopes: tuple[float, ...] = SCOPES) -> FloatArray:
    """Where the curves are compared: recall 1/N, 2/N, ..., 1, or relevant scopes a = s/c.

    >>> places("recall", 4)
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    levels = check(locals(), over=OneOf(get_args(Over), exactly=True), levels=COUNT)["levels"]
    return np.arange(1, levels + 1) / levels if over == "recall" else np.asarray(scopes, dtype=np.float64)


def mean_curve(ranks: RelevantRanks, over: Over, at: FloatArray) -> FloatArray:
    """The mean over all rankings (folds, runs) at each place; precision at hit ceil(l c), not interpolated."""
    if over == "recall":
        return mean_at_recall_levels(ranks, tuple(at.tolist()), interpolated=False).y
    return (precision_relevant_scope if over == "precision-scope" else recall_relevant_scope)(ranks, at).y


def chance_curve(ranks: RelevantRanks, over: Over, at: FloatArray) -> FloatArray:
    """The same of random orders, exactly: p_0 at the hits that reach a recall level, g, or a g."""
    if not len(ranks):
        return np.full(at.size, np.nan)
    if over == "recall":
        return random_at_recall_levels(ranks, tuple(at.tolist())).y
    level = generality_of(ranks) * (np.ones(at.size) if over == "precision-scope" else at)
    shortest = float((ranks.collection / ranks.relevant).min(initial=np.inf))
    return np.where(at <= shortest, level, np.nan)


def generality_of(ranks: RelevantRanks) -> float:
    """The mean relevant share of the lists; NaN where there is none."""
    return float(np.mean(ranks.relevant / ranks.collection)) if len(ranks) else float("nan")


def kept_for(ranks: RelevantRanks, generality: float) -> IntArray:
    """How many distractors each list keeps so that its generality is this, as near as whole numbers allow."""
    wanted = np.rint(ranks.relevant * (1.0 - generality) / generality).astype(np.int64)
    return np.minimum(wanted, ranks.collection - ranks.relevant)


def thinned_curve(ranks: RelevantRanks, over: Over, at: FloatArray, kept: IntArray) -> FloatArray:
    """The mean curve when only so many random distractors stay in each list: an exact mean over all ways to do that."""
    hits = hits_of(ranks)
    if over != "recall":
        recall = np.array([recall_when_kept(hits, kept, a).low.mean() for a in at.tolist()])
        return recall / at if over == "precision-scope" else recall
    some = hits.found
    value = some.place * mean_inverse(after(some, hits.distractors, kept), some.place)
    start = np.concatenate([[0], np.cumsum(ranks.found)])[:-1]
    return np.array([value[start + level_hits(ranks, level) - 1].mean() for level in at.tolist()])


def thinned_chance(ranks: RelevantRanks, over: Over, at: FloatArray, kept: IntArray) -> FloatArray:
    """The chance curve of the lists when only so many distractors stay."""
    size = ranks.relevant + kept
    return chance_curve(replace(ranks, collection=size, depth=size), over, at)
