"""Semi-supervised EM: items that nobody has judged help to find the two classes, as far as the model believes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.segments import means
from rankscope.feedback.methods.method import TwoSided
from rankscope.feedback.methods.shrinkage_lda import inverse_covariance


@dataclass(frozen=True)
class SemiSupervisedEM(TwoSided):
    """Log odds of two Gaussians of one spread S: w.(x - (m+ + m-)/2) + ln(p/(1 - p)), w = S^-1 (m+ - m-).

    Our reading. Beginning with the examples, `steps` times: every unjudged item gets the chance the model gives it,
    examples keep theirs (E); means and the share p are taken anew, all unjudged items together worth `trust` times the
    examples (M); w is the discriminant direction of these soft classes (D). S is the covariance of the collection,
    shrunk as shrinkage-lda's: what the spread between the classes adds to it changes the length of w only.
    """

    steps: int = 5
    trust: float = 1.0
    shrinkage: float = 0.2
    name: ClassVar[str] = "semi-supervised-em"
    source: ClassVar[str] = "Wu, Tian & Huang 2000, Discriminant-EM algorithm; Dong & Bhanu 2003"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"steps": 0, "trust": 0}
    above: ClassVar[Mapping[str, float]] = {"shrinkage": 0}
    most: ClassVar[Mapping[str, float]] = {"shrinkage": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """All sessions step by step; what is not believed of the unjudged items is of the other class."""
        from scipy.special import expit

        inverse = inverse_covariance(items, self.shrinkage)
        good, bad = examples.positives, examples.negatives
        counts = np.stack([good.lengths, bad.lengths]).astype(np.float64)
        centres = np.stack([means(items, good), means(items, bad)])
        odds = log_odds(items, inverse, centres, counts)
        labelled = centres * counts[:, :, None]
        unjudged = np.maximum(len(items) - counts.sum(axis=0), 1.0)
        everything = items.mean * len(items) - labelled.sum(axis=0)
        worth = self.trust * counts.sum(axis=0) / unjudged
        for _ in range(self.steps):
            chance = expit(odds)
            chance[good.row, good["item"]] = chance[bad.row, bad["item"]] = 0.0
            believed, size = _summed(items, chance), chance.sum(axis=1)
            total = counts + worth * np.stack([size, unjudged - size])
            found = labelled + worth[:, None] * np.stack([believed, everything - believed])
            odds = log_odds(items, inverse, found / total[:, :, None], total)
        return odds


def log_odds(items: Items, inverse: FloatArray, centres: FloatArray, weights: FloatArray) -> FloatArray:
    """Of the first class against the second: sessions x items; `centres` are 2 x sessions x features."""
    direction = (centres[0] - centres[1]) @ inverse
    offset = np.log(weights[0] / weights[1]) - np.einsum("ij,ij->i", direction, centres.sum(axis=0)) / 2
    values: FloatArray = (direction.astype(items.matrix.dtype) @ items.matrix.T).astype(np.float64)
    return values + offset[:, None]


def _summed(items: Items, weights: FloatArray) -> FloatArray:
    """Sessions x features: the weighted sum of all items."""
    values: FloatArray = (weights.astype(items.matrix.dtype) @ items.matrix).astype(np.float64)
    return values
