"""From files to printed means, one process each, against the peers; and the small speeds people feel."""

from __future__ import annotations

import os
import shutil
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
    rows = [_row("rankscope, all checks on", ours, ours)]
    for name in PEERS:
        peer = run([PYTHON, "-m", "benchmarks.peers", name, str(paths["qrels"]), str(paths["run"])], repeat=2)
        rows.append(_row(name, peer, ours))
    trec_eval = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    if trec_eval:
        names = ("map", "ndcg_cut.10", "P.10", "Rprec", "recip_rank")
        command = [
            trec_eval,
            *(part for name in names for part in ("-m", name)),
            str(paths["qrels"]),
            str(paths["run"]),
        ]
        rows.append(_row("trec_eval", run(command, repeat=3), ours))
    for name, words in VARIANTS.items():
        rows.append(_row(f"rankscope, {words}", run(rankscope(paths["qrels"], paths[name]), repeat=3), ours))
    skipped = "" if trec_eval else "\ntrec_eval is neither on the path nor named by TREC_EVAL: left out.\n"
    return "\n".join([*HEADINGS, *rows]) + "\n" + skipped


VARIANTS = {
    "blanks": "two blanks between fields",
    "shuffled": "lines in random order",
    "gz": "gz",
    "large": "25 million lines",
}
HEADINGS = (
    "| program | seconds | of processor time | peak memory, MB | times rankscope's seconds | processor time | memory |",
    "|---|---:|---:|---:|---:|---:|---:|",
)


def _row(name: str, got: Measured, ours: Measured) -> str:
    ratios = (got.seconds / ours.seconds, got.processor / ours.processor, got.megabytes / ours.megabytes)
    cells = (f"{got.seconds:.2f}", f"{got.processor:.2f}", f"{got.megabytes:.0f}", *(f"{each:.2f}" for each in ratios))
    return f"| {name} | {' | '.join(cells)} |"


def small_speeds(folder: Path) -> str:
    """Start, measures on ranks in memory, the shipped collection."""
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run
    from rankscope.measures.notation import parse_measures
    from rankscope.ranks.reduction import reduce

    paths = big_run.make(folder)
    ranks = reduce(Qrels.of(paths["qrels"]), Run.of(paths["run"]))
    measures = parse_measures(MEASURES)
    begin = time.perf_counter()
    for measure in measures:
        measure.of(ranks)
    in_memory = time.perf_counter() - begin
    help_text = run([PYTHON, "-m", "rankscope", "--help"], repeat=10)
    loading = (
        "import numpy, time; b = time.perf_counter(); import rankscope; rankscope.inputs.collections.sample.icons(); "
    )
    icons = run([PYTHON, "-c", loading + "print(time.perf_counter() - b)"], repeat=5)
    return (
        "| what | seconds |\n|---|---:|\n"
        f"| 5 measures on RelevantRanks in memory (6,980 queries) | {in_memory:.3f} |\n"
        f"| `rankscope --help` | {help_text.seconds:.3f} |\n"
        f"| `rankscope.inputs.collections.sample.icons()` once numpy is imported | {float(icons.output):.3f} |\n"
    )
