"""Methods on near neighbours: nearest neighbour, plain and stabilised, and diffusion over the graph of neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.geometry import nearest_squared
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import Scored, drop_rounding
from rankscope.feedback.methods.method import BlockState, CannotScore, Method, TwoSided
from rankscope.feedback.methods.query_movement import BayesianQueryShifting
from rankscope.ranks.ragged import Ragged

# Nearest neighbour: near a positive and far from every negative.


@dataclass(frozen=True)
class NearestNeighbour(TwoSided):
    """d_N / (d_P + d_N), the distances to the nearest negative and positive; 1/2 where both are 0.

    Follows targets of several parts; the best of the simple methods when users are right, the worst when they err.
    """

    name: ClassVar[str] = "nearest-neighbour"
    source: ClassVar[str] = "Giacinto & Roli 2004, Instance-based relevance feedback for image retrieval"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """One matrix product for each place in the lists of examples."""
        near = nearest_squared(items, examples.positives)
        far = nearest_squared(items, examples.negatives)
        return share_of_far(np.sqrt(near, out=near), np.sqrt(far, out=far))

    def block_state(self, items: Items, sessions: int, growing: bool) -> BlockState:
        """Where examples only grow, the distances to earlier ones are kept; not for a method that is built on this."""
        carries = growing and type(self) is NearestNeighbour
        return CarriedNeighbours(self, items, sessions) if carries else super().block_state(items, sessions, growing)


@dataclass(frozen=True)
class StabilisedNearestNeighbour(TwoSided):
    """w R_shift + (1 - w) R_nn, w = (nN / l) / (1 + nN / l): the more negatives, the more weight on the query."""

    name: ClassVar[str] = "stabilised-nearest-neighbour"
    source: ClassVar[str] = "Giacinto & Roli 2004, Instance-based relevance feedback for image retrieval"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        share = examples.negatives.lengths / (examples.positives.lengths + examples.negatives.lengths)
        weight = (share / (1 + share))[:, None]
        values = NearestNeighbour().score_many(items, examples) * (1 - weight)
        values += weight * BayesianQueryShifting().score_many(items, examples)
        return values


def share_of_far(near: NDArray[Any], far: NDArray[Any]) -> NDArray[Any]:
    """far / (near + far), 1/2 where both are 0; nothing is left of what was given."""
    near += far
    both = near == 0
    far[both], near[both] = 1, 2
    return np.divide(far, near, out=far)


class CarriedNeighbours(BlockState):
    """The method in one block, round after round."""

    def __init__(self, method: Method, items: Items, sessions: int) -> None:
        super().__init__(method, items)
        self.near, self.far = (_Nearest(items, sessions) for _ in range(2))

    def scores(self, examples: Examples) -> Scored:
        """As `method.scores`; sessions that lack positives or negatives go by the method's own rule."""
        near, far = self.near.after(examples.positives), self.far.after(examples.negatives)
        lacking = examples.without_positives | examples.without_negatives
        with np.errstate(invalid="ignore"):
            values = share_of_far(np.sqrt(near), np.sqrt(far))
        values = drop_rounding(values.astype(np.float64, copy=False), self.items.single)
        if self.items.copies.size:
            values[:, self.items.copies] = values[:, self.items.first_alike[self.items.copies]]
        flags, failed = [""] * len(examples), [""] * len(examples)
        rows = np.flatnonzero(lacking)
        if rows.size:
            result = self.method.scores(self.items, examples.take(rows))
            values[rows] = result.values
            for row, flag, reason in zip(rows.tolist(), result.flags, result.failed, strict=True):
                flags[row], failed[row] = flag, reason
        return Scored(values, tuple(flags), tuple(failed))


class _Nearest:
    """Squared distances from every item to the nearest example so far; infinite before there is one."""

    def __init__(self, items: Items, sessions: int) -> None:
        self.items = items
        self.least: NDArray[Any] = np.full((sessions, len(items)), np.inf, items.matrix.dtype)
        self.known: IntArray = np.empty(0, np.int64)

    def after(self, lists: Ragged) -> NDArray[Any]:
        """With these examples, of which only the new ones are looked at."""
        key = lists.row * len(self.items) + lists["item"]
        new = lists.where(~np.isin(key, self.known))
        self.known = key
        rows = np.flatnonzero(new.lengths)
        if rows.size:
            found = nearest_squared(self.items, new.take(rows))
            self.least[rows] = np.minimum(self.least[rows], found)
        return self.least


# Diffusion (manifold ranking): relevance spreads from the examples over a graph of near neighbours.

DIFFUSION_CLOSE = 1e-10
DIFFUSION_STEPS = 2000


@dataclass(frozen=True)
class Diffusion(Method):
    """f = (I - alpha S)^-1 y, y = 1 on the positives and -1 on the negatives; S the graph of mutual neighbours.

    Edges weigh cosine^gamma. An item without mutual neighbours scores its own y: 0 unless it is an example. A neighbour
    may outrank an example. The score of an item depends on which others there are.
    """

    alpha: float = 0.9
    k: int = 20
    gamma: float = 3.0
    name: ClassVar[str] = "diffusion"
    source: ClassVar[str] = "Zhou et al. 2004, Ranking on data manifolds; Iscen et al. 2017, Efficient diffusion"
    pointwise: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {"k": 1, "gamma": 0}
    above: ClassVar[Mapping[str, float]] = {"alpha": 0}
    most: ClassVar[Mapping[str, float]] = {"alpha": 0.999999}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        seeds = np.zeros((len(items), len(examples)))
        for lists, sign in ((examples.positives, 1.0), (examples.negatives, -1.0)):
            seeds[lists["item"], lists.row] = sign
        graph = items.graph(self.k, self.gamma)
        return diffuse_seeds(graph, self.alpha, seeds).T


def diffuse_seeds(graph: Any, alpha: float, seeds: FloatArray) -> FloatArray:
    """(I - alpha graph)^-1 seeds by conjugate gradients, every column on its own steps."""
    found, left = np.zeros_like(seeds), seeds.copy()
    direction, size = left.copy(), np.einsum("ij,ij->j", left, left)
    goal = DIFFUSION_CLOSE**2 * np.maximum(size, 1e-300)
    for _ in range(DIFFUSION_STEPS):
        if (size <= goal).all():
            return found
        moved = direction - alpha * (graph @ direction)
        step = size / np.maximum(np.einsum("ij,ij->j", direction, moved), 1e-300)
        step = np.where(size > goal, step, 0.0)
        found += step * direction
        left -= step * moved
        new = np.einsum("ij,ij->j", left, left)
        direction = left + np.where(size > goal, new / np.maximum(size, 1e-300), 0.0) * direction
        size = np.where(size > goal, new, size)
    raise CannotScore(f"diffusion did not settle in {DIFFUSION_STEPS} steps; choose a smaller alpha")
