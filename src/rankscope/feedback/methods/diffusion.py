"""Diffusion (manifold ranking): relevance spreads from the examples over a graph of near neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import CannotScore, Method

CLOSE = 1e-10
MOST_STEPS = 2000


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
        """One solve for all sessions."""
        seeds = np.zeros((len(items), len(examples)))
        for lists, sign in ((examples.positives, 1.0), (examples.negatives, -1.0)):
            seeds[lists["item"], lists.row] = sign
        return diffuse_seeds(items.graph(self.k, self.gamma), self.alpha, seeds).T


def diffuse_seeds(graph: Any, alpha: float, seeds: FloatArray) -> FloatArray:
    """(I - alpha graph)^-1 seeds by conjugate gradients, every column on its own steps."""
    found, left = np.zeros_like(seeds), seeds.copy()
    direction, size = left.copy(), np.einsum("ij,ij->j", left, left)
    goal = CLOSE**2 * np.maximum(size, 1e-300)
    for _ in range(MOST_STEPS):
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
    raise CannotScore(f"diffusion did not settle in {MOST_STEPS} steps; choose a smaller alpha")
