"""`rankscope gather`: pages of the web to documents."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli.guarded import GuardedCommand, OutputFile

if TYPE_CHECKING:
    from rankscope.gathering.gathered import Gathered

SHOWN = 10  # pages left out that are named


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
def command(addresses: tuple[str, ...], output: str, quiet: bool, **given: Any) -> None:
    """Pages of the hosts that you name to documents that `rankscope index` reads.

    Links are followed only inside of the folders that the addresses lie in: everything up to their last slash.
    robots.txt is obeyed. Work that was stopped continues when the same command is run again.

    \b
    rankscope gather https://example.org/docs/ -o docs.parquet
    rankscope gather http://127.0.0.1:8000/ --allow 127.0.0.1 --pause 0 -o docs.parquet
    rankscope index docs.parquet -o docs.index
    """
    from rankscope.cli.output import progress_line, say
    from rankscope.facade.gathering import gather

    try:
        with progress_line(quiet) as show:
            shown = None if show is None else lambda done, whole: show("gathering", done / whole)
            gathered = gather(addresses, output, progress=shown, **given)
    except KeyboardInterrupt:
        if not quiet:
            say("stopped: give the same command again to go on")
        raise
    if not quiet:
        for line in _lines(gathered):
            say(line)


def _lines(gathered: Gathered) -> list[str]:
    """What was gathered, what was left out and why, and what could be done about it."""
    copies = f", {_count(gathered.copies, 'copy', 'copies')} of them named" if gathered.copies else ""
    again = "; earlier work went on" if gathered.resumed else ""
    pages = _count(gathered.asked, "page", "pages")
    lines = [f"{gathered.path}: {_count(gathered.documents, 'document', 'documents')} from {pages}{copies}{again}"]
    if gathered.waiting:
        lines.append(f"! the limit of {pages} was reached and more are known: give a larger --pages to have them")
    if gathered.outside:
        lines.append(f"  {_count(gathered.outside, 'link leads', 'links lead')} out of the folders: not followed")
    return [*lines, *_left_out(gathered.left_out)]


def _left_out(pages: tuple[tuple[str, str], ...]) -> list[str]:
    """The first pages of each reason by name."""
    if not pages:
        return []
    seen: Counter[str] = Counter()
    lines = [f"! {_count(len(pages), 'page', 'pages')} left out:"]
    for address, reason in pages:
        seen[reason] += 1
        if seen[reason] <= SHOWN:
            lines.append(f"!   {address} {reason}")
    hidden = [(reason, count - SHOWN) for reason, count in seen.items() if count > SHOWN]
    return [*lines, *(f"!   ... and {count:,} more: {reason}" for reason, count in hidden)]


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
