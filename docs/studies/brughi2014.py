"""Brughi, Gil, Badiella, Jove & Ramos (2014) re-enacted: does one image retrieval system beat another, and on what?

    python docs/studies/brughi2014.py [--systems rankers|simple] [--data FOLDER] [--seed N] [--figures FOLDER]

The analyses of the paper in its order, on 25 queries of 5 classes in a collection of 475 pictures: AP of each query,
confidence bands, one-way analysis of variance of the ten cells, comparison intervals. Then what it named as next steps:
the paired test, the mixed model, checks of the assumptions, the power of the design. `brughi2014.md` reads the result.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import brughi2014_parts as parts
from brughi2014_data import SYSTEMS, Experiment, experiment
from brughi2014_figures import POINTS, examples_sheet, figures

from rankscope.errors import RankscopeError
from rankscope.evaluation.coverage_report import coverage_of
from rankscope.evaluation.evaluate import evaluate_ranks
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.variance.paired_and_unpaired import paired_and_unpaired
from rankscope.statistics.verdicts.compare import compare


def main(arguments: list[str] | None = None) -> None:
    """Print the study, and draw its figures."""
    asked = _options(arguments)
    given = experiment(asked.data, asked.seed)
    if given.note:
        print(f"! {given.note}", file=sys.stderr)
    systems = SYSTEMS[asked.systems](given)
    print("\n".join(study(given, systems)))
    folder = Path(asked.figures)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "brughi2014-figure-2.png").write_bytes(examples_sheet(given))
    for name, graph in figures(systems, asked.seed).items():
        graph.save(folder / f"brughi2014-{asked.systems}-{name}.svg", width=120)


def study(given: Experiment, systems: Sequence[RelevantRanks]) -> Iterable[str]:
    """All parts, line by line."""
    table = ScoreTable.of(evaluate_ranks(systems, ["AP"], Settings(seed=given.seed)))
    cells, whole = paired_and_unpaired(table), compare([table], seed=given.seed)
    yield f"{table.systems[0]} and {table.systems[1]}\n{given}"
    tied = "; ".join(f"{each.system} {coverage_of(each).straddling_pairs:,}" for each in systems)
    yield f"Pairs of equal score split by relevance, in an order drawn by chance: {tied}."
    for number, (title, lines) in enumerate(
        (
            ("AP of each query", parts.values(table)),
            (f"Confidence bands, vertical averaging at {POINTS} recall levels", parts.bands(systems, given.seed)),
            (f"One-way analysis of variance of the {len(cells.unpaired.cells)} cells", parts.one_way(cells)),
            ("Comparison intervals (Tukey)", parts.intervals(table, cells)),
            ("The same queries under both systems: the paired test", parts.paired(whole, cells)),
            ("Mixed model AP ~ system * class + (1 | query)", parts.mixed_model(table)),
            ("What the analyses take for granted", parts.assumed(table)),
            ("Power of the design", parts.power(table, cells)),
            ("Conclusions", parts.conclusions(table, whole, cells)),
            ("Beside the figures of the paper", parts.beside_paper(systems, table, cells, given.seed)),
        ),
        1,
    ):
        yield from ("", f"{number}. {title}", *lines)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", choices=list(SYSTEMS), default=next(iter(SYSTEMS)), help="which two (%(default)s)")
    parser.add_argument("--data", metavar="FOLDER", help="where corel1k/ lies; else RANKSCOPE_DATA, ../shared/data")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (%(default)s)")
    parser.add_argument("--figures", metavar="FOLDER", default="brughi2014", help="for the figures (%(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        main()
    except RankscopeError as problem:
        sys.exit(f"brughi2014: {problem}")
