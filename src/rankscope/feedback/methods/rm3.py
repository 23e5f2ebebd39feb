"""RM3, for features that are term counts: the query's words mixed with the words of the positives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.segments import sums
from rankscope.feedback.methods.method import CannotScore, Method, refuse


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
        """P(w) of each session."""
        assert examples.queries is not None
        lists = examples.positives
        length = items.matrix.sum(axis=1, dtype=np.float64)[lists["item"]]
        share = lists["grade"] / np.where(length > 0, length, 1.0)
        words = _cut(sums(lists, items.matrix[lists["item"]] * share[:, None]), self.terms)
        asked = examples.queries
        refuse((asked < 0).any(axis=1) | (asked.sum(axis=1) <= 0), "the query has no words")
        refuse(words.sum(axis=1) <= 0, "the positives have no words")
        return self.mix * _shares(asked) + (1 - self.mix) * _shares(words)


def log_likelihoods(items: Items, mu: float) -> FloatArray:
    """ln((count + mu P(w)) / (length + mu)) of every item and word, P(w) that of the collection; 0 for unseen words."""
    counts = items.matrix
    whole = counts.sum(axis=0, dtype=np.float64)
    seen = whole > 0
    prior = np.where(seen, mu * whole / max(whole.sum(), 1.0), 1.0).astype(counts.dtype)
    length = counts.sum(axis=1, dtype=np.float64).astype(counts.dtype)[:, None]
    return np.where(seen, np.log((counts + prior) / (length + mu)), 0.0)


def _cut(words: FloatArray, terms: int | None) -> FloatArray:
    """The most likely words of each row, equal ones by position; the others 0."""
    if terms is None or terms >= words.shape[1]:
        return words
    order = np.argsort(-words, axis=1, kind="stable")[:, :terms]
    kept = np.zeros_like(words)
    np.put_along_axis(kept, order, np.take_along_axis(words, order, axis=1), axis=1)
    return kept


def _shares(words: FloatArray) -> FloatArray:
    return words / words.sum(axis=1, keepdims=True)
