"""Analysers: from texts to terms, for English, German, any language, and as they are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from rankscope.core.notation import Named, NamedCatalogue
from rankscope.engines.text.token_filters import (
    Filter,
    cut_possessive,
    drop_english_stop_words,
    drop_german_stop_words,
    fold_german,
    german_light_stem,
    lower,
    porter_stem,
)
from rankscope.engines.text.tokenizers import NOT_SPACE, WORDS, Tokenizer

if TYPE_CHECKING:
    import polars as pl


# An analyser: how texts become terms, and how a pattern that is not analysed becomes one of the same kind.

Numbers = NDArray[Any]
MOST_KNOWN: Final = 1_000_000


@dataclass(frozen=True, eq=False)
class AnalysedColumn:
    """All terms of a column of texts, in their order: how many each text has, at which position, and which term.

    Positions count tokens from 0; a token that the analyser drops leaves its number unused.
    """

    terms: pl.Series  # the distinct ones, in the order of code points
    lengths: Numbers
    position: Numbers
    code: Numbers  # places in `terms`

    def by_text(self) -> list[list[tuple[str, int]]]:
        """The terms with their positions of each text."""
        names = self.terms.to_list()
        found = [(names[code], place) for code, place in zip(self.code.tolist(), self.position.tolist(), strict=True)]
        ends = np.cumsum(self.lengths).tolist()
        return [found[end - length : end] for end, length in zip(ends, self.lengths.tolist(), strict=True)]


class KnownTerms:
    """Terms of tokens that were seen before, so that each is worked out once for many columns."""

    def __init__(self) -> None:
        import polars as pl

        self.table = pl.DataFrame(schema={"token": pl.String, "term": pl.String})

    def terms_of(self, tokens: pl.Series, analyser: Analyser) -> pl.Series:
        """The term of each distinct token, null where it is dropped."""
        import polars as pl

        asked = pl.DataFrame({"token": tokens})
        new = asked.join(self.table, on="token", how="anti")["token"]
        if len(self.table) + len(new) > MOST_KNOWN:
            self.table, new = self.table.clear(), tokens
        terms = pl.Series("term", [analyser.term(token) for token in new], dtype=pl.String)
        self.table = pl.concat([self.table, pl.DataFrame({"token": new, "term": terms})])
        return asked.join(self.table, on="token", how="left", maintain_order="left")["term"]


@dataclass(frozen=True)
class Analyser(Named):
    """A tokenizer, steps that make a term of a token or drop it, and those of them that patterns go through."""

    tokenizer: ClassVar[Tokenizer]
    steps: ClassVar[tuple[Filter, ...]] = ()
    normalising: ClassVar[tuple[Filter, ...]] = ()
    joins_words: ClassVar[bool] = True  # whether words of a query that follow each other are one text

    def term(self, token: str) -> str | None:
        """The term of a token; None where it is dropped."""
        return _through_steps(self.steps, token)

    def normalise(self, text: str) -> str:
        """A part of a pattern, a bound of a range or a fuzzy term, made like the terms it is compared with."""
        return _through_steps(self.normalising, text) or ""

    def analyse(self, text: str) -> list[tuple[str, int]]:
        """The terms of one text with their positions. For many texts `analyse_column` is much faster."""
        found = ((self.term(token), place) for place, token in enumerate(self.tokenizer.split_text(text)))
        return [(term, place) for term, place in found if term is not None]

    def analyse_column(
        self, texts: pl.Series | Iterable[str | None], known: KnownTerms | None = None
    ) -> AnalysedColumn:
        """The terms of many texts; each distinct token is filtered once, and `known` keeps it for the next call."""
        import polars as pl

        column = texts if isinstance(texts, pl.Series) else pl.Series(list(texts), dtype=pl.String)
        tokens, counts = self.tokenizer.split(column)
        distinct = tokens.unique()
        terms = (known or KnownTerms()).terms_of(distinct, self)
        vocabulary = terms.drop_nulls().unique().sort()
        code = _places(terms, vocabulary)[_places(tokens, distinct)]
        kept = code >= 0
        ends = np.cumsum(counts, dtype=np.int64)
        position = np.arange(len(code), dtype=np.int32) - np.repeat((ends - counts).astype(np.int32), counts)
        lengths = np.diff(np.concatenate([[0], np.cumsum(kept, dtype=np.int32)])[np.concatenate([[0], ends])])
        return AnalysedColumn(vocabulary, lengths, position[kept], code[kept])


def _through_steps(steps: tuple[Filter, ...], word: str) -> str | None:
    found: str | None = word
    for step in steps:
        if not found:
            break
        found = step(found)
    return found or None


def _places(words: pl.Series, distinct: pl.Series) -> Numbers:
    """The place of each word among distinct ones; -1 for null."""
    import polars as pl

    if not len(distinct):
        return np.full(len(words), -1, dtype=np.int32)
    places = words.cast(pl.Enum(distinct)).to_physical().cast(pl.Int32)
    return places.fill_null(-1).to_numpy()


# Words as they are written.


@dataclass(frozen=True)
class Whitespace(Analyser):
    """Runs without white space, as they are written; a no-break space is part of a word."""

    name: ClassVar[str] = "whitespace"
    tokenizer: ClassVar[Tokenizer] = NOT_SPACE


# Words of any language, in lower case.


@dataclass(frozen=True)
class Standard(Analyser):
    """Unicode's words in lower case, without stop words and stems: for every language."""

    name: ClassVar[str] = "standard"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (lower,)
    normalising: ClassVar[tuple[Filter, ...]] = (lower,)


# English words by their stems.


@dataclass(frozen=True)
class English(Analyser):
    """Unicode's words without final 's, in lower case, without 33 stop words, by Porter's stems."""

    name: ClassVar[str] = "english"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (cut_possessive, lower, drop_english_stop_words, porter_stem)
    normalising: ClassVar[tuple[Filter, ...]] = (lower,)


# German words by their stems.


@dataclass(frozen=True)
class German(Analyser):
    """Unicode's words in lower case, without 231 stop words, umlauts spelled alike, by Savoy's light stems."""

    name: ClassVar[str] = "german"
    tokenizer: ClassVar[Tokenizer] = WORDS
    steps: ClassVar[tuple[Filter, ...]] = (lower, drop_german_stop_words, fold_german, german_light_stem)
    normalising: ClassVar[tuple[Filter, ...]] = (lower, fold_german)


# A text as one term: how ids are read.


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


# The tokens of one text with where they stand in it, and the terms that the analyser makes of them.


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

    >>> from rankscope.engines.text.analysers import ANALYSERS
    >>> [(each.term, each.start, each.end) for each in tokens_of("The foxes' den", ANALYSERS.parse("english"))]
    [(None, 0, 3), ('fox', 4, 9), ('den', 11, 14)]
    """
    found, end = [], 0
    for position, word in enumerate(analyser.tokenizer.split_text(text)):
        start = text.index(word, end)
        end = start + len(word)
        found.append(Token(position=position, start=start, end=end, text=word, term=analyser.term(word)))
    return found


# The analysers by name, in the order people read them.

ALL: dict[str, type[Analyser]] = {each.name: each for each in (Whitespace, Standard, English, German)}
GROUP = "rankscope.analysers"  # entry points of other packages
ANALYSERS: NamedCatalogue[Analyser] = NamedCatalogue("analyser", ALL, example="english", group=GROUP)
