"""Words of any language, in lower case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.engines.text.analysis.analyser import Analyser
from rankscope.engines.text.analysis.filters import Filter, lower
from rankscope.engines.text.analysis.tokenizers import WORDS, Tokenizer


@dataclass(frozen=True)
class Standard(Analyser):
    """Unicode's words in lower case, without stop words and stems: for every language."""

    name: ClassVar[str] = "standard"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (lower,)
    normalising: ClassVar[tuple[Filter, ...]] = (lower,)
