"""Vectors on a device, and the scores that count of pairs of them: float64, terms added in the order of the features.

Rows lie one behind the other, in float32 where that holds every value, so that a pair reads few bytes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.nearest.gpu_kernel import UNROLLED, kernels_for, pair_terms
from rankscope.engines.nearest.sums import parts

PAIRS = 1 << 25  # whose references are computed at once
SLAB = 1 << 26  # features that are sent at once
METRICS = ("cosine", "ip", "l2")


class DeviceRows:
    """Items on a device under a metric made of products."""

    def __init__(self, torch: Any, matrix: NDArray[Any], metric: str, device: str) -> None:
        self.torch, self.metric, self.device = torch, metric, device
        self.count, self.width = matrix.shape
        padded = -(-self.width // UNROLLED) * UNROLLED  # zeros behind each row add nothing to a sum
        self.features = torch.zeros((self.count, padded), dtype=torch.float32, device=device)
        for part in self.slabs():
            self._store(part, torch.from_numpy(np.ascontiguousarray(matrix[part])).to(device).to(torch.float64))
        everyone = torch.arange(self.count, device=device)
        squares = self._in_slabs(lambda one, other: self._terms(one, other, squared=False), everyone, everyone)
        self.squares = torch.where(squares == 0, 1.0, squares)
        peak = float(self.features.abs().amax())
        self.shift = 0 if metric == "cosine" else -max(int(np.frexp(peak)[1]), -400)
        self.middle = self._mean() if metric == "l2" else None

    def slabs(self) -> list[slice]:
        """Ranges of rows that fit into memory in float64."""
        return list(parts(self.count, self.width, SLAB))

    def _store(self, part: slice, rows: Any) -> None:
        torch = self.torch
        rows = self._turned(rows) if self.metric == "cosine" else rows
        if self.features.dtype == torch.float32 and not torch.equal(rows.to(torch.float32).to(torch.float64), rows):
            self.features = self.features.to(torch.float64)
        self.features[part, : self.width] = rows.to(self.features.dtype)

    def _turned(self, rows: Any) -> Any:
        """Rows times a power of two each, their largest value between 1/2 and 1: exact, and no angle changes."""
        exponent = self.torch.frexp(rows.abs().amax(dim=1))[1].to(self.torch.int64)
        half = exponent // 2
        for part in (half, exponent - half):
            rows = rows * ((1023 - part) << 52).view(self.torch.float64)[:, None]
        return rows

    def _mean(self) -> Any:
        """Differences do not change when it is taken away; lengths become smaller, and so does the doubt."""
        total = sum(self._plain(part).sum(dim=0) for part in self.slabs())
        return total / self.count * 2.0**self.shift

    def _plain(self, chosen: Any) -> Any:
        return self.features[chosen][:, : self.width].to(self.torch.float64)

    def entering(self, chosen: Any) -> Any:
        """Some rows in float64 as they enter products: of length 1, or none of their values above 2."""
        rows = self._plain(chosen)
        if self.metric == "cosine":
            return rows / self.torch.sqrt(self.squares[chosen])[:, None]
        rows = rows * 2.0**self.shift
        return rows if self.middle is None else rows - self.middle

    @cached_property
    def lengths(self) -> Any:
        """The length of each row as it enters the products."""
        return self.torch.cat([self.entering(part).norm(dim=1) for part in self.slabs()])

    @cached_property
    def longest(self) -> float:
        """The largest of these."""
        return float(self.lengths.max())

    def in_units(self, queries: Any, scores: Any) -> Any:
        """References as products of entering rows would give them if nothing were rounded; for l2 2 x·y - |y|²."""
        middle = scores * 2.0 ** (2 * self.shift)
        return middle + self.lengths[queries] ** 2 if self.metric == "l2" else middle

    def reference(self, queries: Any, items: Any) -> Any:
        """The scores that count, of pairs."""
        return self._in_slabs(self._pairs, queries, items)

    def _in_slabs(self, work: Any, one: Any, other: Any) -> Any:
        starts = range(0, one.numel(), PAIRS)
        found = [work(one[start : start + PAIRS], other[start : start + PAIRS]) for start in starts]
        return self.torch.cat(found) if found else self.torch.zeros(0, dtype=self.torch.float64, device=self.device)

    def _pairs(self, one: Any, other: Any) -> Any:
        total = self._terms(one, other, squared=self.metric == "l2")
        if self.metric == "cosine":
            total = total / self._root(self.squares[one] * self.squares[other])
        return 0.0 - total if self.metric == "l2" else total + 0.0

    def _terms(self, one: Any, other: Any, squared: bool) -> Any:
        """The sum of the terms; multiply and add are two steps, so that none is fused."""
        if kernels_for(self.device):
            return pair_terms(self.torch, self.features, one, other, squared)
        total = self.torch.zeros(one.numel(), dtype=self.torch.float64, device=self.device)
        for feature in self.features.T[: self.width]:
            left, right = (feature[each].to(self.torch.float64) for each in (one, other))
            if squared:
                left = right = left - right
            total.add_(left * right)
        return total

    def _root(self, values: Any) -> Any:
        """Square roots, correctly rounded: CUDA's are, torch's own on the processor are not."""
        if values.device.type == "cuda":
            return self.torch.sqrt(values)
        return self.torch.from_numpy(np.sqrt(values.numpy()))
