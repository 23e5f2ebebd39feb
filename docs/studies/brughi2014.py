"""Brughi, Gil, Badiella, Jove & Ramos (2014) re-enacted: does one image retrieval system beat another, and on what?

    python docs/studies/brughi2014.py [--systems rankers|simple] [--no-variants] [--levels N] [--data FOLDER] [--seed N]
                                      [--figures FOLDER]

The analyses of the paper in its order, on 25 queries of 5 classes in a collection of 475 pictures: AP of each query,
confidence bands, one-way analysis of variance of the ten cells, comparison intervals. Then what it named as next steps:
the paired test, the mixed model, checks of the assumptions, the power of the design, bands over the collection, and
variables of the query. A run that is stopped goes on when the same command is given. `brughi2014.md` reads the result.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import brughi2014_parts as parts
from brughi2014_data import SYSTEMS, Experiment, RankedSystem, experiment, variants
from brughi2014_figures import POINTS, examples_sheet, figures

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.statistics.mixed_model import paired_and_unpaired
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import RankscopeError
from rankscope.core.settings import Settings
from rankscope.measures.evaluation.coverage import coverage_of
from rankscope.measures.evaluation.evaluate import evaluate_ranks

CAVEAT = (
    "Classes are categories of pictures, and labels serve as truth. Matching finds instances, the same object again: "
    "where pictures of a class share no object it cannot but fail, and that says nothing of landmarks, which the paper "
    "has."
)


def main(arguments: list[str] | None = None) -> None:
    """Print the study, and draw its figures."""
    asked = _options(arguments)
    given = experiment(asked.data, asked.seed)
    if given.note:
        print(f"! {given.note}", file=sys.stderr)
    folder = Path(asked.figures)
    folder.mkdir(parents=True, exist_ok=True)
    ranked = SYSTEMS[asked.systems](given, folder / "work")
    others = variants(given, folder / "work") if asked.systems == "rankers" and not asked.no_variants else []
    systems = [each.ranks(given) for each in ranked]
    print("\n".join(study(given, ranked, others, asked.levels)))
    (folder / "brughi2014-figure-2.png").write_bytes(examples_sheet(given))
    for name, graph in figures(systems, asked.seed, asked.levels).items():
        graph.save(folder / f"brughi2014-{asked.systems}-{name}.svg", width=120)


def study(
    given: Experiment, ranked: Sequence[RankedSystem], others: Sequence[RankedSystem] = (), levels: int = POINTS
) -> Iterable[str]:
    """All parts, line by line."""
    systems = [each.ranks(given) for each in ranked]
    table = ScoreTable.of(evaluate_ranks(systems, ["AP"], Settings(seed=given.seed)))
    cells, whole = paired_and_unpaired(table), compare([table], seed=given.seed)
    yield f"{table.systems[0]} and {table.systems[1]}\n{given}"
    yield CAVEAT
    tied = "; ".join(f"{each.system} {coverage_of(each).straddling_pairs:,}" for each in systems)
    yield f"Pairs of equal score split by relevance, in an order drawn by chance: {tied}."
    sections = [
        ("AP of each query", parts.values(table)),
        (f"Confidence bands, vertical averaging at {levels} recall levels", parts.bands(systems, given.seed, levels)),
        (f"One-way analysis of variance of the {len(cells.unpaired.cells)} cells", parts.one_way(cells)),
        ("Comparison intervals (Tukey)", parts.intervals(table, cells)),
        ("The same queries under both systems: the paired test", parts.paired(table, whole, cells)),
        ("Mixed model AP ~ system * class + (1 | query)", parts.mixed_model(table)),
        ("What the analyses take for granted", parts.assumed(table)),
        ("Power of the design", parts.power(table, cells)),
        ("Conclusions", parts.conclusions(table, whole, cells)),
        ("Next to the figures of the paper", parts.beside_paper(systems, table, cells, given.seed)),
        ("Bands over the collection", parts.collection_bands(ranked, given, levels)),
        ("Variables of the query", parts.explained_by(table, given)),
    ]
    if others:
        found = [each.ranks(given) for each in others]
        sections.append(("Vocabularies, vectors and RANSAC", parts.beside_variants(found, systems[0], given.seed)))
    for number, (title, lines) in enumerate(sections, 1):
        yield from ("", f"{number}. {title}", *lines)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", choices=list(SYSTEMS), default=next(iter(SYSTEMS)), help="which two (%(default)s)")
    parser.add_argument("--no-variants", action="store_true", help="no other vocabularies, vectors and RANSAC")
    parser.add_argument("--levels", type=int, default=POINTS, metavar="N", help="recall levels, N_P (%(default)s)")
    parser.add_argument("--data", metavar="FOLDER", help="where corel1k/ lies; else RANKSCOPE_DATA, ../shared/data")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (%(default)s)")
    parser.add_argument("--figures", metavar="FOLDER", default="brughi2014", help="for the figures (%(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        main()
    except RankscopeError as problem:
        sys.exit(f"brughi2014: {problem}")
