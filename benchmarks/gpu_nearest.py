"""Exact ranks on a graphics card: 1,048,576 unit vectors of 512 dimensions, every item a query.

`python -m benchmarks.gpu_nearest [count]`. Classes of 8, then of 64; the cosine of two members of a class is about .3.
A random sample of queries is checked against float64 products of everything. It needs torch with CUDA.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankscope.engines.nearest.block import BlockRanks
from rankscope.engines.nearest.gpu import GpuRanker
from rankscope.engines.nearest.relevance import Relevance
from rankscope.inputs.features import Features

WIDTH, ALIKE, SAMPLE = 512, 0.3, 200


@contextmanager
def timed(what: str) -> Iterator[None]:
    import torch

    begin = time.perf_counter()
    yield
    torch.cuda.synchronize()
    print(f"  {what:44} {time.perf_counter() - begin:8.2f} s", flush=True)


def made(count: int, size: int) -> tuple[Any, Any]:
    """Unit vectors in classes of one size, made on the card, and the class of each."""
    import torch

    torch.manual_seed(0)
    labels = torch.randperm(count, device="cuda") // size
    middle = torch.randn((count // size, WIDTH), device="cuda")
    rows = ALIKE**0.5 * middle[labels] + (1 - ALIKE) ** 0.5 * torch.randn((count, WIDTH), device="cuda")
    rows /= rows.norm(dim=1, keepdim=True)
    return rows.cpu().numpy(), labels.cpu().numpy()


def blocks_of(ranker: GpuRanker) -> list[Any]:
    queries, step = ranker.relevance.queries, ranker.block_size()
    return [queries[start : start + step] for start in range(0, queries.size, step)]


def wrong(rows: Any, labels: Any, found: list[BlockRanks]) -> int:
    """How many of a sample of queries have other ranks by float64 products and a comparison of everything."""
    import torch

    table = torch.from_numpy(rows).cuda().to(torch.float64)
    table /= table.norm(dim=1, keepdim=True)
    random, bad = np.random.default_rng(1), 0
    number = torch.from_numpy(labels).cuda()
    for _ in range(SAMPLE):
        block = found[random.integers(len(found))]
        row = int(random.integers(block.queries.size))
        query = int(block.queries[row])
        scores = table @ table[query]
        scores[query] = -2.0
        mates = torch.nonzero((number == number[query]) & (torch.arange(len(rows), device="cuda") != query))[:, 0]
        ranks = sorted(1 + int((scores > scores[mate]).sum()) for mate in mates)
        offsets = block.judged.offsets
        bad += ranks != block.judged["rank"][offsets[row] : offsets[row + 1]].tolist()
    return bad


def run(count: int, size: int) -> None:
    import torch

    print(f"{count:,} x {WIDTH}, classes of {size}")
    with timed("data made (not counted)"):
        rows, labels = made(count, size)
    with timed("features checked"):
        items = Features.of(rows, labels)
    relevance = Relevance.of(items)
    with timed("classes and queries"):
        print(f"  {relevance.queries.size:,} queries")
    begin = time.perf_counter()
    with timed("vectors to the card, split, squared"):
        ranker = GpuRanker(rows, "cosine", relevance, "cuda")
    print(f"  half-precision products: {ranker.products.quick}; kernel: {ranker.counter.kernel is not None}")
    with timed("warm-up: 8,192 queries (compiles the kernel)"):
        ranker.ranked(relevance.queries[:8192])
    warm = time.perf_counter()
    with timed("ranks of all queries"):
        found = list(ranker.stream(blocks_of(ranker)))
    end = time.perf_counter()
    hits = sum(block.judged.size for block in found)
    print(f"  {hits:,} ranks; precise products were needed: {ranker.precise}")
    parts = ranker.spent
    print("  of which, on the main thread: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in parts.items()))
    print(f"  ALL RANKS {end - warm:.2f} s; with copying to the card and warm-up {end - begin:.2f} s")
    print(f"  most memory on the card: {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
    with timed(f"check of {SAMPLE} queries against float64"):
        print(f"  {wrong(rows, labels, found)} of {SAMPLE} differ (near-ties of float64 itself may)")


def main(count: int) -> None:
    import torch

    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    for size in (8, 64):
        run(count, size)
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20)
