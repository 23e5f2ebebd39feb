"""Growth models: what one is, and all there are, with scores (Pareto, tail) and from ranks alone (between, trend,
Jeffreys).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.analysis.curves.distributions import BetaBinomial, Binomial, Counts
from rankscope.analysis.curves.hits import RelevantHits, Terms
from rankscope.analysis.curves.thinning import distractors_above
from rankscope.analysis.forecast.evidence import (
    NEVER,
    NODE_WEIGHTS,
    NODES,
    Evidence,
    calibrate,
    outside,
    rate_by_count,
    share_near,
    shared_by,
    tails_of,
    used_scores,
)
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, NamedCatalogue
from rankscope.core.wording import setting_usage
from rankscope.ranks.ragged import divide


@dataclass(frozen=True)
class Future:
    """How many distractors may come above hits: each hit has one distribution, or several with weights."""

    counts: Counts
    hits: IntArray | None = None  # the number of the hit that each is for; None: one for each in their order
    weight: FloatArray | float = 1.0  # those of a hit add up to 1


Fit = Callable[[FloatArray], Future]  # of the distractors that each hit's query will get


class GrowthModel(Named, ABC):
    """A way to look ahead; `weights` are rows of weights of the queries, each row adding up to 1: one mean per row."""

    needs_scores: ClassVar[bool]
    usual_error: ClassVar[float]  # per doubling of the distractors, over the collections of benchmarks/forecast.py

    @abstractmethod
    def means_at(
        self, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        """Means of the measure when each query has so many distractors: a row for each target."""

    def means(self, evidence: Evidence, terms: Terms, target: FloatArray, weights: FloatArray) -> FloatArray:
        """Mean of the measure when each query has `target` distractors."""
        return self.means_at(evidence, terms, [target], weights)[0]


class HitModel(GrowthModel):
    """Models that look at one hit at a time: each says how many distractors will come above it."""

    @abstractmethod
    def fit(self, evidence: Evidence) -> Fit:
        """What today's evidence tells about any number of distractors to come."""

    def means_at(
        self, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        """Weighted means over the queries; the model is fitted once for all targets."""
        fit = self.fit(evidence)
        row = evidence.hits.row
        futures = [fit(np.maximum(each - evidence.distractors, 0.0)[row]) for each in targets]
        return np.stack([weights @ each for each in _values(evidence, terms, futures)])


def _values(evidence: Evidence, terms: Terms, futures: Sequence[Future]) -> list[FloatArray]:
    """The measure's mean for each query in each future; what it takes of each hit is computed in one go."""
    every = np.arange(evidence.hits.row.size)
    chosen = [every if each.hits is None else each.hits for each in futures]
    counts = futures[0].counts.with_all([each.counts for each in futures[1:]])
    means = terms.mean(evidence.present.take(np.concatenate(chosen)), counts)
    ends = np.cumsum([each.size for each in chosen])[:-1]
    parts = zip(futures, chosen, np.split(means, ends), strict=True)
    totals = [evidence.hits.take(hits).total(future.weight * mean) for future, hits, mean in parts]
    return [divide(each, terms.divisor) for each in totals]


def today(evidence: Evidence, terms: Terms) -> FloatArray:
    hits = evidence.present
    nothing = np.zeros(hits.row.size)
    return divide(hits.total(terms.mean(hits, Binomial(nothing, nothing))), terms.divisor)


@dataclass(frozen=True)
class Pareto(HitModel):
    """Normalised spacings j (d_j - d_(j+1)) of the best K + 1 distractor scores tell the tail (Beirlant et al. 2004).

    In a generalised Pareto tail their mean is sigma (j / K)^-xi. The shape xi is the slope over all queries at once;
    sigma is a query's own mean spacing, drawn towards that of queries alike (in the level of their scores, and in how
    many hits stand out) as far as chance explains the difference, and what remains uncertain of it is averaged over. A
    new distractor lies above the threshold with chance (K + 1) / (e + 1), above a hit with that times the tail, times
    what leaving out each distractor in turn shows to be missing. A hit that more than K outrank has (b + 1/2) / e.
    """

    used: int
    name: ClassVar[str] = "pareto"
    unnamed: ClassVar[tuple[str, ...]] = ("used",)
    least: ClassVar[Mapping[str, float]] = {"used": 1}
    needs_scores: ClassVar[bool] = True
    usual_error: ClassVar[float] = 0.0006

    def fit(self, evidence: Evidence) -> Fit:
        """Binomial with the chance of each hit, at five values of the uncertain scale; by count there is only one."""
        assert evidence.scored is not None
        best, there = evidence.scored.best, np.maximum(evidence.distractors, 1.0)
        shared = shared_by(best, self.used, share_near(evidence, self.used))
        tails = tails_of(best, self.used, shared)
        chosen = outside(evidence, tails.threshold, tails.used)
        row = evidence.hits.row[chosen]
        chances = tails.chances(there, row, evidence.scored.hits[chosen])
        calibration = calibrate(best, there, self.used, shared)
        chances = calibration.corrected(chances, (NODE_WEIGHTS @ chances) * there[row])
        by_count = np.flatnonzero(~chosen)
        hits = np.concatenate([by_count, np.tile(np.flatnonzero(chosen), NODES.size)])
        rates = np.concatenate([rate_by_count(evidence)[by_count], chances.ravel()])
        weight = np.concatenate([np.ones(by_count.size), np.repeat(NODE_WEIGHTS, row.size)])
        return lambda coming: Future(Binomial(coming[hits], rates), hits, weight)


@dataclass(frozen=True)
class Tail(HitModel):
    """Scores of distractors above the (K + 1)-th fall off exponentially: theta = (K / e) exp(-(t - u) / sigma).

    u is that score and sigma the mean excess of the K above it. A hit that more than K outrank has (b + 1/2) / e.
    It is the simplest model with scores, and too hopeful: K of e is less than the chance to exceed the (K + 1)-th best,
    and sigma is taken for certain.
    """

    used: int
    name: ClassVar[str] = "tail"
    unnamed: ClassVar[tuple[str, ...]] = ("used",)
    least: ClassVar[Mapping[str, float]] = {"used": 1}
    needs_scores: ClassVar[bool] = True
    usual_error: ClassVar[float] = 0.01

    def fit(self, evidence: Evidence) -> Fit:
        rates = self.rates(evidence)
        return lambda coming: Future(Binomial(coming, rates))

    def rates(self, evidence: Evidence) -> FloatArray:
        assert evidence.scored is not None
        best, row = evidence.scored.best, evidence.hits.row
        used = used_scores(best, self.used)
        level = np.take_along_axis(best, used[:, None], axis=1)[:, 0]
        mine = np.arange(best.shape[1]) < used[:, None]
        scale = np.where(mine, best - np.where(used > 0, level, 0.0)[:, None], 0.0).sum(axis=1) / np.maximum(used, 1)
        chosen = outside(evidence, level, used)
        beyond = np.where(chosen, evidence.scored.hits, 0.0) - np.where(chosen, level[row], 0.0)
        base = used[row] / np.maximum(evidence.distractors[row], 1.0)
        by_score = np.clip(base * np.exp(-beyond / np.maximum(scale[row], NEVER)), NEVER, 1.0)
        return np.where(chosen, by_score, rate_by_count(evidence))


BETWEEN_EDGE = 1e-9


@dataclass(frozen=True)
class Between(GrowthModel):
    """The mean of trend and jeffreys on the logit scale: far ahead the first mostly errs upwards, the second down."""

    name: ClassVar[str] = "between"
    needs_scores: ClassVar[bool] = False
    usual_error: ClassVar[float] = 0.01

    def means_at(
        self, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        both = np.stack([model.means_at(evidence, terms, targets, weights) for model in (Trend(), Jeffreys())])
        both = np.clip(both, BETWEEN_EDGE, 1.0 - BETWEEN_EDGE)
        return 1.0 / (1.0 + np.exp(-np.log(both / (1.0 - both)).mean(axis=0)))


HALVINGS = 4
TREND_EDGE = 1e-4  # means are kept this far from 0 and 1, where the logit ends


@dataclass(frozen=True)
class Trend(GrowthModel):
    """The exact mean at 1, 1/2, ..., 1/16 of the distractors, as a parabola in log2 on the logit scale, continued.

    It never rises: where the parabola does, the forecast is the present.
    """

    name: ClassVar[str] = "trend"
    needs_scores: ClassVar[bool] = False
    usual_error: ClassVar[float] = 0.015

    def means_at(
        self, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        # halvings that leave at least two distractors to half of the queries
        most = int(np.log2(max(np.median(evidence.distractors), 2.0) / 2.0))
        levels = np.arange(min(HALVINGS, most) + 1)
        values = np.stack([_thinned(evidence, terms, level) for level in levels.tolist()], axis=1)
        means = np.clip(weights @ values, TREND_EDGE, 1.0 - TREND_EDGE)
        doublings = [np.log2(np.median(divide(each, evidence.distractors, nothing=1.0))) for each in targets]
        curve = np.vander(-levels.astype(np.float64), min(3, levels.size), increasing=True)
        ahead = np.vander(doublings, min(3, levels.size), increasing=True)
        fitted = np.log(means / (1.0 - means)) @ np.linalg.pinv(curve).T
        logit = np.stack([fitted @ each for each in ahead])
        return np.minimum(1.0 / (1.0 + np.exp(-logit)), weights @ values[:, 0])


def _thinned(evidence: Evidence, terms: Terms, halvings: int) -> FloatArray:
    """The measure of each query with distractors halved so many times, exactly."""
    if halvings == 0:
        return today(evidence, terms)
    hits: RelevantHits = evidence.hits
    distractors = evidence.distractors.astype(np.int64)
    counts = distractors_above(hits, distractors, np.round(distractors / 2**halvings).astype(np.int64))
    return divide(hits.total(terms.mean(hits, counts)), terms.divisor)


@dataclass(frozen=True)
class Jeffreys(HitModel):
    """A hit with b of e distractors above it has a rate with a Beta(b + 1/2, e - b + 1/2) distribution.

    Too pessimistic: most hits that nothing outranks today have a rate far below 1 / e. It is the floor of the others.
    """

    name: ClassVar[str] = "jeffreys"
    needs_scores: ClassVar[bool] = False
    usual_error: ClassVar[float] = 0.02

    def fit(self, evidence: Evidence) -> Fit:
        above, there = evidence.hits.above, evidence.distractors[evidence.hits.row]
        return lambda coming: Future(BetaBinomial(coming, above + 0.5, there - above + 0.5))


# The models there are, the one that did best on many collections first; the back-test may choose another.

ALL: tuple[GrowthModel, ...] = (Pareto(16), Pareto(8), Pareto(32), Tail(5), Tail(3), Between(), Trend(), Jeffreys())
MODELS: NamedCatalogue[GrowthModel] = NamedCatalogue(
    "growth model", list(dict.fromkeys(type(model) for model in ALL)), example="pareto(16)"
)


def usable(scores: bool) -> tuple[GrowthModel, ...]:
    return tuple(model for model in ALL if scores or not model.needs_scores)


def candidates(name: str | None, scores: bool, why_no_scores: str = "") -> tuple[GrowthModel, ...]:
    """The models to choose from: those of the best family for what is known, or those of one family or of one name.

    With scores the choice stays among models that use them: those for ranks continue the very curve that a back-test
    lies on, so it flatters them.
    >>> [str(model) for model in candidates(None, scores=True)]
    ['pareto(16)', 'pareto(8)', 'pareto(32)']
    >>> [str(model) for model in candidates("tail", scores=True)]
    ['tail(5)', 'tail(3)']
    """
    if name is None:
        first = next(model for model in ALL if model.needs_scores == scores)
        return tuple(model for model in ALL if model.name == first.name)
    kind = MODELS.find(MODELS.take_apart(name).name)
    family = tuple(model for model in ALL if type(model) is kind)
    asked = (MODELS.parse(name),) if "(" in name else family  # one is written with its option
    if asked[0].needs_scores and not scores:
        raise SettingError(
            f"the model {name} needs the scores of the hits and of the best distractors, but {why_no_scores}. Reduce a "
            "run that has scores with keep_scores=True (the forecast command does), or leave out "
            f"{setting_usage('model')}"
        )
    return asked
