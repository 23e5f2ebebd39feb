"""Nearest neighbour: near a positive and far from every negative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import nearest_squared
from rankscope.feedback.methods.block_state import BlockState
from rankscope.feedback.methods.carried_neighbours import CarriedNeighbours
from rankscope.feedback.methods.method import TwoSided


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
        np.sqrt(near, out=near)
        np.sqrt(far, out=far)
        near += far
        both = near == 0
        far[both], near[both] = 1, 2
        return np.divide(far, near, out=far)

    def block_state(self, items: Items, sessions: int, growing: bool) -> BlockState:
        """Where examples only grow, the distances to earlier ones are kept; not for a method that is built on this."""
        carries = growing and type(self) is NearestNeighbour
        return CarriedNeighbours(self, items, sessions) if carries else super().block_state(items, sessions, growing)
