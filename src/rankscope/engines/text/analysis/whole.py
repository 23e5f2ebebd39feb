"""A text as one term: how ids are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.engines.text.analysis.analyser import Analyser
from rankscope.engines.text.analysis.tokenizers import NOT_SPACE, Tokenizer


@dataclass(frozen=True)
class Whole(Analyser):
    """The whole text is one term, as it is written.

    >>> Whole().analyse("Doc 234")
    [('Doc 234', 0)]
    """

    name: ClassVar[str] = "whole"
    tokenizer: ClassVar[Tokenizer] = NOT_SPACE
    joins_words: ClassVar[bool] = False

    def analyse(self, text: str) -> list[tuple[str, int]]:
        """The text at position 0; nothing of an empty one."""
        return [(text, 0)] if text else []
