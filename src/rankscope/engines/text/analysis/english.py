"""English words by their stems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.engines.text.analysis.analyser import Analyser
from rankscope.engines.text.analysis.filters import Filter, cut_possessive, drop_english_stop_words, lower
from rankscope.engines.text.analysis.porter import porter_stem
from rankscope.engines.text.analysis.tokenizers import WORDS, Tokenizer


@dataclass(frozen=True)
class English(Analyser):
    """Unicode's words without final 's, in lower case, without 33 stop words, by Porter's stems."""

    name: ClassVar[str] = "english"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (cut_possessive, lower, drop_english_stop_words, porter_stem)
    normalising: ClassVar[tuple[Filter, ...]] = (lower,)
