"""The first items of a ranking by nearness: exact, and without ranking the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.space import Space
from rankscope.engines.nearest.spaces import shown_scores, space_of, values_of


@dataclass(frozen=True, eq=False)
class Nearest:
    """Places of items, the nearest first, with scores as people know them; equal ones in the order of the places."""

    places: IntArray
    scores: FloatArray


class Neighbourhood:
    """The features of a collection under one metric, ready to be asked.

    >>> near = Neighbourhood("l1", np.array([[0, 0], [3, 0], [1, 0], [1, 0]]))
    >>> found = near.like_item(0, 2)
    >>> found.places, found.scores
    (array([2, 3]), array([-1., -1.]))
    """

    def __init__(self, metric: str, matrix: NDArray[Any]) -> None:
        self.metric, self.matrix = metric, matrix
        self._space = space_of(metric, matrix)
        self._shown = shown_scores(metric)

    def like_item(self, place: int, count: int) -> Nearest:
        """The items nearest to one of them, which is not among them itself."""
        return self._best(self._space, place, count, without=place)

    def like_vector(self, vector: NDArray[Any], count: int) -> Nearest:
        """The items nearest to something that is not in the collection."""
        asked = np.asarray(vector, dtype=self.matrix.dtype)[None]
        known = values_of(self.metric, np.concatenate([self.matrix, asked]))
        return self._best(space_of(self.metric, self.matrix, known).asking(asked), 0, count)

    def _best(self, space: Space, query: int, count: int, without: int | None = None) -> Nearest:
        places, scores = _in_question(space, query, count + (without is not None))
        if without is not None:
            kept = places != without
            places, scores = places[kept], scores[kept]
        order = np.argsort(-scores, kind="stable")[:count]  # places come in rising order
        return Nearest(places[order], self._shown(scores[order]))


def _in_question(space: Space, query: int, count: int) -> tuple[IntArray, FloatArray]:
    """Items among which the first `count` are, with the scores that count."""
    one, every = np.array([query]), len(space)
    screened = space.scores(one, slice(0, every))[0]
    if space.exact:
        return np.arange(every), screened.astype(np.float64)
    if count >= every:
        places = np.arange(every)
    else:
        last = np.partition(screened, -count)[-count:][:1].astype(np.float64)
        places = np.flatnonzero(screened >= space.lowered(one, last)[0])
    return places, space.reference(np.full(places.size, query), places)
