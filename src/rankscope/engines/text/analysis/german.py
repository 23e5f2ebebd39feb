"""German words by their stems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.engines.text.analysis.analyser import Analyser
from rankscope.engines.text.analysis.filters import Filter, drop_german_stop_words, fold_german, lower
from rankscope.engines.text.analysis.german_light import german_light_stem
from rankscope.engines.text.analysis.tokenizers import WORDS, Tokenizer


@dataclass(frozen=True)
class German(Analyser):
    """Unicode's words in lower case, without 231 stop words, umlauts spelled alike, by Savoy's light stems."""

    name: ClassVar[str] = "german"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (lower, drop_german_stop_words, fold_german, german_light_stem)
    normalising: ClassVar[tuple[Filter, ...]] = (lower, fold_german)
