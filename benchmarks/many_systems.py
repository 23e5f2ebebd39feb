"""A report of very many systems: 100 synthetic ones on 2,000 queries, one measure compared and six."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measuring import PYTHON, Measured, run
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import save_ranks

SYSTEMS, QUERIES, COLLECTION, DEPTH = 100, 2_000, 100_000, 1_000
MEASURES = ("AP", "AP,nDCG@10,P@10,success@1,RR,Rprec")


def report() -> str:
    """Processor time, memory and size of the page, the start of Python included."""
    lines = [
        f"{SYSTEMS} systems of different skill on {QUERIES:,} queries of 1 to 29 relevant items in a collection of "
        f"{COLLECTION:,}, as saved ranks; every pair compared.",
        "",
        "| measures | processor seconds | wall, s | peak memory, MB | page, MB |",
        "|---|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        files = write_systems(Path(folder), SYSTEMS, QUERIES)
        for measures in MEASURES:
            page = Path(folder) / "report.html"
            done = _report(files, measures, page)
            lines.append(
                f"| {measures.replace(',', ', ')} | {done.processor:.0f} | {done.seconds:.0f} | {done.megabytes:.0f} | "
                f"{page.stat().st_size / 1e6:.1f} |"
            )
    return "\n".join(lines) + "\n"


def _report(files: list[Path], measures: str, page: Path) -> Measured:
    command = [PYTHON, "-m", "rankscope", "report", *map(str, files), "-m", measures, "-o", str(page), "--quiet"]
    return run(command, repeat=1)


def write_systems(folder: Path, systems: int, queries: int, seed: int = 0) -> list[Path]:
    """Ranks of systems that differ in skill, on queries that differ in difficulty, each in its file."""
    chance = np.random.default_rng(seed)
    relevant, hard = chance.integers(1, 30, queries), chance.normal(0, 1, queries)
    names = [f"q{number:05}" for number in range(queries)]
    files = []
    for number in range(systems):
        typical = np.exp(3 + 0.8 * hard - chance.normal(0, 0.35) + 0.5 * chance.normal(size=queries))
        gaps = chance.geometric(np.repeat(1 / (1 + typical / 4), relevant))
        lists = [np.cumsum(own) for own in np.split(gaps, np.cumsum(relevant)[:-1])]
        ranks = RelevantRanks.from_ranks(
            [own[own <= DEPTH] for own in lists],
            relevant=relevant,
            queries=names,
            depth=DEPTH,
            collection=COLLECTION,
            system=f"system {number + 1:03}",
        )
        files.append(folder / f"system{number + 1:03}.ranks.parquet")
        save_ranks(ranks, files[-1])
    return files
