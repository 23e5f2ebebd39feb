"""Which words of a text a query found, and the pieces of the text that have most of them, safe to show."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatchmethod
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from rankscope.core.names import visible
from rankscope.engines.text.analysers import Token, tokens_of
from rankscope.engines.text.index_columns import TermColumn
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.queries import PROHIBITED, BestOf, Boolean, Boost, Fuzzy, InField, Node, Phrase, Term
from rankscope.engines.text.regular_expressions import matching_terms, similar_terms


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
        places, found = _Places(self.reader, tokens), dict[int, MarkedWord]()
        for node, boost in wanted_parts(self.query):
            if node.field != self.field:
                continue
            for place in places.of(node):
                weight = boost * self._weight(node)
                if place not in found or weight > found[place].weight:
                    found[place] = MarkedWord(tokens[place].start, tokens[place].end, weight, str(node))
        return [found[place] for place in sorted(found)]

    def whole(self, text: str) -> Fragment:
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

    >>> from rankscope.engines.text.queries import Clause
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


class _Places:
    """Where the terms of one text stand, and by that parts of a query."""

    def __init__(self, reader: IndexReader, tokens: Sequence[Token]) -> None:
        self.reader, self.places = reader, dict[str, list[int]]()
        for token in tokens:
            if token.term is not None:
                self.places.setdefault(token.term, []).append(token.position)

    def _of_terms(self, terms: Iterable[str]) -> list[int]:
        return [place for term in terms for place in self.places.get(term, ())]

    @singledispatchmethod
    def of(self, node: InField) -> Iterable[int]:
        """The places of all terms of a pattern."""
        column = TermColumn.of(pl.Series(list(self.places), dtype=pl.String).sort())
        return self._of_terms(column[place] for place in matching_terms(node, column).tolist())

    @of.register
    def _(self, node: Term) -> Iterable[int]:
        return self._of_terms([node.text])

    @of.register
    def _(self, node: Fuzzy) -> Iterable[int]:
        return self._of_terms(similar_terms(self.reader, node))

    @of.register
    def _(self, node: Phrase) -> Iterable[int]:
        begins = [
            {place - offset: place for place in self.places.get(term, ())}
            for term, offset in zip(node.terms, node.positions, strict=True)
        ]
        found: set[int] = set()
        for first in {value for each in begins for value in each}:
            last = first + node.slop  # the phrase begins between these two places
            within = [[place for value, place in each.items() if first <= value <= last] for each in begins]
            if all(within) and len(set[int]().union(*within)) >= len(within):
                found.update(*within)
        return found


# Pieces of a marked text, safe to show: in HTML, on a terminal, or plain.

SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n\s*")
SPACE: Final = re.compile(r"\s+")
BOLD, NOT_BOLD = "\x1b[1m", "\x1b[0m"
REPEATED_WEIGHT: Final = 0.1  # what a word counts that the piece has already


class MarkedWord(NamedTuple):
    """Where one of the query's words stands: first sign, the one behind its last, weight, and what it is found by.

    Weights tell which piece of a text says most.
    """

    start: int
    end: int
    weight: float
    found_by: str


@dataclass(frozen=True)
class Fragment:
    """A piece of a text with the words of a query; places of marks count from the beginning of the piece.

    >>> piece = Fragment("a <b> fox", (MarkedWord(6, 9, 1.0, "body:fox"),), start=20)
    >>> piece.html(), piece.plain("[", "]")
    ('a &lt;b&gt; <mark>fox</mark>', 'a <b> [fox]')
    """

    text: str
    marks: tuple[MarkedWord, ...]
    start: int  # where the piece begins in the whole text

    @property
    def weight(self) -> float:
        """The weights of the words in it; what comes again counts a tenth."""
        best = {mark.found_by: mark.weight for mark in self.marks}
        return sum(best.values()) + REPEATED_WEIGHT * (sum(mark.weight for mark in self.marks) - sum(best.values()))

    def html(self, tag: str = "mark") -> str:
        """HTML in which nothing of the text is read as HTML."""
        return "".join(f"<{tag}>{html.escape(part)}</{tag}>" if marked else html.escape(part) for part, marked in self)

    def terminal(self) -> str:
        """One line with the words in bold; nothing of the text steers the terminal."""
        return "".join(f"{BOLD}{part}{NOT_BOLD}" if marked else part for part, marked in self._one_line())

    def plain(self, before: str = "", after: str = "") -> str:
        """One line with something before and after each word."""
        return "".join(f"{before}{part}{after}" if marked else part for part, marked in self._one_line())

    def __iter__(self) -> Iterator[tuple[str, bool]]:
        """The parts of the text, and whether each is one of the query's words."""
        end = 0
        for mark in self.marks:
            if mark.start > end:
                yield self.text[end : mark.start], False
            yield self.text[mark.start : mark.end], True
            end = mark.end
        if end < len(self.text):
            yield self.text[end:], False

    def _one_line(self) -> Iterator[tuple[str, bool]]:
        for part, marked in self:
            yield visible(SPACE.sub(" ", part)), marked


def best_fragments(text: str, marks: Sequence[MarkedWord], count: int, size: int) -> list[Fragment]:
    """The pieces that weigh most, in the order of the text; the first one where nothing is marked.

    >>> text = "A dog barked. A cat slept. A fox came. Nobody saw it."
    >>> [each.text for each in best_fragments(text, [MarkedWord(29, 32, 1.0, "fox")], count=1, size=20)]
    ['A fox came.']
    """
    pieces = []
    for start, end in cut_text(text, marks, size):
        inside = [mark for mark in marks if start <= mark.start and mark.end <= end]
        moved = (mark._replace(start=mark.start - start, end=mark.end - start) for mark in inside)
        pieces.append(Fragment(text[start:end], tuple(moved), start))
    best = sorted((each for each in pieces if each.marks), key=lambda each: -each.weight)[:count]
    return sorted(best, key=lambda each: each.start) or pieces[:1]


def cut_text(text: str, marks: Sequence[MarkedWord], size: int) -> Iterator[tuple[int, int]]:
    """Where pieces of at most about `size` signs begin and end: whole sentences, or words where one is too long.

    None of the query's words is cut.
    """
    begin = end = 0
    # Where sentences and lines begin and end, without the space around them.
    breaks = [(0, 0), *(found.span() for found in SENTENCE_END.finditer(text)), (len(text), len(text))]
    for (_, start), (stop, _) in pairwise(breaks):
        if not text[start:stop].strip():
            continue
        if end > begin and stop - begin > size:
            yield from _shorter(text, marks, begin, end, size)
            begin = start
        end = stop
    if end > begin:
        yield from _shorter(text, marks, begin, end, size)


def _shorter(text: str, marks: Sequence[MarkedWord], begin: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """One piece, or several where it is too long, cut at spaces where there are any."""
    while end - begin > size:
        space = text.rfind(" ", begin + size // 2, begin + size)
        cut = space if space > begin else begin + size
        cut = next((mark.end for mark in marks if mark.start < cut < mark.end), cut)
        if cut >= end:
            break
        yield begin, cut
        begin = cut + (text[cut : cut + 1] == " ")
    if end > begin:
        yield begin, end
