"""`rankscope benchmark`: which descriptor finds best on a collection of pictures, and what it costs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input, OutputFolder


@click.command("benchmark", cls=GuardedCommand, short_help="Which descriptor finds best, and what does it cost?")
@click.argument("collection", type=Input(), metavar="COLLECTION|FOLDER")
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFolder(),
    metavar="FOLDER",
    help="Write vectors, ranks, tables and the page into this folder.",
)
@click.option(
    "-d",
    "--descriptors",
    "texts",
    multiple=True,
    default=("all",),
    show_default=True,
    metavar="NAMES",
    help="Descriptors to compare: all, or cedd,lbp(grid=4), ...; rankers too: bag-of-words(words=200), "
    "height-matching, sift-matching.",
)
@click.option(
    "--data", type=Input(), metavar="FOLDER", help="Where the named collection lies. Default: RANKSCOPE_DATA."
)
@click.option(
    "--queries",
    type=Input(),
    default="all",
    show_default=True,
    metavar="all|'every N'|FILE",
    help="Which pictures are queries: all with another of their class, every Nth of them, or those that a file "
    "names, one per line.",
)
@click.option(
    "--show",
    default=12,
    show_default=True,
    type=click.IntRange(0, 100),
    metavar="N",
    help="Number of queries shown with their pictures.",
)
@click.option(
    "--first",
    default=10,
    show_default=True,
    type=click.IntRange(1, 30),
    metavar="N",
    help="Number of results shown for each query.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of intervals, tests and the choice of queries shown.",
)
@click.option(
    "--max-pixels",
    type=click.IntRange(min=1),
    default=64_000_000,
    show_default=True,
    metavar="N",
    help="Leave out pictures of more than N pixels, and name them.",
)
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="Number of threads. Default: one for each processor."
)
@click.option("--quiet", is_flag=True, help="Only the table: no progress, no warnings, no list of files.")
def command(
    collection: str,
    output: str,
    texts: tuple[str, ...],
    data: str | None,
    queries: str,
    show: int,
    first: int,
    seed: int,
    max_pixels: int,
    threads: int | None,
    quiet: bool,
) -> None:
    """Every descriptor on every picture: exact rankings, measures with intervals, cost, and what each finds first.

    COLLECTION is a name (corel1k, mpeg7, icons, icons20k, digits, ukbench) or a folder of class folders. Every picture
    in turn is the query, its class the target. Interrupted work continues when the same command is
    run again.

    \b
    rankscope benchmark corel1k --data data/ -o corel
    rankscope benchmark photos/ -d rgb-histogram,cedd,lbp -o photos-benchmark
    rankscope benchmark icons -d "hog(side=32,cell=8),edge-histogram" --queries "every 10" -o icons-benchmark
    """
    from rankscope.cli.output import colourful, print_result, progress_line, say
    from rankscope.engines.images.benchmark import benchmark
    from rankscope.engines.images.contenders import contenders
    from rankscope.engines.images.finding import found_collection, need_packages
    from rankscope.evaluation.cautions import few_distractors
    from rankscope.reports.texts.benchmark import standings_of
    from rankscope.reports.texts.benchmark_tables import text_of

    asked = contenders(",".join(texts))
    need_packages(collection, [module for each in asked for module in each.needs])
    pictures = found_collection(collection, data)
    try:
        with progress_line(quiet) as progress:
            result = benchmark(
                pictures, asked, output, queries=queries, max_pixels=max_pixels, threads=threads, progress=progress
            )
            standings = standings_of(result, seed)
            files = _written(standings, Path(output), show, first, seed, progress)
    except KeyboardInterrupt:
        say(f"stopped; what is done lies in {output}: give the same command again to go on")
        raise
    print_result(text_of(standings, colourful(sys.stdout)))
    if not quiet:
        _warn(result.problems)
        for line in (each.text for each in few_distractors(result.ranks[0])):
            say(f"! {line}")
        for path, what in files:
            say(f"  {path}  {what}")


def _written(standings: Any, folder: Path, show: int, first: int, seed: int, progress: Any) -> list[tuple[Path, str]]:
    """Tables, graphs and the page, each whole or not at all."""
    from rankscope.reports.page.benchmark_page import write_all

    size = write_all(standings, folder, shown=show, first=first, seed=seed)
    if progress is not None:
        progress("page", 1.0)
    return [
        (folder / "NAME.ranks.parquet", "exact ranks of each descriptor: every command reads them"),
        (folder / "table.csv", "all numbers; also .json, .md, .tex and .txt"),
        (folder / "quality.svg", "means with intervals; cost.svg: against time"),
        (folder / "report.html", f"the page with the pictures, {size / 1e6:.1f} MB, opens offline"),
    ]


def _warn(problems: tuple[tuple[str, str], ...]) -> None:
    """Pictures that were left out, by name."""
    from rankscope.cli.output import say

    if problems:
        say(f"! {len(problems)} picture{'' if len(problems) == 1 else 's'} left out:")
    for name, why in problems:
        say(f"!   {name} {why}")
