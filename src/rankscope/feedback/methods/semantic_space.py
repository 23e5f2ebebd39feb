"""Semantic space: the main directions of what earlier users marked together, and where unmarked items stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.earlier_sessions import EarlierSessions
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scaling import unit
from rankscope.feedback.examples.scored import best
from rankscope.feedback.methods.log_and_content import LogAndContent, means_of

AT_ONCE = 1 << 22
SURE = 1e-9  # a singular value below so much of the largest is rounding


@dataclass(frozen=True)
class SemanticSpace(LogAndContent):
    """The log part is z.(mean z of P - beta mean z of N), z an item's place in the semantic space, of length 1.

    Our reading. The space has the first `dims` singular directions of the log, balanced so that the irrelevant items of
    a session weigh no more than the relevant. An item that no session tells about gets the mean place of the `k` items
    nearest to it by cosine among those that are known. `mix` is the share of the log part.
    """

    dims: int = 20
    beta: float = 0.5
    k: int = 5
    name: ClassVar[str] = "semantic-space"
    source: ClassVar[str] = "He, Ma, King, Li & Zhang 2002, Learning and inferring a semantic space"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"dims": 1, "beta": 0, "k": 1}

    def told(self, items: Items, log: EarlierSessions, examples: Examples) -> FloatArray:
        """Products with the difference of the means."""
        places = log.remember(("space", self.dims, self.k), lambda: inferred_places(items, log, self.dims, self.k))
        wanted = means_of(places, examples.positives) - self.beta * means_of(places, examples.negatives)
        return wanted @ places.T


def inferred_places(items: Items, log: EarlierSessions, dims: int, k: int) -> FloatArray:
    """Items x dimensions, of length 1 or 0: by the log where that tells about an item, else by its neighbours."""
    places = unit(log_places(log, dims))
    known = log.known
    rest = np.setdiff1d(np.arange(len(items)), known)
    if not known.size or not rest.size:
        return places
    step = max(1, AT_ONCE // known.size)
    for start in range(0, rest.size, step):
        some = rest[start : start + step]
        alike = items.unit[some] @ items.unit[known].T
        near = best(alike.astype(np.float64, copy=False), min(k, known.size))
        places[some] = places[known[near]].mean(axis=1)
    return unit(places)


def log_places(log: EarlierSessions, dims: int) -> FloatArray:
    """Items x dimensions: the right singular vectors of the log times the singular values.

    >>> np.abs(log_places(EarlierSessions(np.array([[1, 1, 0], [0, 0, 1]])), 2)).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    marks = log.balanced
    squared, left = np.linalg.eigh((marks @ marks.T).toarray())
    kept = [place for place in np.argsort(-squared)[:dims] if squared[place] > SURE * max(squared.max(), SURE)]
    return np.asarray(marks.T @ left[:, kept], dtype=np.float64)
