"""The demo and a report of two text runs: whole commands, from their start to the page."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.forecast_cases import DATA
from benchmarks.measuring import PYTHON, Measured, run

RUNS = ("BM25R2.gz", "sab20.1.blind.gz")  # of TREC-COVID, round 1
REPEAT = 5


def report() -> str:
    """Processor time and wall of both commands, the start of Python included."""
    with tempfile.TemporaryDirectory() as folder:
        measured = {"`rankscope demo`": _demo(Path(folder))}
        if (DATA / "trec-covid-r1").is_dir():
            measured["`rankscope report` of two text runs"] = _two_runs(Path(folder))
    lines = [
        f"Best of {REPEAT}. Processor time is that of the command and of the process that helps it. The runs are "
        f"{' and '.join(RUNS)} of TREC-COVID, round 1.",
        "",
        "| command | processor seconds | wall, s | peak memory, MB |",
        "|---|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {each.processor:.2f} | {each.seconds:.2f} | {each.megabytes:.0f} |"
        for name, each in measured.items()
    ]
    return "\n".join(lines) + "\n"


def _demo(folder: Path) -> Measured:
    return run([PYTHON, "-m", "rankscope", "demo", "-o", str(folder / "demo"), "--quiet"], repeat=REPEAT)


def _two_runs(folder: Path) -> Measured:
    data = DATA / "trec-covid-r1"
    runs = [str(data / "runs" / name) for name in RUNS]
    page = str(folder / "report.html")
    command = [PYTHON, "-m", "rankscope", "report", str(data / "qrels-rnd1.txt"), *runs, "-o", page, "--quiet"]
    return run(command, repeat=REPEAT)
