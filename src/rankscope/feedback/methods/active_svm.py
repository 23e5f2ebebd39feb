"""Active SVM: rank by the margin, but ask about the items the machine is least sure of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scored import Scored, best
from rankscope.feedback.methods.svm import SVM


@dataclass(frozen=True)
class ActiveSVM(SVM):
    """Scores as the SVM's; shows the unjudged items with the least |f|. Do not measure quality on that display."""

    name: ClassVar[str] = "active-svm"
    source: ClassVar[str] = "Tong & Chang 2001, Support vector machine active learning for image retrieval"
    active: ClassVar[bool] = True

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """The items nearest to the border."""
        return best(-np.abs(scored.values), k, examples.judged(len(items)))
