"""`rankscope feedback --pack`: benchmark packs that anybody can run and cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rankscope.cli.grouped import GroupedCommand
from rankscope.cli.guarded import Input, OutputFolder
from rankscope.cli.options import on_option
from rankscope.number_texts import how_many

PACK, LIST = "--pack", "--list-packs"
HELP = """Run a benchmark pack: topics, users, starts, methods and stored baselines that everybody has alike.

A pack runs on the pictures it was made with: those that ship with rankscope, the folder SOURCE, or the folder of their
name in $RANKSCOPE_DATA. With features of another collection as SOURCE its cases run on those, labels as topics, and
efficiencies are shown with the stored ones. Everything goes into a folder; what is finished there is not done again, so
a run that was stopped goes on when the same command is given. A file NAME.toml is a pack too.

\b
rankscope feedback --list-packs
rankscope feedback --pack icons-composite
rankscope feedback photos/corel1k --pack corel-composite --methods 'svm(C=10)' -o corel
rankscope feedback mine.npz --pack corel-composite -o mine
"""


def names_a_pack(args: Sequence[str]) -> bool:
    """Whether a pack is asked for.

    >>> names_a_pack(["--pack=icons-composite"]), names_a_pack(["digits", "-o", "x.parquet"])
    (True, False)
    """
    return any(each in (PACK, LIST) or each.startswith(f"{PACK}=") for each in args)


def pack_command() -> GroupedCommand:
    """The command that runs a pack, or lists them."""
    collected = on_option("as many processes as there are cores, once there is enough to do")(lambda **_given: None)
    options = [
        click.Option([PACK], metavar="NAME", help="Which pack: a name of --list-packs, or a file NAME.toml."),
        click.Option([LIST], is_flag=True, help="Show the packs that come with rankscope, and end."),
        click.Option(
            ["-o", "--output"],
            type=OutputFolder(),
            metavar="FOLDER",
            help="Folder of the results: a Parquet file for each case, baselines.json, report.html, report.txt. "
            "Default: the name of the pack.",
        ),
        click.Option(
            ["--methods"],
            multiple=True,
            metavar="NAMES",
            help="Methods to compare with those of the pack; repeat it or separate by commas.",
        ),
        click.Option(
            ["--keep-sessions"],
            is_flag=True,
            help="Write CASE.sessions.parquet for each case: what each session began with, every display and mark.",
        ),
        click.Option(
            ["--topics"],
            multiple=True,
            metavar="TEXTS",
            help="Of another collection: labels, or expressions over labels. Default: every label.",
        ),
    ]
    return GroupedCommand(
        "feedback",
        callback=_run,
        params=[
            click.Argument(["source"], required=False, type=Input(), metavar="[FOLDER|FEATURES]"),
            *options,
            *reversed(getattr(collected, "__click_params__")),  # noqa: B009  (click keeps them under a name of its own)
            click.Option(["--quiet"], is_flag=True, help="No progress and no summary."),
        ],
        help=HELP,
    )


def _run(
    source: str | None,
    pack: str | None,
    list_packs: bool,
    output: str | None,
    methods: tuple[str, ...],
    topics: tuple[str, ...],
    keep_sessions: bool,
    on: str | None,
    quiet: bool,
    **_: Any,
) -> None:
    from rankscope.cli.output import print_result, progress_line, say
    from rankscope.reports.texts.pack import pack_list

    if list_packs:
        print_result(pack_list())
        return
    if not pack:
        raise click.UsageError("--pack needs the name of a pack: rankscope feedback --list-packs shows them.")
    from pathlib import Path

    from rankscope.facade.packing import run_pack
    from rankscope.facade.problems import parts_of
    from rankscope.feedback.packs.pack import read_pack
    from rankscope.files import atomic
    from rankscope.reports.page.pack_page import write_pack_page
    from rankscope.reports.texts.pack import pack_text

    folder = Path(output or read_pack(pack).name)
    more = {"topics": list(topics)} if topics else {}
    with progress_line(quiet) as progress:
        result = run_pack(
            pack,
            source,
            output=folder,
            methods=parts_of(methods),
            on=on,
            progress=progress,
            keep_sessions=keep_sessions,
            **more,
        )
        write_pack_page(result, folder / "report.html")
    text = pack_text(result)
    with atomic(folder / "report.txt") as file:
        file.write(text)
    if not quiet:
        print_result(text)
        say(f"{folder}: {how_many(len(result.cases), 'cases')}, baselines.json, report.html")
