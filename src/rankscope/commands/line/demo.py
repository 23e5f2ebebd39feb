"""`rankscope demo`: the main job on the collection that ships inside the package, no file needed.

It writes judgements and runs as most people have them, too: to try every other command on.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from rankscope.commands.line.command import GuardedCommand, OutputFolder
from rankscope.commands.line.output import colourful, print_result, progress_line
from rankscope.core.names import RANKS_SUFFIX
from rankscope.core.settings import Settings
from rankscope.core.wording import how_many

SYSTEMS = ("pixels", "edges")
MEASURES = ("AP", "Rprec", "P@10", "success@1", "ER", "nDCG@10", "NMRR")
PICTURED = 40  # queries at each end of the differences whose results are shown
BLOCK = 512  # queries ranked at once: memory that is used again, where larger tables are asked for anew each time


@click.command("demo", cls=GuardedCommand, short_help="See it work.")
@click.option(
    "-o",
    "--output",
    default="rankscope-demo",
    show_default=True,
    type=OutputFolder(),
    metavar="FOLDER",
    help="Write the results into this folder.",
)
@click.option("--quiet", is_flag=True, help="Only the table and the verdict: no progress, no list of files.")
def demo_command(output: str, quiet: bool) -> None:
    """Two systems on the icons that ship with rankscope: every icon in turn is the query, its class the target."""
    from rankscope.analysis.comparison.estimates import compared_of
    from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
    from rankscope.commands.line.report import write_report
    from rankscope.core.files import made_folder
    from rankscope.core.rendering import grid_text
    from rankscope.inputs.collections.sample import icons
    from rankscope.inputs.run_rows import keep_freed_memory
    from rankscope.measures.evaluation.evaluate import evaluate_ranks
    from rankscope.measures.evaluation.score_tables import coverage_lines, summary_grid

    folder = made_folder(output)
    keep_freed_memory()
    sample = icons()
    largest = int(sample.class_sizes.max())
    what = f"{how_many(len(sample), 'icons')} in {how_many(len(sample.classes), 'classes')} of 2 to {largest}"

    def tell(text: str) -> None:
        if not quiet:
            print_result(text)

    tell(f"{what}, {sample.distractors:,} distractors\n")
    with progress_line(quiet) as progress:
        ranks = [_ranked(sample, each, progress) for each in SYSTEMS]
    scores = evaluate_ranks(ranks, MEASURES, Settings())
    print_result("\n" + grid_text(summary_grid(scores), colourful(sys.stdout)) + "\n")
    print_result("\n".join(coverage_lines(scores)) + "\n")
    compared = compared_of(scores)
    print_result("\n" + "\n".join(verdict_sentences(compared)[:1]) + "\n\n" if compared is not None else "\n")
    with progress_line(quiet) as progress:
        found = _first_found(sample, scores)
        files = _written(folder, ranks, scores, compared)
        files += write_samples(folder, sample, _nearest, SYSTEMS)
        page, title = folder / "report.html", "Icons: pixels and edges"
        written = write_report(scores, page, title, progress=progress, compared=compared, found=found)
    for path, what in [*files, (page, written)]:
        tell(f"  {path}  {what}\n")
    tell(f"\nOpen {page} in a browser:\n{page.resolve().as_uri()}\n")


def _ranked(sample: Any, space: str, progress: Any) -> Any:
    """Exact ranks of all class mates of every icon."""
    from rankscope.engines.nearest import nearest_ranks

    def show(done: int, whole: int) -> None:
        if progress is not None:
            progress(space, done / whole)

    features = sample.features(space)
    return nearest_ranks(
        features,
        sample.class_of_item,
        "cosine",
        ids=sample.items,
        block=BLOCK,
        keep_scores=True,
        system=space,
        progress=show,
    )


def _written(folder: Path, ranks: list[Any], scores: Any, compared: Any) -> list[tuple[Path, str]]:
    """The files for programs, and what each is."""
    from rankscope.analysis.comparison.paper_tables import scores_table
    from rankscope.core.files import atomic
    from rankscope.ranks.storage import save_ranks
    from rankscope.reports import output_formats

    result: list[tuple[Path, str]] = []
    for each in ranks:
        path = folder / f"{each.system}{RANKS_SUFFIX}"
        save_ranks(each, path)
        result.append((path, "ranks of every relevant icon: every command reads it"))
    for name, render, per_query, what in (
        ("scores.csv", output_formats.render_csv, True, "one row per system, query and measure"),
        ("scores.json", output_formats.render_json, False, "means, settings, provenance"),
    ):
        data = render(scores, per_query)
        with atomic(folder / name, "w") as file:
            file.write(data)
        result.append((folder / name, what))
    with atomic(folder / "table.tex") as file:
        file.write(scores_table(scores, compared=compared))
    return [*result, (folder / "table.tex", "the table for a paper")]


def _first_found(sample: Any, scores: Any) -> Any:
    """What both systems find first, as pictures, for the queries on which they differ most."""
    import numpy as np

    from rankscope.ranks.item_ranks import FirstItem
    from rankscope.reports.page.found_items import COUNT, FoundItems, ShownDocuments, grey_address

    one, other = (system.columns[0].values for system in scores.systems)
    queries = scores.systems[0].ranks.queries
    order = np.argsort(other - one, kind="stable")
    shown = np.concatenate([order[:PICTURED], order[-PICTURED:]])
    place = {item: number for number, item in enumerate(sample.items)}
    rows = np.array([place[queries[each]] for each in shown.tolist()])
    lists, seen = {}, set(rows.tolist())
    for system in scores.systems:
        nearest, _ = _nearest(sample.features(system.name), rows, COUNT)
        same = (sample.labels[nearest] == sample.labels[rows][:, None]).astype(np.float64)
        seen |= set(nearest.ravel().tolist())
        lists[system.name] = {
            sample.items[row]: [FirstItem(sample.items[item], good) for item, good in zip(own, marks, strict=True)]
            for row, own, marks in zip(rows.tolist(), nearest.tolist(), same.tolist(), strict=True)
        }
    pictures = {sample.items[row]: grey_address(sample.images[row]) for row in sorted(seen)}
    return FoundItems(lists, documents=ShownDocuments(pictures=pictures))


def _nearest(features: Any, rows: Any, count: int) -> tuple[Any, Any]:
    """The items nearest to some of them by cosine, themselves left out, and their cosines, to six places.

    Equal ones stand in the order of the collection.
    """
    import numpy as np

    vectors = np.asarray(features, dtype=np.float64)
    vectors = vectors / np.maximum(np.sqrt((vectors**2).sum(axis=1, keepdims=True)), 1e-12)
    alike = np.round(vectors[rows] @ vectors.T, 6)
    alike[np.arange(len(rows)), rows] = -np.inf
    places = np.argsort(-alike, axis=1, kind="stable")[:, :count]
    return places, np.take_along_axis(alike, places, axis=1)


SMALLEST, LARGEST = 5, 50  # icons in a class that is asked for
SAMPLE_DEPTH = 100  # places of a ranking
JUDGED = 20  # places of each ranking that are judged, whatever stands there

Lists = dict[str, dict[str, float]]


def write_samples(folder: Path, sample: Any, nearest: Any, systems: tuple[str, ...]) -> list[tuple[Path, str]]:
    """TREC text: one icon of each class of middling size is a query, its class mates are relevant."""
    from rankscope.core.files import atomic
    from rankscope.inputs.formats.trec import TREC
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run

    # The first icon of each class that is neither tiny nor larger than a ranking shows.
    first: dict[str, int] = {}
    for row, label in enumerate(sample.class_of_item):
        first.setdefault(label, row)
    count = dict(zip(sample.classes, sample.class_sizes.tolist(), strict=True))
    rows = [row for label, row in first.items() if label and SMALLEST <= count[label] <= LARGEST]
    found = {
        system: _lists_of_rows(sample, rows, *nearest(sample.features(system), rows, SAMPLE_DEPTH))
        for system in systems
    }
    with atomic(folder / "qrels.txt", "w") as file:
        TREC.write_qrels(Qrels.of(_judgements(sample, rows, list(found.values()))), file)
    for system, lists in found.items():
        with atomic(folder / f"{system}.run", "w") as file:
            TREC.write_run(Run.of(lists, name=system), file)
    ranked = f"what {{}} finds for them, the first {SAMPLE_DEPTH}, as TREC text"
    runs = [(folder / f"{system}.run", ranked.format(system)) for system in systems]
    return [(folder / "qrels.txt", f"judgements of {len(rows)} queries, as TREC text"), *runs]


def _lists_of_rows(sample: Any, rows: list[int], places: Any, scores: Any) -> Lists:
    """Items and scores of each query, best first."""
    return {
        sample.items[row]: {sample.items[item]: score for item, score in zip(own, values, strict=True)}
        for row, own, values in zip(rows, places.tolist(), scores.tolist(), strict=True)
    }


def _judgements(sample: Any, rows: list[int], runs: list[Lists]) -> dict[str, dict[str, int]]:
    """1 for every class mate; 0 for what else stands among the first of a run."""
    mates: dict[str, list[str]] = {}
    for item, label in zip(sample.items, sample.class_of_item, strict=True):
        mates.setdefault(label, []).append(item)
    result = {}
    for row in rows:
        query = sample.items[row]
        seen = [item for lists in runs for item in list(lists[query])[:JUDGED]]
        relevant = [item for item in mates[sample.class_of_item[row]] if item != query]
        result[query] = {**dict.fromkeys(seen, 0), **dict.fromkeys(relevant, 1)}
    return result
