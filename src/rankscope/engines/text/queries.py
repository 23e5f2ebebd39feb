"""What a query is: its nodes, their simplest form, and how long it may take."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankscope.core.errors import TimeLimitError

Occur = Literal["+", "", "-"]
REQUIRED: Occur = "+"
OPTIONAL: Occur = ""
PROHIBITED: Occur = "-"
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-3, 1e7  # between them Java writes numbers without an exponent


@dataclass(frozen=True)
class Node:
    """A query, or a part of one."""

    @property
    def children(self) -> tuple[Node, ...]:
        """The parts that are queries themselves."""
        return ()


@dataclass(frozen=True)
class MatchAll(Node):
    """Every document: `*:*`."""

    def __str__(self) -> str:
        return "*:*"


@dataclass(frozen=True)
class MatchNothing(Node):
    """No document: what a query of stop words alone means. It prints as nothing."""

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True)
class InField(Node):
    """What looks at the terms of one field."""

    field: str


@dataclass(frozen=True)
class Term(InField):
    """One term, as the analyser gives it."""

    text: str

    def __str__(self) -> str:
        return f"{self.field}:{self.text}"


@dataclass(frozen=True)
class Phrase(InField):
    """Terms at places relative to each other; `slop` is how far they may be moved in all.

    A gap in `positions` is a stop word that anything may stand for, and prints as a question mark.
    >>> print(Phrase("body", ("state", "art"), (0, 3), slop=2))
    body:"state ? ? art"~2
    """

    terms: tuple[str, ...]
    positions: tuple[int, ...]
    slop: int = 0

    def __str__(self) -> str:
        placed = dict(zip(self.positions, self.terms, strict=True))
        words = [placed.get(place, "?") for place in range(max(self.positions, default=-1) + 1)]
        return f'{self.field}:"{" ".join(words)}"' + (f"~{self.slop}" if self.slop else "")


@dataclass(frozen=True)
class Prefix(InField):
    """All terms that begin so."""

    text: str

    def __str__(self) -> str:
        return f"{self.field}:{self.text}*"


@dataclass(frozen=True)
class Wildcard(InField):
    """All terms of a pattern: `*` stands for any signs, `?` for one, and a backslash takes the next sign as it is."""

    pattern: str

    def __str__(self) -> str:
        return f"{self.field}:{self.pattern}"


@dataclass(frozen=True)
class Regex(InField):
    """All terms that a regular expression of Lucene's kind matches as a whole."""

    pattern: str

    def __str__(self) -> str:
        return f"{self.field}:/{self.pattern}/"


@dataclass(frozen=True)
class Fuzzy(InField):
    """Terms that few edits away turn into this one: insert, delete, replace, or swap neighbours."""

    text: str
    edits: int = 2

    def __str__(self) -> str:
        return f"{self.field}:{self.text}~{self.edits}"


@dataclass(frozen=True)
class Range(InField):
    """All terms between two, in the order of code points; None leaves that side open.

    >>> print(Range("date", "2016", None, include_upper=False))
    date:[2016 TO *}
    """

    lower: str | None
    upper: str | None
    include_lower: bool = True
    include_upper: bool = True

    def __str__(self) -> str:
        opening, closing = "[" if self.include_lower else "{", "]" if self.include_upper else "}"
        return f"{self.field}:{opening}{_bound(self.lower)} TO {_bound(self.upper)}{closing}"


@dataclass(frozen=True)
class Boost(Node):
    """A query whose scores are multiplied."""

    query: Node
    factor: float

    @property
    def children(self) -> tuple[Node, ...]:
        return (self.query,)

    def __str__(self) -> str:
        return f"({self.query})^{java_float(self.factor)}"


@dataclass(frozen=True)
class Clause:
    """A part of a group, and whether it is required (`+`), optional or prohibited (`-`)."""

    query: Node
    occur: Occur = OPTIONAL

    def __str__(self) -> str:
        inner = f"({self.query})" if isinstance(self.query, Boolean) else str(self.query)
        return self.occur + inner


@dataclass(frozen=True)
class Boolean(Node):
    """A group: all required, no prohibited and, where nothing is required, at least one optional clause.

    `minimum` is how many of the optional clauses must match at least, where that is said.
    >>> print(Boolean((Clause(Term("body", "fox")), Clause(Term("body", "dog"))), minimum=2))
    (body:fox body:dog)~2
    """

    clauses: tuple[Clause, ...]
    minimum: int = 0

    @property
    def children(self) -> tuple[Node, ...]:
        return tuple(clause.query for clause in self.clauses)

    @property
    def required(self) -> tuple[Node, ...]:
        """What a document must match."""
        return self._of(REQUIRED)

    @property
    def optional(self) -> tuple[Node, ...]:
        """What adds to the score of a document that matches it."""
        return self._of(OPTIONAL)

    @property
    def prohibited(self) -> tuple[Node, ...]:
        """What a document must not match."""
        return self._of(PROHIBITED)

    def _of(self, occur: Occur) -> tuple[Node, ...]:
        return tuple(clause.query for clause in self.clauses if clause.occur == occur)

    def __str__(self) -> str:
        inner = " ".join(map(str, self.clauses))
        return f"({inner})~{self.minimum}" if self.minimum else inner


@dataclass(frozen=True)
class BestOf(Node):
    """Queries of which the best one counts, and of all others as much as `others` says: a maximum of disjunctions.

    >>> print(BestOf((Term("title", "fox"), Term("body", "fox")), others=0.5))
    (title:fox | body:fox)~0.5
    """

    queries: tuple[Node, ...]
    others: float = 0.0

    @property
    def children(self) -> tuple[Node, ...]:
        return self.queries

    def __str__(self) -> str:
        inner = " | ".join(f"({each})" if isinstance(each, Boolean) else str(each) for each in self.queries)
        return f"({inner})" + (f"~{java_float(self.others)}" if self.others else "")


def any_of(field: str, terms: Iterable[str]) -> Node:
    """The query that asks for any of some terms.

    >>> print(any_of("body", ["fox", "dog"]))
    body:fox body:dog
    """
    clauses = tuple(Clause(Term(field, term)) for term in terms)
    return Boolean(clauses) if clauses else MatchNothing()


def walk_query(query: Node) -> Iterator[Node]:
    """A query and all parts of it, each before its own parts.

    >>> [str(each) for each in walk_query(Boost(Term("body", "java"), 2.0))]
    ['(body:java)^2.0', 'body:java']
    """
    yield query
    for child in query.children:
        yield from walk_query(child)


def java_float(value: float) -> str:
    """A 32-bit float in the shortest digits that say it, as Java writes them.

    >>> java_float(4), java_float(0.1), java_float(1e7), java_float(0.00025)
    ('4.0', '0.1', '1.0E7', '2.5E-4')
    """
    number = np.float32(value)
    if number == 0 or SMALLEST_PLAIN <= abs(number) < LARGEST_PLAIN:
        return np.format_float_positional(number, unique=True, trim="0")
    digits, _, exponent = np.format_float_scientific(number, unique=True, trim="0").partition("e")
    return f"{digits}E{int(exponent)}"


def _bound(text: str | None) -> str:
    if text is None:
        return "*"
    return "\\*" if text == "*" else text


def simplify(query: Node) -> Node:
    """An equal query in which no boost stands in another, and no optional or required clause comes twice.

    Equal clauses become one whose boost is the sum of theirs, as in Lucene; where several must match they stay.
    >>> fox, dog = Term("body", "fox"), Term("body", "dog")
    >>> print(simplify(Boolean((Clause(fox), Clause(dog), Clause(Boost(fox, 0.5))))))
    (body:fox)^1.5 body:dog
    """
    if isinstance(query, Boost):
        return _boosted_node(*_unwrapped(query))
    if isinstance(query, Boolean) and query.minimum <= 1:
        return _simplified_group(query)
    return query


def _simplified_group(group: Boolean) -> Node:
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
        Clause(_boosted_node(key, boost) if isinstance(key, Node) else prohibited[key], occur)
        for (occur, key), boost in totals.items()
    ]
    return Boolean(tuple(clauses), group.minimum) if clauses else MatchNothing()


def _unwrapped(query: Node) -> tuple[Node, float]:
    """A query without the boosts around it, and their product."""
    if not isinstance(query, Boost):
        return simplify(query), 1.0
    inner, boost = _unwrapped(query.query)
    return inner, boost * query.factor


def _boosted_node(query: Node, boost: float) -> Node:
    return query if boost == 1 else Boost(query, boost)


def any_weighted(weights: Mapping[Term, float]) -> Node:
    """What asks for any of some terms, each with its boost.

    >>> print(any_weighted({Term("body", "fox"): 1.0, Term("body", "dog"): 0.25}))
    body:fox (body:dog)^0.25
    """
    clauses = [Clause(_boosted_node(term, boost)) for term, boost in weights.items()]
    return Boolean(tuple(clauses)) if clauses else MatchNothing()


# How long a search may take: whoever asks sets the limit, and matching looks at it between clauses.

_until: ContextVar[tuple[float, float]] = ContextVar("rankscope_time_limit")


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """What is searched in the block and takes longer raises `TimeLimitError` at the next clause.

    >>> from rankscope.engines.text import Index
    >>> index = Index.build([{"id": "a", "body": "a fox"}])
    >>> with time_limit(0):
    ...     index.search("+fox -dog")
    Traceback (most recent call last):
    rankscope.core.errors.TimeLimitError: the search took longer than 0 seconds: ask for fewer words, or narrow it down
    """
    token = _until.set((time.monotonic() + seconds, seconds))
    try:
        yield
    finally:
        _until.reset(token)


def check_time() -> None:
    """Raise where the limit of the block has passed; do nothing where there is none."""
    limit = _until.get(None)
    if limit is not None and time.monotonic() >= limit[0]:
        raise TimeLimitError(limit[1])
