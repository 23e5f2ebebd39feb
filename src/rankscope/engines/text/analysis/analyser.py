"""An analyser: how texts become terms, and how a pattern that is not analysed becomes one of the same kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankscope.arrays import IntArray
from rankscope.engines.text.analysis.filters import Filter
from rankscope.engines.text.analysis.tokenizers import Tokenizer
from rankscope.notation import Named

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class AnalysedColumn:
    """All terms of a column of texts, in their order: in which text, at which position, and which term.

    Positions count tokens from 0; a token that the analyser drops leaves its number unused.
    """

    terms: list[str]  # the distinct ones
    text: IntArray
    position: IntArray
    code: IntArray  # places in `terms`

    def by_text(self, count: int) -> list[list[tuple[str, int]]]:
        """The terms with their positions of each of `count` texts."""
        found: list[list[tuple[str, int]]] = [[] for _ in range(count)]
        for text, position, code in zip(self.text.tolist(), self.position.tolist(), self.code.tolist(), strict=True):
            found[text].append((self.terms[code], position))
        return found


@dataclass(frozen=True)
class Analyser(Named):
    """A tokenizer, steps that make a term of a token or drop it, and those of them that patterns go through."""

    tokenizer: ClassVar[Tokenizer]
    steps: ClassVar[tuple[Filter, ...]] = ()
    normalising: ClassVar[tuple[Filter, ...]] = ()

    def term(self, token: str) -> str | None:
        """The term of a token; None where it is dropped."""
        return _through(self.steps, token)

    def normalise(self, text: str) -> str:
        """A part of a pattern, a bound of a range or a fuzzy term, made like the terms it is compared with."""
        return _through(self.normalising, text) or ""

    def analyse(self, text: str) -> list[tuple[str, int]]:
        """The terms of one text with their positions. For many texts `analyse_column` is much faster."""
        return self.analyse_column([text]).by_text(1)[0]

    def analyse_column(
        self, texts: pl.Series | Iterable[str | None], known: dict[str, str | None] | None = None
    ) -> AnalysedColumn:
        """The terms of many texts; each distinct token is filtered once.

        `known` keeps terms of tokens from one call to the next.
        """
        import polars as pl

        column = texts if isinstance(texts, pl.Series) else pl.Series(list(texts), dtype=pl.String)
        tokens = self.tokenizer.split(column)
        lengths = tokens.list.len().to_numpy().astype(np.int64)
        flat = tokens.filter(lengths > 0).explode()
        distinct, code = _codes(flat)
        starts = np.cumsum(lengths) - lengths
        text = np.repeat(np.arange(len(lengths)), lengths)
        position = np.arange(len(flat)) - np.repeat(starts, lengths)
        return _filtered(AnalysedColumn(distinct, text, position, code), self._terms_of(distinct, known))

    def _terms_of(self, tokens: list[str], known: dict[str, str | None] | None) -> list[str | None]:
        if known is None:
            return [self.term(token) for token in tokens]
        for token in tokens:
            if token not in known:
                known[token] = self.term(token)
        return [known[token] for token in tokens]


def _through(steps: tuple[Filter, ...], word: str) -> str | None:
    found: str | None = word
    for step in steps:
        if not found:
            break
        found = step(found)
    return found or None


def _codes(tokens: pl.Series) -> tuple[list[str], IntArray]:
    """The distinct tokens, and the place among them of each token."""
    import polars as pl

    distinct = tokens.unique()
    codes = tokens.cast(pl.Enum(distinct)).to_physical().to_numpy()
    return distinct.to_list(), codes.astype(np.int64)


def _filtered(tokens: AnalysedColumn, terms: list[str | None]) -> AnalysedColumn:
    """The column with terms in place of tokens, without those that are dropped."""
    places: dict[str, int] = {}
    target = np.array([-1 if term is None else places.setdefault(term, len(places)) for term in terms], dtype=np.int64)
    code = target[tokens.code] if len(target) else tokens.code
    kept = code >= 0
    return AnalysedColumn(list(places), tokens.text[kept], tokens.position[kept], code[kept])
