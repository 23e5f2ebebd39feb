"""`rankscope gather`, `index` and `look`: pages of the web to documents, documents to an index, and what is inside."""

from __future__ import annotations

import os
import sys
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile, OutputFolder
from rankscope.commands.line.options import text_file_options
from rankscope.commands.line.output import colourful, print_result, progress_line, say
from rankscope.core.catalogue import Catalogue
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many

if TYPE_CHECKING:
    from rankscope.engines.crawler.state import Gathered
    from rankscope.engines.text.views import View


# `rankscope index`: documents to an index that can be searched.


@click.command("index", cls=GuardedCommand, short_help="Documents to an index that can be searched.")
@click.argument("documents", nargs=-1, required=True, type=Input(), metavar="DOCS...")
@click.option("-o", "--output", required=True, type=OutputFolder(), metavar="INDEX", help="Folder of the index.")
@click.option(
    "--analyser",
    default="english",
    show_default=True,
    metavar="NAME",
    help="How texts become terms: whitespace, standard, english or german.",
)
@click.option(
    "--fields",
    metavar="NAMES",
    help="Fields to index: title,body, or contents=title+body to join some. Default: contents, which joins title and "
    "text, the title by itself, and all others.",
)
@click.option(
    "--field-analyser",
    multiple=True,
    metavar="FIELD=NAME",
    help="Another analyser for one field, as code=whitespace. Repeat it for several.",
)
@click.option("--exact-lengths", is_flag=True, help="Keep lengths exactly, not in a byte as Lucene does.")
@click.option("--add", is_flag=True, help="Add to the index that is there; all documents count at once, or none.")
@click.option(
    "--format",
    metavar="NAME",
    help="Format of all files, where it cannot be recognised: jsonl, csv, tsv, parquet, trec, smart, xml, mbox, html, "
    "pdf, md, txt.",
)
@text_file_options
@click.option("--download", is_flag=True, help="Let ir_datasets fetch what irds:NAME lacks.")
@click.option("--quiet", is_flag=True, help="No progress and no messages.")
def index_command(documents: tuple[str, ...], output: str, quiet: bool, **given: Any) -> None:
    """Documents to an index that can be searched, with the words' positions, for `rankscope search`.

    DOCS are files and folders: JSON lines (id, title, text), CSV, TSV, Parquet, TREC's SGML, SMART, XML of INEX and
    CLEF, mailboxes, BEIR folders, folders of txt, md, html and pdf files (each one document); or irds:NAME. All bad
    records are told at once (exit code 2), and a second document of an id is one. A kill or a full disk leaves the
    index as it was before.

    \b
    rankscope index docs.jsonl.gz -o cranfield.index
    rankscope index notes/ manual.pdf -o notes.index --analyser german
    rankscope index more.jsonl -o cranfield.index --add
    """
    from rankscope.commands.search import documents_of
    from rankscope.commands.search import index as build

    pairs = [each.partition("=") for each in given.pop("field_analyser")]
    if wrong := ["".join(each) for each in pairs if not (each[0] and each[2])]:
        raise SettingError(f"--field-analyser {wrong[0]}: write FIELD=NAME, as code=whitespace")
    analysers = {name: value for name, _, value in pairs}
    with progress_line(quiet) as progress:
        reading = {name: given.pop(name) for name in ("fields", "format", "encoding", "max_ratio", "download")}
        stream = documents_of(list(documents), **reading, progress=progress)
        built = build(stream, output, field_analyser=analysers, **given)
    if quiet:
        return
    if stream.left_out:
        few = ", ".join(stream.left_out[:5]) + (", ..." if len(stream.left_out) > 5 else "")
        say(f"! left out, as no text can be read from them ({len(stream.left_out):,}): {few}")
    analysed = ", ".join(f"{name} ({built.reader.analysers[name]})" for name in built.fields)
    say(f"{output}: {how_many(len(built), 'documents')}, fields {analysed}")


# `rankscope look`: what an index holds, where a term stands, why a document scores as it does.


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
def look_command(given: tuple[str, ...], format_: str, **options: Any) -> None:
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
    from rankscope.core.rendering import as_json
    from rankscope.engines.text.text_index import Index

    folders, view, words = _parted(given)
    chosen, taken = _view(view, words, options)
    opened = Index.open(*folders)
    text, value = chosen.show(opened, taken, options, format_ == "text" and colourful(sys.stdout))
    whole = {"format": "rankscope.look", "version": 1, "view": view or "overview", **value}
    print_result(as_json(whole) if format_ == "json" else text)


def _parted(given: tuple[str, ...]) -> tuple[list[str], str | None, tuple[str, ...]]:
    """The indexes, the view and its words: what follows the first index is one too, unless it is a view."""
    from rankscope.engines.text.index_files import INDEX_RECORD
    from rankscope.engines.text.views import VIEWS

    def is_index(text: str) -> bool:
        return text not in VIEWS and os.path.isfile(os.path.join(text, INDEX_RECORD))

    folders = [given[0], *takewhile(is_index, given[1:])]
    rest = given[len(folders) :]
    return folders, rest[0] if rest else None, rest[1:]


def _view(name: str | None, words: tuple[str, ...], options: dict[str, Any]) -> tuple[View, list[str]]:
    """The view that is meant and its words; what it does not take is an error."""
    from rankscope.engines.text.views import OVERVIEW, VIEWS, View

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


NAMED_PAGES = 10  # pages left out that are named


@click.command("gather", cls=GuardedCommand, short_help="Pages of the web to documents.")
@click.argument("addresses", nargs=-1, required=True, metavar="URL...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFile("gathered documents"),
    metavar="DOCS.parquet",
    help="Write the documents here: a table with id, title, text, address and copies.",
)
@click.option(
    "--pages", type=click.IntRange(min=1), default=1000, show_default=True, help="Ask for at most so many pages."
)
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Follow links from page to page at most so many times.",
)
@click.option(
    "--megabytes",
    type=click.FloatRange(min=0, min_open=True),
    default=5,
    show_default=True,
    help="Leave out pages that are larger than this, unpacked.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=10,
    show_default=True,
    help="Leave out pages that take longer than this to arrive.",
)
@click.option(
    "--pause",
    type=click.FloatRange(min=0),
    default=1,
    show_default=True,
    help="Wait so many seconds between two requests to a host; longer where its robots.txt asks for it.",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="ADDRESS",
    help="Allow connections to this address or network though it is not public, as 127.0.0.1 or 10.0.0.0/8.",
)
@click.option(
    "--contact", metavar="TEXT", help="Tell servers how to reach you: an e-mail address, or the address of a page."
)
@click.option("--restart", is_flag=True, help="Begin anew where stopped work could go on.")
@click.option("--quiet", is_flag=True, help="No progress and no messages.")
def gather_command(addresses: tuple[str, ...], output: str, quiet: bool, **given: Any) -> None:
    """Pages of the hosts that you name to documents that `rankscope index` reads.

    Links are followed only inside of the folders that the addresses lie in: everything up to their last slash.
    robots.txt is obeyed. Work that was stopped continues when the same command is run again.

    \b
    rankscope gather https://example.org/docs/ -o docs.parquet
    rankscope gather http://127.0.0.1:8000/ --allow 127.0.0.1 --pause 0 -o docs.parquet
    rankscope index docs.parquet -o docs.index
    """
    from rankscope.commands.search import gather

    try:
        with progress_line(quiet) as show:
            shown = None if show is None else lambda done, whole: show("gathering", done / whole)
            gathered = gather(addresses, output, progress=shown, **given)
    except KeyboardInterrupt:
        if not quiet:
            say("stopped: give the same command again to go on")
        raise
    if not quiet:
        for line in _lines_of_gathering(gathered):
            say(line)


def _lines_of_gathering(gathered: Gathered) -> list[str]:
    """What was gathered, what was left out and why, and what could be done about it."""
    copies = f", {how_many(gathered.copies, 'copies')} of them named" if gathered.copies else ""
    again = "; earlier work went on" if gathered.resumed else ""
    pages = how_many(gathered.asked, "pages")
    lines = [f"{gathered.path}: {how_many(gathered.documents, 'documents')} from {pages}{copies}{again}"]
    if gathered.waiting:
        lines.append(f"! the limit of {pages} was reached and more are known: give a larger --pages to have them")
    if gathered.outside:
        lines.append(f"  {how_many(gathered.outside, 'link leads', 'links lead')} out of the folders: not followed")
    return [*lines, *_left_out(gathered.left_out)]


def _left_out(pages: tuple[tuple[str, str], ...]) -> list[str]:
    """The first pages of each reason by name."""
    if not pages:
        return []
    seen: Counter[str] = Counter()
    lines = [f"! {how_many(len(pages), 'pages')} left out:"]
    for address, reason in pages:
        seen[reason] += 1
        if seen[reason] <= NAMED_PAGES:
            lines.append(f"!   {address} {reason}")
    hidden = [(reason, count - NAMED_PAGES) for reason, count in seen.items() if count > NAMED_PAGES]
    return [*lines, *(f"!   ... and {count:,} more: {reason}" for reason, count in hidden)]
