"""Counting tiles of scores against limits on a device: a Triton kernel where there is one, else plain torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.ranks.counting import Counted
from rankscope.ranks.ragged import Ragged

ROWS = 64  # of a tile, counted at once by plain torch


class Counter:
    """Counts on one device."""

    def __init__(self, torch: Any, device: str) -> None:
        self.torch, self.device = torch, device
        self.kernel: Any = None
        if device == "cuda":
            from rankscope.engines.nearest.gpu_kernel import available, count_tile

            self.kernel = count_tile if available() else None

    def start(self, hits: Ragged, low: Any, high: Any, most: int) -> TileCounts:
        """Counts of one tile of queries, over all items; limits, on the device, fall within each query."""
        return TileCounts(self, hits, low, high, most)


class TileCounts:
    """The counts of one tile of queries so far."""

    def __init__(self, counter: Counter, hits: Ragged, low: Any, high: Any, most: int) -> None:
        torch, device = counter.torch, counter.device
        self.torch, self.kernel, self.hits, self.most, self.device = torch, counter.kernel, hits, most, device
        self.offsets = torch.from_numpy(hits.offsets).to(device)
        self.most_hits = int(hits.lengths.max(initial=0))
        self.low, self.high = low, high
        self.over, self.least = (torch.zeros(hits.size, dtype=torch.int64, device=device) for _ in range(2))
        self.above, self.within = (torch.zeros(hits.size, dtype=torch.int64, device=device) for _ in range(2))
        self.number = torch.zeros(1, dtype=torch.int64, device=device)
        size = most if self.kernel is not None else 0
        self.row, self.item = (torch.empty(size, dtype=torch.int32, device=device) for _ in range(2))
        self.score = torch.empty(size, dtype=torch.float32, device=device)
        self.parts: list[tuple[Any, Any, Any]] = []

    def add(self, scores: Any, first: int) -> None:
        """A tile of scores, of items from the first on."""
        if self.kernel is not None:
            self.kernel(self, scores, first)
        else:
            for start in range(0, scores.shape[0], ROWS):
                self._add_rows(scores[start : start + ROWS], start, first)

    def _add_rows(self, scores: Any, start: int, first: int) -> None:
        torch = self.torch
        rows = np.arange(start, start + scores.shape[0])
        offsets = self.hits.offsets
        here = slice(int(offsets[rows[0]]), int(offsets[rows[-1] + 1]))
        row = torch.from_numpy(self.hits.row[here] - start).to(self.device)
        place = torch.from_numpy(self.hits.position[here] - 1).to(self.device)
        width = max(1, int(self.hits.lengths[rows].max()))
        low, high = (torch.full((rows.size, width), float("inf"), device=self.device) for _ in range(2))
        last = width - 1 - place  # limits fall within a query: ascending from the right
        low[row, last], high[row, last] = self.low[here], self.high[here]
        filled = torch.from_numpy(self.hits.lengths[rows]).to(self.device)
        low, high = (_shifted(torch, each, width - filled) for each in (low, high))
        place = filled[row] - 1 - place
        ranked = torch.sort(scores, dim=1).values
        count = scores.shape[1]
        above = count - torch.searchsorted(ranked, high.contiguous(), right=True)
        at_least = count - torch.searchsorted(ranked, low.contiguous())
        self.above[here] += above[row, place]
        self.within[here] += (at_least - above)[row, place]
        flat = scores.contiguous()
        covered = torch.searchsorted(low.contiguous(), flat, right=True) - torch.searchsorted(high.contiguous(), flat)
        close_row, close_item = torch.nonzero(covered > 0, as_tuple=True)
        self.parts.append((close_row + start, close_item + first, scores[close_row, close_item]))
        self.number += close_row.numel()

    def result(self) -> Counted | None:
        """Everything back on the host; None if more was in doubt than there is room for."""
        number = int(self.number.item())
        if number > self.most:
            return None
        if self.kernel is not None:
            self.above = self._running(self.over)
            self.within = self._running(self.least) - self.above
        if self.parts:
            row, item, score = (self.torch.cat(each) for each in zip(*self.parts, strict=True))
        else:
            row, item, score = self.row[:number], self.item[:number], self.score[:number]
        host = [each.cpu().numpy() for each in (self.above, self.within, row, item, score)]
        return Counted(
            above=host[0], within=host[1], row=host[2].astype(np.int64), item=host[3].astype(np.int64), score=host[4]
        )

    def _running(self, bins: Any) -> Any:
        """Running totals within each query: a score in a bin lies above the limit of the bin and all later ones."""
        total = self.torch.cumsum(bins, dim=0)
        before = self.torch.cat([total.new_zeros(1), total])[self.offsets[:-1]]
        lengths = self.offsets[1:] - self.offsets[:-1]
        return total - self.torch.repeat_interleave(before, lengths, output_size=bins.numel())


def _shifted(torch: Any, table: Any, by: Any) -> Any:
    """Each row moved to the left by its own number of places; what comes in is infinite."""
    width = table.shape[1]
    place = torch.arange(width, device=table.device)[None, :] + by[:, None]
    moved = torch.gather(table, 1, place.clamp(max=width - 1))
    return torch.where(place < width, moved, float("inf"))
