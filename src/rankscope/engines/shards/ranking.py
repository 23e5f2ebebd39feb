"""Exact ranks of a collection in parts: where it is ranked, how it is cut, and the same bytes as `nearest_ranks`
give.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rankscope.core.arrays import IntArray
from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, SettingError
from rankscope.core.machine import memory_text
from rankscope.core.parts import Home, Part, PartsFolder, Runner, finished_parts
from rankscope.core.threads import with_threads
from rankscope.core.validation import check
from rankscope.core.wording import how_many, setting_usage
from rankscope.engines.nearest.blocks import ArraysForm, BlockRanks, OfArrays
from rankscope.engines.nearest.metrics import Metric, metric_name, shown_scores, space_of
from rankscope.engines.nearest.ranking import Device, assemble_ranks, nearest_ranks
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.nearest.space import Values
from rankscope.engines.shards.counting import BlockTotals, CountPart, ShardCounts, count_shard
from rankscope.engines.shards.parts import (
    FEATURES_ADVICE,
    BlockHits,
    HitsPart,
    KnownValues,
    RowFile,
    Shard,
    ShardPlan,
    StoredRows,
    find_hits,
    look_at_values,
)
from rankscope.inputs.feature_files import FeatureParts
from rankscope.ranks.parts.resources import LONG, in_time, silent
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.screening import Placed, ranks_of_placed
from rankscope.version import __version__

# Where a collection in parts is ranked: as a whole where it fits and nobody asks for more, else by shards.

PRODUCTS_A_SECOND = 1.35e10  # of two features, by one core, counting included
OWN_METRIC = "a metric that is a function is called for one collection in one place"


@dataclass(frozen=True)
class ShardsWhere:
    """Nothing here changes a number. `folder` holds finished parts; all workers must reach it."""

    runner: Runner
    memory: int
    folder: Path
    device: str = "cpu"
    threads: int | None = None
    progress: Progress | None = None
    say: Callable[[str], None] = field(default=silent, repr=False)

    def holds(self, items: FeatureParts) -> bool:
        """Whether all features may be in memory at once, in this process."""
        return isinstance(self.runner, Home) and items.nbytes <= self.memory // 2


def rank_parts(
    items: FeatureParts,
    metric: Metric,
    where: ShardsWhere,
    *,
    query_item: str = "removed",
    junk: Any = (),
    keep_scores: bool = False,
    system: str = "nearest",
) -> tuple[RelevantRanks, int]:
    """What `nearest_ranks` gives for all items together, bit for bit; and how many parts were there from before.

    Raises `SettingError` for a metric that is a function and cannot see all features here.
    """
    check({"device": where.device}, device=Device())
    if callable(metric):
        if not isinstance(where.runner, Home):
            raise SettingError(f"{OWN_METRIC}: rank it without {setting_usage('on')}")
        if not where.holds(items):
            size, memory = memory_text(items.nbytes), memory_text(where.memory)
            raise SettingError(f"{OWN_METRIC}: {size} of features need twice as much memory, {memory} are allowed")
        whole = items.joined()
        return nearest_ranks(
            whole, metric=metric, query_item=query_item, junk=junk, keep_scores=keep_scores, system=system
        ), 0
    relevance = Relevance.of(items, query_item, junk)
    if relevance.queries.size == 0:
        raise InputError.of("features", ["no query has a relevant item in its collection"])
    files = tuple(RowFile.of(part.array, part.path) for part in items.parts)
    edges = shard_edges([file.rows for file in files], rows_of_shard(where.memory, items.width))
    plan = ShardPlan(
        collection=StoredRows(files, width=items.width, kind=items.kind),
        metric=metric,
        keep_scores=keep_scores,
        memory=where.memory,
        device=where.device,
        shards=shards_between(edges, relevance),
    )
    where.say(announcement(system, relevance, plan, getattr(where.runner, "count", None) or 1))
    ranking = ShardRanking(
        relevance=relevance, plan=plan, runner=where.runner, folder=where.folder, progress=where.progress
    )
    with with_threads(where.threads):
        return ranking.ranks(system), ranking.reused


def announcement(system: str, relevance: Relevance, plan: ShardPlan, cores: int) -> str:
    """What is going to happen, in one line."""
    queries, items, shards = relevance.queries.size, len(relevance.items), len(plan.shards)
    seconds = queries * items * relevance.items.width / PRODUCTS_A_SECOND / cores
    how = "1 shard" if shards == 1 else f"{shards:,} shards"
    time = f", {in_time(seconds)}" if seconds > LONG and plan.device == "cpu" else ""
    return (
        f"{system}: {how_many(queries, 'queries')} x {how_many(items, 'items')} in {how} within "
        f"{memory_text(plan.memory)} each{time}"
    )


# Exact ranks by shards: the same bytes as `nearest_ranks`, wherever the parts are worked on and however it is cut.

Progress = Callable[[int, int], None]
P = TypeVar("P", bound=Part)
R = TypeVar("R", bound=OfArrays)
STAGES: dict[Any, tuple[float, float]] = {  # from which share of the time to which
    look_at_values: (0.0, 0.02),
    find_hits: (0.02, 0.1),
    count_shard: (0.1, 1.0),
}


def shards_between(edges: Sequence[int], relevance: Relevance) -> tuple[Shard, ...]:
    """Shards of a collection that begin and end at these numbers of items."""
    several = enumerate(pairwise(edges))
    return tuple(Shard.of(number, first, stop, relevance.gallery) for number, (first, stop) in several)


@dataclass
class ShardRanking:
    """One ranking in parts; finished parts lie in a folder that all workers reach."""

    relevance: Relevance
    plan: ShardPlan
    runner: Runner
    folder: Path
    progress: Progress | None = None
    reused: int = 0  # parts that were there from before

    def ranks(self, system: str) -> RelevantRanks:
        """All ranks; an `InputError` that names all files that were changed or removed meanwhile."""
        with self._naming_changed_files():
            plan = self._with_values()
            hits = self._hits_parts(plan)
            for _ in self._finished(find_hits, plan, hits, BlockHits):
                pass  # they lie in the folder, where the next stage reads them
            totals = self._count(plan, hits)
            blocks = [_block_ranks(plan, self._read(part), total) for part, total in zip(hits, totals, strict=True)]
        return assemble_ranks(blocks, self.relevance, metric_name(plan.metric), plan.keep_scores, system)

    def _about(self, work: str) -> dict[str, Any]:
        """What the result of any part depends on in addition to its own queries and items."""
        plan = self.plan
        return {
            "work": work,
            "version": __version__,
            "features": self.relevance.items.digest,
            "metric": metric_name(plan.metric),
            "keep_scores": plan.keep_scores,
        }

    def _with_values(self) -> ShardPlan:
        """The plan, with what must be known of the whole collection; what a metric cannot rank is told now."""
        plan = replace(
            self.plan,
            shards=tuple(
                replace(each, digest=digest_of({**self._about("values"), "items": [each.first, each.stop]}))
                for each in self.plan.shards
            ),
        )
        known = [found.values for _, found in self._finished(look_at_values, plan, plan.shards, KnownValues)]
        values = tuple(Values.join(each) for each in zip(*filter(None, known), strict=True))
        space_of(plan.metric, plan.collection.rows_at(self.relevance.queries[:1]), values)
        ranges = [[each.first, each.stop] for each in plan.shards]
        digest = digest_of({**self._about("plan"), "items": ranges, "memory": plan.memory})
        return replace(plan, values=values, digest=digest)

    def _hits_parts(self, plan: ShardPlan) -> list[HitsPart]:
        about = self._about("hits")
        parts = []
        for queries in blocks_of(self.relevance, len(plan.shards)):
            part = HitsPart.of(self.relevance, queries, "")
            contents = hashlib.sha256()
            for each in (queries, part.left_out.offsets, part.left_out["item"]):
                contents.update(f"{each.size}\n".encode() + np.ascontiguousarray(each).tobytes())
            parts.append(replace(part, digest=digest_of({**about, "queries": contents.hexdigest()})))
        return parts

    def _count(self, plan: ShardPlan, hits: Sequence[HitsPart]) -> list[ShardCounts]:
        """The counts of all shards for each block, added as they come."""
        parts = [
            CountPart(
                digest=digest_of({**self._about("count"), "hits": part.digest, "items": [shard.first, shard.stop]}),
                block=number,
                hits=self.folder / f"{part.digest}{ArraysForm.suffix}",
                shard=shard.number,
            )
            for shard in plan.shards  # workers meet one shard after the other
            for number, part in enumerate(hits)
        ]
        totals = [BlockTotals() for _ in hits]
        for part, counts in self._finished(count_shard, plan, parts, ShardCounts):
            totals[part.block].add(counts)
        return [each.result() for each in totals]

    def _finished(
        self, work: Callable[[Any, P], R], plan: ShardPlan, parts: Sequence[P], kind: type[R]
    ) -> Iterator[tuple[P, R]]:
        folder = PartsFolder(self.folder, ArraysForm(kind))
        yield from finished_parts(work, plan, parts, self.runner, folder, self._shown(work))
        self.reused += folder.reused

    def _shown(self, work: Callable[[Any, Any], Any]) -> Callable[[float], None] | None:
        progress, queries = self.progress, self.relevance.queries.size
        begin, end = STAGES[work]

        def show(share: float) -> None:
            assert progress is not None
            progress(int((begin + share * (end - begin)) * queries), queries)

        return None if progress is None else show

    def _read(self, part: HitsPart) -> BlockHits:
        found = PartsFolder(self.folder, ArraysForm(BlockHits)).read(part.digest)
        if found is None:
            raise InputError.of(str(self.folder), ["a finished part was removed"], "Run the command again.")
        return found

    @contextmanager
    def _naming_changed_files(self) -> Iterator[None]:
        """Whatever else a file that was changed or removed may have led to."""
        failure: InputError | None = None
        try:
            yield
        except InputError as error:
            failure = error
        changed = self.plan.collection.changed()
        if changed:
            problems = [f"{name} was changed or removed while it was ranked" for name in changed]
            raise InputError.of("features", problems, FEATURES_ADVICE)
        if failure is not None:
            raise failure


def _block_ranks(plan: ShardPlan, block: BlockHits, total: ShardCounts) -> BlockRanks:
    """Final ranks of a block from the counts of all shards."""
    placed = Placed(before=np.zeros_like(total.before), others=total.others, earlier=total.earlier)
    found = ranks_of_placed(block.hits, total.before, placed)
    return BlockRanks.of(block.queries, block.hits, block.left_out, found, total.best, shown_scores(plan.metric))


# How a collection is cut into shards and its queries into blocks: by their number alone, never by where they run.

LEAST_SHARD = 4096  # items, however little memory there is
LEAST_BLOCK, MOST_BLOCK = 256, 2048  # queries
MOST_HITS = 1 << 22  # of a block
LEAST_PARTS = 64  # at least, where queries are enough


def rows_of_shard(memory: int, width: int) -> int:
    """How many items a shard has at most: half of the memory holds their features in float64.

    >>> rows_of_shard(1 << 30, 512)
    131072
    """
    return max(LEAST_SHARD, memory // (2 * 8 * max(1, width)))


def shard_edges(file_rows: Sequence[int], most: int) -> list[int]:
    """Where shards begin and end: large files are cut evenly, small neighbours are one shard together.

    >>> shard_edges([10, 3, 4, 5], most=8)
    [0, 5, 10, 17, 22]
    """
    edges, end = [0], 0
    for rows in file_rows:
        if end + rows - edges[-1] > most and end > edges[-1]:
            edges.append(end)
        if rows > most:
            pieces = -(-rows // most)
            edges += [end + rows * piece // pieces for piece in range(1, pieces + 1)]
        end += rows
    return edges if edges[-1] == end and len(edges) > 1 else [*edges, end]


def blocks_of(relevance: Relevance, shards: int) -> list[IntArray]:
    """The queries block by block, so that no block has too many hits and there are parts enough."""
    queries = relevance.queries
    hits = max(1.0, relevance.hit_count / queries.size)
    wanted = max(LEAST_BLOCK, -(-queries.size * shards // LEAST_PARTS))
    size = int(np.clip(MOST_HITS // hits, 1, min(MOST_BLOCK, wanted)))
    edges = [*range(0, queries.size, size), queries.size]
    return [queries[start:stop] for start, stop in pairwise(edges)]
