"""Counting tiles of screened scores on a device: a Triton kernel where there is one, else plain torch."""

from __future__ import annotations

from typing import Any

from rankscope.engines.nearest.gpu_hits import DeviceHits
from rankscope.engines.nearest.gpu_kernel import count_tile, halvings, kernels_for

MOST_PADDED = 1 << 26  # limits in rows of one length
ROWS = 64  # of a tile, counted at once by plain torch


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
            for start in range(0, scores.shape[0], ROWS):
                self._add_rows(scores[start : start + ROWS], start, first)

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
