"""Searching: all documents that match in order, the first few of them, or the scores of every document."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.text.hits import Hits
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.matching.cache import MatchCache
from rankscope.engines.text.matching.matcher import Matcher
from rankscope.engines.text.matching.matches import Matches, any_matches, total_scores
from rankscope.engines.text.ordering import best_first, best_places
from rankscope.engines.text.query.nodes import Boolean, Boost, Clause, Node, Term
from rankscope.engines.text.query.simplifying import simplify
from rankscope.engines.text.similarities.similarity import Similarity

ROUNDING = 2.0**-22  # of a sum of few numbers in 32 bits, with much to spare


class Searcher:
    """Searches an index under one similarity."""

    def __init__(
        self, reader: IndexReader, similarity: Similarity, default_field: str, cache: MatchCache | None = None
    ) -> None:
        self.reader = reader
        self.matcher = Matcher(reader, similarity, default_field, cache)

    def search(self, query: Node, limit: int | None = None) -> Hits:
        """The documents that match a query, the best first; `limit` is how many of them are wanted."""
        simple = simplify(query)
        bag = bag_of_words(simple)
        if bag is not None and limit is not None and self.reader.count:
            return self._first(bag, limit)
        scores, mask = self.all_scores(simple)
        docs = np.flatnonzero(mask)
        return self._hits(docs, scores[docs], limit)

    def all_scores(self, query: Node) -> tuple[NDArray[np.float32], Numbers]:
        """The score of every document, and whether it matches; deleted documents match nothing."""
        simple = simplify(query)
        bag = bag_of_words(simple)
        parts = [self.matcher.matches(simple)] if bag is None else self._parts(bag)
        total = total_scores(parts, self.reader.count)
        mask = any_matches(parts, self.reader.count, total)
        if self.reader.deleted is not None:
            mask = mask & ~self.reader.deleted
        return total.astype(np.float32), mask

    def weighted_scores(self, weights: Mapping[Term, float]) -> tuple[NDArray[np.float32], Numbers]:
        """As `all_scores`, for a bag of words with weights."""
        return self.all_scores(Boolean(tuple(_clause(term, weight) for term, weight in weights.items())))

    def _parts(self, bag: Mapping[Term, float]) -> list[Matches]:
        return [self.matcher.term_matches(term, boost) for term, boost in bag.items()]

    def _first(self, bag: Mapping[Term, float], limit: int) -> Hits:
        """The best of a bag of words: found with sums in 32 bits, then scored as always."""
        parts = self._parts(bag)
        if not all(part.positive for part in parts):
            scores, mask = self.all_scores(Boolean(tuple(_clause(term, boost) for term, boost in bag.items())))
            docs = np.flatnonzero(mask)
            return self._hits(docs, scores[docs], limit)
        rough = _rough_scores(parts, self.reader.count)
        if self.reader.deleted is not None:
            rough[self.reader.deleted] = 0
        highest = sum(part.highest for part in parts)
        docs = best_places(rough, limit, highest * ROUNDING * len(parts))
        docs = docs[rough[docs] > 0]
        exact = np.zeros(len(docs))
        for part in parts:
            exact += part.at(docs)
        return self._hits(docs, exact.astype(np.float32), limit, int(np.count_nonzero(rough)))

    def _hits(self, docs: Numbers, scores: NDArray[np.float32], limit: int | None, total: int | None = None) -> Hits:
        order = best_first(scores)[:limit]
        return Hits(docs[order], scores[order], len(docs) if total is None else total, self.reader)


def bag_of_words(query: Node) -> dict[Term, float] | None:
    """The terms of a query with their boosts, where it is nothing but optional terms; None for all other queries.

    >>> bag_of_words(Boolean((_clause(Term("body", "fox"), 2.0), _clause(Term("body", "dog"), 1.0))))
    {Term(field='body', text='fox'): 2.0, Term(field='body', text='dog'): 1.0}
    """
    if isinstance(query, Term):
        return {query: 1.0}
    if isinstance(query, Boost):
        return {query.query: query.factor} if isinstance(query.query, Term) else None
    if not isinstance(query, Boolean) or query.required or query.prohibited or query.minimum > 1:
        return None
    found: dict[Term, float] = {}
    for each in query.optional:
        inner, boost = (each.query, each.factor) if isinstance(each, Boost) else (each, 1.0)
        if not isinstance(inner, Term) or inner in found:
            return None
        found[inner] = boost
    return found


def _rough_scores(parts: list[Matches], count: int) -> NDArray[np.float32]:
    total = np.zeros(count, dtype=np.float32)
    for part in parts:
        if part.whole is not None:
            np.add(total, part.whole, out=total)
        else:
            total[part.docs] += part.scores
    return total


def _clause(term: Term, boost: float) -> Clause:
    return Clause(Boost(term, boost) if boost != 1 else term)
