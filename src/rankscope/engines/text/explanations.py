"""How the score of one document is made, and how a query is read, as trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatchmethod

import numpy as np

from rankscope.engines.text.matching import Matcher, phrase_frequencies
from rankscope.engines.text.queries import (
    PROHIBITED,
    REQUIRED,
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
    simplify,
)
from rankscope.engines.text.regular_expressions import matching_terms
from rankscope.engines.text.searching import Searcher
from rankscope.engines.text.similarities import Explanation, TermStatistics

NO_MATCH = "does not match"


def explain_score(searcher: Searcher, query: Node, number: int) -> Explanation:
    """How the score of the document of this number is made; 0 where it does not match."""
    return Explainer(searcher.matcher, number).explain(simplify(query), 1.0)


class Explainer:
    """Explains the score of one document, node by node."""

    def __init__(self, matcher: Matcher, number: int) -> None:
        self.matcher, self.number = matcher, number

    @singledispatchmethod
    def explain(self, node: Node, boost: float) -> Explanation:
        """The score of a node; what has no formula scores its boost."""
        found = self.matcher.matches(node, boost)
        return Explanation(boost, str(node)) if self._has(found.docs) else self._nothing(node)

    @explain.register
    def _(self, node: Boost, boost: float) -> Explanation:
        return self.explain(node.query, float(np.float32(boost) * np.float32(node.factor)))

    @explain.register
    def _(self, node: Term, boost: float) -> Explanation:
        return self._term(node, boost, None)

    @explain.register
    def _(self, node: Fuzzy, boost: float) -> Explanation:
        terms = self.matcher.fuzzy_terms(node)
        shared = self.matcher.shared_statistics([term for term, _ in terms])
        parts = [self._term(term, boost * similar, shared) for term, similar in terms]
        return self._sum(node, [part for part in parts if not part.text.endswith(NO_MATCH)])

    @explain.register
    def _(self, node: Phrase, boost: float) -> Explanation:
        reader = self.matcher.reader
        docs, frequencies = phrase_frequencies(reader, node)
        if not self._has(docs):
            return self._nothing(node)
        frequency = float(frequencies[np.searchsorted(docs, self.number)])
        terms = [reader.term(node.field, term) for term in node.terms]
        length = float(reader.lengths(node.field)[self.number])
        found = self.matcher.similarity.explain(frequency, length, terms, reader.field(node.field), boost)
        return Explanation(found.value, str(node), (found,))

    @explain.register
    def _(self, node: Boolean, boost: float) -> Explanation:
        if not self._has(self.matcher.matches(node, boost).docs):
            return self._nothing(node)
        parts = [self.explain(each, boost) for each in (*node.required, *node.optional)]
        return self._sum(node, [part for part in parts if not part.text.endswith(NO_MATCH)])

    @explain.register
    def _(self, node: BestOf, boost: float) -> Explanation:
        explained = [self.explain(each, boost) for each in node.queries]
        parts = [part for part in explained if not part.text.endswith(NO_MATCH)]
        if not parts:
            return self._nothing(node)
        values = [part.value for part in parts]
        value = float(np.float32(max(values) + (sum(values) - max(values)) * np.float32(node.others)))
        rest = f" and {node.others:g} of the others" if node.others else ""
        return Explanation(value, f"{node}: the best{rest} of", tuple(parts))

    def _term(self, node: Term, boost: float, shared: TermStatistics | None) -> Explanation:
        found = self.matcher.source.find(node.field, node.text)
        if not self._has(found.docs):
            return self._nothing(node)
        place = int(np.searchsorted(found.docs, self.number))
        frequency, length = float(found.frequencies[place]), float(found.lengths[place])
        similarity = self.matcher.similarity
        inner = similarity.explain(frequency, length, [shared or found.term], found.field, boost)
        return Explanation(inner.value, str(node), (inner,))

    def _sum(self, node: Node, parts: list[Explanation]) -> Explanation:
        if not parts:
            return self._nothing(node)
        total = float(np.float32(sum(part.value for part in parts)))
        return Explanation(total, f"{node}: sum of", tuple(parts))

    def _nothing(self, node: Node) -> Explanation:
        return Explanation(0.0, f"{node} {NO_MATCH}")

    def _has(self, docs: np.ndarray) -> bool:
        place = int(np.searchsorted(docs, self.number))
        return place < len(docs) and int(docs[place]) == self.number


# A parsed query as a tree: what each part is, how it is written, and how many documents match it.

NODE_KINDS: dict[type[Node], str] = {
    MatchAll: "every document",
    MatchNothing: "nothing",
    Term: "term",
    Phrase: "phrase",
    Prefix: "prefix",
    Wildcard: "wildcard",
    Regex: "regular expression",
    Fuzzy: "fuzzy term",
    Range: "range",
    Boost: "boost",
    BestOf: "best of",
    Boolean: "group",
}
OCCURS = {REQUIRED: "required", PROHIBITED: "prohibited"}


@dataclass(frozen=True)
class QueryTree:
    """A part of a query: its kind, how it prints, documents that match, terms that a pattern stands for, its parts.

    `role` is that of a clause in its group: required, optional or prohibited; empty elsewhere.
    """

    kind: str
    text: str
    documents: int
    terms: int | None = None
    role: str = ""
    parts: tuple[QueryTree, ...] = ()


def tree_of(query: Node, matcher: Matcher, role: str = "") -> QueryTree:
    """The tree of a query in the index of a matcher; deleted documents count as those that match do."""
    if isinstance(query, Boolean):
        parts = [tree_of(each.query, matcher, OCCURS.get(each.occur, "optional")) for each in query.clauses]
    else:
        parts = [tree_of(each, matcher) for each in query.children]
    return QueryTree(
        kind=NODE_KINDS[type(query)],
        text=str(query),
        documents=len(matcher.matches(query, 1.0).docs),
        terms=_pattern_terms(query, matcher),
        role=role,
        parts=tuple(parts),
    )


def _pattern_terms(query: Node, matcher: Matcher) -> int | None:
    """How many terms a pattern stands for; None for what is no pattern."""
    if isinstance(query, Fuzzy):
        return len(matcher.fuzzy_terms(query))
    if not isinstance(query, InField) or isinstance(query, Term | Phrase):
        return None
    found: set[str] = set()
    for _, columns in matcher.reader.columns(query.field):
        found.update(columns.terms[place] for place in matching_terms(query, columns.terms).tolist())
    return len(found)
