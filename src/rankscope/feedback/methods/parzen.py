"""Parzen windows: mean kernel value with the positives minus that with the negatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.learners import KernelMethod
from rankscope.feedback.methods.method import TwoSided


@dataclass(frozen=True)
class Parzen(KernelMethod, TwoSided):
    """mean_P k(x, .) - mean_N k(x, .): a difference of two densities."""

    name: ClassVar[str] = "parzen"
    source: ClassVar[str] = "Meilhac & Nastar 1999, Relevance feedback and category search in image databases"

    def fit_many(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """1 / nP for each positive, -1 / nN for each negative."""
        lists = self.trained_on(items, examples)
        positive, negative = (each.lengths[lists.row] for each in (examples.positives, examples.negatives))
        count = np.where(lists["label"] > 0, positive, negative)
        return lists["label"] / count, np.zeros(len(examples))
