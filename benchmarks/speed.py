"""From files to printed means, one process each, against the peers; and the small speeds people feel."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks import big_run
from benchmarks.measuring import PYTHON, Measured, run
from benchmarks.peers import PEERS

MEASURES = ("AP", "nDCG@10", "P@10", "Rprec", "RR")


def rankscope(qrels: Path, ranking: Path) -> list[str]:
    command = [PYTHON, "-m", "rankscope", "evaluate", str(qrels), str(ranking)]
    return [*command, *(part for name in MEASURES for part in ("-m", name))]


def evaluation(folder: Path) -> str:
    """The table of the main path and its variants."""
    paths = big_run.make(folder)
    run(rankscope(paths["qrels"], paths["run"]))  # compiles modules, warms the file cache
    ours = run(rankscope(paths["qrels"], paths["run"]), repeat=5)
    rows = [("rankscope, all checks on", ours, "")]
    for name in PEERS:
        peer = run([PYTHON, "-m", "benchmarks.peers", name, str(paths["qrels"]), str(paths["run"])])
        rows.append((name, peer, f"{peer.seconds / ours.seconds:.1f} times as long"))
    for name, words in (("blanks", "two blanks between fields"), ("shuffled", "lines in random order"), ("gz", "gz")):
        variant = run(rankscope(paths["qrels"], paths[name]), repeat=3)
        rows.append((f"rankscope, {words}", variant, f"{variant.seconds / ours.seconds:.2f} times as long"))
    return _table(rows)


def _table(rows: list[tuple[str, Measured, str]]) -> str:
    lines = ["| program | seconds | peak memory, MB | against rankscope |", "|---|---:|---:|---|"]
    lines += [f"| {name} | {got.seconds:.2f} | {got.megabytes:.0f} | {words} |" for name, got, words in rows]
    return "\n".join(lines) + "\n"


def small_speeds(folder: Path) -> str:
    """Start, measures on ranks in memory, the shipped collection."""
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run
    from rankscope.measures.notation import parse_measures
    from rankscope.ranks.reduce import reduce

    paths = big_run.make(folder)
    ranks = reduce(Qrels.of(paths["qrels"]), Run.of(paths["run"]))
    measures = parse_measures(MEASURES)
    begin = time.perf_counter()
    for measure in measures:
        measure.of(ranks)
    in_memory = time.perf_counter() - begin
    help_text = run([PYTHON, "-m", "rankscope", "--help"], repeat=10)
    loading = "import numpy, time; b = time.perf_counter(); import rankscope; rankscope.collections.icons(); "
    icons = run([PYTHON, "-c", loading + "print(time.perf_counter() - b)"], repeat=5)
    return (
        "| what | seconds |\n|---|---:|\n"
        f"| 5 measures on RelevantRanks in memory (6,980 queries) | {in_memory:.3f} |\n"
        f"| `rankscope --help` | {help_text.seconds:.3f} |\n"
        f"| `rankscope.collections.icons()` once numpy is imported | {float(icons.output):.3f} |\n"
    )
