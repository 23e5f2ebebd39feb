"""Wu & Zhang's weights: features in which the positives agree and the negatives lie elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import weighted_distances
from rankscope.feedback.examples.segments import extremes, means, sums, variances
from rankscope.feedback.methods.method import TwoSided, refuse


@dataclass(frozen=True)
class WuZhang(TwoSided):
    """Weight = delta / (eps + sd of the positives), delta = 1 - share of the negatives inside the positives' range.

    Minus the weighted squared distance to the mean of the positives. Our reading. A session in which every feature has
    weight 0 fails: all negatives lie among the positives in every feature.
    """

    eps: float = 1e-4
    name: ClassVar[str] = "wu-zhang"
    source: ClassVar[str] = "Wu & Zhang 2002, A feature re-weighting approach for relevance feedback in image retrieval"
    dagger: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"eps": 0}

    def weights(self, items: Items, examples: Examples, centres: FloatArray) -> FloatArray:
        """Sessions x features, not scaled."""
        low, high = extremes(items, examples.positives)
        lists = examples.negatives
        rows = items.matrix[lists["item"]]
        inside = (low[lists.row] <= rows) & (rows <= high[lists.row])
        delta = 1.0 - sums(lists, inside) / lists.lengths[:, None]
        return delta / (self.eps + np.sqrt(variances(items, examples.positives, centres)))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """-sum_j w_j (x_j - mean_j)²."""
        centres = means(items, examples.positives)
        weights = self.weights(items, examples, centres)
        refuse(~weights.any(axis=1), "all weights are 0: in every feature all negatives lie among the positives")
        return -weighted_distances(items, centres, weights)
