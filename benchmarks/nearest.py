"""Exact ranks from vectors: against the bare matrix products, faiss asked for everything, and scipy; in one run.

`python -m benchmarks.nearest [products] [l1] [large]`. Every figure is the best of several runs of a part of the
queries, scaled to all of them; the parts are named.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine
from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.features import Features

Table = NDArray[Any]


def best(work: Callable[[], object], repeat: int = 3) -> float:
    """The fastest of several runs, in seconds."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def classes(count: int, width: int, size: int, alike: float, seed: int = 0) -> tuple[Table, Table]:
    """Unit vectors in classes of one size; the cosine of two members of a class is about `alike`."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(count) // size)
    middle = rng.standard_normal((count // size, width), dtype=np.float32)
    rows = np.sqrt(alike, dtype=np.float32) * middle[labels]
    rows += np.sqrt(1 - alike, dtype=np.float32) * rng.standard_normal((count, width), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), labels


def bare_products(rows: Table, step: int = 1000) -> None:
    out = np.empty((step, len(rows)), dtype=np.float32)
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], rows.T, out=out)


def products(count: int = 20_000, width: int = 256) -> str:
    """20,000 x 256, 200 classes of 100: all ranks of all queries."""
    lines = ["| what | seconds | against the bare products |", "|---|---:|---:|"]
    for words, alike in (("classes with cosine .3", 0.3), ("labels at random", 0.0)):
        rows, labels = classes(count, width, 100, alike)
        bare = best(lambda rows=rows: bare_products(rows))  # type: ignore[misc]
        ours = best(lambda rows=rows, labels=labels: nearest_ranks(rows, labels, "cosine"))  # type: ignore[misc]
        lines.append(f"| bare float32 products | {bare:.2f} | 1.00 |")
        lines.append(f"| rankscope cosine, {words} | {ours:.2f} | {ours / bare:.2f} |")
    kept = best(lambda: nearest_ranks(rows, labels, "cosine", keep_scores=True), 1)
    lines.append(f"| the same with scores kept | {kept:.2f} | {kept / bare:.2f} |")
    theirs = faiss_everything(rows, part=100)
    lines.append(f"| faiss IndexFlatIP, k = n (100 queries, scaled) | {theirs:.2f} | {theirs / bare:.2f} |")
    lines.append(f"\nfaiss takes {theirs / ours:.1f} times as long as rankscope.")
    return "\n".join(lines) + "\n"


def faiss_everything(rows: Table, part: int) -> float:
    """Seconds for all queries, from a part of them."""
    import faiss

    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    return best(lambda: index.search(rows[:part], len(rows)), 2) * len(rows) / part


def city_block(count: int = 20_000, width: int = 1024, part: int = 60) -> str:
    """L1 on 20,000 x 1,024, whole numbers and fractions, against scipy's distances and a sort, on one core."""
    from scipy.spatial.distance import cdist

    rng = np.random.default_rng(0)
    labels = rng.permutation(np.arange(count) // 100)
    whole = rng.integers(0, 256, (count, width), dtype=np.uint8)
    names = [str(row) for row in range(count)]
    lines = ["| what | seconds, all queries | rankscope is faster |", "|---|---:|---:|"]
    for words, rows in (("uint8", whole), ("float32", rng.random((count, width), dtype=np.float32))):
        wide = rows.astype(np.float64)
        chosen = Features.of(rows, labels, queries=names[:1000])
        theirs = best(lambda wide=wide: np.sort(cdist(wide[:part], wide, "cityblock"), axis=1), 2) * count / part  # type: ignore[misc]
        ours = best(lambda chosen=chosen: nearest_ranks(chosen, metric="l1"), 2) * count / 1000  # type: ignore[misc]
        lines.append(f"| scipy cdist and sort, {words} ({part} queries, scaled) | {theirs:.0f} | |")
        lines.append(f"| rankscope l1, {words} (1,000 queries, scaled) | {ours:.0f} | {theirs / ours:.1f} times |")
    return "\n".join(lines) + "\n"


def large(count: int = 100_000, width: int = 256) -> str:
    """100,000 x 256 within 2 GB: seconds and the most memory the process held."""
    rows, labels = classes(count, width, 100, 0.3)
    begin = time.perf_counter()
    nearest_ranks(rows, labels, "cosine", memory=1 << 30)
    seconds = time.perf_counter() - begin
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return f"100,000 x 256, classes of 100, all ranks: {seconds:.0f} s, at most {held:.2f} GiB\n"


def report() -> str:
    """All parts but the large one."""
    return f"{products()}\n{city_block()}"


PARTS = {"products": products, "l1": city_block, "large": large}

if __name__ == "__main__":
    for name in sys.argv[1:] or ["products", "l1"]:
        print(PARTS[name](), flush=True)
    print(machine())
