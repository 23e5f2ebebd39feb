"""Vectors by shards: the ranks of `nearest_ranks`, query by query, and what shards cost next to one collection."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.core.parts import Home, Runner
from rankscope.core.processes import Processes
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.shards.parts import RowFile, ShardPlan, StoredRows
from rankscope.engines.shards.ranking import ShardCounts, ShardRanking, shards_between
from rankscope.inputs.collections.collection import load
from rankscope.inputs.features import Features
from rankscope.ranks.relevant_ranks import RelevantRanks

DATA = Path(os.environ.get("RANKSCOPE_DATA", "../shared/data"))
SHARDS = (1, 4, 16)
MEMORY = 1 << 30


@dataclass(frozen=True)
class Weighing(Runner):
    """Another runner, whose results are weighed."""

    runner: Runner
    bytes_back: list[int] = field(default_factory=list)

    def map(self, work: Callable[[Any, Any], Any], shared: Any, parts: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        """As the other does it."""
        for part, result in self.runner.map(work, shared, parts):
            if isinstance(result, ShardCounts):
                self.bytes_back.append(sum(each.nbytes for each in result.to_arrays().values()))
            yield part, result


def report() -> str:
    """icons20k, pictures of 16 x 16 pixels: 1, 4 and 16 shards here and in two processes."""
    items = _items()
    whole, seconds = _timed(lambda: nearest_ranks(items, metric="cosine"))
    lines = [
        f"icons20k as {len(items):,} x {items.width} features, {len(whole):,} queries, cosine.",
        "",
        "| how | processor seconds | queries with other ranks | back per query and shard, bytes |",
        "|---|---:|---:|---:|",
        f"| one collection | {seconds:.1f} | | |",
    ]
    for count in SHARDS:
        found, seconds, back = _by_shards(items, count, Home(), keep_scores=False)
        words = f"{count} shard{'s' * (count > 1)}"
        lines.append(f"| {words} | {seconds:.1f} | {different(found, whole)} | {back:,.0f} |")
    with_scores, seconds = _timed(lambda: nearest_ranks(items, metric="cosine", keep_scores=True))
    lines.append(f"| one collection, scores kept | {seconds:.1f} | | |")
    found, seconds, back = _by_shards(items, 4, Home(), keep_scores=True)
    lines.append(f"| 4 shards, scores kept | {seconds:.1f} | {different(found, with_scores)} | {back:,.0f} |")
    found, _, back = _by_shards(items, 4, Processes(2), keep_scores=True)
    lines.append(f"| the same in two processes | | {different(found, with_scores)} | {back:,.0f} |")
    return "\n".join([*lines, ""])


def _items() -> Features:
    collection = load("icons20k", DATA / "icons20k")
    images = np.asarray(collection.images, dtype=np.float32).reshape(-1, 16, 2, 16, 2).mean(axis=(2, 4))
    return Features.of(images.reshape(len(images), -1) - np.float32(127.3), collection.labels, collection.ids)


def _timed(work: Callable[[], RelevantRanks]) -> tuple[RelevantRanks, float]:
    begin = time.process_time()
    return work(), time.process_time() - begin


def _by_shards(items: Features, count: int, runner: Runner, keep_scores: bool) -> tuple[RelevantRanks, float, float]:
    """Ranks, processor seconds of this process, and bytes that came back for each query and shard."""
    relevance = Relevance.of(items)
    edges = [number * len(items) // count for number in range(count + 1)]
    weighing = Weighing(runner)
    with tempfile.TemporaryDirectory(dir=".bench") as folder:
        file = Path(folder).resolve() / "features.npy"
        np.save(file, items.matrix)
        plan = ShardPlan(
            collection=StoredRows((RowFile.of(items.matrix, file),), items.width, items.kind),
            metric="cosine",
            keep_scores=keep_scores,
            memory=MEMORY,
            device="cpu",
            shards=shards_between(edges, relevance),
        )
        ranking = ShardRanking(relevance=relevance, plan=plan, runner=weighing, folder=Path(folder))
        ranks, seconds = _timed(lambda: ranking.ranks("nearest"))
    return ranks, seconds, sum(weighing.bytes_back) / (relevance.queries.size * count)


def different(one: RelevantRanks, other: RelevantRanks) -> int:
    """How many queries have other ranks, groups of equals, scores or best distractors."""
    unlike = np.zeros(len(other), dtype=np.bool_)
    for mine, theirs in (
        (one.judged, other.judged),
        (one.ties, other.ties),
        *([(one.distractors, other.distractors)] if one.distractors is not None else []),
    ):
        assert mine is not None
        assert theirs is not None
        if mine.offsets.tolist() != theirs.offsets.tolist():
            unlike |= mine.lengths != theirs.lengths
            continue
        for name in theirs.columns:
            unlike |= theirs.count(mine[name] != theirs[name]) > 0
    return int(unlike.sum())
