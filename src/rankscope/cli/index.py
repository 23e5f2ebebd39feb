"""`rankscope index`: documents to an index that can be searched."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input, OutputFolder
from rankscope.cli.options import text_file_options


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
def command(documents: tuple[str, ...], output: str, quiet: bool, **given: Any) -> None:
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
    from rankscope.cli.output import progress_line, say
    from rankscope.facade.searching import documents_of
    from rankscope.facade.searching import index as build

    analysers = _by_field(given.pop("field_analyser"))
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
    say(f"{output}: {len(built):,} document{'' if len(built) == 1 else 's'}, fields {analysed}")


def _by_field(pairs: tuple[str, ...]) -> dict[str, str]:
    """Analysers by the fields that have them."""
    from rankscope.errors import SettingError

    split = [each.partition("=") for each in pairs]
    if wrong := [name + mark + value for name, mark, value in split if not (name and value)]:
        raise SettingError(f"--field-analyser {wrong[0]}: write FIELD=NAME, as code=whitespace")
    return {name: value for name, _, value in split}
