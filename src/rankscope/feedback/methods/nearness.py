"""How items of equal scores are ordered by methods whose scores have few values: nearest to the positives first."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import squared_distances
from rankscope.feedback.examples.segments import means

SHARE = 1e-3


def add_nearness(values: FloatArray, items: Items, examples: Examples) -> FloatArray:
    """Scores plus a thousandth of the largest of each session, times how near an item is to the mean of the positives.

    Nearness is 1 / (1 + d² / t²), t the typical distance of two items: 1 at the mean, 1/2 at that distance.
    """
    apart = squared_distances(items, means(items, examples.positives)).astype(np.float64)
    nearness = 1.0 / (1.0 + apart / items.typical_distance**2)
    largest = np.abs(values).max(axis=1, keepdims=True)
    return values + SHARE * np.where(largest > 0, largest, 1.0) * nearness
