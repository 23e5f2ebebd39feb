"""Expansion without a user: the first documents of a ranking pass for those that are wanted."""

from __future__ import annotations

from rankscope.engines.text.expansion.expansion import Expansion, FeedbackDocuments
from rankscope.engines.text.query.nodes import Boolean, Boost, Clause, MatchNothing, Node, Term
from rankscope.engines.text.query.simplifying import simplify
from rankscope.engines.text.searching import Searcher, bag_of_words
from rankscope.errors import SettingError


def expand_query(searcher: Searcher, query: Node, field: str, expansion: Expansion) -> Node:
    """The query with the words of its own first documents; what finds nothing stays as it is.

    Where documents that are not wanted count, the last of the ranking pass for them.
    """
    words = words_of(query, field)
    whole = None if expansion.uses_disliked else expansion.documents
    hits = searcher.search(query, whole)
    if not words or not len(hits):
        return query
    last = hits.docs[expansion.documents :][-expansion.documents :]
    best = hits.docs[: expansion.documents]
    liked = expansion.feedback(searcher.reader, field, best, hits.scores[: len(best)])
    disliked: FeedbackDocuments | None = None
    if expansion.uses_disliked and len(last):
        disliked = expansion.feedback(searcher.reader, field, last, hits.scores[-len(last) :])
    return weighted_words(expansion.expand(words, liked, disliked), field)


def words_of(query: Node, field: str) -> dict[str, float]:
    """The words of a query with their weights; a query of anything else than words of one field is an error."""
    if isinstance(query, MatchNothing):
        return {}
    bag = bag_of_words(simplify(query))
    if bag is None or any(term.field != field for term in bag):
        raise SettingError(
            f"only words of one field can be expanded, and '{query}' is more than words of {field}: leave out phrases,"
            " patterns, + and -, or search without expansion"
        )
    return {term.text: weight for term, weight in bag.items()}


def weighted_words(weights: dict[str, float], field: str) -> Node:
    """The query that asks for any of some words, each with its weight.

    >>> print(weighted_words({"fox": 1.0, "dog": 0.25}, "body"))
    body:fox (body:dog)^0.25
    """
    clauses = [Clause(_weighted(Term(field, word), weight)) for word, weight in weights.items()]
    return Boolean(tuple(clauses)) if clauses else MatchNothing()


def _weighted(term: Term, weight: float) -> Node:
    return term if weight == 1 else Boost(term, weight)
