"""A run of 6,980 queries with 1,000 items each, 4-decimal scores so that ties occur, and variants of it: two blanks
between fields, lines in random order, packed, and 3.6 times as many lines.
"""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

QUERIES, DEPTH, ITEMS = 6_980, 1_000, 8_841_823
LARGE = 25_000_000  # lines


def make(folder: Path) -> dict[str, Path]:
    """Files by name; made once, by a process of their own so that this one stays small."""
    paths = _paths(folder)
    if not all(path.exists() for path in paths.values()):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "benchmarks.big_run", str(folder)], check=True)
    return paths


def _paths(folder: Path) -> dict[str, Path]:
    names = {name: folder / f"{name}.txt" for name in ("qrels", "run", "blanks", "shuffled", "large")}
    return {**names, "gz": folder / "run.txt.gz"}


def _write(paths: dict[str, Path]) -> None:
    _write_run(paths["run"], paths["qrels"])
    text = paths["run"].read_text()
    paths["blanks"].write_text(text.replace(" ", "  "))
    lines = text.splitlines(keepends=True)
    random.Random(0).shuffle(lines)
    paths["shuffled"].write_text("".join(lines))
    _write_large(paths["run"], paths["large"])
    paths["gz"].write_bytes(gzip.compress(text.encode(), compresslevel=6))


def _write_large(run: Path, large: Path) -> None:
    """The same lines again and again, for other queries each time, up to 25 million lines."""
    text = np.frombuffer(run.read_bytes(), dtype=np.uint8).copy()
    ends = np.flatnonzero(text == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    with large.open("wb") as file:
        left = LARGE
        for digit in b"1234":
            text[starts] = digit
            lines = min(left, ends.size)
            file.write(text[: int(ends[lines - 1]) + 1].tobytes())
            left -= lines


def _write_run(run: Path, qrels: Path) -> None:
    generator = np.random.default_rng(0)
    with run.open("w") as ranking, qrels.open("w") as judgements:
        for number in range(QUERIES):
            query = 1_000_000 + 13 * number
            items = generator.choice(ITEMS, DEPTH, replace=False)
            scores = np.sort(generator.normal(10, 3, DEPTH))[::-1]
            pairs = enumerate(zip(items.tolist(), scores.tolist(), strict=True), start=1)
            ranking.write("".join(f"{query} Q0 {item} {rank} {score:.4f} sys\n" for rank, (item, score) in pairs))
            judged = {*generator.choice(items, 3).tolist(), *generator.choice(ITEMS, 2).tolist()}
            judgements.write("".join(f"{query} 0 {item} {place % 3}\n" for place, item in enumerate(sorted(judged), 1)))


if __name__ == "__main__":
    _write(_paths(Path(sys.argv[1])))
