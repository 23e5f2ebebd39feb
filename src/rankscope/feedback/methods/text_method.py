"""What methods on words share: the words of the topic and of the examples make a query that ranks all documents."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.engines.text.expansion.expansion import Expansion
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.text_items import TextItems
from rankscope.feedback.methods.method import CannotScore, Method, refuse

NO_TEXTS = "needs the words of documents and topics: the items must be TextItems"
NO_WORDS = "the words of the topic are not known"


@dataclass(frozen=True)
class TextMethod(Method):
    """Expands the words of a topic by those of its examples; every document has a score, 0 where it matches nothing."""

    needs: ClassVar[tuple[str, ...]] = ("words",)
    pointwise: ClassVar[bool] = False  # documents with equal vectors may have other words

    @property
    @abstractmethod
    def expansion(self) -> Expansion:
        """How words join."""

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Session by session: each has words of its own."""
        if not isinstance(items, TextItems) or examples.asked is None:
            raise CannotScore(f"{self.name} {NO_TEXTS}", np.arange(len(examples)))
        refuse(np.array([topic not in items.texts.words for topic in examples.asked.tolist()]), NO_WORDS)
        rows = zip(
            examples.asked.tolist(), examples.positives.lists("item"), examples.negatives.lists("item"), strict=True
        )
        return np.stack(
            [
                items.texts.expanded_row(topic, self.expansion, np.array(liked), np.array(disliked, dtype=np.int64))
                for topic, liked, disliked in rows
            ]
        )
