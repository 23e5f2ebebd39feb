"""The ways to look into an index: what each needs and takes, and what it shows, as text and as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Shown = tuple[str, Any]  # text for people, and the same as a value


@dataclass(frozen=True)
class View:
    """One way to look: what it needs behind its name, which options it has, and what it shows."""

    needs: tuple[str, ...]
    options: tuple[str, ...]
    show: Callable[[Any, list[str], dict[str, Any], bool], Shown]


def _overview(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.looking import overview
    from rankscope.reports.texts.looking import overview_text, plain_value

    found = overview(index)
    return overview_text(found), plain_value(found) | {"bytes": found.bytes}


def _terms(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.looking import list_terms
    from rankscope.reports.texts.looking import plain_value, terms_text

    by: Any = options["by"] or "documents"
    found = list_terms(index, options["field"], options["prefix"] or "", by, options["limit"] or 20)
    return terms_text(found, by), plain_value(found)


def _postings(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.looking import find_postings
    from rankscope.reports.texts.looking import plain_value, postings_text

    found = find_postings(index, words[0], options["field"], options["limit"] or 20)
    links = [_link(index, each.id, options) for each in found.rows]
    value = plain_value(found)
    for row, link in zip(value["rows"], links, strict=True):
        row |= _linked(link)
    return postings_text(found, bold, links), value


def _document(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.looking import view_document
    from rankscope.reports.texts.looking import document_text, plain_value

    found = view_document(index, words[0], options["rebuild"])
    link = _link(index, words[0], options)
    return document_text(found, options["rebuild"], bold, link), plain_value(found) | _linked(link)


def _explain(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.reports.texts.looking import explanation_text, plain_value

    query, document = words
    node = index.parse(query, options["field"], options["operator"] or "OR")
    found = index.explain(node, document, options["similarity"], options["field"])
    hits = index.searcher(options["similarity"], options["field"]).search(node)
    rank, total = hits.rank_of(index.number_of(document)), hits.total
    place = f"rank {rank:,} of {total:,}" if rank else f"is not among the {total:,} documents found"
    link = _link(index, document, options)
    head = f"{document} for {node}: {place}" + (f"\n{link}" if link else "")
    value = {"query": str(node), "document": document, "rank": rank or None, "found": total, **_linked(link)}
    return explanation_text(found, head, bold), value | {"explanation": plain_value(found)}


def _link(index: Any, document: str, options: dict[str, Any]) -> str:
    """Where the document is served; nothing where no service is named."""
    from rankscope.engines.text.served_links import ServedLinks

    return ServedLinks.of(options["served"], index.folders).link(document) if options["served"] else ""


def _linked(link: str) -> dict[str, str]:
    return {"served": link} if link else {}


def _analyse(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.analysis import ANALYSERS
    from rankscope.engines.text.looking import analyse_stepwise
    from rankscope.reports.texts.looking import analysis_text, plain_value

    field = options["field"] or index.default_field
    index.reader.need_field(field)
    analyser = ANALYSERS.parse(options["analyser"]) if options["analyser"] else index.reader.analysers[field]
    found = analyse_stepwise(words[0], analyser)
    return analysis_text(found), plain_value(found)


def _query(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.query_tree import tree_of
    from rankscope.reports.texts.looking import plain_value, query_text

    node = index.parse(words[0], options["field"], options["operator"] or "OR")
    found = tree_of(node, index.searcher(None, options["field"]).matcher)
    return query_text(found, bold), plain_value(found)


def _check(index: Any, words: list[str], options: dict[str, Any], bold: bool) -> Shown:
    from rankscope.engines.text.index.storage import check_index
    from rankscope.reports.texts.looking import checked_text, plain_value

    found = {str(folder): check_index(folder) for folder in index.folders}
    return checked_text(found), {"indexes": {name: plain_value(each) for name, each in found.items()}}


OVERVIEW = View((), (), _overview)
VIEWS: dict[str, View] = {
    "terms": View((), ("field", "prefix", "by", "limit"), _terms),
    "postings": View(("TERM",), ("field", "limit", "served"), _postings),
    "document": View(("ID",), ("rebuild", "served"), _document),
    "explain": View(("QUERY", "ID"), ("field", "similarity", "operator", "served"), _explain),
    "analyse": View(("TEXT",), ("field", "analyser"), _analyse),
    "query": View(("TEXT",), ("field", "operator"), _query),
    "check": View((), (), _check),
}
