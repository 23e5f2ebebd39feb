"""The hits of some queries on a device, and where others stand among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.engines.nearest.gpu_kernel import halvings, kernels_for, place_among


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
        worse = self._first(start, stop, lambda at: ~self._is_better(at, item, score))
        reached = self._first(start, stop, lambda at: self.score[at] <= score)
        one = self.torch.ones_like(bins[:1])
        there = worse < stop
        bins.index_add_(0, worse[there], one.expand(int(there.sum())))
        same = reached < stop
        same[same.clone()] = self.score[reached[same]] == score[same]
        equal.index_add_(0, reached[same], one.expand(int(same.sum())))
        earlier = same & (worse == reached)
        before.index_add_(0, reached[earlier], one.expand(int(earlier.sum())))

    def _is_better(self, at: Any, item: Any, score: Any) -> Any:
        return (self.score[at] > score) | ((self.score[at] == score) & (self.item[at] < item))

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
