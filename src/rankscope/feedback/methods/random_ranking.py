"""Control: a random ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import Method


@dataclass(frozen=True)
class RandomRanking(Method):
    """Random scores, always the same for the same seed of the session."""

    name: ClassVar[str] = "random"
    source: ClassVar[str] = "control"
    needs_positives: ClassVar[bool] = False
    pointwise: ClassVar[bool] = False

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Uniform numbers."""
        return np.random.default_rng(session.seed).random(len(items))
