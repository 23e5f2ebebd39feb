"""How near items are to the positives, which also orders items of equal scores where a method has few of them."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import squared_distances
from rankscope.feedback.examples.segments import means

SHARE = 1e-3


def add_nearness(values: FloatArray, items: Items, examples: Examples) -> FloatArray:
    """Scores plus a thousandth of the largest of each session, times `nearness_to_positives`."""
    largest = np.abs(values).max(axis=1, keepdims=True)
    return values + SHARE * np.where(largest > 0, largest, 1.0) * nearness_to_positives(items, examples)


def nearness_to_positives(items: Items, examples: Examples) -> FloatArray:
    """1 / (1 + d² / t²), d the distance to the mean of the positives, t the typical one of two items.

    It is 1 at the mean, and 1/2 at the typical distance.
    """
    apart = squared_distances(items, means(items, examples.positives)).astype(np.float64)
    return 1.0 / (1.0 + apart / items.typical_distance**2)
