"""`rankscope look`: what an index holds, where a term stands, why a document scores as it does."""

from __future__ import annotations

import os
import sys
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli.guarded import GuardedCommand, Input

if TYPE_CHECKING:
    from rankscope.reports.texts.look_views import View


@click.command("look", cls=GuardedCommand, free_text="query or a text", short_help="What is inside an index.")
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
    check                whether every file holds what was written

    \b
    rankscope look papers.index
    rankscope look papers.index terms --prefix aero --by occurrences
    rankscope look papers.index explain '"shock wave" AND title:flow' 329
    rankscope look papers.index query -- '-supersonic +wing'
    """
    from rankscope.cli.output import colourful, print_result
    from rankscope.engines.text.text_index import Index
    from rankscope.reports.formats.rows import as_json

    folders, view, words = _parted(given)
    chosen, taken = _view(view, words, options)
    opened = Index.open(*folders)
    text, value = chosen.show(opened, taken, options, format_ == "text" and colourful(sys.stdout))
    whole = {"format": "rankscope.look", "version": 1, "view": view or "overview", **value}
    print_result(as_json(whole) if format_ == "json" else text)


def _parted(given: tuple[str, ...]) -> tuple[list[str], str | None, tuple[str, ...]]:
    """The indexes, the view and its words: what follows the first index is one too, unless it is a view."""
    from rankscope.engines.text.index.storage import RECORD
    from rankscope.reports.texts.look_views import VIEWS

    def is_index(text: str) -> bool:
        return text not in VIEWS and os.path.isfile(os.path.join(text, RECORD))

    folders = [given[0], *takewhile(is_index, given[1:])]
    rest = given[len(folders) :]
    return folders, rest[0] if rest else None, rest[1:]


def _view(name: str | None, words: tuple[str, ...], options: dict[str, Any]) -> tuple[View, list[str]]:
    """The view that is meant and its words; what it does not take is an error."""
    from rankscope.catalogue import Catalogue
    from rankscope.errors import SettingError
    from rankscope.reports.texts.look_views import OVERVIEW, VIEWS, View

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
