"""Exact ranks on a graphics card: 1,048,576 unit vectors of 512 dimensions, every item a query.

`python -m benchmarks gpu`, or `python -m benchmarks.gpu_nearest [count]` for the table alone. Classes of 8, then of 64;
the cosine of two members of a class is about .3, in the last row nearly 0: then hits stand deep in the list and the
quick products leave too much in doubt. A random sample of queries is checked against float64 products of everything.
It needs torch with CUDA.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.engines.nearest.block import BlockRanks
from rankscope.engines.nearest.gpu import GpuRanker
from rankscope.engines.nearest.relevance import Relevance
from rankscope.inputs.features import Features

COUNT, WIDTH, ALIKE, SAMPLE = 1 << 20, 512, 0.3, 200
WARM_UP = 8_192


@dataclass(frozen=True)
class Timed:
    """One collection ranked: seconds, and how many of the sampled queries have other ranks in float64."""

    prepared: float  # vectors copied to the card and split
    ranked: float
    phases: dict[str, float]
    ranks: int
    wrong: int
    gibibytes: float


def made(count: int, size: int, alike: float = ALIKE) -> tuple[Any, Any]:
    """Unit vectors in classes of one size, made on the card, and the class of each."""
    import torch

    torch.manual_seed(0)
    labels = torch.randperm(count, device="cuda") // size
    middle = torch.randn((count // size, WIDTH), device="cuda")
    rows = alike**0.5 * middle[labels] + (1 - alike) ** 0.5 * torch.randn((count, WIDTH), device="cuda")
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


def timed(count: int, size: int, alike: float = ALIKE) -> Timed:
    """Rank everything once, after a warm-up that compiles the kernels."""
    import torch

    rows, labels = made(count, size, alike)
    relevance = Relevance.of(Features.of(rows, labels))
    torch.cuda.reset_peak_memory_stats()
    begin = time.perf_counter()
    ranker = GpuRanker(rows, "cosine", relevance, "cuda")
    torch.cuda.synchronize()
    prepared = time.perf_counter() - begin
    ranker.ranked(relevance.queries[:WARM_UP])
    ranker.spent.clear()
    begin = time.perf_counter()
    found = list(ranker.stream(blocks_of(ranker)))
    ranked = time.perf_counter() - begin
    ranks = sum(block.judged.size for block in found)
    memory = torch.cuda.max_memory_allocated() / 2**30
    return Timed(prepared, ranked, dict(ranker.spent), ranks, wrong(rows, labels, found), memory)


def report(count: int = COUNT) -> str:
    """A table; nothing where there is no card."""
    try:
        import torch
    except ImportError:
        return ""
    if not torch.cuda.is_available():
        return ""
    lines = [
        f"{count:,} unit vectors of {WIDTH} dimensions, every item a query, exact ranks of all class mates in the whole"
        f" collection. Card: {torch.cuda.get_device_name()}, torch {torch.__version__}. Ranks of {SAMPLE} queries drawn"
        " at random were compared with those of float64 products. In the last row hits stand deep in the list, and"
        " float64 products were needed.",
        "",
        "| classes of | within-class cosine | ranks | seconds | to the card before | memory on the card, GiB | wrong |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size, alike in ((8, ALIKE), (64, ALIKE), (64, 0.02)):
        one = timed(count, size, alike)
        lines.append(
            f"| {size} | {alike:g} | {one.ranks:,} | {one.ranked:.2f} | {one.prepared:.2f} | {one.gibibytes:.1f} "
            f"| {one.wrong} of {SAMPLE} |"
        )
        print(lines[-1], {name: round(value, 2) for name, value in one.phases.items()}, file=sys.stderr, flush=True)
        torch.cuda.empty_cache()
    return "\n".join([*lines, "", "Command: `python -m benchmarks.gpu_nearest`."])


if __name__ == "__main__":
    print(report(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT))
