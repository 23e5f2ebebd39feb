"""Exact ranks from vectors: against the bare matrix products, faiss and scipy; in one run, in processor time.

`python -m benchmarks.nearest [products] [l1] [large]`. Processor time is that of the process, all its threads, user
and system; every figure is the best of several runs. Yardsticks that treat each query alike are run for a part of the
queries and scaled to all of them; the parts are named. rankscope always ranks all queries: its tiles serve both sides.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import machine
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.metrics import space_of
from rankscope.ranks.relevant_ranks import RelevantRanks

Table = NDArray[Any]
Work = Callable[[], object]

REPEAT = 5
REPEAT_LONG = 2  # of rankings that take a minute each
CHECKED = 50  # queries whose ranks are compared with those of float64 scores, sorted


def best_of_each(works: Mapping[str, Work], repeat: int = REPEAT) -> dict[str, float]:
    """The least processor seconds of each; they take turns, so that all meet the same machine."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeat):
        for name, work in works.items():
            begin = time.process_time()
            work()
            times[name].append(time.process_time() - begin)
    return {name: min(each) for name, each in times.items()}


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


def different(ranks: RelevantRanks, rows: Table, labels: Table, metric: str) -> str:
    """How many of some queries have other ranks than sorted float64 scores, added in feature order, give them."""
    space, wrong = space_of(metric, rows), 0
    found = dict(zip(ranks.queries, ranks.judged.lists("rank"), strict=True))
    chosen = np.random.default_rng(1).choice(len(rows), CHECKED, replace=False)
    for query in chosen.tolist():
        scores = space.reference(np.full(len(rows), query), np.arange(len(rows)))
        scores[query] = -np.inf
        order = np.argsort(-scores, kind="stable")[:-1]
        wrong += found[str(query)] != (np.flatnonzero(labels[order] == labels[query]) + 1).tolist()
    return f"{wrong} of {CHECKED}"


def products(count: int = 20_000, width: int = 256) -> str:
    """20,000 x 256, 200 classes of 100: all ranks of all queries."""
    lines = [
        f"Cosine, {count:,} x {width}, classes of 100, all ranks of all queries; processor seconds, best of {REPEAT}.",
        "",
        "| what | processor seconds | against the bare products | ranks unlike float64's |",
        "|---|---:|---:|---:|",
    ]
    for words, alike in (("classes with cosine .3", 0.3), ("labels at random", 0.0)):
        rows, labels = classes(count, width, 100, alike)
        ours: Work = lambda rows=rows, labels=labels: nearest_ranks(rows, labels, "cosine")  # type: ignore[misc]  # noqa: E731
        bare: Work = lambda rows=rows: bare_products(rows)  # type: ignore[misc]  # noqa: E731
        taken = best_of_each({"bare": bare, "ours": ours})
        unlike = different(nearest_ranks(rows, labels, "cosine"), rows, labels, "cosine")
        lines.append(f"| bare float32 products | {taken['bare']:.2f} | 1.00 | |")
        lines.append(_row(f"rankscope cosine, {words}", taken["ours"], taken["bare"], unlike))
    more = best_of_each(
        {
            "kept": lambda: nearest_ranks(rows, labels, "cosine", keep_scores=True),
            "faiss": lambda: faiss_products(rows, part=100),
        },
        repeat=2,
    )
    everything = more["faiss"] * count / 100
    lines.append(_row("the same with scores kept", more["kept"], taken["bare"]))
    lines.append(_row("faiss IndexFlatIP, k = n (100 queries, scaled)", everything, taken["bare"]))
    return "\n".join(lines) + "\n"


def _row(what: str, seconds: float, yardstick: float, unlike: str = "") -> str:
    return f"| {what} | {seconds:.2f} | {seconds / yardstick:.2f} | {unlike} |"


def faiss_products(rows: Table, part: int) -> None:
    import faiss

    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    index.search(rows[:part], len(rows))


def faiss_distances(rows: Table, part: int) -> None:
    """The bare distances, which is the least that faiss's L1 can take."""
    import faiss

    faiss.pairwise_distances(rows[:part], rows, metric=faiss.METRIC_L1)


def faiss_ranking(rows: Table, part: int) -> None:
    """Everything in order: what answers the same question."""
    import faiss

    index = faiss.IndexFlat(rows.shape[1], faiss.METRIC_L1)
    index.add(rows)
    index.search(rows[:part], len(rows))


def scipy_ranking(rows: Table, part: int) -> None:
    from scipy.spatial.distance import cdist

    np.sort(cdist(rows[:part], rows, "cityblock"), axis=1)


def city_block(count: int = 20_000, width: int = 1024, part: int = 100) -> str:
    """L1 on 20,000 x 1,024, whole numbers and fractions."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.arange(count) // 100)
    lines = [
        f"L1, {count:,} x {width:,}, classes of 100, labels at random, all ranks of all queries; processor seconds, "
        f"best of {REPEAT_LONG}. The yardsticks are of {part} queries, scaled, best of {REPEAT}; "
        "faiss knows float32 only. The ratios are to "
        "its bare distances (`pairwise_distances`), which rank nothing.",
        "",
        "| what | processor seconds | against faiss's bare distances | ranks unlike float64's |",
        "|---|---:|---:|---:|",
    ]
    for words, rows in (
        ("uint8", rng.integers(0, 256, (count, width), dtype=np.uint8)),
        ("float32", rng.random((count, width), dtype=np.float32)),
    ):
        taken, ranks = _city_block_times(rows, labels, part)
        lines += [
            _row(f"faiss bare distances, {words} values", taken["faiss"], taken["faiss"]),
            _row(f"faiss IndexFlat L1, k = n, {words} values", taken["faiss, everything"], taken["faiss"]),
            _row(f"scipy cdist and sort, {words} values", taken["scipy"], taken["faiss"]),
            _row(f"rankscope l1, {words}", taken["ours"], taken["faiss"], different(ranks, rows, labels, "l1")),
        ]
    return "\n".join(lines) + "\n"


def _city_block_times(rows: Table, labels: Table, part: int) -> tuple[dict[str, float], RelevantRanks]:
    single, double = rows.astype(np.float32), rows.astype(np.float64)
    found: list[RelevantRanks] = []
    taken = best_of_each(
        {
            "faiss": lambda: faiss_distances(single, part),
            "faiss, everything": lambda: faiss_ranking(single, part),
            "scipy": lambda: scipy_ranking(double, part // 5),
        }
    )
    taken |= best_of_each({"ours": lambda: found.append(nearest_ranks(rows, labels, "l1"))}, REPEAT_LONG)
    scale = {"faiss": part, "faiss, everything": part, "scipy": part // 5, "ours": len(rows)}
    return {name: seconds * len(rows) / scale[name] for name, seconds in taken.items()}, found[0]


def large(count: int = 100_000, width: int = 256) -> str:
    """100,000 x 256 within 2 GB: seconds and the most memory the process held."""
    rows, labels = classes(count, width, 100, 0.3)
    begin, spent = time.perf_counter(), time.process_time()
    nearest_ranks(rows, labels, "cosine", memory=1 << 30)
    seconds, processor = time.perf_counter() - begin, time.process_time() - spent
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    taken = f"{seconds:.0f} s, {processor:.0f} s of a processor"
    return f"100,000 x 256, classes of 100, all ranks: {taken}, at most {held:.2f} GiB\n"


def report() -> str:
    """All parts but the large one."""
    return f"{products()}\n{city_block()}"


PARTS = {"products": products, "l1": city_block, "large": large}

if __name__ == "__main__":
    for name in sys.argv[1:] or ["products", "l1"]:
        print(PARTS[name](), flush=True)
    print(machine())
