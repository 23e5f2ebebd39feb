"""Aspect-based learning: yes-no properties that the positives have more often than chance explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scored import Scored, best
from rankscope.feedback.examples.segments import sums
from rankscope.feedback.methods.method import Method
from rankscope.ranks.ragged import Ragged


@dataclass(frozen=True)
class Aspects(Method):
    """Sum of the log-likelihood ratios of the relevant aspects an item has, minus those relevant to the negatives.

    Our reading. An aspect is relevant if P(Bin(nP, rate in the collection) >= its count) is at most `p0`; with `fdr`
    Benjamini & Hochberg's rule holds the share of false ones at `p0`. Aspects are those given to the items, or the
    quarters of each feature's values. Items are equal where no aspect is relevant.
    """

    p0: float = 0.05
    fdr: bool = False
    name: ClassVar[str] = "aspects"
    source: ClassVar[str] = "Huiskes 2006, Image searching and browsing by active aspect-based relevance learning"
    dagger: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"p0": 0}
    most: ClassVar[Mapping[str, float]] = {"p0": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Weights of the aspects times which item has them."""
        rate = items.aspects.mean(axis=0)
        weights = self._weights(items, examples.positives, rate) - self._weights(items, examples.negatives, rate)
        return summed_over_aspects(items, weights)

    def _weights(self, items: Items, lists: Ragged, rate: FloatArray) -> FloatArray:
        """The ratio of each relevant aspect, 0 for the others: sessions x aspects."""
        number = lists.lengths[:, None].astype(np.float64)
        count = sums(lists, items.aspects[lists["item"]])
        chance = tail_chance(count, number, rate)
        limit = false_discovery_limit(chance, self.p0) if self.fdr else np.full(len(chance), self.p0)
        return np.where(chance <= limit[:, None], log_likelihood_ratio(count, number, rate), 0.0)


@dataclass(frozen=True)
class ActiveAspects(Aspects):
    """Scores as those of aspects; shows the items that score best if their open aspects prove relevant.

    Our reading. An aspect is open if it is not relevant yet, and would be after one more positive that has it; it then
    adds the ratio that it would have. Do not measure quality on that display.
    """

    name: ClassVar[str] = "active-aspects"
    active: ClassVar[bool] = True

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """The best by what they might score."""
        return best(scored.values + self.hopes(items, examples), k, examples.judged(len(items)))

    def hopes(self, items: Items, examples: Examples) -> FloatArray:
        """What open aspects would add to each item: sessions x items."""
        rate, lists = items.aspects.mean(axis=0), examples.positives
        number = lists.lengths[:, None].astype(np.float64)
        count = sums(lists, items.aspects[lists["item"]])
        now, then = tail_chance(count, number, rate), tail_chance(count + 1, number + 1, rate)
        limit = false_discovery_limit(now, self.p0)[:, None] if self.fdr else self.p0
        gains = np.where((now > limit) & (then <= limit), log_likelihood_ratio(count + 1, number + 1, rate), 0.0)
        return summed_over_aspects(items, gains)


def summed_over_aspects(items: Items, weights: FloatArray) -> FloatArray:
    """The sum of the weights of the aspects that each item has: sessions x items, in the precision of the features."""
    kind = items.matrix.dtype
    has = items.remember("aspects as numbers", lambda: items.aspects.astype(kind))
    values: FloatArray = weights.astype(kind) @ has.T
    return values


def tail_chance(count: FloatArray, number: FloatArray, rate: FloatArray) -> FloatArray:
    """P(Bin(number, rate) >= count).

    >>> float(tail_chance(np.array(3.0), np.array(4.0), np.array(0.1)).round(6))
    0.0037
    """
    from scipy.special import betainc

    inside = np.maximum(count, 1.0)
    values: FloatArray = np.where(count > 0, betainc(inside, np.maximum(number - inside, 0.0) + 1.0, rate), 1.0)
    return values


def log_likelihood_ratio(count: FloatArray, number: FloatArray, rate: FloatArray) -> FloatArray:
    """k ln(f / rate) + (n - k) ln((1 - f) / (1 - rate)), f = k / n, where 0 ln 0 is 0.

    >>> float(log_likelihood_ratio(np.array(3.0), np.array(4.0), np.array(0.1)).round(6))
    4.763775
    """
    from scipy.special import rel_entr

    share = count / np.maximum(number, 1)
    values: FloatArray = number * (rel_entr(share, rate) + rel_entr(1 - share, 1 - rate))
    return values


def false_discovery_limit(chance: FloatArray, level: float) -> FloatArray:
    """The largest p in each row that Benjamini & Hochberg's rule accepts; -1 where it accepts none."""
    ordered = np.sort(chance, axis=1)
    fits = ordered <= level * np.arange(1, chance.shape[1] + 1) / chance.shape[1]
    return np.where(fits, ordered, -1.0).max(axis=1)
