"""MARS: features in which the positives agree count more, and so do groups of features that found good items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import weighted_distances
from rankscope.feedback.examples.segments import means, variances
from rankscope.feedback.methods.method import Method

SLACK = 1e-9  # next to the largest distance: equal distances differ in their last bits


@dataclass(frozen=True)
class Mars(Method):
    """Weights 1 / (sd of the positives + eps), scaled to sum 1 in each group; minus the weighted squared distance.

    Groups: each gets the sum of the grades (3, 1, 0, -1, -3) of the judged items among the `scope` it finds best, not
    below 0, scaled to sum 1; all groups count alike where none found anything. `eps` None is 1 % of the sd of all
    entries. MARS divides by 3 sd first: scaling `standardise` differs by a common factor, which changes no ranking.
    """

    eps: float | None = None
    scope: int = 20
    name: ClassVar[str] = "mars"
    source: ClassVar[str] = "Rui, Huang, Ortega & Mehrotra 1998, Relevance feedback: a power tool"
    least: ClassVar[Mapping[str, float]] = {"scope": 1}
    above: ClassVar[Mapping[str, float]] = {"eps": 0}

    def weights(self, items: Items, examples: Examples, centres: FloatArray) -> FloatArray:
        """Sessions x features, adding up to 1 in each group."""
        eps = 0.01 * (np.sqrt(items.variance) or 1.0) if self.eps is None else self.eps
        weights = 1.0 / (np.sqrt(variances(items, examples.positives, centres)) + eps)
        for group in items.groups:
            weights[:, group] /= weights[:, group].sum(axis=1, keepdims=True)
        return weights

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """-sum over groups of W (x - mean)' w (x - mean)."""
        centres = means(items, examples.positives)
        weights = self.weights(items, examples, centres)
        if len(items.groups) > 1:
            weights = self._between(items, examples, centres, weights)
        return -weighted_distances(items, centres, weights)

    def _between(self, items: Items, examples: Examples, centres: FloatArray, weights: FloatArray) -> FloatArray:
        """The weights within the groups times those of the groups."""
        found = np.zeros((len(examples), len(items.groups)))
        for number, group in enumerate(items.groups):
            own = np.zeros_like(weights)
            own[:, group] = weights[:, group]
            found[:, number] = self._found(examples, weighted_distances(items, centres, own))
        found = np.where(found.sum(axis=1, keepdims=True) > 0, found, 1.0)
        found /= found.sum(axis=1, keepdims=True)
        whole = np.zeros_like(weights)
        for number, group in enumerate(items.groups):
            whole[:, group] = weights[:, group] * found[:, [number]]
        return whole

    def _found(self, examples: Examples, distance: FloatArray) -> FloatArray:
        """The grades of the judged items among the nearest `scope`, added up, not below 0."""
        scope = min(self.scope, distance.shape[1])
        last = np.partition(distance, scope - 1, axis=1)[:, scope - 1] + SLACK * distance.max(axis=1)
        total = np.zeros(len(examples))
        for lists in (examples.positives, examples.negatives):
            near = distance[lists.row, lists["item"]] <= last[lists.row]
            total += lists.total(lists["grade"] * near)
        return np.maximum(total, 0.0)
