"""Rocchio's formula: the query moves towards the positives and away from the negatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import squared_nearness
from rankscope.feedback.examples.scaling import unit
from rankscope.feedback.examples.segments import means
from rankscope.feedback.methods.method import Method


@dataclass(frozen=True)
class Rocchio(Method):
    """q' = alpha q + beta mean(P) - gamma mean(N), then minus the squared distance, or the cosine, to q'.

    Without negatives the last term is 0. `unit_sum` divides the weights in use by their sum: q' is then a mean of what
    it is made of, wherever the features have their zero. Without it q' is 1.6 times as long: no matter for the cosine,
    but distances then depend on where zero is. Far negatives drag q' away: keep gamma at .25 or below.
    """

    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.15
    metric: Literal["euclidean", "cosine"] = "euclidean"
    unit_sum: bool = True
    name: ClassVar[str] = "rocchio"
    source: ClassVar[str] = "Rocchio 1971, Relevance feedback in information retrieval"
    needs: ClassVar[tuple[str, ...]] = ("query",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unit_sum and self.alpha + self.beta <= self.gamma:
            raise SettingError("rocchio: alpha + beta must be above gamma, or say unit_sum=False")

    def moved_queries(self, items: Items, examples: Examples) -> FloatArray:
        """q' of each session."""
        assert examples.queries is not None
        gamma = np.where(examples.without_negatives, 0.0, self.gamma)[:, None]
        moved = self.alpha * examples.queries + self.beta * means(items, examples.positives)
        moved -= gamma * means(items, examples.negatives)
        return moved / (self.alpha + self.beta - gamma) if self.unit_sum else moved

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """-|x - q'|², or the cosine."""
        moved = self.moved_queries(items, examples)
        if self.metric == "cosine":
            return unit(moved).astype(items.matrix.dtype) @ items.unit.T
        return squared_nearness(items, moved)
