"""Tiles of queries on a device: their hits, what stands before each, and the best distractors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.engines.nearest.gpu_kernels import count_tile, halvings, kernels_for, place_among
from rankscope.engines.nearest.gpu_scores import Level
from rankscope.engines.nearest.space import U32
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS

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
        """How many items are in doubt."""
        return int(self.number.item())

    def doubtful(self) -> tuple[Any, Any]:
        """Row and item of each; only if there was room for all."""
        if self.kernel:
            return self.row[: self.listed()], self.item[: self.listed()]
        row, item = (self.torch.cat(each) for each in zip(*self.parts, strict=True))
        return row, item


# The hits of some queries on a device, and where others stand among them.


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
        """Those of the queries from start to stop."""
        first, last = (int(self.offsets[each]) for each in (start, stop))
        offsets = self.offsets[start : stop + 1] - first
        return DeviceHits(
            torch=self.torch,
            device=self.device,
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


# The best distractors of a tile of queries, found on a device.


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
