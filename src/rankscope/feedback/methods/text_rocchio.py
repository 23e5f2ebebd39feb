"""Rocchio's formula on the words of an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rankscope.engines.text.expansion.expansion import Expansion
from rankscope.engines.text.expansion.rocchio import RocchioExpansion
from rankscope.feedback.methods.text_method import TextMethod


@dataclass(frozen=True)
class TextRocchio(TextMethod):
    """alpha topic + beta mean of the positives - gamma mean of the negatives, in words, every vector of length 1.

    As `rocchio` of the text engine, with what users marked in place of the first and the last documents.
    """

    terms: int = 10
    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.0
    name: ClassVar[str] = "text-rocchio"
    source: ClassVar[str] = RocchioExpansion.source
    least: ClassVar[Mapping[str, float]] = {"terms": 1, "alpha": 0, "beta": 0, "gamma": 0}

    @property
    def expansion(self) -> Expansion:
        """The expansion with these parameters."""
        return RocchioExpansion(terms=self.terms, alpha=self.alpha, beta=self.beta, gamma=self.gamma)
