"""One feedback session as a method sees it: what was judged, and what else is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Session:
    """Item numbers of the positive and the negative examples, ascending, each with its grade.

    `displays` are pairs (items shown, which of them were picked). `start` are the scores of the ranking before any
    feedback, `truth` the items of the target (for the controls), `log_rows` the rows of the log that may be used,
    `around` the rank about which RETIN asks.
    """

    positives: IntArray
    negatives: IntArray
    grades: FloatArray
    negative_grades: FloatArray
    seed: int = 0
    query: FloatArray | None = None
    start: FloatArray | None = None
    truth: IntArray | None = None
    displays: tuple[tuple[IntArray, BoolArray], ...] = ()
    log_rows: IntArray | None = None
    around: int | None = None

    @cached_property
    def examples(self) -> IntArray:
        """The positive examples, then the negative ones."""
        return np.concatenate([self.positives, self.negatives])

    @cached_property
    def labels(self) -> FloatArray:
        """+1 for each positive and -1 for each negative example."""
        return np.concatenate([np.ones(self.positives.size), -np.ones(self.negatives.size)])
