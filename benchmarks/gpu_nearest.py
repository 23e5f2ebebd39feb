"""Exact ranks on a graphics card: 1,048,576 unit vectors of 512 dimensions, and a collection with copies.

`python -m benchmarks gpu`, or `python -m benchmarks.gpu_nearest [count [device]]` for the tables alone. Every item is a
query. Classes of 8, then of 64; the cosine of two members of a class is about .3, in the last row nearly 0: then hits
stand deep in the list and the quick products leave too much in doubt. The collection with copies is what a real index
is: 60,000 vectors, 2,000 of them exact copies of others and 1,000 one float apart from another. Ranks of a random
sample of queries are compared with those of float64 sums of everything, made feature by feature. It needs torch with
CUDA.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.gpu import GpuRanker, TileCounts, _OnDevice
from rankscope.engines.nearest.gpu_scores import DEVICE_METRICS
from rankscope.engines.nearest.relevance import Relevance
from rankscope.inputs.features import Features

COUNT, WIDTH, ALIKE, SAMPLE = 1 << 20, 512, 0.3, 1000
CASES = ((8, ALIKE), (64, ALIKE), (64, 0.02))
WARM_UP = 8_192
CELLS = 1 << 27  # scores of the check at once

Sampled = tuple[int, list[int]]  # position of a query, ranks of its class mates


@dataclass(frozen=True)
class Timed:
    """One collection ranked: seconds, and how many of the sampled queries have other ranks in float64."""

    prepared: float  # vectors copied to the card and rounded
    ranked: float
    phases: dict[str, float]
    ranks: int
    wrong: int
    gibibytes: float


def unit_vectors(count: int, size: int, alike: float, device: str) -> tuple[Any, Any]:
    """Unit vectors in classes of one size, made on the card, and the class of each."""
    import torch

    torch.manual_seed(0)
    labels = torch.randperm(count, device=device) // size
    middle = torch.randn((count // size + 1, WIDTH), device=device)
    rows = alike**0.5 * middle[labels] + (1 - alike) ** 0.5 * torch.randn((count, WIDTH), device=device)
    rows /= rows.norm(dim=1, keepdim=True)
    return rows.cpu().numpy(), labels.cpu().numpy()


def with_copies(count: int = 60_000, width: int = 96, size: int = 30) -> tuple[Any, Any]:
    """Vectors in classes, a thirtieth of them copies of others, and half as many one float apart from another."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(count) // size
    rows = rng.standard_normal((count // size, width), dtype=np.float32)[labels] * np.float32(0.5)
    rows += rng.standard_normal((count, width), dtype=np.float32)
    chosen = rng.permutation(count)
    copies, near = count // 30, count // 60
    rows[chosen[:copies]] = rows[chosen[copies : 2 * copies]]
    there, others = chosen[2 * copies : 2 * copies + near], chosen[2 * copies + near : 2 * copies + 2 * near]
    rows[there] = rows[others]
    rows[there, 0] = np.nextafter(rows[there, 0], np.float32(np.inf))
    return rows, labels


def float64_ranks(rows: Any, labels: Any, metric: str, queries: Any, device: str) -> Iterator[list[int]]:
    """Ranks of the class mates of some queries: sums in the order of the features, a comparison of everything."""
    import torch

    columns = torch.from_numpy(rows).to(device).T.contiguous().to(torch.float64)
    number, place = torch.from_numpy(labels).to(device), torch.arange(len(rows), device=device)
    squares = torch.zeros(len(rows), dtype=torch.float64, device=device)
    for column in columns:
        squares.add_(column * column)
    step = max(1, CELLS // len(rows))
    for start in range(0, len(queries), step):
        some = torch.from_numpy(queries[start : start + step]).to(device)
        scores = torch.zeros((some.numel(), len(rows)), dtype=torch.float64, device=device)
        for column in columns:
            term = (
                column[None, :] - column[some][:, None] if metric == "l2" else column[None, :] * column[some][:, None]
            )
            scores.sub_(term * term) if metric == "l2" else scores.add_(term)
        if metric == "cosine":
            scores /= (squares[some][:, None] * squares[None, :]).sqrt()
        for query, row in zip(some.tolist(), scores, strict=True):
            there = place != query
            mates = torch.nonzero((number == number[query]) & there)[:, 0]
            mine = row[mates][:, None]
            before = ((row > mine) | ((row == mine) & (place < mates[:, None]))) & there
            yield sorted((1 + before.sum(dim=1)).tolist())


def wrong(rows: Any, labels: Any, metric: str, found: Callable[[int], list[int]], device: str) -> int:
    """How many of a sample of queries have other ranks by float64."""
    queries = np.random.default_rng(1).choice(len(rows), min(SAMPLE, len(rows)), replace=False)
    truth = float64_ranks(rows, labels, metric, queries, device)
    return sum(found(int(query)) != ranks for query, ranks in zip(queries, truth, strict=True))


def ranked_in_stream(count: int, size: int, alike: float, device: str) -> Timed:
    """Rank everything once, after a warm-up that compiles the kernels."""
    import torch

    rows, labels = unit_vectors(count, size, alike, device)
    relevance = Relevance.of(Features.of(rows, labels))
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    begin = time.perf_counter()
    ranker = GpuRanker(rows, "cosine", relevance, device)
    prepared = time.perf_counter() - begin
    ranker.ranked(relevance.queries[:WARM_UP])
    ranker.spent.clear()
    step = ranker.block_size()
    begin = time.perf_counter()
    found = list(ranker.stream([relevance.queries[at : at + step] for at in range(0, relevance.queries.size, step)]))
    ranked = time.perf_counter() - begin
    memory = torch.cuda.max_memory_allocated() / 2**30 if device == "cuda" else 0.0
    lists = {query: (block, row) for block in found for row, query in enumerate(block.queries.tolist())}

    def ranks_of(query: int) -> list[int]:
        block, row = lists[query]
        ranks: list[int] = block.judged["rank"][slice(*block.judged.offsets[row : row + 2])].tolist()
        return ranks

    total = sum(block.judged.size for block in found)
    phases = dict(ranker.spent)
    del ranker
    return Timed(prepared, ranked, phases, total, wrong(rows, labels, "cosine", ranks_of, device), memory)


def with_copies_table(device: str, count: int = 60_000) -> list[str]:
    """The collection with copies through `nearest_ranks`, from arrays to ranks."""
    rows, labels = with_copies(count)
    lines = ["| metric | seconds | with scores kept | wrong |", "|---|---:|---:|---:|"]
    chosen = f"{device}" if device == "cuda" else "torch-cpu"
    for metric in DEVICE_METRICS:
        seconds = []
        for keep in (False, True):
            tries = []
            for _ in range(3):  # the first of all compiles
                begin = time.perf_counter()
                ranks = nearest_ranks(rows, labels, metric, device=chosen, keep_scores=keep)
                tries.append(time.perf_counter() - begin)
            print(metric, f"first call {tries[0]:.2f} s", file=sys.stderr, flush=True)
            seconds.append(min(tries))
        lists = dict(zip(map(int, ranks.queries), pairwise(ranks.judged.offsets), strict=True))

        def found(query: int, ranks: Any = ranks, lists: Any = lists) -> list[int]:
            result: list[int] = ranks.judged["rank"][slice(*lists[query])].tolist() if query in lists else []
            return result

        bad = wrong(rows, labels, metric, found, device)
        sampled = min(SAMPLE, count)
        lines.append(f"| {metric} | {seconds[0]:.2f} | {seconds[1]:.2f} | {bad} of {sampled} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def seconds_on_card(work: Callable[[], object], repeat: int = 5) -> float:
    """The mean of several runs, after two that do not count."""
    import torch

    for _ in range(2):
        work()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(repeat):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / repeat


def parts_of_a_tile(count: int = 1 << 17, alike: float = 0.02) -> list[str]:
    """What products, counts and references of one tile of queries cost, scaled to all pairs of 2^20 items."""
    lines = ["| part | seconds for 2^40 pairs, hits deep in the list |", "|---|---:|"]
    rows, labels = unit_vectors(count, 64, alike, "cuda")
    relevance = Relevance.of(Features.of(rows, labels))
    ranker = GpuRanker(rows, "cosine", relevance, "cuda")
    tile = _OnDevice(ranker, ranker._looked_up(relevance.queries[:8192])).tile(0, 8192)
    whole = 2.0**40 / (8192 * ranker.tile_items)
    for level in (ranker.quick, ranker.precise):
        name, left = type(level).__name__.lower(), level.query_side(tile.queries)
        seconds = seconds_on_card(partial(level.scores, left, 0, ranker.tile_items))
        lines.append(f"| products, {name} | {seconds * whole:.2f} |")
        counts = TileCounts(tile.hits, *level.limits(tile.queries[tile.hits.row], tile.hits.score), 1 << 25)
        seconds = seconds_on_card(partial(counts.add, level.scores(left, 0, ranker.tile_items), 0))
        lines.append(f"| counts, {name} | {seconds * whole:.2f} |")
    pairs, rng = 1 << 23, np.random.default_rng(0)
    one, other = (ranker._sent(rng.integers(0, count, pairs)) for _ in range(2))
    seconds = seconds_on_card(partial(ranker.rows.reference, one.sort().values, other))
    return [*lines, f"| references of 10^9 pairs | {seconds * 1e9 / pairs:.2f} |"]


def report(count: int = COUNT, device: str = "cuda") -> str:
    """Tables; nothing where there is no card."""
    try:
        import torch
    except ImportError:
        return ""
    if device == "cuda" and not torch.cuda.is_available():
        return ""
    card = torch.cuda.get_device_name() if device == "cuda" else device
    lines = [
        f"{count:,} unit vectors of {WIDTH} dimensions, every item a query, exact ranks of all class mates over the"
        f" whole collection. Card: {card}, torch {torch.__version__}. Ranks of {SAMPLE:,} queries drawn at random were"
        " compared with those of float64 sums. In the last row hits stand deep in the list, and half-precision products"
        " did not do.",
        "",
        "| classes of | within-class cosine | ranks | seconds | to the card before | memory on the card, GiB | wrong |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size, alike in CASES:
        one = ranked_in_stream(count, size, alike, device)
        lines.append(
            f"| {size} | {alike:g} | {one.ranks:,} | {one.ranked:.2f} | {one.prepared:.2f} | {one.gibibytes:.1f} "
            f"| {one.wrong} of {min(SAMPLE, count)} |"
        )
        print(lines[-1], {name: round(value, 2) for name, value in one.phases.items()}, file=sys.stderr, flush=True)
        if device == "cuda":
            torch.cuda.empty_cache()
    lines += [
        "",
        "60,000 vectors of 96 dimensions in classes of 30, 2,000 exact copies and 1,000 pairs one float apart:",
    ]
    lines += [
        "from arrays to ranks, the best of three calls; the first of a process compiles.",
        "",
        *with_copies_table(device, 60_000 if device == "cuda" else 3_000),
    ]
    if device == "cuda":
        lines += ["", *parts_of_a_tile()]
    return "\n".join([*lines, "", "Command: `python -m benchmarks.gpu_nearest`."])


if __name__ == "__main__":
    print(report(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT, *sys.argv[2:3]))
