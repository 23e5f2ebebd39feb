"""A question to an index and its answer, whichever way in it came by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from rankscope.engines.text.explaining import explain_score
from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.segment import ID
from rankscope.engines.text.query.nodes import REQUIRED, Boolean, Boost, Clause, InField, MatchAll, MatchNothing, Node
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.service.served import Served

SCORE: Final = "\0score"  # no field has this name
POSITION: Final = "\0position"  # in the index
Operator = Literal["OR", "AND"]


@dataclass(frozen=True)
class SortKey:
    """What documents are sorted by: their score, their place in the index, or the text of a field."""

    by: str
    descending: bool


@dataclass(frozen=True, eq=False)
class AnswerPage:
    """Some documents of an answer, in their order; `total` match in all, and `best` is the highest score of all."""

    docs: list[int]
    scores: list[float]
    total: int
    best: float | None


def read_query(served: Served, text: str, field: str, operator: Operator, limits: ServiceLimits) -> Node:
    """What a query means; one that is too long or speaks of a field that is not there is refused.

    Where all of it is prohibited, all other documents are meant, as in Solr and OpenSearch.
    """
    check_length(text, limits)
    if not text.strip():
        return MatchNothing()
    node = served.index.parse(text, field, operator, leading=True)
    check_fields(served, node)
    return all_but(node)


def all_but(node: Node) -> Node:
    """A query that is nothing but prohibitions as one of all other documents; all else as it is.

    >>> from rankscope.engines.text.query.nodes import PROHIBITED, Term
    >>> print(all_but(Boolean((Clause(Term("body", "fox"), PROHIBITED),))))
    -body:fox *:*
    """
    if isinstance(node, Boolean) and node.prohibited and not node.required and not node.optional:
        return Boolean((*node.clauses, Clause(MatchAll())))
    return node


def check_length(text: str, limits: ServiceLimits) -> None:
    """Refuse a query that is too long."""
    if len(text.encode()) > limits.query_bytes:
        raise Refusal(400, f"the query has {len(text.encode()):,} bytes, and at most {limits.query_bytes:,} are read")


def check_fields(served: Served, node: Node) -> None:
    """Refuse a query of a field that no document has: it would only ever find nothing."""
    known = {*served.index.fields, ID}
    if isinstance(node, InField) and node.field not in known:
        served.index.reader.need_field(node.field)
    for child in node.children:
        check_fields(served, child)


def check_size(node: Node, limits: ServiceLimits) -> None:
    """Refuse a query of too many clauses, or of groups in groups without end."""
    clauses, levels = _size(node)
    if clauses > limits.clauses:
        raise Refusal(400, f"the query has {clauses:,} clauses, and at most {limits.clauses:,} are searched for")
    if levels > limits.levels:
        raise Refusal(400, f"groups stand in each other {levels} deep, and at most {limits.levels} are searched for")


def _size(node: Node) -> tuple[int, int]:
    """How many parts without parts there are, and how deep groups stand in each other."""
    if not node.children:
        return 1, 0
    below = [_size(child) for child in node.children]
    return sum(clauses for clauses, _ in below), max(level for _, level in below) + int(not isinstance(node, Boost))


def filtered(query: Node, filters: Iterable[Node]) -> Node:
    """A query that must match too what adds nothing to its scores.

    >>> from rankscope.engines.text.query.nodes import Term
    >>> print(filtered(Term("body", "fox"), [Term("title", "den")]))
    +body:fox +(title:den)^0.0
    """
    clauses = [Clause(Boost(each, 0.0), REQUIRED) for each in filters]
    return Boolean((Clause(query, REQUIRED), *clauses)) if clauses else query


def find_page(
    served: Served, query: Node, start: int, rows: int, sort: Sequence[SortKey] = (), field: str | None = None
) -> AnswerPage:
    """The documents from `start` on, the best first, or in the order of `sort`."""
    by_score = not sort or (sort[0] == SortKey(SCORE, True) and all(each.by == POSITION for each in sort[1:]))
    limit = start + rows if by_score else None
    hits = served.searcher(field).search(query, None if limit is None else max(limit, 1))
    order: Numbers = np.arange(len(hits)) if by_score else _order(served, hits.docs, hits.scores, sort)
    shown = order[start : start + rows]
    return AnswerPage(
        docs=hits.docs[shown].tolist(),
        scores=hits.scores[shown].tolist(),
        total=hits.total,
        best=float(hits.scores[0]) if len(hits) else None,
    )


def _order(served: Served, docs: Numbers, scores: Numbers, sort: Sequence[SortKey]) -> Numbers:
    columns = [np.arange(len(docs))]  # what is equal in all stays in the order of scores
    for key in reversed(sort):
        columns.append(_column(served, docs, scores, key))
    return np.lexsort(columns)


def _column(served: Served, docs: Numbers, scores: Numbers, key: SortKey) -> Numbers:
    if key.by == SCORE:
        return -scores if key.descending else scores
    if key.by == POSITION:
        return -docs if key.descending else docs
    places = served.order(key.by)[docs]
    missing = places > served.index.reader.count
    return np.where(missing, places, -places) if key.descending else places


def explain_document(served: Served, query: Node, number: int, field: str | None = None) -> Explanation:
    """How the score of a document is made."""
    return explain_score(served.searcher(field), query, number)
