"""What a growth model may look at: where the hits stand today, the scores around them, and the tails of these scores.

Tails are generalised Pareto: one shape for all queries, scales that learn from each other.
Where classes have unequal spread, queries of narrow classes have near distractors, a short tail, and hits that stand
far out. A scale drawn towards one that is common to all queries would call new items above these hits too likely. It
is drawn towards that of queries alike: whose scores have the same level, and whose hits stand as far out.

Chances held against what comes: each of the best distractors is left out in turn and awaited as if it were new.
Fitted
tails take queries for more alike than they are, so they call scores far out rarer than they are. How much rarer the
data themselves tell: of e distractors, the expected number whose chance is called x / e or less, each by a tail
fitted
to the others, is x for each query. If it is r x, the mean of chances of that size is multiplied by r.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.analysis.curves.hits import RelevantHits, distractors_of
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.kept_scores import LOTS, why_no_scores
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

NO_LOT = -1
Number = TypeVar("Number", np.float64, np.int64)


@dataclass(frozen=True)
class ScoreEvidence:
    """Scores of the hits, flat as the hits are, and of each query's best distractors: a row per query, best first."""

    hits: FloatArray
    best: FloatArray  # -inf where there are no more

    @property
    def known(self) -> IntArray:
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
        lists, unknown = queries.distractors, ""
        # Scores are of no use where the distractors kept, those of grade 0, are not those of the wanted grade.
        grade, least, most = queries.judged["grade"], min(queries.rel, 1.0), max(queries.rel, 1.0)
        if lists is not None and ((grade >= least) & (grade < most)).any():
            unknown = f"scores were kept for items of grade 1 and more, not of {queries.rel:g}"
        why = unknown or why_no_scores(queries)
        scored = lots = None
        if lists is not None and not why:
            own = queries.judged["score"][queries.judged["grade"] >= queries.rel]
            scored = ScoreEvidence(own, _best_first(lists, "score", -np.inf))
        if lists is not None and not unknown and "lot" in lists:
            lots = _best_first(lists, "lot", NO_LOT)
        return cls(hits=hits, distractors=distractors, scored=scored, lots=lots, why_no_scores=why)

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
        # Distractors kept between the best ones and each hit: what lies between two hits is kept by itself.
        below = np.maximum(self.hits.above - self.near[self.hits.row], 0.0)
        first = self.hits.place == 1
        step = np.where(first, below, below - np.concatenate([[0.0], below[:-1]]))
        drawn = np.cumsum(random.binomial(step.astype(np.int64), share)).astype(np.float64)
        before = np.concatenate([[0.0], drawn])[np.maximum.accumulate(np.where(first, np.arange(first.size), 0))]
        above = running[self.hits.row, within] + drawn - before
        beyond = np.maximum(self.distractors - self.near, 0.0).astype(np.int64)
        found = np.bincount(self.hits.row, minlength=self.hits.queries)
        most = np.zeros(self.hits.queries)  # above the last hit of each query
        most[found > 0] = above[np.cumsum(found)[found > 0] - 1]
        left = np.maximum(running[:, -1] + random.binomial(beyond, share), most)
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


def _kept_first(best: NDArray[Number], kept: BoolArray, nothing: float) -> NDArray[Number]:
    """What is kept of each row moved to its front."""
    order = np.argsort(~kept, axis=1, kind="stable")
    return np.take_along_axis(np.where(kept, best, np.asarray(nothing, dtype=best.dtype)), order, axis=1)


def _best_first(lists: Ragged, column: str, nothing: float) -> NDArray[Any]:
    """A row per query, at least two columns."""
    table = np.full((len(lists), max(2, int(lists.lengths.max(initial=0)))), nothing)
    table[lists.row, lists.position - 1] = lists[column]
    return table


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


NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
USUAL_SHAPE = 0.2  # how far from 0 shapes usually are: an uncertain estimate is drawn towards 0
USUAL_SLOPE = 0.5  # the same for slopes of the scale's logarithm over what makes queries alike
SHAPES = (-0.6, 0.4)
LEAST_SPREAD = 1e-4


@dataclass(frozen=True)
class SharedTail:
    """What queries have in common: the shape, and for each the logarithm of the scale that queries alike have."""

    shape: float
    scale: FloatArray
    variance: float  # of the logarithms of the scales of queries that are alike

    def of(self, rows: IntArray) -> SharedTail:
        """The same for some of the queries, which may stand several times."""
        return replace(self, scale=self.scale[rows])


@dataclass(frozen=True)
class Tails:
    """The tail of each query: its threshold, how many scores lie above it, and the logarithm of its scale."""

    shape: float
    threshold: FloatArray
    used: IntArray
    scale: FloatArray
    spread: FloatArray  # standard deviation of the logarithm of the scale

    def chances(self, distractors: FloatArray, row: IntArray, scores: FloatArray) -> FloatArray:
        """The chance that a new distractor of query `row` scores higher, at each value of the uncertain scale (rows).

        The threshold is itself the score of a distractor: a new one lies above it with chance (K + 1) / (e + 1).
        """
        base = (self.used[row] + 1.0) / (distractors[row] + 1.0)
        with np.errstate(invalid="ignore"):
            beyond = np.maximum(np.nan_to_num(scores - self.threshold[row]), 0.0)
        scale = np.exp(self.scale[row] + NODES[:, None] * self.spread[row])
        with np.errstate(over="ignore", divide="ignore"):
            steps = beyond / np.maximum(scale, NEVER)
            tail = (
                np.exp(-steps) if self.shape == 0 else np.maximum(1.0 + self.shape * steps, 0.0) ** (-1.0 / self.shape)
            )
        return np.clip(base * tail, NEVER, 1.0)


def used_scores(best: FloatArray, most: int) -> IntArray:
    """How many of the `most` best scores lie above the next one; those that tie with it do not.

    >>> used_scores(np.array([[5.0, 4.0, 3.0, 2.0], [5.0, 4.0, 4.0, 4.0]]), 3)
    array([3, 1])
    """
    last = np.clip(np.isfinite(best).sum(axis=1) - 1, 0, min(most, best.shape[1] - 1))
    level = np.take_along_axis(best, last[:, None], axis=1)
    return (best[:, : most + 1] > level).sum(axis=1)


def shared_by(best: FloatArray, most: int, *alike: FloatArray) -> SharedTail:
    """Shape and scales over all queries, from the `most` + 1 best scores of each, or as many as it has.

    The logarithm of the scale is expected to be linear in the level of a query's scores, which its threshold tells, and
    in what else makes queries `alike`: a number of each. These count by their ranks, so that it does not matter what
    scores are like.
    """
    used = used_scores(best, most)
    spacing, inside = _spacings(best, used, most)
    shape = pooled_shape(spacing, inside)
    own, chance, good = _own_scales(_mean_spacing(spacing, used, shape), used)
    if not good.any():
        return SharedTail(shape, np.full(len(best), np.log(NEVER)), LEAST_SPREAD)
    threshold = np.take_along_axis(best, used[:, None], axis=1)[:, 0]
    known = np.stack([_normal_scores(each, good) for each in (threshold, *alike)], axis=1)
    weight = np.where(good, 1.0 / (chance + 0.1), 0.0)
    known -= np.average(known, axis=0, weights=weight)
    weighted = (known * weight[:, None]).T
    slopes = np.linalg.solve(weighted @ known + np.eye(len(weighted)) / USUAL_SLOPE**2, weighted @ own)
    expected = np.average(own, weights=weight) + known @ slopes
    freedom = good.sum() / max(good.sum() - 1.0 - slopes.size, 1.0)
    variance = float(np.average((own - expected) ** 2 * freedom - chance, weights=weight))
    return SharedTail(shape, expected, max(variance, LEAST_SPREAD))


def _normal_scores(values: FloatArray, counted: BoolArray) -> FloatArray:
    """What a standard normal variable has at the rank of each counted value; 0 for the others."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    result = np.zeros(values.size)
    result[counted] = ndtri((rankdata(values[counted]) - 0.5) / counted.sum())
    return result


def tails_of(best: FloatArray, most: int, shared: SharedTail) -> Tails:
    """The tail of each query; its own scale is drawn towards the expected one as far as chance explains the difference.

    The mean of k exponential spacings has a gamma distribution: its logarithm lies digamma(k) - ln k too high and
    varies by trigamma(k).
    """
    used = used_scores(best, most)
    spacing, _ = _spacings(best, used, most)
    own, chance, good = _own_scales(_mean_spacing(spacing, used, shared.shape), used)
    trust = np.where(good, shared.variance / (shared.variance + chance), 0.0)
    spread = np.sqrt(np.where(good, trust * chance, shared.variance))
    level = np.take_along_axis(best, used[:, None], axis=1)[:, 0]
    return Tails(
        shape=shared.shape, threshold=level, used=used, scale=trust * own + (1.0 - trust) * shared.scale, spread=spread
    )


def _spacings(best: FloatArray, used: IntArray, most: int) -> tuple[FloatArray, BoolArray]:
    """Normalised spacings j (d_j - d_(j+1)) of the used scores, and which they are."""
    most = min(most, best.shape[1] - 1)
    place = np.arange(1, most + 1)
    inside = place <= used[:, None]
    top = np.where(np.isfinite(best[:, : most + 1]), best[:, : most + 1], 0.0)
    return np.where(inside, place * (top[:, :-1] - top[:, 1:]), 0.0), inside


def _mean_spacing(spacing: FloatArray, used: IntArray, shape: float) -> FloatArray:
    """Mean of the spacings of each query, straightened: in a tail of that shape all have mean sigma then."""
    count = np.maximum(used, 1)
    place = np.arange(1, spacing.shape[1] + 1)
    straight = (place / np.arange(1, int(count.max(initial=1)) + 1)[:, None]) ** shape
    return (spacing * straight[count - 1]).sum(axis=1) / count


def _own_scales(mean: FloatArray, used: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """The logarithm of each query's own scale, its variance by chance, and whether there is one."""
    from scipy.special import digamma, polygamma

    good = (mean > 0) & (used > 0)
    count = np.maximum(used, 1)
    numbers = np.arange(1, int(count.max(initial=1)) + 1)
    high, logs, chance = (each[count - 1] for each in (digamma(numbers), np.log(numbers), polygamma(1, numbers)))
    return np.where(good, np.log(np.where(good, mean, 1.0)) - high + logs, 0.0), chance, good


def pooled_shape(spacing: FloatArray, inside: BoolArray) -> float:
    """Minus the slope of the logarithm of the mean spacing over the logarithm of the place, drawn towards 0."""
    own = spacing.sum(axis=1) / np.maximum(inside.sum(axis=1), 1)
    good = own > 0
    count = inside[good].sum(axis=0)
    enough = count >= max(5.0, 0.5 * good.sum())
    if np.count_nonzero(enough) < 2:
        return 0.0
    mean = (spacing[good] / own[good, None]).sum(axis=0)[enough] / count[enough]
    logs, weight = np.log(1.0 + np.flatnonzero(enough)), count[enough]
    centred = logs - np.average(logs, weights=weight)
    certainty = float((weight * centred**2).sum())
    slope = float((weight * centred * np.log(np.maximum(mean, 1e-3))).sum()) / certainty
    return float(np.clip(-slope * USUAL_SHAPE**2 / (USUAL_SHAPE**2 + 1.0 / certainty), *SHAPES))


EXPECTED = 2.0 ** np.arange(3, -11, -1)  # x, falling
CELLS = 1 << 18  # scores looked at in one go, which stay in the cache
CAUTION = 16.0  # so many distractors are taken to agree with the ratio of the x before


@dataclass(frozen=True)
class Calibration:
    """The ratio r at each of the expected numbers x."""

    ratio: FloatArray

    def corrected(self, chances: FloatArray, expected: FloatArray) -> FloatArray:
        """Chances at each value of the scale (rows), given the number of distractors that each column expects above.

        Their mean is multiplied by the ratio. One below 1 lowers all alike. One above 1 comes from few queries that
        have many such scores, while most have none: the chances are spread farther, their logarithms by as much as
        multiplies the mean of a lognormal variable by the ratio.
        """
        at = np.log(np.maximum(expected, EXPECTED[-1]))
        ratio = np.exp(np.interp(at, np.log(EXPECTED[::-1]), np.log(self.ratio[::-1])))
        logs = np.log(chances)
        spread = np.sqrt(np.maximum(NODE_WEIGHTS @ (logs - NODE_WEIGHTS @ logs) ** 2, 0.0))
        more = np.sqrt(spread**2 + 2.0 * np.log(np.maximum(ratio, 1.0))) - spread
        spread_out = chances * np.exp(more * NODES[:, None])
        mean = NODE_WEIGHTS @ chances
        return np.minimum(spread_out * (ratio * mean / np.maximum(NODE_WEIGHTS @ spread_out, NEVER)), 1.0)


def calibrate(best: FloatArray, distractors: FloatArray, most: int, shared: SharedTail) -> Calibration:
    """From the best scores of each query; what all queries share is not fitted anew for one score left out."""
    return Calibration(ratios(left_out(best, distractors, most, shared), len(best)))


def left_out(best: FloatArray, distractors: FloatArray, most: int, shared: SharedTail) -> FloatArray:
    """Of each of the best scores the number of distractors expected above it by the tail of the others, flat."""
    top = best[:, : most + 2]
    places = min(most + 1, top.shape[1] - 1)
    step = max(1, CELLS // max(1, places * top.shape[1]))
    found = [
        _left_out(top[rows], distractors[rows], places, most, shared.of(np.repeat(rows, places)))
        for rows in np.split(np.arange(len(top)), range(step, len(top), step))
    ]
    return np.concatenate([np.empty(0), *found])


def _left_out(top: FloatArray, distractors: FloatArray, places: int, most: int, shared: SharedTail) -> FloatArray:
    """The same for some queries: each stands so many times, without its first score, without its second, ..."""
    others = np.array([np.delete(np.arange(top.shape[1]), place) for place in range(places)], dtype=np.int64)
    tails = tails_of(top[:, others].reshape(len(top) * places, -1), most, shared)
    score, there = top[:, :places].ravel(), np.repeat(distractors, places)
    above = np.flatnonzero(np.isfinite(score) & (score > tails.threshold) & (tails.used > 0))
    return (NODE_WEIGHTS @ tails.chances(there - 1.0, above, score[above])) * there[above]


def ratios(expected: FloatArray, queries: int) -> FloatArray:
    """Numbers found over numbers expected, from many to few; where hardly any are expected the ratio before stays.

    A ratio at most doubles from one x to the next, so that a higher score never has the higher chance.
    >>> ratios(np.array([0.5, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0]), queries=1)[:4].round(2)
    array([1.  , 1.1 , 1.2 , 1.31])
    """
    result, ratio = [], 1.0
    for x in EXPECTED.tolist():
        found = np.count_nonzero(expected <= x)
        ratio = min((found + CAUTION * ratio) / (queries * x + CAUTION), 2.0 * ratio)
        result.append(ratio)
    return np.array(result)
