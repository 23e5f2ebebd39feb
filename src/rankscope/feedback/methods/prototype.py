"""Prototype and second vector: the mean of the positives mixed with a vector for the query's text (CLIP)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scaling import unit
from rankscope.feedback.examples.segments import means
from rankscope.feedback.methods.method import Method


@dataclass(frozen=True)
class Prototype(Method):
    """Cosine to norm(mix t + (1 - mix) norm mean(P)), t the query's vector; `gamma` subtracts gamma norm mean(N) first.

    Texts and images lie apart, and the text alone is a strong start: always compare with no feedback.
    """

    mix: float = 0.5
    gamma: float = 0.0
    name: ClassVar[str] = "prototype"
    source: ClassVar[str] = "Radford et al. 2021, Learning transferable visual models from natural language supervision"
    needs: ClassVar[tuple[str, ...]] = ("query",)
    least: ClassVar[Mapping[str, float]] = {"mix": 0, "gamma": 0}
    most: ClassVar[Mapping[str, float]] = {"mix": 1}

    def mixed(self, items: Items, examples: Examples) -> FloatArray:
        """The new query of each session."""
        assert examples.queries is not None
        result = self.mix * unit(examples.queries) + (1 - self.mix) * unit(means(items, examples.positives))
        return unit(result - self.gamma * unit(means(items, examples.negatives)))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Products with the mixed queries."""
        values: FloatArray = self.mixed(items, examples).astype(items.matrix.dtype) @ items.unit.T
        return np.clip(values, -1, 1, out=values)
