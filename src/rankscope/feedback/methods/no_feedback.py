"""Control: the ranking before any feedback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method, start_scores


@dataclass(frozen=True)
class NoFeedback(Method):
    """The start ranking unchanged: what every method must beat. Without one, nearness to the query."""

    name: ClassVar[str] = "no-feedback"
    source: ClassVar[str] = "control"
    needs_positives: ClassVar[bool] = False
    pointwise: ClassVar[bool] = False

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """The start scores."""
        return start_scores(items, examples)
