"""The best distractors of a tile of queries, found on a device."""

from __future__ import annotations

from typing import Any

from rankscope.engines.nearest.gpu_levels import U32, Level
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS


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
        return self._first_of_each(row[order], item[order], score[order])

    def _first_of_each(self, row: Any, item: Any, score: Any) -> tuple[Any, Any, Any]:
        torch = self.torch
        lengths = torch.bincount(row, minlength=self.queries.numel())
        place = torch.arange(row.numel(), device=row.device) - (torch.cumsum(lengths, 0) - lengths)[row]
        kept = place < self.number
        return row[kept], item[kept], score[kept]
