"""Inferred AP of a stratified sample: xinfAP (Yilmaz, Kanoulas & Aslam 2008); with one stratum, infAP."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.sampling.judged_run import JudgedRun
from rankscope.sampling.strata import group_sums

EPSILON = 1e-5


def inferred_ap(run: JudgedRun) -> FloatArray:
    """Of each query: the mean over relevant items of the expected precision there; NaN where none was drawn.

    A relevant item drawn from stratum h at rank k adds (N_h/n_h) [1/k + sum over t of (m_t/k)(r_t + e)/(n_t + 2e)],
    m_t items of t above it, n_t of them judged, r_t relevant. What the run does not rank adds nothing.
    """
    strata = run.frame.strata
    ranked = np.flatnonzero(np.isfinite(run.hit_rank))
    stratum, rank = run.hit_stratum[ranked], run.hit_rank[ranked]
    expected = (1.0 + _relevant_above(run, stratum, rank)) / rank
    sums = group_sums(strata.query[stratum], strata.scale[stratum] * expected, strata.queries)
    return divide(sums, strata.by_query(strata.scale * run.frame.found), nothing=np.nan)


def _relevant_above(run: JudgedRun, stratum: IntArray, rank: FloatArray) -> FloatArray:
    """How many relevant items are expected above each of these ranks, over the strata of its query."""
    frame = run.frame
    hit, other = _pairs_with_strata(frame.strata.query[stratum], frame.strata.query)
    asked = _key(other, rank[hit])
    every = _counts_above(run, np.ones(frame.grade.size, dtype=bool), other, asked)
    judged = _counts_above(run, frame.is_judged, other, asked)
    relevant = _counts_above(run, frame.grade >= frame.rel, other, asked)
    share = (relevant + EPSILON) / (judged + 2 * EPSILON)
    return group_sums(hit, np.where(every > 0, every * share, 0.0), rank.size)


def _pairs_with_strata(query: IntArray, query_of_stratum: IntArray) -> tuple[IntArray, IntArray]:
    """Each hit next to each stratum of its query."""
    order = np.argsort(query_of_stratum, kind="stable")
    first = np.searchsorted(query_of_stratum[order], query)
    count = np.searchsorted(query_of_stratum[order], query, side="right") - first
    hit = np.repeat(np.arange(query.size), count)
    within = np.arange(hit.size) - np.repeat(np.cumsum(count) - count, count)
    return hit, order[first[hit] + within]


def _counts_above(run: JudgedRun, chosen: BoolArray, stratum: IntArray, asked: FloatArray) -> FloatArray:
    keep = np.flatnonzero(chosen & np.isfinite(run.rank))
    keys = np.sort(_key(run.frame.stratum[keep], run.rank[keep]))
    found: FloatArray = (np.searchsorted(keys, asked) - np.searchsorted(keys, _key(stratum, 0.0))).astype(np.float64)
    return found


def _key(stratum: IntArray, rank: FloatArray | float) -> FloatArray:
    """One number that sorts by stratum, then by rank."""
    return stratum.astype(np.float64) * float(1 << 32) + rank
