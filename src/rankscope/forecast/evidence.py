"""What a growth model may look at: where the hits stand today, and the scores around them where they were kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.hits import Hits, distractors_of
from rankscope.ranks.relevant_ranks import RelevantRanks


@dataclass(frozen=True)
class Scored:
    """Scores of the hits, flat as the hits are, and of each query's best distractors: a row per query, best first."""

    hits: FloatArray
    best: FloatArray  # -inf where there are no more

    @property
    def known(self) -> IntArray:
        """How many distractors' scores each query has."""
        return np.isfinite(self.best).sum(axis=1)


@dataclass(frozen=True)
class Evidence:
    """The hits found of all queries, the number of distractors of each query, and scores or None."""

    hits: Hits
    distractors: FloatArray
    scored: Scored | None

    @classmethod
    def of(cls, queries: RelevantRanks) -> Evidence:
        """From ranks at the wanted lowest relevant grade; raises `MeasureError` if the collection's size is unknown."""
        distractors = distractors_of(queries).astype(np.float64)
        place = queries.position.astype(np.float64)
        hits = Hits(queries.row, place, queries.ranks - place, queries.grades, len(queries))
        return cls(hits, distractors, _scores(queries))

    @property
    def present(self) -> Hits:
        """The hits with today's distractors above them for certain: what is to come is added."""
        return replace(self.hits, certain=self.hits.above)

    def thinned(self, factor: float, random: np.random.Generator) -> Evidence:
        """The same with each distractor kept by chance 1 / factor."""
        share, width = 1.0 / factor, self._width
        kept = random.random((self.hits.queries, width)) < share
        kept &= np.arange(width) < self.distractors[:, None]
        running = np.concatenate([np.zeros((self.hits.queries, 1)), np.cumsum(kept, axis=1)], axis=1)
        near = np.minimum(self.hits.above, width).astype(np.int64)
        above = running[self.hits.row, near] + self._deep(width, share, random)
        beyond = np.maximum(self.distractors - width, 0.0).astype(np.int64)
        distractors = np.maximum(running[:, -1] + random.binomial(beyond, share), _most(above, self.hits))
        scored = None if self.scored is None else replace(self.scored, best=_kept_first(self.scored.best, kept))
        return Evidence(replace(self.hits, above=above), distractors, scored)

    @property
    def _width(self) -> int:
        return 1 if self.scored is None else self.scored.best.shape[1]

    def _deep(self, width: int, share: float, random: np.random.Generator) -> FloatArray:
        """Distractors kept between the best ones and each hit: what lies between two hits is kept by itself."""
        below = np.maximum(self.hits.above - width, 0.0)
        first = self.hits.place == 1
        step = np.where(first, below, below - np.concatenate([[0.0], below[:-1]]))
        drawn = np.cumsum(random.binomial(step.astype(np.int64), share)).astype(np.float64)
        before = np.concatenate([[0.0], drawn])[np.maximum.accumulate(np.where(first, np.arange(first.size), 0))]
        return drawn - before


def _most(above: FloatArray, hits: Hits) -> FloatArray:
    most = np.zeros(hits.queries)
    np.maximum.at(most, hits.row, above)
    return most


def _kept_first(best: FloatArray, kept: BoolArray) -> FloatArray:
    """The kept scores of each row moved to its front."""
    order = np.argsort(~kept, axis=1, kind="stable")
    return np.take_along_axis(np.where(kept, best, -np.inf), order, axis=1)


def _scores(queries: RelevantRanks) -> Scored | None:
    """Scores where they were kept and belong to the same relevant items as the ranks."""
    if queries.distractors is None or "score" not in queries.judged:
        return None
    grade, least, most = queries.judged["grade"], min(queries.rel, 1.0), max(queries.rel, 1.0)
    if ((grade >= least) & (grade < most)).any():
        return None  # the distractors kept are those of grade 1
    lists = queries.distractors
    best = np.full((len(queries), max(2, int(lists.lengths.max(initial=0)))), -np.inf)
    best[lists.row, lists.position - 1] = lists["score"]
    return Scored(queries.judged["score"][grade >= queries.rel], best)
