"""RM3 on the words of an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rankscope.engines.text.expansion.expansion import Expansion
from rankscope.engines.text.expansion.rm3 import RM3Expansion
from rankscope.feedback.methods.text_method import TextMethod


@dataclass(frozen=True)
class TextRM3(TextMethod):
    """The topic's words mixed with the words of the positives, each document as much as its score for the topic.

    As `rm3` of the text engine, with what users marked in place of the first documents; negatives change nothing.
    """

    terms: int = 10
    weight: float = 0.5
    name: ClassVar[str] = "text-rm3"
    source: ClassVar[str] = RM3Expansion.source
    least: ClassVar[Mapping[str, float]] = {"terms": 1, "weight": 0}
    most: ClassVar[Mapping[str, float]] = {"weight": 1}

    @property
    def expansion(self) -> Expansion:
        """The expansion with these parameters."""
        return RM3Expansion(terms=self.terms, weight=self.weight)
