"""Control: the total recall ideal system (TRIS), which shows the whole target first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import CannotScore, Method


@dataclass(frozen=True)
class Ideal(Method):
    """1 for the items of the target, 0 for all others (Huijsmans & Sebe 2001)."""

    name: ClassVar[str] = "ideal"
    source: ClassVar[str] = "control; Huijsmans & Sebe 2001, Extended performance graphs for cluster retrieval"
    needs: ClassVar[tuple[str, ...]] = ("truth",)
    needs_positives: ClassVar[bool] = False
    pointwise: ClassVar[bool] = False

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Membership in the target."""
        if session.truth is None:
            raise CannotScore("the ideal ranking needs the truth of the session")
        scores = np.zeros(len(items))
        scores[session.truth] = 1.0
        return scores
