"""What a growth model may look at: where the hits stand today, the scores around them, and rates from their ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.analysis.curves.hits import RelevantHits, distractors_of
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.kept_scores import LOTS, why_no_scores
from rankscope.ranks.relevant_ranks import RelevantRanks

# What a growth model may look at: where the hits stand today, and the scores around them where there are any.

NO_LOT = -1
Number = TypeVar("Number", np.float64, np.int64)


@dataclass(frozen=True)
class ScoreEvidence:
    """Scores of the hits, flat as the hits are, and of each query's best distractors: a row per query, best first."""

    hits: FloatArray
    best: FloatArray  # -inf where there are no more

    @property
    def known(self) -> IntArray:
        """How many distractors' scores each query has."""
        return np.isfinite(self.best).sum(axis=1)


@dataclass(frozen=True)
class Evidence:
    """The hits found of all queries, the number of distractors of each, their scores and the lots of the best."""

    hits: RelevantHits
    distractors: FloatArray
    scored: ScoreEvidence | None
    lots: IntArray | None = None  # a row per query, best distractor first; NO_LOT where there are no more
    why_no_scores: str = ""

    @classmethod
    def of(cls, queries: RelevantRanks) -> Evidence:
        """From ranks at the wanted lowest relevant grade; raises `MeasureError` if the collection's size is unknown."""
        distractors = distractors_of(queries).astype(np.float64)
        place = queries.position.astype(np.float64)
        hits = RelevantHits(
            row=queries.row, place=place, above=queries.ranks - place, grade=queries.grades, queries=len(queries)
        )
        why = _why_not_known(queries) or why_no_scores(queries)
        return cls(
            hits=hits,
            distractors=distractors,
            scored=None if why else _scores(queries),
            lots=_lots(queries),
            why_no_scores=why,
        )

    @property
    def present(self) -> RelevantHits:
        """The hits with today's distractors above them for certain: what is to come is added."""
        return replace(self.hits, certain=self.hits.above)

    @property
    def near(self) -> IntArray:
        """How many of each query's best distractors are known one by one."""
        if self.lots is not None:
            return (self.lots != NO_LOT).sum(axis=1)
        if self.scored is not None:
            return self.scored.known
        return np.zeros(self.hits.queries, dtype=np.int64)

    def thinned(self, factor: float, random: np.random.Generator) -> Evidence:
        """The same with each distractor kept by chance 1 / factor: the same items for all queries where lots are known.

        What lies behind the best distractors, or is known of no query, is thinned for each query by itself.
        """
        kept, share = self._kept(1.0 / factor, random)
        running = np.concatenate([np.zeros((len(kept), 1)), np.cumsum(kept, axis=1)], axis=1)
        within = np.minimum(self.hits.above, self.near[self.hits.row]).astype(np.int64)
        above = running[self.hits.row, within] + self._deep(share, random)
        beyond = np.maximum(self.distractors - self.near, 0.0).astype(np.int64)
        left = np.maximum(running[:, -1] + random.binomial(beyond, share), _most(above, self.hits))
        best = None if self.scored is None else _kept_first(self.scored.best, kept, -np.inf)
        return replace(
            self,
            hits=replace(self.hits, above=above),
            distractors=left,
            scored=None if self.scored is None or best is None else replace(self.scored, best=best),
            lots=None if self.lots is None else _kept_first(self.lots, kept, NO_LOT),
        )

    def _kept(self, share: float, random: np.random.Generator) -> tuple[BoolArray, float]:
        """Which of the best distractors stay, and the share of all that does."""
        if self.lots is not None:
            stays = np.append(random.random(LOTS) < share, False)
            return stays[self.lots], np.count_nonzero(stays) / LOTS
        width = 0 if self.scored is None else self.scored.best.shape[1]
        drawn = random.random((self.hits.queries, width)) < share
        return drawn & (np.arange(width) < self.near[:, None]), share

    def _deep(self, share: float, random: np.random.Generator) -> FloatArray:
        """Distractors kept between the best ones and each hit: what lies between two hits is kept by itself."""
        below = np.maximum(self.hits.above - self.near[self.hits.row], 0.0)
        first = self.hits.place == 1
        step = np.where(first, below, below - np.concatenate([[0.0], below[:-1]]))
        drawn = np.cumsum(random.binomial(step.astype(np.int64), share)).astype(np.float64)
        before = np.concatenate([[0.0], drawn])[np.maximum.accumulate(np.where(first, np.arange(first.size), 0))]
        return drawn - before


def _most(above: FloatArray, hits: RelevantHits) -> FloatArray:
    """Distractors above the last hit of each query, which has the most; 0 where it has no hit."""
    found = np.bincount(hits.row, minlength=hits.queries)
    most = np.zeros(hits.queries)
    most[found > 0] = above[np.cumsum(found)[found > 0] - 1]
    return most


def _kept_first(best: NDArray[Number], kept: BoolArray, nothing: float) -> NDArray[Number]:
    """What is kept of each row moved to its front."""
    order = np.argsort(~kept, axis=1, kind="stable")
    return np.take_along_axis(np.where(kept, best, np.asarray(nothing, dtype=best.dtype)), order, axis=1)


def _why_not_known(queries: RelevantRanks) -> str:
    """Scores are of no use where the distractors kept, those of grade 0, are not those of the wanted grade."""
    if queries.distractors is None:
        return ""
    grade, least, most = queries.judged["grade"], min(queries.rel, 1.0), max(queries.rel, 1.0)
    if ((grade >= least) & (grade < most)).any():
        return f"scores were kept for items of grade 1 and more, not of {queries.rel:g}"
    return ""


def _scores(queries: RelevantRanks) -> ScoreEvidence:
    lists = queries.distractors
    assert lists is not None
    best = np.full(_shape(queries), -np.inf)
    best[lists.row, lists.position - 1] = lists["score"]
    return ScoreEvidence(queries.judged["score"][queries.judged["grade"] >= queries.rel], best)


def _lots(queries: RelevantRanks) -> IntArray | None:
    lists = queries.distractors
    if lists is None or "lot" not in lists or _why_not_known(queries):
        return None
    lots = np.full(_shape(queries), NO_LOT, dtype=np.int64)
    lots[lists.row, lists.position - 1] = lists["lot"]
    return lots


def _shape(queries: RelevantRanks) -> tuple[int, int]:
    """A row per query, at least two columns."""
    assert queries.distractors is not None
    return len(queries), max(2, int(queries.distractors.lengths.max(initial=0)))


# Rates at which new distractors come above a hit, from its rank, and which hits have one from their score.

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
