"""`rankscope compare` on all runs of TREC-COVID, round 1: the whole command, from files to words."""

from __future__ import annotations

import json

from benchmarks.forecast_cases import DATA
from benchmarks.measuring import PYTHON, run


def report() -> str:
    """Processor time, and seconds from the start of the process to its end."""
    folder = DATA / "trec-covid-r1"
    if not folder.is_dir():
        return ""
    runs = sorted(str(path) for path in (folder / "runs").iterdir())
    command = [PYTHON, "-m", "rankscope", "compare", str(folder / "qrels-rnd1.txt"), *runs, "--quiet"]
    result = run([*command, "--format", "json"], repeat=5)
    one = json.loads(result.output)["measures"][0]
    apart = sum(bool(pair["better"]) for pair in one["pairs"])
    return "\n".join(
        [
            f"{len(runs)} runs, {one['queries']} queries, {len(one['pairs'])} pairs by AP: sign flips with "
            "Holm, randomised Tukey with 10,000 permutations, BCa intervals with 10,000 resamples, rank intervals.",
            "",
            "| what | |",
            "|---|---:|",
            f"| processor seconds, start of Python included | {result.processor:.2f} |",
            f"| wall, s | {result.seconds:.2f} |",
            f"| peak memory, MB | {result.megabytes:.0f} |",
            f"| pairs that differ | {apart} of {len(one['pairs'])} |",
        ]
    )
