"""More documents like this one: a query of the words that say most about a text, as Lucene's MoreLikeThis makes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.matching.time_limit import check_time
from rankscope.engines.text.query.nodes import Boolean, Boost, Clause, MatchNothing, Node, Term


@dataclass(frozen=True)
class MoreLikeThis:
    """Which words of texts join the query: those that occur often enough, in neither too few nor too many documents.

    Of these the `most_terms` with the highest tf x idf, idf = ln((N + 1)/(n + 1)) + 1. With `boost` each counts as much
    as its weight next to the highest.
    """

    least_occurrences: int = 2
    least_documents: int = 5
    most_documents: int | None = None
    most_terms: int = 25
    shortest: int = 0
    longest: int = 0  # 0: any length
    boost: bool = False

    def query(self, reader: IndexReader, texts: Iterable[tuple[str, str]]) -> Node:
        """The query that texts, each with its field, give.

        >>> from rankscope.engines.text import Index
        >>> reader = Index.build([{"id": "a", "body": "fox fox den"}, {"id": "b", "body": "a fox, a dog"}]).reader
        >>> print(MoreLikeThis(least_documents=1).query(reader, [("body", "foxes, a fox and a dog")]))
        body:fox
        """
        counts: Counter[Term] = Counter()
        for field, text in texts:
            counts.update(Term(field, word) for word, _ in reader.analysers[field].analyse(text))
        weights = self._weights(reader, counts)
        best = sorted(weights, key=lambda term: (-weights[term], term.field, term.text))[: self.most_terms]
        return self._joined(best, [weights[term] for term in best])

    def _weights(self, reader: IndexReader, counts: Counter[Term]) -> dict[Term, float]:
        found = {}
        for term, count in counts.items():
            check_time()
            there = reader.term(term.field, term.text).documents
            if count >= self.least_occurrences and self._may_join(term.text, there):
                found[term] = count * (float(np.log((reader.count + 1) / (there + 1))) + 1)
        return found

    def _may_join(self, word: str, documents: int) -> bool:
        fits = len(word) >= self.shortest and (not self.longest or len(word) <= self.longest)
        rare = self.most_documents is None or documents <= self.most_documents
        return fits and rare and documents >= max(self.least_documents, 1)

    def _joined(self, terms: Sequence[Term], weights: Sequence[float]) -> Node:
        if not terms:
            return MatchNothing()
        factors = [weight / weights[0] for weight in weights] if self.boost else [1.0] * len(terms)
        parts = [Boost(term, each) if each != 1 else term for term, each in zip(terms, factors, strict=True)]
        return Boolean(tuple(map(Clause, parts)))
