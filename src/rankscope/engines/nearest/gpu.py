"""Exact ranks on a graphics card, through torch: the same numbers as on the processor, bit for bit."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MissingExtra, SettingError
from rankscope.core.wording import setting_value
from rankscope.engines.nearest.blocks import BlockRanker, BlockRanks
from rankscope.engines.nearest.gpu_kernels import count_tile, halvings, kernels_for, place_among
from rankscope.engines.nearest.gpu_scores import DEVICE_METRICS, DeviceRows, Fixed, Half, Level
from rankscope.engines.nearest.metrics import METRICS, Metric
from rankscope.engines.nearest.relevance import Asked
from rankscope.engines.nearest.space import U32
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS
from rankscope.ranks.screening import Ranked

QUERIES = 8192  # of a tile
ITEMS = 1 << 16
MOST_HITS = 1 << 23  # of a block
FINISHING = 4  # blocks that become lists on the host meanwhile
ROOM = 1 << 25  # items in doubt that are worked on at once
DEAR = 2.0**-10  # where a larger share of all pairs is in doubt, more precise products are cheaper than references


def torch_for(device: str) -> Any:
    """The torch module, if it can work on the device; else an error that says what to do."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("torch", "gpu") from None
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise SettingError(f"torch finds no graphics card here: use {setting_value('device', 'cpu')}")
    return torch


class GpuRanker(BlockRanker):
    """Ranks on a device that torch knows: cuda, or cpu."""

    tile_queries = QUERIES
    tile_items = ITEMS

    def __init__(
        self, matrix: NDArray[Any], metric: Metric, relevance: Asked, device: str, keep_scores: bool = False
    ) -> None:
        if not isinstance(metric, str) or metric not in DEVICE_METRICS:
            asked, other = setting_value("device", device), setting_value("device", "cpu")
            raise SettingError(f"{asked} ranks by {', '.join(DEVICE_METRICS)}; use {other} for other metrics")
        self.torch, self.device, self.relevance = torch_for(device), device, relevance
        self.keep_scores, self.shown = keep_scores, METRICS.find(metric).shown
        self.rows = DeviceRows(self.torch, matrix, metric, device)
        self.quick: Level = Half(self.rows)
        self.is_precise = False  # whether quick scores left too much in doubt
        self.spent: dict[str, float] = {}
        absent = np.flatnonzero(~relevance.gallery)
        self.absent = self._sent(absent) if absent.size else None

    @cached_property
    def precise(self) -> Level:
        return Fixed(self.rows)

    def block_size(self) -> int:
        """As many queries as bring a few million hits together."""
        asked = self.relevance.queries
        some = asked[:: max(1, asked.size // 64)]
        hits = self.relevance.hits(some)[0].size / max(1, some.size)
        return int(np.clip(MOST_HITS / max(hits, 1.0), 1, 1 << 17))

    def stream(self, blocks: list[IntArray]) -> Iterator[BlockRanks]:
        """Block after block; while the card works, the hits of the next are looked up and earlier ones are finished."""
        with ThreadPoolExecutor(1 + FINISHING) as pool:
            hits = pool.submit(self._looked_up, blocks[0])
            waiting: deque[Future[BlockRanks]] = deque()
            for number in range(len(blocks)):
                mine = hits.result()
                if number + 1 < len(blocks):
                    hits = pool.submit(self._looked_up, blocks[number + 1])
                waiting.append(pool.submit(self._as_lists, mine, self._on_device(mine)))
                if len(waiting) > FINISHING:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def ranked(self, queries: IntArray) -> BlockRanks:
        block = self._looked_up(queries)
        return self._as_lists(block, self._on_device(block))

    def find(self, queries: IntArray) -> OnHost:
        """What was found of one block, not yet as lists."""
        return self._on_device(self._looked_up(queries))

    def _looked_up(self, queries: IntArray) -> _Block:
        return _Block(queries, self.relevance.hits(queries)[0], self.relevance.left_out(queries))

    def _on_device(self, block: _Block) -> OnHost:
        """Ranks of the hits, groups of equals, and the best distractors where scores are kept."""
        with self._timed("hits"):
            there = _OnDevice(self, block)
        found = _Found()
        for start in range(0, block.queries.size, self.tile_queries):
            self._rank_tile(there.tile(start, min(start + self.tile_queries, block.queries.size)), found)
        with self._timed("to the host"):
            return found.on_host(there.hits, block.queries.size, self.keep_scores)

    def _sent(self, values: NDArray[Any]) -> Any:
        return self.torch.from_numpy(np.ascontiguousarray(values)).to(self.device)

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        """Add up the time of a phase; each ends with a number back on the host."""
        begin = perf_counter()
        yield
        self.spent[what] = self.spent.get(what, 0.0) + perf_counter() - begin

    def _rank_tile(self, tile: _Tile, found: _Found) -> None:
        """Ranks of a tile; in parts where more is in doubt than there is room for."""
        room = max(ROOM, self.rows.count)
        counts, best = self._counted(tile, room)
        pairs = tile.queries.numel() * self.rows.count
        if not self.is_precise and counts.listed() > DEAR * pairs:
            self.is_precise = True
            counts, best = self._counted(tile, room)
        if counts.listed() > room:
            parts = -(-counts.listed() // (room // 2))
            step = max(1, tile.queries.numel() // parts)
            for start in range(0, tile.queries.numel(), step):
                self._rank_tile(tile.part(start, min(start + step, tile.queries.numel())), found)
            return
        with self._timed("references in doubt"):
            self._settle(tile, counts, best, found)

    def _counted(self, tile: _Tile, room: int) -> tuple[TileCounts, DeviceBest | None]:
        """Counts of a tile of queries against all items."""
        with self._timed("products and counts"):
            level = self.precise if self.is_precise else self.quick
            low, high = level.limits(tile.queries[tile.hits.row], tile.hits.score)
            left = level.query_side(tile.queries)
            counts = TileCounts(tile.hits, low, high, room)
            best = DeviceBest(level, tile.queries) if self.keep_scores else None
            for number, first in enumerate(range(0, self.rows.count, self.tile_items)):
                last = min(first + self.tile_items, self.rows.count)
                scores = level.scores(left, first, last)
                row, item = tile.out(number)
                scores[row, item - first] = -float("inf")
                if self.absent is not None:
                    gone = self.absent[(self.absent >= first) & (self.absent < last)]
                    scores[:, gone - first] = -float("inf")
                counts.add(scores, first)
                if best is not None:
                    best.add(scores, first)
            counts.listed()
        return counts, best

    def _settle(self, tile: _Tile, counts: TileCounts, best: DeviceBest | None, found: _Found) -> None:
        row, item = counts.doubtful()
        self.spent["in doubt"] = self.spent.get("in doubt", 0) + row.numel()
        score = self.rows.reference(tile.queries[row.long()], item)
        rank, (tied, start, size) = tile.hits.ranks(counts.bins, row, item, score)
        found.rank.append(rank)
        found.ties.append((tied + tile.start, start, size))
        if best is not None:
            row, item, score = best.result()
            found.best.append((row + tile.start, item, score))

    def _as_lists(self, block: _Block, found: OnHost) -> BlockRanks:
        hits = Ragged(block.hits.offsets, {} if found.score is None else {"score": found.score})
        return BlockRanks.of(block.queries, hits, block.left_out, found.ranked, found.best, self.shown)


@dataclass(frozen=True, eq=False)
class _Block:
    """Some queries, what is relevant to each, and what is not in its collection."""

    queries: IntArray
    hits: Ragged
    left_out: Ragged


@dataclass(frozen=True, eq=False)
class OnHost:
    """What was found of a block; the scores of its hits and the best distractors where scores are kept."""

    ranked: Ranked
    score: FloatArray | None
    best: Ragged | None


@dataclass(eq=False)
class _Found:
    """What was found of a block, tile by tile, on the device."""

    rank: list[Any] = field(default_factory=list)
    ties: list[tuple[Any, Any, Any]] = field(default_factory=list)
    best: list[tuple[Any, Any, Any]] = field(default_factory=list)

    def on_host(self, hits: DeviceHits, queries: int, keep_scores: bool) -> OnHost:
        """All of it as arrays of the host, of so many queries."""

        def joined(parts: list[Any]) -> NDArray[Any]:
            return np.asarray(hits.torch.cat(parts).cpu().numpy()) if parts else np.empty(0, dtype=np.int64)

        row, start, size = (joined([part[column] for part in self.ties]) for column in range(3))
        ranked = Ranked(joined(self.rank), Ragged.from_rows(row, queries, start=start, size=size))
        if not keep_scores:
            return OnHost(ranked, None, None)
        row, item, score = (joined([part[column] for part in self.best]) for column in range(3))
        return OnHost(ranked, joined([hits.score]), Ragged.from_rows(row, queries, item=item, score=score))


class _OnDevice:
    """A block on the device: its hits, best first, and what is no distractor, tile by tile."""

    def __init__(self, ranker: GpuRanker, block: _Block) -> None:
        torch, sent = ranker.torch, ranker._sent
        self.queries, self.count = sent(block.queries), ranker.rows.count
        lengths, item = sent(block.hits.lengths), sent(block.hits["item"])
        score = ranker.rows.reference(torch.repeat_interleave(self.queries, lengths), item)
        self.hits = DeviceHits.best_first(torch, ranker.device, lengths, item, score)
        self.step = ranker.tile_items
        self.out_row = torch.cat([self.hits.row, sent(block.left_out.row)])
        self.out_item = torch.cat([self.hits.item, sent(block.left_out["item"])])
        order = torch.argsort(self.out_row, stable=True)
        self.out_row, self.out_item = self.out_row[order], self.out_item[order]

    def tile(self, start: int, stop: int) -> _Tile:
        torch = self.hits.torch
        edges = torch.tensor([start, stop], device=self.out_row.device)
        first, last = torch.searchsorted(self.out_row, edges).tolist()
        row, item = self.out_row[first:last] - start, self.out_item[first:last]
        order = torch.argsort(item, stable=True)
        return _Tile(
            start=start,
            step=self.step,
            count=self.count,
            queries=self.queries[start:stop],
            hits=self.hits.part(start, stop),
            out_row=row[order],
            out_item=item[order],
        )


@dataclass(frozen=True, eq=False)
class _Tile:
    """Some queries of a block on the device."""

    start: int  # in the block
    step: int  # items of a tile
    count: int  # of all items
    queries: Any
    hits: DeviceHits
    out_row: Any
    out_item: Any  # ascending

    @cached_property
    def _bounds(self) -> list[int]:
        torch = self.hits.torch
        edges = torch.arange(0, self.count + self.step, self.step, device=self.out_item.device)
        bounds: list[int] = torch.searchsorted(self.out_item, edges).tolist()
        return bounds

    def out(self, number: int) -> tuple[Any, Any]:
        """Row and item of what is no distractor among the items of one tile."""
        here = slice(self._bounds[number], self._bounds[number + 1])
        return self.out_row[here], self.out_item[here]

    def part(self, start: int, stop: int) -> _Tile:
        chosen = (self.out_row >= start) & (self.out_row < stop)
        return replace(
            self,
            start=self.start + start,
            queries=self.queries[start:stop],
            hits=self.hits.part(start, stop),
            out_row=self.out_row[chosen] - start,
            out_item=self.out_item[chosen],
        )


# Counting tiles of screened scores on a device: a Triton kernel where there is one, else plain torch.

MOST_PADDED = 1 << 26  # limits in rows of one length
COUNTED_ROWS = 64  # of a tile, counted at once by plain torch


class TileCounts:
    """How many items stand before each hit of a tile of queries, item tile after item tile.

    `low` and `high` are limits of the hits and fall within each query. An item that reaches the low limit of a hit and
    of none before it goes to the bin of that hit, unless it lies within its limits: then it is in doubt, and listed.
    """

    def __init__(self, hits: DeviceHits, low: Any, high: Any, room: int) -> None:
        torch, device = hits.torch, hits.device
        self.torch, self.hits, self.room = torch, hits, room
        more = low.new_zeros(1 << halvings(hits.most))  # the kernel looks beyond the last limit
        self.low, self.high = torch.cat([low, more]), torch.cat([high, more])
        self.padded = self._as_table(low) if kernels_for(device) else None
        self.offsets, self.most_hits, self.bins = hits.offsets, hits.most, hits.counters()
        self.kernel = kernels_for(device)
        self.number = torch.zeros(1, dtype=torch.int64, device=device)
        size = room if self.kernel else 0
        self.row, self.item = (torch.empty(size, dtype=torch.int32, device=device) for _ in range(2))
        self.parts: list[tuple[Any, Any]] = []

    def _as_table(self, low: Any) -> Any:
        """The low limits of each query in a row as long as a power of two; None if that took too much memory."""
        hits, wide = self.hits, 1 << halvings(self.hits.most)
        queries = hits.offsets.numel() - 1
        if queries * wide > MOST_PADDED:
            return None
        table = low.new_full((queries, wide), -float("inf"))
        place = self.torch.arange(low.numel(), device=low.device) - hits.offsets[hits.row]
        table[hits.row, place] = low
        return table

    def add(self, scores: Any, first: int) -> None:
        """A tile of scores, of items from the first on; -inf stands for what is no distractor."""
        if self.kernel:
            count_tile(self, scores, first)
        else:
            for start in range(0, scores.shape[0], COUNTED_ROWS):
                self._add_rows(scores[start : start + COUNTED_ROWS], start, first)

    def _add_rows(self, values: Any, start: int, first: int) -> None:
        torch, hits = self.torch, self.hits.part(start, start + values.shape[0])
        begin = int(self.offsets[start])
        place = torch.arange(hits.row.numel(), device=values.device) - hits.offsets[hits.row]
        low, high = (torch.full((values.shape[0], hits.most + 1), -float("inf")).to(values) for _ in range(2))
        low[hits.row, place] = self.low[begin : begin + place.numel()]
        high[hits.row, place] = self.high[begin : begin + place.numel()]
        reached = torch.searchsorted(-low, -values.contiguous())
        there = (reached < torch.diff(hits.offsets)[:, None]) & (values > -float("inf"))
        close = there & (values <= torch.gather(high, 1, reached))
        row, column = torch.nonzero(there & ~close, as_tuple=True)
        one = torch.ones_like(self.bins[:1]).expand(row.numel())
        self.bins.index_add_(0, begin + hits.offsets[row] + reached[row, column], one)
        row, column = torch.nonzero(close, as_tuple=True)
        self.parts.append((row + start, column + first))
        self.number += row.numel()

    def listed(self) -> int:
        return int(self.number.item())

    def doubtful(self) -> tuple[Any, Any]:
        """Row and item of each; only if there was room for all."""
        if self.kernel:
            return self.row[: self.listed()], self.item[: self.listed()]
        row, item = (self.torch.cat(each) for each in zip(*self.parts, strict=True))
        return row, item


@dataclass(frozen=True, eq=False)
class DeviceHits:
    """Hits of each query, best first, the earlier of two equals first; list i is offsets[i] to offsets[i + 1]."""

    torch: Any
    device: str
    offsets: Any
    row: Any
    item: Any
    score: Any
    most: int  # of one query

    @classmethod
    def best_first(cls, torch: Any, device: str, lengths: Any, item: Any, score: Any) -> DeviceHits:
        """From hits list by list, those of each query ascending by item."""
        zero = torch.zeros(1, dtype=torch.int64, device=device)
        row = torch.repeat_interleave(torch.arange(lengths.numel(), device=device), lengths)
        order = torch.argsort(-score, stable=True)
        order = order[torch.argsort(row[order], stable=True)]
        return cls(
            torch=torch,
            device=device,
            offsets=torch.cat([zero, torch.cumsum(lengths, dim=0)]),
            row=row,
            item=item[order],
            score=score[order],
            most=int(lengths.max()) if lengths.numel() else 0,
        )

    def part(self, start: int, stop: int) -> DeviceHits:
        first, last = (int(self.offsets[each]) for each in (start, stop))
        offsets = self.offsets[start : stop + 1] - first
        return replace(
            self,
            offsets=offsets,
            row=self.row[first:last] - start,
            item=self.item[first:last],
            score=self.score[first:last],
            most=int((offsets[1:] - offsets[:-1]).max()),
        )

    def counters(self) -> Any:
        """A zero for each hit."""
        return self.torch.zeros(self.item.numel(), dtype=self.torch.int32, device=self.device)

    def running(self, bins: Any) -> Any:
        """Running totals within each list."""
        total = self.torch.cumsum(bins, dim=0, dtype=self.torch.int64)
        before = self.torch.cat([total.new_zeros(1), total])[self.offsets[:-1]]
        return total - before[self.row]

    def ranks(self, bins: Any, row: Any, item: Any, score: Any) -> tuple[Any, tuple[Any, Any, Any]]:
        """Ranks of the hits; and row, first rank and size of the groups of two or more equal scores that hold a hit.

        `bins` has what stands before a hit and behind the one before it, but for the items in doubt, which come with
        their references. An item in doubt stands before the first hit that is worse, or equal and later.
        """
        equal, before = self.counters(), self.counters()
        if kernels_for(self.device):
            place_among(self, row, item, score, bins, equal, before)
        else:
            self._place(row, item, score, bins, equal, before)
        place = self.torch.arange(self.item.numel(), device=self.device) - self.offsets[self.row]
        rank = place + 1 + self.running(bins)
        return rank, self._groups(rank, equal, before)

    def _place(self, row: Any, item: Any, score: Any, bins: Any, equal: Any, before: Any) -> None:
        """The same as the kernel does, in plain torch."""
        start, stop = self.offsets[row.long()], self.offsets[row.long() + 1]

        def is_worse(at: Any) -> Any:
            return ~((self.score[at] > score) | ((self.score[at] == score) & (self.item[at] < item)))

        worse = self._first(start, stop, is_worse)
        reached = self._first(start, stop, lambda at: self.score[at] <= score)
        one = self.torch.ones_like(bins[:1])
        there = worse < stop
        bins.index_add_(0, worse[there], one.expand(int(there.sum())))
        same = reached < stop
        same[same.clone()] = self.score[reached[same]] == score[same]
        equal.index_add_(0, reached[same], one.expand(int(same.sum())))
        earlier = same & (worse == reached)
        before.index_add_(0, reached[earlier], one.expand(int(earlier.sum())))

    def _first(self, start: Any, stop: Any, holds: Any) -> Any:
        """The first place of each range where something holds that holds from there on; the end where it never does."""
        left, right = start.clone(), stop.clone()
        for _ in range(halvings(self.most)):
            is_open = left < right
            middle = self.torch.where(is_open, (left + right) // 2, 0)
            here = holds(middle)
            right = self.torch.where(is_open & here, middle, right)
            left = self.torch.where(is_open & ~here, middle + 1, left)
        return left

    def _groups(self, rank: Any, equal: Any, before: Any) -> tuple[Any, Any, Any]:
        torch = self.torch
        if self.item.numel() == 0:
            return rank, rank, rank
        new = torch.ones_like(self.row, dtype=torch.bool)
        new[1:] = (self.row[1:] != self.row[:-1]) | (self.score[1:] != self.score[:-1])
        first = torch.nonzero(new)[:, 0]
        size = torch.diff(first, append=first.new_tensor([self.row.numel()])) + equal[first]
        first, size = first[size >= 2], size[size >= 2]
        return self.row[first], rank[first] - before[first], size


class DeviceBest:
    """Gathers what may belong to the best, item tile after item tile, and in the end keeps the best references."""

    def __init__(self, level: Level, queries: Any, number: int = KEPT_DISTRACTORS) -> None:
        self.level, self.queries, self.number, self.torch = level, queries, number, level.torch
        infinite = self.torch.full((queries.numel(), number), -float("inf"), device=queries.device)
        self.top = infinite  # the best screened scores so far
        self.found: list[tuple[Any, Any, Any]] = []

    def add(self, values: Any, first: int) -> None:
        """A tile of screened scores, of items from the first on; -inf stands for what is no distractor."""
        torch = self.torch
        here = torch.topk(values, min(self.number, values.shape[1]), dim=1, sorted=False).values
        self.top = torch.topk(torch.cat([self.top, here], dim=1), self.number, dim=1, sorted=False).values
        chosen = (values >= self._lowered()[:, None]) & (values > -float("inf"))
        row, column = torch.nonzero(chosen, as_tuple=True)
        self.found.append((row, column + first, values[row, column]))

    def _lowered(self) -> Any:
        """What screens below this has a reference below those of at least as many others as are kept."""
        least = self.top.amin(dim=1)
        known = least > -float("inf")
        middle = self.torch.where(known, least, 0).to(self.torch.float64)
        low, high = self.level.around(self.queries, middle)
        lowered = middle - 1.01 * (high - low) - 4 * U32 * middle.abs()  # in float32 up to a unit higher
        return self.torch.where(known, lowered, -float("inf")).to(self.torch.float32)

    def result(self) -> tuple[Any, Any, Any]:
        """Row, item and reference of the best of each query, falling, the earlier of two equals first."""
        torch = self.torch
        row, item, value = (torch.cat(each) for each in zip(*self.found, strict=True))
        there = value >= self._lowered()[row]
        row, item = row[there], item[there]
        score = self.level.rows.reference(self.queries[row], item)
        order = torch.argsort(item, stable=True)
        order = order[torch.argsort(-score[order], stable=True)]
        order = order[torch.argsort(row[order], stable=True)]
        row, item, score = row[order], item[order], score[order]
        lengths = torch.bincount(row, minlength=self.queries.numel())
        place = torch.arange(row.numel(), device=row.device) - (torch.cumsum(lengths, 0) - lengths)[row]
        kept = place < self.number
        return row[kept], item[kept], score[kept]
