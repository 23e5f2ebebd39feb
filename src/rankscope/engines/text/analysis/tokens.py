"""The tokens of one text with where they stand in it, and the terms that the analyser makes of them."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.engines.text.analysis.analyser import Analyser


@dataclass(frozen=True)
class Token:
    """A token: its place among the tokens, its first sign and the one behind its last, and its term or None."""

    position: int
    start: int
    end: int
    text: str
    term: str | None


def tokens_of(text: str, analyser: Analyser) -> list[Token]:
    """All tokens of a text, also those that the analyser drops.

    >>> from rankscope.engines.text.analysis import ANALYSERS
    >>> [(each.term, each.start, each.end) for each in tokens_of("The foxes' den", ANALYSERS.parse("english"))]
    [(None, 0, 3), ('fox', 4, 9), ('den', 11, 14)]
    """
    found, end = [], 0
    for position, word in enumerate(analyser.tokenizer.split_text(text)):
        start = text.index(word, end)
        end = start + len(word)
        found.append(Token(position=position, start=start, end=end, text=word, term=analyser.term(word)))
    return found
