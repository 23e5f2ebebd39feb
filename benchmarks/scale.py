"""Runs beyond memory: 24 and 96 million rows in 16 files, every query in one file or scattered, on every runner.

Every way must give the same bytes; processor time and the most memory of any process stand next to it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.measuring import PYTHON, Measured, run

QUERIES, DEPTH, FILES, ITEMS = 24_000, 1_000, 16, 2_000_000
LAYOUTS = ("by query", "scattered")
WAYS: dict[str, tuple[str, ...]] = {
    "in memory": (),
    "out of core, 1 GB": ("--memory", "1GB"),
    "processes:1": ("--on", "processes:1", "--memory", "1GB"),
    "processes:2": ("--on", "processes:2", "--memory", "1GB"),
    "processes:4": ("--on", "processes:4", "--memory", "1GB"),
    "dask, 2 workers": ("--on", "DASK", "--memory", "1GB"),
}
COUNTED = {"counted in place": ("--memory", "1GB", "--shuffle", "none")}


def report(folder: Path) -> str:
    """A table for 24 million rows, and what 96 million take out of core."""
    qrels, runs = _make(folder / "scale", QUERIES)
    lines = ["| 24 million rows | layout | seconds | of processor time | peak memory, MB | SHA-256 |"]
    lines.append("|---|---|---:|---:|---:|---|")
    seen: dict[str, set[str]] = {layout: set() for layout in LAYOUTS}
    peaks: dict[str, float] = {}
    for layout in LAYOUTS:
        for way, options in (WAYS | (COUNTED if layout == "scattered" else {})).items():
            if "DASK" in options and importlib.util.find_spec("distributed") is None:
                lines.append(f"| {way} | {layout} | distributed is not installed | | | |")
                continue
            got, digest = _measured(qrels, runs[layout], options, folder)
            seen[layout].add(digest)
            peaks.setdefault(f"{way}, {layout}", got.megabytes)
            lines.append(
                f"| {way} | {layout} | {got.seconds:.1f} | {got.processor:.1f} | {got.megabytes:.0f} | {digest[:12]} |"
            )
    same = {layout: len(digests) == 1 for layout, digests in seen.items()}
    lines += [
        "",
        *(f"{layout}: {'all ways gave the same bytes' if same[layout] else 'BYTES DIFFER'}." for layout in LAYOUTS),
    ]
    return "\n".join([*lines, *_large(folder, peaks), ""])


def _large(folder: Path, peaks: dict[str, float]) -> list[str]:
    qrels, runs = _make(folder / "scale96", 4 * QUERIES)
    lines = [""]
    for layout in LAYOUTS:
        got, _ = _measured(qrels, runs[layout], WAYS["out of core, 1 GB"], folder)
        times = got.megabytes / peaks[f"out of core, 1 GB, {layout}"]
        lines.append(
            f"96 million rows {layout}, out of core within 1 GB: {got.processor:.0f} s of processor time, "
            f"{got.megabytes:.0f} MB, {times:.2f} times the memory of 24 million."
        )
    return lines


def _measured(qrels: Path, ranking: Path, options: tuple[str, ...], folder: Path) -> tuple[Measured, str]:
    output = folder / "scale.ranks.parquet"
    output.unlink(missing_ok=True)
    command = [PYTHON, "-m", "rankscope", "evaluate", str(qrels), str(ranking), "-o", str(output), "--quiet"]
    if "DASK" in options:
        got = run([PYTHON, "-m", "benchmarks.scale", "dask", *command, *options])
    else:
        got = run([*command, *options])
    return got, hashlib.sha256(output.read_bytes()).hexdigest()


def with_dask(command: list[str]) -> None:
    """Run a command with a scheduler and two workers of its own, which count as its children."""
    file = Path(f".bench/scheduler-{os.getpid()}.json").resolve()
    begin = [PYTHON, "-m"]
    where = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(file)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    scheduler = subprocess.Popen([*begin, "distributed.cli.dask_scheduler", *where], **quiet)  # type: ignore[call-overload]
    while not file.exists() or not file.read_text().strip().endswith("}"):
        time.sleep(0.05)
    address = json.loads(file.read_text())["address"]
    how = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", ".bench"]
    workers = [
        subprocess.Popen([*begin, "distributed.cli.dask_worker", address, *how], env=environment, **quiet)  # type: ignore[call-overload]
        for _ in range(2)
    ]
    try:
        subprocess.run([address.replace("tcp:", "dask:") if each == "DASK" else each for each in command], check=True)
    finally:
        for process in (*workers, scheduler):
            process.terminate()
            process.wait()
        file.unlink(missing_ok=True)


def _make(folder: Path, queries: int) -> tuple[Path, dict[str, Path]]:
    """Judgements and the same run in both layouts, made once by a process of its own."""
    runs = {layout: folder / layout.replace(" ", "-") for layout in LAYOUTS}
    if not (folder / "qrels.parquet").exists():
        subprocess.run([sys.executable, "-m", "benchmarks.scale", "make", str(folder), str(queries)], check=True)
    return folder / "qrels.parquet", runs


def _write(folder: Path, queries: int) -> None:
    """Each query has distinct items and falling scores; 30 of them, and 10 that it has not, are judged."""
    for layout in LAYOUTS:
        (folder / layout.replace(" ", "-")).mkdir(parents=True, exist_ok=True)
    judged = []
    each = queries // FILES
    for number in range(FILES):
        random = np.random.default_rng(number)
        frame = _rows(np.arange(number * each, (number + 1) * each), random)
        frame.write_parquet(folder / "by-query" / f"part-{number:02}.parquet")
        judged.append(_judgements(frame, each, random))
        _scatter(frame, folder / "scattered", number, random)
    for number in range(FILES):
        pieces = sorted((folder / "scattered").glob(f".piece-{number:02}-*"))
        whole = pl.concat([pl.read_parquet(piece) for piece in pieces])
        whole.sample(fraction=1, shuffle=True, seed=number).write_parquet(
            folder / "scattered" / f"part-{number:02}.parquet"
        )
        for piece in pieces:
            piece.unlink()
    pl.concat(judged).sample(fraction=1, shuffle=True, seed=1).write_parquet(folder / "qrels.parquet")


def _rows(query: np.ndarray, random: np.random.Generator) -> pl.DataFrame:
    item = (random.integers(0, ITEMS, (query.size, 1)) + np.arange(DEPTH) * 1999) % ITEMS
    score = -np.sort(-random.normal(10, 3, (query.size, DEPTH)).round(4), axis=1)
    frame = pl.DataFrame({"query": np.repeat(query, DEPTH), "item": item.ravel(), "score": score.ravel()})
    return frame.with_columns(
        pl.format("q{}", pl.col("query").cast(pl.String).str.zfill(6)).alias("query"),
        pl.format("doc{}", pl.col("item").cast(pl.String).str.zfill(8)).alias("item"),
    )


def _judgements(frame: pl.DataFrame, queries: int, random: np.random.Generator) -> pl.DataFrame:
    found = frame[np.unique(random.integers(0, frame.height, 30 * queries))].select("query", "item")
    names = frame.get_column("query").gather_every(DEPTH)
    missing = pl.DataFrame({"query": names, "item": pl.Series([[f"no{n}" for n in range(10)]] * queries)}).explode(
        "item"
    )
    both = pl.concat([found, missing])
    return both.with_columns(pl.Series("grade", random.integers(0, 2, both.height)))


def _scatter(frame: pl.DataFrame, folder: Path, number: int, random: np.random.Generator) -> None:
    place = random.integers(0, FILES, frame.height)
    for file in range(FILES):
        frame.filter(pl.Series(place == file)).write_parquet(folder / f".piece-{file:02}-{number:02}")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        _write(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        with_dask(sys.argv[2:])
