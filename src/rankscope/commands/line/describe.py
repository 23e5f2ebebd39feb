"""`rankscope describe` and `rankscope benchmark`: pictures or texts to vectors, and which descriptor finds best."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile, OutputFolder
from rankscope.commands.line.output import colourful, print_result, progress_line, say
from rankscope.core.errors import SettingError
from rankscope.core.file_guard import check_target
from rankscope.core.names import file_names
from rankscope.core.notation import split_list
from rankscope.core.wording import how_many

MAX_PIXELS = click.option(
    "--max-pixels",
    type=click.IntRange(min=1),
    default=64_000_000,
    show_default=True,
    metavar="N",
    help="Leave out pictures of more than N pixels, and name them.",
)
THREADS = click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="Number of threads. Default: one for each processor."
)

# `rankscope describe`: a folder of pictures, or an index of texts, to vectors.


@click.command("describe", cls=GuardedCommand, short_help="Pictures or texts to vectors.")
@click.argument("folder", type=Input(), metavar="FOLDER")
@click.option(
    "-d",
    "--descriptor",
    "descriptors",
    multiple=True,
    metavar="NAMES",
    help="Descriptors: cedd, lbp(grid=4), ... Repeat the option or separate by commas. --list shows all.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile("features"),
    metavar="FEATURES.npz",
    help="Write the vectors here; with several descriptors one file each, FEATURES.NAME.npz.",
)
@click.option(
    "--labels",
    type=Input(),
    metavar="CSV|folders|QRELS",
    default="folders",
    show_default=True,
    help="Class of each picture: a CSV file with a file and a class column, or the sub-folder it lies in. With --lsi"
    " judgements: the queries that a document is relevant to.",
)
@click.option("--size", type=click.IntRange(min=1), metavar="N", help="Shrink pictures whose longer side exceeds N.")
@MAX_PIXELS
@click.option(
    "--model", type=Input(), metavar="FILE", help="Your own network: an ONNX file, or a scripted torch model (.pt)."
)
@click.option(
    "--side",
    type=click.IntRange(min=1),
    metavar="N",
    help="Side of the model's input in pixels, if the model does not fix it.",
)
@click.option("--mean", metavar="R,G,B", help="What is subtracted from colours of 0 to 1. Default: 0.485,0.456,0.406.")
@click.option("--std", metavar="R,G,B", help="What colours are divided by. Default: 0.229,0.224,0.225.")
@click.option(
    "--fit",
    type=click.Choice(["crop", "stretch"]),
    default="crop",
    show_default=True,
    help="What the model sees: the square in the middle, or the whole squeezed into one.",
)
@THREADS
@click.option(
    "--lsi",
    type=click.IntRange(min=1),
    metavar="N",
    help="FOLDER is an index of texts: vectors of N numbers by latent semantic indexing.",
)
@click.option(
    "--field", metavar="NAME", help="With --lsi: the field whose words count. Default: body, text or contents."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="With --lsi: where the search for the vectors begins; it changes only rounding.",
)
@click.option("--quiet", is_flag=True, help="No progress, no warnings, no list of files.")
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda *given: _list(*given),
    help="Show all descriptors with their options, then exit.",
)
def describe_command(
    folder: str,
    descriptors: tuple[str, ...],
    output: str | None,
    labels: str,
    size: int | None,
    max_pixels: int,
    threads: int | None,
    lsi: int | None,
    field: str | None,
    seed: int,
    quiet: bool,
    **model: Any,
) -> None:
    """From pictures to vectors with class labels, which `rankscope rank` turns into exact ranks; or from texts.

    Pictures are all those in the folder and below, in byte order of their paths. A file that cannot be read is named
    and left out.

    \b
    rankscope describe photos/ -d cedd -o cedd.npz
    rankscope describe images/ --labels labels.csv -d "scalable-colour,lbp(grid=4)" -o corel.npz
    rankscope describe photos/ --model resnet50.onnx -o resnet50.npz
    rankscope describe cranfield.index --lsi 100 --labels qrels.txt -o lsi.npz
    """
    from rankscope.commands.rank import descriptors_of, refuse_pictures

    if lsi is not None:
        refuse_pictures(descriptors, model["model"])
        _describe_texts(folder, labels, lsi, field, seed, output, quiet)
        return
    from rankscope.engines.text.index_files import INDEX_RECORD

    if Path(folder, INDEX_RECORD).is_file():
        raise SettingError(f"{folder} is an index of texts: give --lsi 100, the length of the vectors")
    from rankscope.engines.images.describing import describe
    from rankscope.engines.images.picture_folders import pictures_in

    numbers = {name: _numbers(name, model[name]) or None for name in ("mean", "std")}
    asked = descriptors_of(descriptors, model["model"], side=model["side"], fit=model["fit"], **numbers)
    targets = _targets(output, asked)
    pictures, warnings = pictures_in(folder, labels)
    with progress_line(quiet) as show:
        found = describe(
            [picture.path for picture in pictures],
            asked,
            size=size,
            max_pixels=max_pixels,
            threads=threads,
            progress=None if show is None else lambda done, whole: show("describing", done / whole),
        )
    kept = [pictures[row] for row in found.kept.tolist()]
    said = _files_of_descriptors(
        found.described, targets, kept, {"size": size, "labels": "folders" if labels == "folders" else "table"}
    )
    if quiet:
        return
    print_result("".join(said))
    if not any(picture.label for picture in kept):
        warnings.append("no picture has a class: give --labels CSV, or put each class into a folder of its own")
    for warning in warnings:
        say(f"! {warning}")
    left_out = sorted(set(range(len(pictures))) - set(found.kept.tolist()))
    ids = [pictures[row].id for row in left_out]
    _say_left_out("file", [(id, problem.what) for id, problem in zip(ids, found.problems, strict=True)])


def _describe_texts(
    folder: str, labels: str, lsi: int, field: str | None, seed: int, output: str | None, quiet: bool
) -> None:
    """An index of texts to vectors."""
    from rankscope.engines.text.lsi import save_lsi
    from rankscope.engines.text.text_index import Index

    [path] = _targets(output, [f"lsi({lsi})"])
    qrels = None if labels == "folders" else labels
    count, length, labelled = save_lsi(Index.open(folder), path, lsi, field, seed, qrels)
    if quiet:
        return
    known = f", {labelled:,} of them with labels joined by |" if labelled else ""
    print_result(
        f"{path}: {how_many(count, 'documents')}{known}, lsi({lsi}), {how_many(length, 'values')} each, to be "
        "compared by cosine\n"
    )
    if not labelled:
        say("! no document has a label: give --labels QRELS, and the queries it is relevant to are its labels")


def _numbers(name: str, text: str | None) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in split_list(text or ""))
    except ValueError:
        raise SettingError(f"--{name} must be one number or three separated by commas, got '{text}'") from None


def _targets(output: str | None, asked: list[Any]) -> list[Path]:
    """A file for each descriptor; the name of the descriptor goes in before the suffix if there are several."""
    if output is None or output == "-":
        raise SettingError("the vectors go into a file: give -o FEATURES.npz")
    path = Path(output)
    if path.suffix != ".npz":
        raise SettingError(f"vectors are written as .npz, got {path.name}: give -o {path.stem or 'features'}.npz")
    if not path.parent.is_dir():
        raise SettingError(f"cannot write {path}: there is no folder {path.parent}")
    if len(asked) == 1:
        return [path]
    targets = [path.with_name(f"{path.stem}.{name}.npz") for name in file_names([str(each) for each in asked])]
    for target in targets:
        check_target(target, ("features",))
    return targets


def _files_of_descriptors(described: Any, targets: list[Path], kept: list[Any], settings: dict[str, Any]) -> list[str]:
    """Writes the files; a line about each."""
    from rankscope.engines.images.describing import save_features

    ids, labels = [picture.id for picture in kept], [picture.label for picture in kept]
    classes = len(set(filter(None, labels)))
    said = []
    for each, path in zip(described, targets, strict=True):
        save_features(each, path, ids, labels, settings)
        said.append(
            f"{path}: {how_many(len(ids), 'pictures')} in {how_many(classes, 'classes')}, {each.descriptor}, "
            f"{how_many(each.raw.shape[1], 'values')} each, to be compared by {each.metric}\n"
        )
    return said


def _say_left_out(what: str, problems: Sequence[tuple[str, str]]) -> None:
    """Files or pictures that were left out, by name."""
    if problems:
        say(f"! {len(problems)} {what}{'' if len(problems) == 1 else 's'} left out:")
    for name, why in problems:
        say(f"!   {name} {why}")


def _list(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Name, options with their defaults, metric and source of every descriptor."""
    if not wanted:
        return
    from dataclasses import fields

    from rankscope.core.rendering import text_table
    from rankscope.engines.images.descriptors import DESCRIPTORS

    rows: list[dict[str, object]] = []
    for kind in DESCRIPTORS:
        usual = kind()
        options = ", ".join(f"{each.name}={each.default}" for each in fields(kind))
        rows.append(
            {
                "name": kind.name,
                "options": options or "none",
                "values": usual.size,
                "metric": usual.distance,
                "source": kind.source,
            }
        )
    print_result(text_table(rows))
    context.exit()


# `rankscope benchmark`: which descriptor finds best on a collection of pictures, and what it costs.


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
@MAX_PIXELS
@THREADS
@click.option("--quiet", is_flag=True, help="Only the table: no progress, no warnings, no list of files.")
def benchmark_command(
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
    from rankscope.engines.images.benchmark import benchmark
    from rankscope.engines.images.contenders import contenders
    from rankscope.engines.images.picture_folders import found_collection, need_packages
    from rankscope.measures.evaluation.coverage import few_distractors
    from rankscope.reports.standings import standings_of, standings_text

    asked = contenders(",".join(texts))
    need_packages(collection, [module for each in asked for module in each.needs])
    pictures = found_collection(collection, data)
    try:
        with progress_line(quiet) as progress:
            result = benchmark(
                pictures, asked, output, queries=queries, max_pixels=max_pixels, threads=threads, progress=progress
            )
            standings = standings_of(result, seed)
            files = _files_of_benchmark(standings, Path(output), show, first, seed, progress)
    except KeyboardInterrupt:
        say(f"stopped; what is done lies in {output}: give the same command again to go on")
        raise
    print_result(standings_text(standings, colourful(sys.stdout)))
    if not quiet:
        _say_left_out("picture", result.problems)
        for line in (each.text for each in few_distractors(result.ranks[0])):
            say(f"! {line}")
        for path, what in files:
            say(f"  {path}  {what}")


def _files_of_benchmark(
    standings: Any, folder: Path, show: int, first: int, seed: int, progress: Any
) -> list[tuple[Path, str]]:
    """Tables, graphs and the page, each whole or not at all."""
    from rankscope.reports.page.benchmark_page import write_benchmark

    size = write_benchmark(standings, folder, shown=show, first=first, seed=seed)
    if progress is not None:
        progress("page", 1.0)
    return [
        (folder / "NAME.ranks.parquet", "exact ranks of each descriptor: every command reads them"),
        (folder / "table.csv", "all numbers; also .json, .md, .tex and .txt"),
        (folder / "quality.svg", "means with intervals; cost.svg: against time"),
        (folder / "report.html", f"the page with the pictures, {size / 1e6:.1f} MB, opens offline"),
    ]
