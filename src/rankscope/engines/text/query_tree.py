"""A parsed query as a tree: what each part is, how it is written, and how many documents match it."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.engines.text.matching.matcher import Matcher
from rankscope.engines.text.matching.patterns import matching_terms
from rankscope.engines.text.query.nodes import (
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
)

KINDS: dict[type[Node], str] = {
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
        kind=KINDS[type(query)],
        text=str(query),
        documents=len(matcher.matches(query, 1.0).docs),
        terms=_terms(query, matcher),
        role=role,
        parts=tuple(parts),
    )


def _terms(query: Node, matcher: Matcher) -> int | None:
    """How many terms a pattern stands for; None for what is no pattern."""
    if isinstance(query, Fuzzy):
        return len(matcher.fuzzy_terms(query))
    if not isinstance(query, InField) or isinstance(query, Term | Phrase):
        return None
    found: set[str] = set()
    for _, columns in matcher.reader.columns(query.field):
        found.update(columns.terms[place] for place in matching_terms(query, columns.terms).tolist())
    return len(found)
