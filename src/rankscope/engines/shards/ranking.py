"""Exact ranks of a collection in parts: where it is ranked, how it is cut, what each part counts, and the same bytes
as `nearest_ranks` give.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rankscope.core.arrays import BoolArray, IntArray
from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, SettingError
from rankscope.core.machine import memory_text
from rankscope.core.names import name_of
from rankscope.core.parts import Home, Part, PartsFolder, Runner, finished_parts
from rankscope.core.threads import in_threads, thread_count, with_threads
from rankscope.core.validation import check
from rankscope.core.wording import how_many, setting_usage
from rankscope.engines.nearest.blocks import (
    LEAST_ROWS,
    PROBED,
    Arrays,
    ArraysForm,
    BlockRanks,
    OfArrays,
    RowsOfBlock,
    Screening,
    cells_within,
    lists_from_arrays,
    lists_to_arrays,
)
from rankscope.engines.nearest.metrics import Metric, metric_name, shown_scores, space_of
from rankscope.engines.nearest.ranking import Device, assemble_ranks, nearest_ranks
from rankscope.engines.nearest.relevance import Best, QueryBlock, Relevance, SharedRelevance
from rankscope.engines.nearest.space import Space, Values
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
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks
from rankscope.ranks.score_tables import COUNTED_CELLS, best_first, count_among
from rankscope.ranks.screening import Placed, place_close, ranks_of_placed
from rankscope.version import __version__

# The second stage: how many items of a shard stand before each hit of a block of queries, on the processor or a
# device, and how that adds up.

FILE_ADVICE = "Name a work folder that all workers reach."


@dataclass(frozen=True)
class CountPart:
    """A block of queries, whose hits lie in a file, and a shard."""

    digest: str
    block: int
    hits: Path
    shard: int


class ShardBlock(QueryBlock):
    """Queries from anywhere, whose hits are numbers of the whole collection; the items are those of one shard."""

    def __init__(self, space: Space, queries: IntArray, hits: Ragged, left_out: Ragged, shard: Shard) -> None:
        super().__init__(space, queries, hits=hits, left_out=left_out, gallery=shard.gallery)
        self._inside = [_inside(lists, shard) for lists in (hits, left_out)]

    def not_distractors(self) -> Sequence[Ragged]:
        """Those of the shard, by their places in it."""
        return self._inside


def _inside(lists: Ragged, shard: Shard) -> Ragged:
    there = lists.where((lists["item"] >= shard.first) & (lists["item"] < shard.stop))
    return Ragged(there.offsets, {"item": there["item"] - shard.first})


def count_shard(plan: ShardPlan, part: CountPart) -> ShardCounts:
    """What a shard counts for a block of queries."""
    shard, block = plan.shards[part.shard], ArraysForm(BlockHits).read(part.hits)
    if block is None:
        raise InputError.of(name_of(part.hits), ["a worker cannot read it"], FILE_ADVICE)
    if not len(shard):
        return ShardCounts.none(block.queries.size, block.hits.size, plan.keep_scores)
    if plan.device != "cpu":
        return count_on_device(plan, shard, block)
    return _at_hand.of(plan, shard).count(block)


@dataclass
class ShardInHand:
    """A shard that is ready for any block of queries, made once; remembers how precise scores must be."""

    shard: Shard
    space: Space
    keep_scores: bool
    cells: int
    level: int = 0
    is_probed: bool = False

    @classmethod
    def of(cls, plan: ShardPlan, shard: Shard) -> ShardInHand:
        space = space_of(plan.metric, shard.rows(plan.collection), plan.values)
        return cls(shard=shard, space=space, keep_scores=plan.keep_scores, cells=cells_within(space, plan.memory))

    def count(self, block: BlockHits) -> ShardCounts:
        """Rows are shared by the threads there are."""
        space = self.space.asking(block.vectors)
        rows = np.arange(block.queries.size)
        if space.levels > 1 and not self.is_probed and rows.size > PROBED**2:
            self._count_rows(space, block, rows[:: rows.size // PROBED], 1)
        self.is_probed = True
        threads = max(1, min(thread_count(), rows.size // LEAST_ROWS)) if space.shared else 1

        def work(some: IntArray) -> ShardCounts:
            with with_threads(1 if threads > 1 else thread_count()):
                return self._count_rows(space, block, some, threads)

        return ShardCounts.join(in_threads(work, np.array_split(rows, threads)))

    def _count_rows(self, space: Space, block: BlockHits, rows: IntArray, sharing: int) -> ShardCounts:
        screening = Screening(space, self.keep_scores, max(1, self.cells // sharing))
        screening.level = self.level
        asked = ShardBlock(space, rows, block.hits.take(rows), block.left_out.take(rows), self.shard)
        work = RowsOfBlock(screening, asked)
        if space.exact:
            placed = self._count_exactly(work)
        else:
            before, close = work.screen()
            placed = place_close(asked.hits, replace(close, item=close.item + self.shard.first))
            placed = replace(placed, before=before + placed.before)
        self.level = max(self.level, screening.level)
        best = None if work.best is None else work.best.items()
        if best is not None:
            best = best.with_columns(item=best["item"] + self.shard.first)
        return ShardCounts(before=placed.before, others=placed.others, earlier=placed.earlier, best=best)

    def _count_exactly(self, work: RowsOfBlock) -> Placed:
        block, total = work.block, np.zeros((3, work.block.hits.size), dtype=np.int64)
        work.best = Best(block.queries, block.space) if self.keep_scores else None
        for items in work.ranker.chunks(block.queries):
            scores = np.asarray(block.space.scores(block.queries, items))
            block.clear(scores, work.column(items))
            if work.best is not None:
                work.best.add(scores, np.arange(items.start, items.stop))
            step = max(1, COUNTED_CELLS // scores.shape[1])
            for start in range(0, len(scores), step):
                rows = slice(start, min(start + step, len(scores)))
                there = slice(block.hits.offsets[rows.start], block.hits.offsets[rows.stop])
                hits = block.hits.part(rows)
                before, close = count_among(hits, scores[rows])
                placed = place_close(hits, replace(close, item=close.item + items.start + self.shard.first))
                total[:, there] += np.stack([before + placed.before, placed.others, placed.earlier])
        return Placed(*total)


class _AtHand(threading.local):
    """The shard that a thread of this process worked on last."""

    def __init__(self) -> None:
        self.name, self.last = ("", -1), None

    name: tuple[str, int]
    last: ShardInHand | None

    def of(self, plan: ShardPlan, shard: Shard) -> ShardInHand:
        """The shard, made where it is another one than the last."""
        if self.last is None or self.name != (plan.digest, shard.number):
            known = (self.last.level, self.last.is_probed) if self.last and self.name[0] == plan.digest else (0, False)
            self.last = None  # two at once might not fit
            self.last = ShardInHand.of(plan, shard)
            self.last.level, self.last.is_probed = known
            self.name = plan.digest, shard.number
        return self.last


_at_hand = _AtHand()


# What shards count, and how it adds up.

MERGED_ROOM = 2  # times as many distractors as are kept wait before they are merged


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """What shards count for each hit of a block, and the best distractors of each query by number and reference.

    `before` items stand before a hit; `others` have the score of a hit that is the first with it, and `earlier` of
    these stand before it.
    """

    before: IntArray
    others: IntArray
    earlier: IntArray
    best: Ragged | None

    @classmethod
    def none(cls, queries: int, hits: int, keep_scores: bool) -> ShardCounts:
        zero = np.zeros(hits, dtype=np.int64)
        best = Ragged(np.zeros(queries + 1, np.int64), {"item": zero[:0], "score": np.empty(0)})
        return cls(before=zero, others=zero, earlier=zero, best=best if keep_scores else None)

    @classmethod
    def join(cls, parts: Sequence[ShardCounts]) -> ShardCounts:
        """Of several parts of the queries, one behind the other."""
        best = [part.best for part in parts if part.best is not None]
        columns = ("before", "others", "earlier")
        before, others, earlier = (np.concatenate([getattr(part, name) for part in parts]) for name in columns)
        return cls(before=before, others=others, earlier=earlier, best=Ragged.join(best) if best else None)

    def to_arrays(self) -> Arrays:
        plain = {"before": self.before, "others": self.others, "earlier": self.earlier}
        return plain | ({} if self.best is None else lists_to_arrays("best", self.best))

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> ShardCounts:
        best = lists_from_arrays("best", arrays) if "best.offsets" in arrays else None
        return cls(before=arrays["before"], others=arrays["others"], earlier=arrays["earlier"], best=best)


def merge_best(several: Sequence[Ragged]) -> Ragged:
    """The best of each query of all these, the earlier item of two equals first.

    >>> one = Ragged(np.array([0, 2]), {"item": np.array([3, 1]), "score": np.array([.9, .5])})
    >>> other = Ragged(np.array([0, 1]), {"item": np.array([0]), "score": np.array([.5])})
    >>> merge_best([one, other]).lists("item")
    [[3, 0, 1]]
    """
    row = np.concatenate([each.row for each in several])
    item, score = (np.concatenate([each[name] for each in several]) for name in ("item", "score"))
    order = np.lexsort((item, row))
    together = Ragged.from_rows(row[order], len(several[0]), item=item[order], score=score[order])
    best = best_first(together)
    return best.where(best.position <= KEPT_DISTRACTORS)


class BlockTotals:
    """The counts of all shards for one block of queries, added one after the other, in any order."""

    def __init__(self) -> None:
        self.counts: ShardCounts | None = None
        self.waiting: list[Ragged] = []  # best distractors that are not merged yet
        self.least = np.empty(0)  # as many others as are kept have at least this score

    def add(self, more: ShardCounts) -> None:
        known = self.counts
        if known is None:
            self.counts = known = ShardCounts(
                before=more.before.copy(), others=more.others.copy(), earlier=more.earlier.copy(), best=None
            )
        else:
            known.before[:] += more.before
            known.others[:] += more.others
            known.earlier[:] += more.earlier
        if more.best is not None:
            if not self.waiting:
                self.least = np.full(len(more.best), -np.inf)
            self.waiting.append(more.best.where(more.best["score"] >= self.least[more.best.row]))
            if sum(each.size for each in self.waiting) > MERGED_ROOM * KEPT_DISTRACTORS * len(more.best):
                merged = merge_best(self.waiting)
                last = merged.position == KEPT_DISTRACTORS
                self.least[merged.row[last]] = merged["score"][last]
                self.waiting = [merged]

    def result(self) -> ShardCounts:
        assert self.counts is not None
        return replace(self.counts, best=merge_best(self.waiting) if self.waiting else None)


# The second stage on a graphics card: a shard, with the queries and their hits next to it, ranked as a collection.


@dataclass(frozen=True, eq=False)
class BlockAndShard:
    """Queries, their hits and a shard as one collection, in which only the items of the shard are distractors.

    It tells a ranker what a `Relevance` tells it.
    """

    items: IntArray  # their numbers in the whole collection, ascending
    queries: IntArray
    gallery: BoolArray
    _hits: Ragged
    _left_out: Ragged

    @classmethod
    def of(cls, block: BlockHits, shard: Shard) -> BlockAndShard:
        """Numbered anew, in the same order."""
        items = np.unique(np.concatenate([block.queries, block.hits["item"], np.arange(shard.first, shard.stop)]))
        inside = (items >= shard.first) & (items < shard.stop)
        inside[inside] = shard.gallery
        there = block.left_out.where(np.isin(block.left_out["item"], items[inside]))
        hits = block.hits.sorted_by(block.hits["item"])
        return cls(
            items=items,
            queries=np.searchsorted(items, block.queries),
            gallery=inside,
            _hits=Ragged(hits.offsets, {"item": np.searchsorted(items, hits["item"])}),
            _left_out=Ragged(there.offsets, {"item": np.searchsorted(items, there["item"])}),
        )

    def hits(self, queries: IntArray) -> tuple[Ragged, list[SharedRelevance]]:
        """The hits of some queries; who shares them is of no interest here."""
        return self._hits.take(self._rows(queries)), []

    def left_out(self, queries: IntArray) -> Ragged:
        """The same of what is not in their collections."""
        return self._left_out.take(self._rows(queries))

    def _rows(self, queries: IntArray) -> IntArray:
        order = np.argsort(self.queries)
        return order[np.searchsorted(self.queries, queries, sorter=order)]


def count_on_device(plan: ShardPlan, shard: Shard, block: BlockHits) -> ShardCounts:
    """What a shard counts for a block of queries, found by a device that torch knows."""
    from rankscope.engines.nearest.gpu import GpuRanker

    both = BlockAndShard.of(block, shard)
    device = plan.device.removeprefix("torch-")
    ranker = GpuRanker(plan.collection.rows_at(both.items), plan.metric, both, device, plan.keep_scores)
    found = ranker.find(both.queries)
    placed = counts_of_ranks(block.hits, found.ranked.rank, found.ranked.ties)
    best = None if found.best is None else found.best.with_columns(item=both.items[found.best["item"]])
    return ShardCounts(before=placed.before, others=placed.others, earlier=placed.earlier, best=best)


def counts_of_ranks(hits: Ragged, rank: IntArray, ties: Ragged) -> Placed:
    """What was counted, from final ranks of hits, best first, and the groups of equal scores that hold a hit.

    >>> hits = Ragged(np.array([0, 2]), {"item": np.array([1, 4]), "score": np.array([.5, .2])})
    >>> ties = Ragged(np.array([0, 1]), {"start": np.array([1]), "size": np.array([2])})
    >>> counts_of_ranks(hits, np.array([2, 4]), ties)
    Placed(before=array([1, 2]), others=array([1, 0]), earlier=array([1, 0]))
    """
    others, earlier = np.zeros((2, hits.size), dtype=np.int64)
    if ties.size:
        wide = int(max(rank.max(), ties["start"].max())) + 1
        first = np.searchsorted(hits.row * wide + rank, ties.row * wide + ties["start"])
        begins = np.ones(hits.size + 1, dtype=np.bool_)
        begins[1:-1] = (hits.row[1:] != hits.row[:-1]) | (hits["score"][1:] != hits["score"][:-1])
        edges = np.flatnonzero(begins)
        mates = edges[np.searchsorted(edges, first, side="right")] - first
        others[first], earlier[first] = ties["size"] - mates, rank[first] - ties["start"]
    return Placed(before=rank - hits.position, others=others, earlier=earlier)


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
            blocks, shown = [], shown_scores(plan.metric)
            for part, total in zip(hits, totals, strict=True):
                block = self._read(part)
                placed = Placed(before=np.zeros_like(total.before), others=total.others, earlier=total.earlier)
                found = ranks_of_placed(block.hits, total.before, placed)
                blocks.append(BlockRanks.of(block.queries, block.hits, block.left_out, found, total.best, shown))
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
        # The queries block by block, so that no block has too many hits and there are parts enough.
        every = self.relevance.queries
        hits = max(1.0, self.relevance.hit_count / every.size)
        wanted = max(LEAST_BLOCK, -(-every.size * len(plan.shards) // LEAST_PARTS))
        size = int(np.clip(MOST_HITS // hits, 1, min(MOST_BLOCK, wanted)))
        for start in range(0, every.size, size):
            queries = every[start : start + size]
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
