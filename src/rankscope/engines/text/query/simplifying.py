"""Queries made simpler without a change of what they match: boosts gathered, and clauses that come twice made one."""

from __future__ import annotations

from rankscope.engines.text.query.nodes import OPTIONAL, REQUIRED, Boolean, Boost, Clause, MatchNothing, Node, Occur


def simplify(query: Node) -> Node:
    """An equal query in which no boost stands in another, and no optional or required clause comes twice.

    Equal clauses become one whose boost is the sum of theirs, as in Lucene; where several must match they stay.
    >>> from rankscope.engines.text.query.nodes import Term
    >>> fox, dog = Term("body", "fox"), Term("body", "dog")
    >>> print(simplify(Boolean((Clause(fox), Clause(dog), Clause(Boost(fox, 0.5))))))
    (body:fox)^1.5 body:dog
    """
    if isinstance(query, Boost):
        return _boosted(*_unwrapped(query))
    if isinstance(query, Boolean) and query.minimum <= 1:
        return _simplified(query)
    return query


def _simplified(group: Boolean) -> Node:
    """Each part is made simpler once: groups in groups take as long as they are large, not twice that at each level."""
    totals: dict[tuple[Occur, Node | int], float] = {}
    prohibited: dict[int, Node] = {}
    for place, clause in enumerate(group.clauses):
        if clause.occur in (OPTIONAL, REQUIRED):
            inner, boost = _unwrapped(clause.query)
            key: tuple[Occur, Node | int] = (clause.occur, inner)
            totals[key] = totals.get(key, 0.0) + boost
        else:
            prohibited[place] = simplify(clause.query)
            totals[clause.occur, place] = 1.0
    clauses = [
        Clause(_boosted(key, boost) if isinstance(key, Node) else prohibited[key], occur)
        for (occur, key), boost in totals.items()
    ]
    return Boolean(tuple(clauses), group.minimum) if clauses else MatchNothing()


def _unwrapped(query: Node) -> tuple[Node, float]:
    """A query without the boosts around it, and their product."""
    if not isinstance(query, Boost):
        return simplify(query), 1.0
    inner, boost = _unwrapped(query.query)
    return inner, boost * query.factor


def _boosted(query: Node, boost: float) -> Node:
    return query if boost == 1 else Boost(query, boost)
