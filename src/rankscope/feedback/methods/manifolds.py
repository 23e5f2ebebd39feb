"""Methods that learn how the whole collection lies: the semantic manifold, and PicSOM's self-organising map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples, Session
from rankscope.feedback.examples.geometry import add_nearness
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method, TwoSided

# Semantic manifold: a projection in which near items stay near, positives draw together and negatives go away.

RIDGE = 0.01  # of the mean of the diagonal


@dataclass(frozen=True)
class SemanticManifold(TwoSided):
    """-|A'(x - mean P)|², A the `dims` best a of a'(F - gamma C) a / a' L a: far from N, close in P, near items kept.

    Our reading of augmented relation embedding. F is the mean of (p - n)(p - n)' over all positives and negatives, C of
    (p - p')(p - p')' over all pairs of positives, L the sum of (x - y)(x - y)' over the `k` nearest others y of every
    item x, with a ridge of 1 %. Directions in which F does not outweigh gamma C are left out.
    """

    dims: int = 10
    gamma: float = 1.0
    k: int = 10
    name: ClassVar[str] = "semantic-manifold"
    source: ClassVar[str] = "Lin, Liu & Chen 2005, Semantic manifold learning for image retrieval"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"dims": 1, "gamma": 0, "k": 1}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        chosen = self.directions(items, session).astype(items.matrix.dtype)
        centre = items.matrix[session.positives].mean(axis=0, dtype=np.float64).astype(items.matrix.dtype)
        seen = (items.matrix - centre) @ chosen
        return -np.einsum("ij,ij->i", seen, seen)

    def directions(self, items: Items, session: Session) -> FloatArray:
        """Features x dimensions, the best first, each of length 1 by L; F and C come from means and scatters."""
        from scipy.linalg import eigh

        good, bad = (items.matrix[each].astype(np.float64) for each in (session.positives, session.negatives))
        apart = good.mean(axis=0) - bad.mean(axis=0)
        within, beyond = (np.atleast_2d(np.cov(each.T, bias=True)) for each in (good, bad))
        wanted = within + beyond + np.outer(apart, apart) - 2 * self.gamma * within
        kept = items.remember(("locality", self.k), lambda: locality(items, self.k))
        first = max(0, items.features - self.dims)
        values, vectors = eigh(wanted, kept, subset_by_index=(first, items.features - 1), driver="gvx")
        some = values > 1e-12 * max(float(np.abs(values).max()), 1e-300)
        return vectors[:, some if some.any() else slice(-1, None)][:, ::-1]


def locality(items: Items, k: int) -> FloatArray:
    """L, divided by the number of pairs, with its ridge; the identity where all items are alike."""
    others, _ = items.neighbours(k)
    rows = items.matrix.astype(np.float64)
    total = np.zeros((items.features, items.features))
    for place in range(others.shape[1]):
        away = rows - rows[others[:, place]]
        total += away.T @ away
    total /= max(others.size, 1)
    size = np.trace(total) / items.features
    return total + RIDGE * (size if size > 0 else 1.0) * np.eye(items.features)


# PicSOM: marks are put on a self-organising map of the collection and spread over it.

ITEMS_A_UNIT = 4
SIDES = (4, 24)  # units a side, at least and at most


@dataclass(frozen=True)
class PicSOM(Method):
    """Sum over maps (one for each group of features) of the marks about an item's unit, weighted by a tent.

    Our reading. Positives are worth 1/nP and negatives -1/nN; the mark on unit (a, b) counts max(0, 1 - |a - i|/r)
    max(0, 1 - |b - j|/r) on unit (i, j), r the `spread`. One level of map in place of PicSOM's tree: `side` None has
    about four items a unit, 4 to 24 units a side. Items of one unit, and so of equal scores, stand by nearness to the
    mean of the positives, which counts a thousandth. The map is trained once for a collection.
    """

    side: int | None = None
    spread: float = 2.0
    name: ClassVar[str] = "picsom"
    source: ClassVar[str] = "Laaksonen, Koskela & Oja 2002, PicSOM: self-organizing image retrieval"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"side": 1, "spread": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Marks on each map, convolved with a tent that falls to 0, and looked up by the items' units."""
        side = self.side or int(np.clip(round((len(items) / ITEMS_A_UNIT) ** 0.5), *SIDES))
        apart = np.arange(side)[:, None] - np.arange(side)
        tent = np.maximum(0.0, 1.0 - np.abs(apart) / self.spread)
        total = np.zeros((len(examples), len(items)))
        for group in items.groups:
            units = mapped_items(items, group, side)
            marks = np.zeros(len(examples) * side * side)
            for lists, sign in ((examples.positives, 1.0), (examples.negatives, -1.0)):
                worth = sign / np.maximum(lists.lengths, 1)[lists.row]
                place = lists.row * side * side + units[lists["item"]]
                marks += np.bincount(place, worth, minlength=marks.size)
            spread = tent @ marks.reshape(-1, side, side) @ tent
            total += spread.reshape(len(examples), -1)[:, units]
        return add_nearness(total, items, examples)


def mapped_items(items: Items, group: slice, side: int) -> IntArray:
    """The unit of each item on the map of one group of features, made once."""
    rows = items.matrix[:, group]
    key = ("map", side, group.start, group.stop)
    return items.remember(key, lambda: best_units(rows, trained_map(rows, side)))


# A self-organising map of a collection: a square of units, each with a model vector, that neighbours share.

EPOCHS = 20
TRAINED_ON = 5_000  # items, evenly spaced: more change the map little
DISTANCES_AT_ONCE = 1 << 22  # distances in one block
LAST_RADIUS = 0.5


def trained_map(rows: NDArray[Any], side: int) -> FloatArray:
    """Model vectors of the units, row by row of the map: side² x features, by the batch rule from a plane.

    In each epoch every unit becomes the mean of all rows, weighted by exp(-d² / 2 r²), d the distance on the map from
    the unit that is nearest to the row; r falls from half the side to 1/2. No chance is involved.
    >>> trained_map(np.array([[0.0], [0.0], [4.0], [4.0]]), 2).round(1).ravel()
    array([0.1, 2. , 2. , 3.9])
    """
    from scipy.sparse import csr_array

    chosen = rows[:: -(-len(rows) // TRAINED_ON)].astype(np.float64)
    models = _first_plane(chosen, side)
    place = np.arange(side)
    for radius in np.geomspace(max(side / 2, LAST_RADIUS), LAST_RADIUS, EPOCHS):
        along = np.exp(-np.square(place[:, None] - place) / (2 * radius**2))
        shared = np.kron(along, along)
        unit = best_units(chosen, models)
        members = csr_array((np.ones(len(chosen)), (unit, np.arange(len(chosen)))), shape=(len(models), len(chosen)))
        weight = shared @ np.bincount(unit, minlength=len(models))
        total = shared @ (members @ chosen)
        # a unit that nothing reaches keeps its model
        models = np.where(weight[:, None] > 1e-12, total / np.maximum(weight, 1e-12)[:, None], models)
    return models


def best_units(rows: NDArray[Any], models: FloatArray) -> IntArray:
    """The unit whose model is nearest to each row; of equal ones the first.

    >>> best_units(np.array([[0.1], [3.0]]), np.array([[0.0], [4.0]]))
    array([0, 1])
    """
    half = np.einsum("ij,ij->i", models, models) / 2
    step = max(1, DISTANCES_AT_ONCE // len(models))
    parts = [
        np.argmin(half - rows[start : start + step].astype(np.float64) @ models.T, axis=1)
        for start in range(0, len(rows), step)
    ]
    return np.concatenate(parts).astype(np.int64)


def _first_plane(rows: FloatArray, side: int) -> FloatArray:
    """Units spread over the plane of the two widest directions, two standard deviations to each side."""
    mean = rows.mean(axis=0)
    spread, directions = np.linalg.eigh(np.atleast_2d(np.cov(rows.T, bias=True)))
    widest = directions[:, ::-1][:, :2] * np.sqrt(np.maximum(spread[::-1][:2], 0.0))
    largest = np.abs(widest).argmax(axis=0)
    widest = widest * np.where(widest[largest, np.arange(widest.shape[1])] < 0, -1.0, 1.0)
    along = np.linspace(-2, 2, side) if side > 1 else np.zeros(1)
    places = np.stack(np.meshgrid(along, along, indexing="ij"), axis=-1).reshape(-1, 2)[:, : widest.shape[1]]
    return mean + places @ widest.T
