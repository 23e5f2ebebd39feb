"""`rankscope look`: what an index holds, where a term stands, why a document scores as it does."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import click

from rankscope.catalogue import Later
from rankscope.cli.guarded import GuardedCommand, Input

Shown = tuple[str, Any]  # text for people, and the same as a value


@dataclass(frozen=True)
class View:
    """One way to look: what it needs behind its name, which options it has, and what it shows."""

    needs: tuple[str, ...]
    options: tuple[str, ...]
    show: Callable[[Any, list[str], dict[str, Any], bool], Shown]


@click.command("look", cls=GuardedCommand, short_help="What is inside an index.")
@click.argument("given", nargs=-1, required=True, type=Input(), metavar="INDEX... [VIEW] [WORDS]...")
@click.option("--field", metavar="NAME", help="The field looked at. Default: body, text or contents, else the first.")
@click.option("--prefix", metavar="TEXT", help="terms: only those that begin so.")
@click.option(
    "--by",
    type=click.Choice(["documents", "occurrences", "name"]),
    help="terms: their order. Default: those of most documents first.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="terms, postings: show so many rows. Default: 20."
)
@click.option("--rebuild", is_flag=True, help="document: from the terms of the index, _ where none is kept.")
@click.option("--similarity", metavar="NAME", help="explain: such as 'bm25(k1=0.9, b=0.4)'. Default: bm25.")
@click.option("--analyser", metavar="NAME", help="analyse: this one. Default: that of the field.")
@click.option("--operator", type=click.Choice(["OR", "AND"]), help="explain, query: between words. Default: OR.")
@click.option(
    "--served",
    metavar="URL",
    help="document, explain, postings: link to documents where rankscope serve shows them, as http://127.0.0.1:8384.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for people, or JSON.",
)
def command(given: tuple[str, ...], format_: str, **options: Any) -> None:
    """Look into an index, or into several as one. Without a view: documents, fields and segments.

    \b
    terms                the terms of a field, with how many documents have each
    postings TERM        where a term stands: documents, positions, and the text around
    document ID          a document as it was given; --rebuild: as the index has it
    explain QUERY ID     how the score of a document is made
    analyse TEXT         what each step of the analyser makes of a text
    query TEXT           how a query is read, as a tree

    \b
    rankscope look papers.index
    rankscope look papers.index terms --prefix aero --by occurrences
    rankscope look papers.index explain '"shock wave" AND title:flow' 329
    """
    from rankscope.cli.output import colourful, print_result
    from rankscope.engines.text.text_index import Index
    from rankscope.reports.formats.rows import as_json

    folders, view, words = _parted(given)
    chosen, taken = _view(view, words, options)
    opened = Index.open(*folders)
    with opened.damage_explained():
        text, value = chosen.show(opened, taken, options, format_ == "text" and colourful(sys.stdout))
    whole = {"format": "rankscope.look", "version": 1, "view": view or "overview", **value}
    print_result(as_json(whole) if format_ == "json" else text)


def _parted(given: tuple[str, ...]) -> tuple[list[str], str | None, tuple[str, ...]]:
    """The indexes, the view and its words: what follows the first index is one too, unless it is a view."""
    from rankscope.engines.text.index.storage import RECORD

    def is_index(text: str) -> bool:
        return text not in VIEWS and os.path.isfile(os.path.join(text, RECORD))

    folders = [given[0], *takewhile(is_index, given[1:])]
    rest = given[len(folders) :]
    return folders, rest[0] if rest else None, rest[1:]


def _view(name: str | None, words: tuple[str, ...], options: dict[str, Any]) -> tuple[View, list[str]]:
    """The view that is meant and its words; what it does not take is an error."""
    from rankscope.catalogue import Catalogue
    from rankscope.errors import SettingError

    chosen = OVERVIEW if name is None else Catalogue[View]("view", VIEWS).find(name)
    called = f"'{name}'" if name else "the overview"
    given = list(words)
    if len(chosen.needs) == 1 and len(given) > 1:
        given = [" ".join(given)]
    if len(given) != len(chosen.needs):
        usage = " ".join(["rankscope look INDEX", name or "", *chosen.needs]).rstrip()
        raise SettingError(f"{called} takes {' and '.join(chosen.needs) or 'nothing more'}: write {usage}")
    used = [each for each, value in options.items() if value not in (None, False)]
    wrong = [f"--{each}" for each in used if each not in chosen.options]
    if wrong:
        raise SettingError(f"{called} has no {', '.join(wrong)}")
    return chosen, given


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


OVERVIEW = View((), (), _overview)
VIEWS: dict[str, View | Later] = {
    "terms": View((), ("field", "prefix", "by", "limit"), _terms),
    "postings": View(("TERM",), ("field", "limit", "served"), _postings),
    "document": View(("ID",), ("rebuild", "served"), _document),
    "explain": View(("QUERY", "ID"), ("field", "similarity", "operator", "served"), _explain),
    "analyse": View(("TEXT",), ("field", "analyser"), _analyse),
    "query": View(("TEXT",), ("field", "operator"), _query),
}
