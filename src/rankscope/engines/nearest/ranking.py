"""Every labelled item in turn is the query, the rest of its class the target: exact ranks over the whole collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.threads import in_threads, one_core_each, with_threads
from rankscope.core.validation import COUNT, FLAG, OneOf, Optional, check
from rankscope.core.wording import setting_usage
from rankscope.engines.nearest import metrics
from rankscope.engines.nearest.blocks import PART_CELLS, BlockRanker, BlockRanks, Ranker, cells_within
from rankscope.engines.nearest.domains import Distractors, DomainRanker, parse_distractors
from rankscope.engines.nearest.relevance import POLICIES, Best, QueryBlock, Relevance
from rankscope.engines.nearest.space import Space
from rankscope.inputs.features import Features
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks, versions
from rankscope.ranks.score_tables import count_among
from rankscope.ranks.screening import Close, Placed, count_block, place_close, ranks_of_placed

MEMORY = 512 << 20
SMALL = 1 << 24  # pairs up to which it does not matter who does what,
NARROW = 64  # if they have no more features than this

Progress = Callable[[int, int], None]
Kept = Callable[[int, IntArray, Callable[[IntArray], BlockRanks]], BlockRanks]  # number of the block, its queries


class Device(OneOf):
    """Where scores are computed; several graphics cards have numbers, as cuda:1."""

    def __init__(self) -> None:
        super().__init__(("cpu", "cuda", "torch-cpu"))

    def plain(self, value: Any) -> str:
        card = isinstance(value, str) and value.removeprefix("cuda:").isdecimal() and value.startswith("cuda:")
        return str(value if card else super().plain(value))


@strict_keywords
def nearest_ranks(
    features: ArrayLike | Features,
    labels: Iterable[Any] = (),
    metric: metrics.Metric = "cosine",
    ids: Iterable[Any] | None = None,
    *,
    query_item: str = "removed",
    junk: Iterable[tuple[str, str]] = (),
    block: int | None = None,
    memory: int = MEMORY,
    threads: int | None = None,
    device: str = "cpu",
    keep_scores: bool = False,
    progress: Progress | None = None,
    system: str = "nearest",
    kept: Kept | None = None,
    distractors: str | Distractors | None = None,
) -> RelevantRanks:
    """Exact ranks of all class mates of every item that has any.

    In a collection of n items a query of a class of m has d = n - 1 and c = m - 1: a class of two means c = 1. With
    `query_item="kept"` the query stays and is relevant: d = n, c = m. `kept_ignored` gives the numbers of `removed`.
    Items without a class (label -1, None or empty) and lone members of a class are distractors and never queries.
    `junk` are (query, item) pairs: items that leave the collection of a query. `features` may be `Features`, which
    knows several labels per item and queries apart from the collection; then labels and ids are its own.

    A metric is a name (`engines.nearest.ALL`), a mixture, `0.7*l1[0:64] + 0.3*cosine[64:]`, or a function of a query's
    row and a table of rows that returns distances. Scores that count are float64, added in the order of the features.
    Equal scores stand in the order of the items. Queries are worked on `block` at a time, or as many as fit into
    `memory` bytes; neither this nor the number of threads changes a bit of the result. `progress` is called with the
    number of queries done and of all. `keep_scores` keeps the scores of the hits and of the best distractors, for the
    growth forecast. `kept` may answer for a block that was ranked before. `device="cuda"` works on a graphics card.
    `distractors` ranks each class among its members and so many others: "nearest(500)", those of least mean distance to
    the members of the class, or "random(500)"; one set for all queries of a class.

    Raises `InputError` with every problem of the input, `SettingError` for an unknown metric.
    >>> ranks = nearest_ranks([[0], [1], [3], [4]], labels=["a", "b", "a", ""], metric="l1")
    >>> ranks.queries, ranks.judged.lists("rank"), ranks.collection
    (('0', '2'), [[2], [3]], array([3, 3]))
    """
    metric = metrics.metric_named(metric)
    plain = check(
        locals(),
        query_item=OneOf(POLICIES),
        block=Optional(COUNT),
        memory=COUNT,
        threads=Optional(COUNT),
        device=Device(),
        keep_scores=FLAG,
    )
    query_item, block, memory, threads, device, keep_scores = plain.values()
    items = features if isinstance(features, Features) else Features.of(features, labels, ids)
    relevance = Relevance.of(items, query_item, junk)
    if relevance.queries.size == 0:
        raise InputError.of("features", ["no query has a relevant item in its collection"])
    chosen = None if distractors is None else parse_distractors(distractors)
    ranker, blocks = _ranker(metric, items.matrix, relevance, memory, keep_scores, device, block, chosen)
    pairs, found, done = relevance.queries.size * len(items), [], 0
    # A part of the queries of a block by each thread, and matrix products by one core; small ones take no notice.
    large = pairs > SMALL or pairs * items.width > SMALL * NARROW
    with with_threads(threads), one_core_each() if large else nullcontext():
        if kept is None:
            stream = ranker.stream(blocks)
        else:
            stream = (kept(number, queries, ranker.ranked) for number, queries in enumerate(blocks))
        for ready in stream:
            found.append(ready)
            done += ready.queries.size
            if progress is not None:
                progress(done, relevance.queries.size)
    return assemble_ranks(found, relevance, metrics.metric_name(metric), keep_scores, system, chosen)


def _ranker(
    metric: metrics.Metric,
    matrix: NDArray[Any],
    relevance: Relevance,
    memory: int,
    keep_scores: bool,
    device: str,
    block: int | None,
    distractors: Distractors | None,
) -> tuple[BlockRanker, list[IntArray]]:
    """What ranks blocks, and the queries of each block."""
    if distractors is not None:
        if device != "cpu":
            usage = setting_usage("distractors")
            raise SettingError(f"{usage} are chosen by the CPU: leave {setting_usage('device')} out")
        space = metrics.space_of(metric, matrix)
        in_domains = DomainRanker(
            space=space,
            relevance=relevance,
            distractors=distractors,
            keep_scores=keep_scores,
            cells=cells_within(space, memory),
        )
        return in_domains, in_domains.blocks
    if device != "cpu":
        from rankscope.engines.nearest.gpu import GpuRanker

        gpu = GpuRanker(matrix, metric, relevance, device.removeprefix("torch-"), keep_scores)
        return gpu, _blocks(relevance, block or gpu.block_size())
    space = metrics.space_of(metric, matrix)
    cells = cells_within(space, memory)
    side = tile_side(relevance.queries.size, cells, block)
    if side and pays(space, relevance, keep_scores, memory):
        blocks = _blocks(relevance, side)
        return TwoSidedRanker(space, relevance, keep_scores, blocks), blocks
    # Queries in a block: as many as whole rows fit, but enough to make reading the items worth while.
    step = max(1, cells // len(matrix)) if space.exact else max(cells // len(matrix), min(256, int(np.sqrt(cells))), 1)
    return Ranker(space, keep_scores, cells, relevance=relevance), _blocks(relevance, block or step)


def _blocks(relevance: Relevance, step: int) -> list[IntArray]:
    """So many queries at a time."""
    return [relevance.queries[start : start + step] for start in range(0, relevance.queries.size, step)]


def assemble_ranks(
    blocks: Sequence[BlockRanks],
    relevance: Relevance,
    metric: str,
    keep_scores: bool,
    system: str,
    distractors: Distractors | None = None,
) -> RelevantRanks:
    """The result of all blocks; `distractors` are those among which each class was ranked, where that was not all."""
    items = relevance.items
    queries = np.concatenate([np.empty(0, dtype=np.int64), *(block.queries for block in blocks)])
    order = np.array(sorted(range(queries.size), key=lambda place: items.ids[queries[place]].encode()), dtype=np.int64)
    left_out = np.concatenate([np.empty(0, dtype=np.int64), *(block.left_out for block in blocks)])[order]
    collection = int(np.count_nonzero(relevance.gallery)) - left_out
    best = [block.distractors for block in blocks if block.distractors is not None]
    return RelevantRanks.assemble(
        [items.ids[row] for row in queries[order].tolist()],
        Ragged.join([block.judged for block in blocks]).take(order),
        depth=collection,
        collection=collection,
        ties=Ragged.join([block.ties for block in blocks]).take(order),
        system=system,
        classes=[items.labels[row] for row in queries[order].tolist()],
        distractors=Ragged.join(best).take(order) if keep_scores else None,
        left_out=left_out,
        provenance=_provenance(relevance, metric, distractors),
    )


def _provenance(relevance: Relevance, metric: str, distractors: Distractors | None) -> dict[str, Any]:
    """Where the numbers come from, without path or time: equal inputs give equal bytes."""
    items = relevance.items
    settings: dict[str, Any] = {"metric": metric, "ties": "position", "query_item": relevance.policy}
    settings |= {} if distractors is None else {"distractors": str(distractors)}
    without = relevance.asked.size - relevance.queries.size
    more = {"junk_pairs": int(relevance.junk.size)} if relevance.junk.size else {}
    return {
        "features": {"sha256": items.digest, "rows": len(items), "columns": items.width, "type": str(items.kind)},
        "judgements": {"complete": True, "queries_without_relevant": int(without), **more},
        "settings": settings,
        "versions": versions(),
    }


# Ranks by a symmetric metric: a tile of scores between two blocks of queries serves the queries of both.

STRIP = 512  # rows of a block's tile with itself that are computed at once, from the diagonal on
HIT_BYTES, KEPT_BYTES = 64, 2 * 24 * KEPT_DISTRACTORS  # of a hit, and of the distractors of a query, until it is ranked
LEAST_BLOCK = 256  # in narrower tiles, counting costs more than is saved
LEAST_WIDTH, LEAST_SCREENED_WIDTH = 16, 96  # features, the same
MOST_EQUALS = 0.25  # items equal to each hit, times hits: more are quicker to rank in whole rows, which are sorted
SAMPLED_QUERIES, SAMPLED_ITEMS = 8, 4096


def pays(space: Space, relevance: Relevance, keep_scores: bool, memory: int) -> bool:
    """Whether tiles for both sides pay: scores that take long and are rarely equal; and what they need fits."""
    queries = relevance.queries
    if not (space.symmetric and relevance.gallery[queries].all()):
        return False
    held = relevance.hit_count * HIT_BYTES + keep_scores * queries.size * KEPT_BYTES
    wide = space.rows.shape[1] >= (LEAST_WIDTH if space.exact else LEAST_SCREENED_WIDTH)
    hits = relevance.hit_count / queries.size
    return wide and 3 * held <= memory and hits * share_of_equals(space, queries) <= MOST_EQUALS


def share_of_equals(space: Space, queries: IntArray) -> float:
    """How often two items have the same score with a query, from a few queries and items.

    >>> from rankscope.engines.nearest.metrics import L1
    >>> share_of_equals(L1(np.array([[0], [1], [1], [1]])), np.array([0]))
    0.5
    """
    some = queries[:: -(-queries.size // SAMPLED_QUERIES)]
    items = np.arange(0, len(space), -(-len(space) // SAMPLED_ITEMS))
    ordered = np.sort(space.tile(some, items), axis=1)
    starts = np.ones(ordered.shape, dtype=np.bool_)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    sizes = np.diff(np.append(np.flatnonzero(starts), ordered.size))
    return float((sizes * (sizes - 1)).sum() / (some.size * items.size * max(1, items.size - 1)))


def tile_side(queries: int, cells: int, wanted: int | None) -> int:
    """How many queries a block has, so that a tile has at most so many cells; 0 where that is too few.

    >>> tile_side(20_000, 9_000_000, None), tile_side(20_000, 9_000_000, 1000), tile_side(20_000, 9_000_000, 10)
    (2858, 1000, 0)
    """
    most = isqrt(cells)
    side = wanted or -(-queries // -(-queries // most))
    return side if LEAST_BLOCK <= side <= most else 0


class TwoSidedRanker(BlockRanker):
    """Ranks blocks of queries, which must be asked for in their order."""

    def __init__(self, space: Space, relevance: Relevance, keep_scores: bool, blocks: list[IntArray]) -> None:
        self.space, self.relevance, self.keep_scores, self.blocks = space, relevance, keep_scores, blocks
        self._number = {int(queries[0]): number for number, queries in enumerate(blocks)}
        self._unfinished: dict[int, _Block] = {}
        is_other = relevance.gallery.copy()
        is_other[relevance.queries] = False
        others, side = np.flatnonzero(is_other), max(block.size for block in blocks)
        self._others = [others[start : start + side] for start in range(0, others.size, side)]

    def ranked(self, queries: IntArray) -> BlockRanks:
        number = self._number[int(queries[0])]
        mine = self._block(number)
        mine.add(self._tile_with_itself(queries), queries)
        for other, items in enumerate(self.blocks):
            if other != number and other not in mine.met:
                tile = self.space.tile(mine.queries, items)
                mine.add(tile, items)
                if other > number:
                    theirs = self._block(other)
                    theirs.add(tile.T, mine.queries)
                    theirs.met.add(number)
        for items in self._others:
            mine.add(self.space.tile(queries, items), items)
        return self._unfinished.pop(number).result()

    def _block(self, number: int) -> _Block:
        if number not in self._unfinished:
            self._unfinished[number] = _Block(self.space, self.relevance, self.blocks[number], self.keep_scores)
        return self._unfinished[number]

    def _tile_with_itself(self, queries: IntArray) -> NDArray[Any]:
        tile: NDArray[Any] | None = None
        for start in range(0, queries.size, STRIP):
            strip = self.space.tile(queries[start : start + STRIP], queries[start:])
            if tile is None:
                tile = np.empty((queries.size, queries.size), dtype=strip.dtype)
            tile[start : start + STRIP, start:] = strip
            tile[start:, start : start + STRIP] = strip.T
        assert tile is not None
        return tile


class _Block:
    """What has been counted of a block so far, a few queries by each thread."""

    def __init__(self, space: Space, relevance: Relevance, queries: IntArray, keep_scores: bool) -> None:
        self.queries, self.met = queries, set[int]()
        self.items = len(space)
        self.step = max(1, PART_CELLS // queries.size)
        starts = range(0, queries.size, self.step)

        def open_rows(start: int) -> _Rows:
            with with_threads(1):
                return _Rows(QueryBlock.of(space, relevance, queries[start : start + self.step]), keep_scores)

        self.parts = in_threads(open_rows, starts)

    def add(self, tile: NDArray[Any], items: IntArray) -> None:
        """Count the scores of some items, one row per query."""
        order = np.argsort(items)
        column = np.full(self.items, -1)
        column[items[order]] = np.arange(items.size)

        def add_rows(number: int) -> None:
            with with_threads(1):
                rows = tile[number * self.step : (number + 1) * self.step]
                self.parts[number].add(np.take(rows, order, axis=1), items[order], column)

        in_threads(add_rows, range(len(self.parts)))

    def result(self) -> BlockRanks:
        def rows_result(part: _Rows) -> BlockRanks:
            with with_threads(1):
                return part.result()

        return BlockRanks.join(in_threads(rows_result, self.parts))


class _Rows:
    """What has been counted of a few queries so far."""

    def __init__(self, block: QueryBlock, keep_scores: bool) -> None:
        self.block, self.space = block, block.space
        block.sort(block.references())
        self.limits = None if self.space.exact else block.limits(level=0)
        self.before, self.others, self.earlier = np.zeros((3, block.hits.size), dtype=np.int64)
        self.best = Best(block.queries, self.space) if keep_scores else None

    def add(self, scores: NDArray[Any], items: IntArray, column: IntArray) -> None:
        """Count a table, which may be overwritten."""
        self.block.clear(scores, column)
        if self.best is not None:
            self.best.add(scores, items)
        before, close = self._count(scores, items, column)
        placed = place_close(self.block.hits, close)
        self.before += before + placed.before
        self.others += placed.others
        self.earlier += placed.earlier

    def _count(self, scores: NDArray[Any], items: IntArray, column: IntArray) -> tuple[IntArray, Close]:
        """Items that stand before each hit, and those close to one, with scores in the order of the references."""
        if self.limits is None:
            return self._count_references(scores, items)
        found = count_block(scores, self.limits)
        if found.row.size > self.space.dear[0] * scores.size:
            references = self.space.reference_table(self.block.queries, items)
            self.block.clear(references, column)
            return self._count_references(references, items)
        return found.before, self.block.settle(found.row, items[found.item], found.place)

    def _count_references(self, scores: NDArray[Any], items: IntArray) -> tuple[IntArray, Close]:
        before, close = count_among(self.block.hits, scores)
        return before, Close(row=close.row, item=items[close.item], score=close.score, place=close.place)

    def result(self) -> BlockRanks:
        placed = Placed(before=np.zeros_like(self.before), others=self.others, earlier=self.earlier)
        found = ranks_of_placed(self.block.hits, self.before, placed)
        best, block = None if self.best is None else self.best.items(), self.block
        return BlockRanks.of(block.queries, block.hits, block.left_out, found, best, self.space.shown)
