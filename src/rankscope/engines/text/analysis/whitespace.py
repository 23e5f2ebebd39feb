"""Words as they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.engines.text.analysis.analyser import Analyser
from rankscope.engines.text.analysis.tokenizers import NOT_SPACE, Tokenizer


@dataclass(frozen=True)
class Whitespace(Analyser):
    """Runs without white space, as they are written; a no-break space is part of a word."""

    name: ClassVar[str] = "whitespace"
    tokenizer: ClassVar[Tokenizer] = NOT_SPACE
