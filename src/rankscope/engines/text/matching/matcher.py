"""From a query to the documents that match, with their scores: each kind of node by its own method."""

from __future__ import annotations

from functools import singledispatchmethod

import numpy as np

from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.index.statistics import TermStatistics
from rankscope.engines.text.matching.cache import MatchCache
from rankscope.engines.text.matching.fuzzy import similar_terms
from rankscope.engines.text.matching.matches import Matches, any_matches, total_scores
from rankscope.engines.text.matching.patterns import pattern_mask
from rankscope.engines.text.matching.phrases import phrase_frequencies
from rankscope.engines.text.matching.terms import TermSource
from rankscope.engines.text.matching.time_limit import check_time
from rankscope.engines.text.query.nodes import (
    BestOf,
    Boolean,
    Boost,
    Fuzzy,
    InField,
    MatchAll,
    MatchNothing,
    Node,
    Phrase,
    Prefix,
    Range,
    Regex,
    Term,
    Wildcard,
)
from rankscope.engines.text.similarities.bm25f import BM25F
from rankscope.engines.text.similarities.similarity import Similarity


class Matcher:
    """Matches queries in an index under one similarity. Scores are rounded to 32 bits once for each node."""

    def __init__(
        self, reader: IndexReader, similarity: Similarity, default_field: str, cache: MatchCache | None = None
    ) -> None:
        self.reader, self.similarity, self.cache = reader, similarity, cache or MatchCache()
        combining = similarity if isinstance(similarity, BM25F) else None
        self.source = TermSource(reader, combining, default_field)

    @singledispatchmethod
    def matches(self, node: Node, boost: float = 1.0) -> Matches:
        """The documents that match a node, deleted ones among them."""
        raise TypeError(f"no way to match {type(node).__name__}")

    @matches.register
    def _(self, node: Term, boost: float = 1.0) -> Matches:
        return self.term_matches(node, boost)

    @matches.register
    def _(self, node: Boost, boost: float = 1.0) -> Matches:
        return self.matches(node.query, float(np.float32(boost) * np.float32(node.factor)))

    @matches.register
    def _(self, node: MatchAll, boost: float = 1.0) -> Matches:
        return Matches.constant(np.ones(self.reader.count, dtype=bool), boost)

    @matches.register
    def _(self, node: MatchNothing, boost: float = 1.0) -> Matches:
        return Matches.nothing(self.reader.count)

    @matches.register(Prefix)
    @matches.register(Wildcard)
    @matches.register(Regex)
    @matches.register(Range)
    def _(self, node: InField, boost: float = 1.0) -> Matches:
        check_time()
        return Matches.constant(pattern_mask(self.reader, node), boost)

    @matches.register
    def _(self, node: Fuzzy, boost: float = 1.0) -> Matches:
        check_time()
        terms = self.fuzzy_terms(node)
        shared = self.shared_statistics([term for term, _ in terms])
        parts = [self.term_matches(term, boost * similarity, shared) for term, similarity in terms]
        return self._any(parts)

    @matches.register
    def _(self, node: Phrase, boost: float = 1.0) -> Matches:
        check_time()
        docs, frequencies = phrase_frequencies(self.reader, node)
        terms = [self.reader.term(node.field, term) for term in node.terms]
        lengths = self.reader.lengths(node.field)[docs]
        scores = self.similarity.score(frequencies, lengths, terms, self.reader.field(node.field), boost)
        return Matches(docs, scores, self.reader.count)

    @matches.register
    def _(self, node: Boolean, boost: float = 1.0) -> Matches:
        required = [self.matches(each, boost) for each in node.required]
        optional = [self.matches(each, boost) for each in node.optional]
        if not required and not optional:
            return Matches.nothing(self.reader.count)
        total = total_scores([*required, *optional], self.reader.count)
        mask = _all(required) if required else any_matches(optional, self.reader.count, total)
        if node.minimum:
            mask &= _counts(optional, self.reader.count) >= node.minimum
        for each in node.prohibited:
            mask[self.matches(each).docs] = False
        docs = np.flatnonzero(mask)
        return Matches(docs, total[docs].astype(np.float32), self.reader.count)

    @matches.register
    def _(self, node: BestOf, boost: float = 1.0) -> Matches:
        parts = [self.matches(each, boost) for each in node.queries]
        best = np.zeros(self.reader.count)
        mask = np.zeros(self.reader.count, dtype=bool)
        for part in parts:
            best[part.docs] = np.where(mask[part.docs], np.maximum(best[part.docs], part.scores), part.scores)
            mask[part.docs] = True
        docs = np.flatnonzero(mask)
        rest = total_scores(parts, self.reader.count)[docs] - best[docs]
        return Matches(docs, (best[docs] + rest * np.float32(node.others)).astype(np.float32), self.reader.count)

    def term_matches(self, node: Term, boost: float = 1.0, shared: TermStatistics | None = None) -> Matches:
        """The documents of a term; its statistics may be shared by several terms."""
        check_time()
        key = (self.similarity, node, boost, shared)
        return self.cache.get(key, lambda: self._term(node, boost, shared))

    def _term(self, node: Term, boost: float, shared: TermStatistics | None) -> Matches:
        found = self.source.find(node.field, node.text)
        if not len(found.docs):
            return Matches.nothing(self.reader.count)
        scores = self.similarity.score(found.frequencies, found.lengths, [shared or found.term], found.field, boost)
        return Matches(found.docs, scores, self.reader.count)

    def fuzzy_terms(self, node: Fuzzy) -> list[tuple[Term, float]]:
        """The terms that a fuzzy one stands for, with how similar they are."""
        return [(Term(node.field, term), similar) for term, similar in similar_terms(self.reader, node).items()]

    def shared_statistics(self, terms: list[Term]) -> TermStatistics | None:
        """What all terms of a fuzzy one score with: the largest n, and the sum of F."""
        each = [self.source.statistics(term.field, term.text) for term in terms]
        if not each:
            return None
        return TermStatistics(max(one.documents for one in each), sum(one.occurrences for one in each))

    def _any(self, parts: list[Matches]) -> Matches:
        total = total_scores(parts, self.reader.count)
        docs = np.flatnonzero(any_matches(parts, self.reader.count, total))
        return Matches(docs, total[docs].astype(np.float32), self.reader.count)


def _all(parts: list[Matches]) -> Numbers:
    mask = parts[0].mask()
    for part in parts[1:]:
        mask &= part.mask()
    return mask


def _counts(parts: list[Matches], count: int) -> Numbers:
    """How many of some parts each document matches."""
    found = np.zeros(count, dtype=np.int32)
    for part in parts:
        found[part.docs] += 1
    return found
