"""Methods on what items have or have not: aspects, Viper's quantised features, RM3 on term counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.geometry import summed_marks, sums
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import Scored
from rankscope.feedback.methods.method import CannotScore, Method, refuse
from rankscope.ranks.ragged import Ragged

# Aspect-based learning: yes-no properties that the positives have more often than chance explains.


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

    def urgency(self, items: Items, examples: Examples, scored: Scored) -> FloatArray:
        return scored.values + self.hopes(items, examples)

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


# Viper: quantised features as the words of an item, weighted by how often they occur, as in text retrieval.


@dataclass(frozen=True)
class Viper(Method):
    """Sum over an item's terms of (alpha share in P - beta share in N) ln²(1/cf), cf a term's share of the collection.

    Our reading. A term is one of the `bins` equal parts of a feature's range, or a yes-no property where such are given
    with the items; an item has it or not. The two sides are weighted apart, so that many negatives do not drown the
    positives.
    """

    bins: int = 8
    alpha: float = 0.65
    beta: float = 0.35
    name: ClassVar[str] = "viper"
    source: ClassVar[str] = (
        "Squire, Mueller, Mueller & Pun 2000, Content-based query of image databases; Mueller et al. 2000"
    )
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"bins": 2, "beta": 0}
    above: ClassVar[Mapping[str, float]] = {"alpha": 0}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        terms = items.remember(("terms", self.bins), lambda: term_table(items, self.bins))
        worth = summed_marks(terms, examples.positives, self.alpha)
        worth += summed_marks(terms, examples.negatives, -self.beta)
        share = np.asarray(terms.sum(axis=0)).ravel() / len(items)
        rarity = np.square(np.log(np.where(share > 0, share, 1.0)))  # ln²(1/cf) of each term
        values: FloatArray = np.asarray(terms @ (worth * rarity).T).T
        return values


def term_table(items: Items, bins: int) -> Any:
    """Items x terms, a sparse table of ones: the part of each feature's range an item is in, or what it was given."""
    from scipy.sparse import csr_array

    if items.given_aspects is not None:
        return csr_array(items.given_aspects.astype(np.float64))
    low = items.matrix.min(axis=0)
    width = (items.matrix.max(axis=0) - low).astype(np.float64)
    place = (items.matrix - low) / np.where(width > 0, width, 1.0)
    parts = np.minimum((place * bins).astype(np.int64), bins - 1)  # equal ones; the largest value is in the last
    codes = parts + bins * np.arange(items.features)
    starts = np.arange(0, codes.size + 1, items.features)
    return csr_array((np.ones(codes.size), codes.ravel(), starts), shape=(len(items), bins * items.features))


# RM3, for features that are term counts: the query's words mixed with the words of the positives.


@dataclass(frozen=True)
class RM3(Method):
    """Score sum_w P(w) ln P(w; item), P(w) = mix P(w; q) + (1 - mix) sum_d score_d P(w; d) over the positives d.

    P(w; d) = count / length; the goodness of the positives, scaled to sum 1, is their score. Only the `terms` most
    likely words of the feedback are kept and scaled to sum 1 again (None: all). P(w; item) is smoothed with `mu` words
    of the collection (Dirichlet). Words that no item has are left out. Features must be counts.
    """

    terms: int | None = 10
    mix: float = 0.5
    mu: float = 1000.0
    name: ClassVar[str] = "rm3"
    source: ClassVar[str] = "Abdul-Jaleel et al. 2004, UMass at TREC 2004; Lavrenko & Croft 2001"
    needs: ClassVar[tuple[str, ...]] = ("query", "counts")
    least: ClassVar[Mapping[str, float]] = {"terms": 1, "mix": 0}
    above: ClassVar[Mapping[str, float]] = {"mu": 0}
    most: ClassVar[Mapping[str, float]] = {"mix": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """The words' probabilities times the logarithms of the items' smoothed ones."""
        if items.matrix.min() < 0:
            raise CannotScore("RM3 needs term counts: some features are negative", np.arange(len(examples)))
        logs = items.remember(("rm3", self.mu), lambda: log_likelihoods(items, self.mu))
        return self.model(items, examples).astype(logs.dtype) @ logs.T

    def model(self, items: Items, examples: Examples) -> FloatArray:
        assert examples.queries is not None
        lists = examples.positives
        length = items.matrix.sum(axis=1, dtype=np.float64)[lists["item"]]
        share = lists["grade"] / np.where(length > 0, length, 1.0)
        words = sums(lists, items.matrix[lists["item"]] * share[:, None])
        if self.terms is not None:  # equal ones by position
            others = np.argsort(-words, axis=1, kind="stable")[:, self.terms :]
            np.put_along_axis(words, others, 0.0, axis=1)
        asked = examples.queries
        refuse((asked < 0).any(axis=1) | (asked.sum(axis=1) <= 0), "the query has no words")
        refuse(words.sum(axis=1) <= 0, "the positives have no words")
        asked, words = (each / each.sum(axis=1, keepdims=True) for each in (asked, words))
        return self.mix * asked + (1 - self.mix) * words


def log_likelihoods(items: Items, mu: float) -> FloatArray:
    """ln((count + mu P(w)) / (length + mu)) of every item and word, P(w) that of the collection; 0 for unseen words."""
    counts = items.matrix
    whole = counts.sum(axis=0, dtype=np.float64)
    seen = whole > 0
    prior = np.where(seen, mu * whole / max(whole.sum(), 1.0), 1.0).astype(counts.dtype)
    length = counts.sum(axis=1, dtype=np.float64).astype(counts.dtype)[:, None]
    return np.where(seen, np.log((counts + prior) / (length + mu)), 0.0)
