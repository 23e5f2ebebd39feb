"""What a method keeps from round to round of a block of sessions; most methods keep nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.arrays import IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scored import Scored
from rankscope.feedback.methods.tolerance import tolerant_scores

if TYPE_CHECKING:
    from rankscope.feedback.methods.method import Method


class BlockState:
    """A method at work on one block of sessions: the loop asks it for scores and tells it what was marked.

    This one keeps nothing. A method that learns more from the rounds than its examples hold, or that computes faster
    from what it knew before, gives its own in `Method.block_state`.
    """

    def __init__(self, method: Method, items: Items) -> None:
        self.method, self.items = method, items

    def complete_examples(self, examples: Examples) -> Examples:
        """The examples with what the method has kept for itself."""
        return examples

    def scores(self, examples: Examples) -> Scored:
        """Scores of every item in every session of the block."""
        return tolerant_scores(self.method, self.items, examples)

    def note_marks(self, hits: IntArray, misses: IntArray) -> None:
        """Take in how many items of the last display each user marked as good and as bad."""
