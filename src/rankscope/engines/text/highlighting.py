"""Which words of a text a query found: the text is analysed again, and the words of the query are marked in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatchmethod

import numpy as np

from rankscope.engines.text.analysis.tokens import Token, tokens_of
from rankscope.engines.text.fragments import Fragment, MarkedWord, best_fragments
from rankscope.engines.text.index.columns import TermColumn
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.matching.fuzzy import similar_terms
from rankscope.engines.text.matching.patterns import matching_terms
from rankscope.engines.text.query.nodes import PROHIBITED, BestOf, Boolean, Boost, Fuzzy, InField, Node, Phrase, Term


@dataclass(frozen=True)
class Highlighter:
    """Marks the words of one query in texts of one field.

    Words, those of fuzzy terms and patterns, and the words of phrases where these stand together; nothing of what is
    prohibited, and nothing of other fields.
    """

    reader: IndexReader
    query: Node
    field: str

    def marks(self, text: str) -> list[MarkedWord]:
        """The words of the query in a text, in order; each once, with the rarest that it was found by."""
        tokens = tokens_of(text, self.reader.analysers[self.field])
        document = _AnalysedText(tokens)
        found: dict[int, MarkedWord] = {}
        for node, boost in wanted_parts(self.query):
            if node.field != self.field:
                continue
            for place in _Places(self.reader, document).of(node):
                weight = boost * self._weight(node)
                if place not in found or weight > found[place].weight:
                    found[place] = MarkedWord(tokens[place].start, tokens[place].end, weight, str(node))
        return [found[place] for place in sorted(found)]

    def whole(self, text: str) -> Fragment:
        """The whole text, marked."""
        return Fragment(text, tuple(self.marks(text)), 0)

    def fragments(self, text: str, count: int = 3, size: int = 160) -> list[Fragment]:
        """The pieces of a text that have most of the query, in their order; its beginning where it has nothing."""
        return best_fragments(text, self.marks(text), count, size)

    def _weight(self, node: InField) -> float:
        """How rare a word is, or all words of a phrase; a pattern weighs 1."""
        if isinstance(node, Term):
            return self._rarity(node.text)
        return sum(map(self._rarity, node.terms)) if isinstance(node, Phrase) else 1.0

    def _rarity(self, term: str) -> float:
        documents, there = self.reader.field(self.field).documents, self.reader.term(self.field, term).documents
        return float(np.log1p((documents - there + 0.5) / (there + 0.5)))


def wanted_parts(query: Node, boost: float = 1.0) -> Iterator[tuple[InField, float]]:
    """The parts of a query that look at terms, with their boosts, but for what is prohibited.

    >>> from rankscope.engines.text.query.nodes import Clause
    >>> fox, dog = Term("body", "fox"), Term("body", "dog")
    >>> [(str(part), boost) for part, boost in wanted_parts(Boolean((Clause(Boost(fox, 2.0)), Clause(dog, "-"))))]
    [('body:fox', 2.0)]
    """
    if isinstance(query, InField):
        yield query, boost
    elif isinstance(query, BestOf):
        for each in query.queries:
            yield from wanted_parts(each, boost)
    elif isinstance(query, Boost):
        yield from wanted_parts(query.query, boost * query.factor)
    elif isinstance(query, Boolean):
        for clause in query.clauses:
            if clause.occur != PROHIBITED:
                yield from wanted_parts(clause.query, boost)


class _AnalysedText:
    """The terms of one text, and where each of them stands."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.places: dict[str, list[int]] = {}
        for token in tokens:
            if token.term is not None:
                self.places.setdefault(token.term, []).append(token.position)

    def column(self) -> TermColumn:
        """The distinct terms, as an index keeps them."""
        import polars as pl

        return TermColumn.of(pl.Series(list(self.places), dtype=pl.String).sort())

    def of_terms(self, terms: Iterable[str]) -> list[int]:
        """Where any of these terms stands."""
        return [place for term in terms for place in self.places.get(term, ())]


@dataclass(frozen=True)
class _Places:
    """Where parts of a query stand in one text."""

    reader: IndexReader
    text: _AnalysedText

    @singledispatchmethod
    def of(self, node: InField) -> Iterable[int]:
        """The places of all terms of a pattern."""
        column = self.text.column()
        return self.text.of_terms(column[place] for place in matching_terms(node, column).tolist())

    @of.register
    def _(self, node: Term) -> Iterable[int]:
        return self.text.of_terms([node.text])

    @of.register
    def _(self, node: Fuzzy) -> Iterable[int]:
        return self.text.of_terms(similar_terms(self.reader, node))

    @of.register
    def _(self, node: Phrase) -> Iterable[int]:
        begins = [
            {place - offset: place for place in self.text.places.get(term, ())}
            for term, offset in zip(node.terms, node.positions, strict=True)
        ]
        found: set[int] = set()
        for first in {value for each in begins for value in each}:
            within = [_between(each, first, first + node.slop) for each in begins]
            if all(within) and len(set[int]().union(*within)) >= len(within):
                found.update(*within)
        return found


def _between(values: dict[int, int], lowest: int, highest: int) -> list[int]:
    """The places of a word at which the phrase would begin between two places."""
    return [place for value, place in values.items() if lowest <= value <= highest]
