"""Growth model with scores: generalised Pareto tails whose shape, and in part whose scale, all queries share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.distributions import Binomial
from rankscope.forecast.evidence import Evidence, Scored
from rankscope.forecast.model import Futures, HitModel, still_to_come
from rankscope.forecast.rates import NEVER, outside, rate_by_count, rate_by_score

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
USUAL_SHAPE = 0.2  # how far from 0 shapes usually are: an uncertain estimate is drawn towards 0
SHAPES = (-0.6, 0.4)
LEAST_SPREAD = 1e-4


@dataclass(frozen=True)
class Tails:
    """The fitted tails: one shape, and for each query how many scores were used and the logarithm of its scale."""

    shape: float
    used: IntArray
    scale: FloatArray
    spread: FloatArray  # standard deviation of the logarithm of the scale


@dataclass(frozen=True)
class Pareto(HitModel):
    """Normalised spacings j (d_j - d_(j+1)) of the best K + 1 distractor scores tell the tail (Beirlant et al. 2004).

    In a generalised Pareto tail their mean is sigma (j / K)^-xi. The shape xi is the slope over all queries at once;
    sigma is a query's own mean spacing, drawn towards that of all queries as far as chance explains the difference, and
    what remains uncertain of it is averaged over. Rates and binomial counts follow as in the tail model.
    """

    used: int
    family: ClassVar[str] = "pareto"
    needs_scores: ClassVar[bool] = True
    usual_error: ClassVar[float] = 0.005

    def __str__(self) -> str:
        return f"{self.family}({self.used})"

    def futures(self, evidence: Evidence, target: FloatArray) -> Futures:
        """Binomial with the rate of each hit, at five values of the uncertain scale."""
        assert evidence.scored is not None
        tails = fitted(evidence.scored, self.used)
        chosen, beyond = outside(evidence, evidence.scored, tails.used)
        beyond, by_count = np.where(chosen, beyond, 0.0), rate_by_count(evidence)
        coming, row = still_to_come(evidence, target), evidence.hits.row
        for node, weight in zip(NODES, NODE_WEIGHTS / NODE_WEIGHTS.sum(), strict=True):
            scale = np.exp(tails.scale + node * tails.spread)[row]
            by_score = rate_by_score(evidence, beyond, scale, tails.shape, tails.used)
            yield float(weight), Binomial(coming, np.where(chosen, by_score, by_count))


def fitted(scored: Scored, most: int) -> Tails:
    """Shape and scales from the `most` + 1 best scores of each query, or as many as it has."""
    most = min(most, scored.best.shape[1] - 1)
    used = np.clip(scored.known - 1, 0, most)
    place = np.arange(1, most + 1)
    inside = place <= used[:, None]
    best = np.where(np.isfinite(scored.best[:, : most + 1]), scored.best[:, : most + 1], 0.0)
    spacing = np.where(inside, place * (best[:, :-1] - best[:, 1:]), 0.0)
    shape = pooled_shape(spacing, inside)
    straight = spacing * (place / np.maximum(used, 1)[:, None]) ** shape
    mean = straight.sum(axis=1) / np.maximum(used, 1)
    return Tails(shape, used, *shared_scales(mean, used))


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


def shared_scales(mean: FloatArray, used: IntArray) -> tuple[FloatArray, FloatArray]:
    """Logarithms of the scales, drawn towards their common mean, and how uncertain they remain.

    The mean of k exponential spacings has a gamma distribution: its logarithm lies digamma(k) - ln k too high and
    varies by trigamma(k).
    """
    from scipy.special import digamma, polygamma

    good = (mean > 0) & (used > 0)
    if not good.any():
        return np.full(mean.size, np.log(NEVER)), np.zeros(mean.size)
    count = np.maximum(used, 1)
    chance = polygamma(1, count)
    own = np.where(good, np.log(np.where(good, mean, 1.0)) - digamma(count) + np.log(count), 0.0)
    weight = np.where(good, 1.0 / (chance + 0.1), 0.0)
    common = np.average(own, weights=weight)
    real = max(float(np.average((own - common) ** 2 - chance, weights=weight)), LEAST_SPREAD)
    trust = np.where(good, real / (real + chance), 0.0)
    return trust * own + (1.0 - trust) * common, np.sqrt(np.where(good, trust * chance, real))
