"""The query's words marked in the texts of documents that were found."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace

from rankscope.engines.text.fragments import Fragment
from rankscope.engines.text.highlighting import Highlighter
from rankscope.engines.text.matching.time_limit import check_time
from rankscope.engines.text.query.nodes import BestOf, Boolean, Boost, InField, Node
from rankscope.workbench.service.served import Served


@dataclass(frozen=True)
class Marking:
    """How pieces of texts are shown: how many, how long (0: the whole text), and what stands around a word.

    `own_field` marks only what was searched in the field itself; without it words searched elsewhere are marked too.
    """

    fragments: int = 1
    size: int = 100
    before: str = "<em>"
    after: str = "</em>"
    own_field: bool = True
    escape: bool = False  # whether the text is made safe to stand in HTML
    otherwise: int = 0  # signs of the beginning that are shown where no word of the query stands


def mark_fields(
    served: Served, query: Node, row: Mapping[str, str | None], marking: Mapping[str, Marking]
) -> dict[str, list[str]]:
    """The pieces of each of some fields of a document that have words of the query; fields without any are left out."""
    found = {}
    for field, how in marking.items():
        check_time()
        text = row.get(field) or ""
        pieces = _pieces(served, query, field, text, how)
        if pieces:
            found[field] = [_shown(piece, how) for piece in pieces]
        elif how.otherwise and text:
            found[field] = [text[: how.otherwise]]
    return found


def _pieces(served: Served, query: Node, field: str, text: str, how: Marking) -> list[Fragment]:
    highlighter = Highlighter(served.index.reader, query if how.own_field else in_field(query, field), field)
    pieces = highlighter.fragments(text, how.fragments, how.size) if how.size else [highlighter.whole(text)]
    return [piece for piece in pieces if piece.marks]


def _shown(piece: Fragment, how: Marking) -> str:
    parts = [(html.escape(part) if how.escape else part, marked) for part, marked in piece]
    return "".join(f"{how.before}{part}{how.after}" if marked else part for part, marked in parts)


def in_field(query: Node, field: str) -> Node:
    """The same query of one field.

    >>> from rankscope.engines.text.query.nodes import Term
    >>> print(in_field(Boost(Term("title", "fox"), 2.0), "body"))
    (body:fox)^2.0
    """
    if isinstance(query, InField):
        return replace(query, field=field)
    if isinstance(query, Boost):
        return replace(query, query=in_field(query.query, field))
    if isinstance(query, Boolean):
        return replace(query, clauses=tuple(replace(each, query=in_field(each.query, field)) for each in query.clauses))
    if isinstance(query, BestOf):
        return replace(query, queries=tuple(in_field(each, field) for each in query.queries))
    return query
