"""Products of many vectors with many on a device: half-precision parts at three times the depth, or float64.

Bound. Rows hold no value above 2 and are multiplied by 2^10, so that parts of values down to 2^-24 are normal
half-precision numbers. hi is within 2^-11 of x, lo within 2^-11 of x - hi: hi + lo is within 2^-22 |x|, and lo lo,
which is left out, is below 2^-22 |x||y|: together 3 units of 2^-22. A smaller value is off by at most 2^-35. The 3 n
products are exact in float32; each addition, be it truncated, is off by at most 2^-23 of the sum of the absolute
values: 3 n units of 2^-23. Tensor cores align the terms of one step before they add them, which costs at most as much
again. The reference's own error is far below one unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.nearest.gpu_kernel import available, pair_terms
from rankscope.engines.nearest.sums import parts

SCALE = 10  # power of two in front of the half-precision parts
PAIRS = 1 << 25
METRICS = ("cosine", "ip", "l2")


class Products:
    """Items on a device under a metric made of products; everything is computed there."""

    def __init__(self, torch: Any, matrix: NDArray[Any], metric: str, device: str) -> None:
        self.torch, self.metric, self.device = torch, metric, device
        self.count, self.width = matrix.shape
        self.quick = device == "cuda" and has_wide_output(torch)
        kind = {"dtype": torch.float64, "device": device}
        self.features = torch.empty((self.width, self.count), **kind)  # as the references multiply them
        for part in parts(self.count, self.width, 1 << 26):
            rows = torch.from_numpy(np.ascontiguousarray(matrix[part])).to(device).to(torch.float64)
            self.features[:, part] = (self._turned(rows) if metric == "cosine" else rows).T
        self.squares = self._squares()
        peak = float(max(self.features.amax(), -self.features.amin()))
        self.shift = 0 if metric == "cosine" else -max(int(np.frexp(peak)[1]), -400)
        self.middle = torch.zeros(self.width, **kind)
        if metric == "l2":
            self.middle = self.features.mean(dim=1) * 2.0**self.shift
        self.lengths2 = torch.empty(self.count, **kind)  # |y|² of the rows as they enter the products
        self.items = torch.empty(
            (self.count, 3 * self.width if self.quick else self.width),
            dtype=torch.float16 if self.quick else torch.float32,
            device=device,
        )
        for part in parts(self.count, self.width, 1 << 26):
            rows = self._prepared(part)
            self.lengths2[part] = (rows * rows).sum(dim=1)
            self.items[part] = self._split(rows, "hlh") if self.quick else rows.to(torch.float32)
        self.longest2 = float(self.lengths2.max())

    def _turned(self, rows: Any) -> Any:
        """Rows times a power of two each, their largest value between 1/2 and 1: exact, and no angle changes."""
        exponent = self.torch.frexp(rows.abs().amax(dim=1))[1].to(self.torch.int64)
        half = exponent // 2
        for part in (half, exponent - half):
            rows = rows * ((1023 - part) << 52).view(self.torch.float64)[:, None]
        return rows

    def _squares(self) -> Any:
        """Squared lengths, added in the order of the features; 1 for a row of zeros."""
        total = self.torch.zeros(self.count, dtype=self.torch.float64, device=self.device)
        for feature in self.features:
            total.add_(feature * feature)
        return self.torch.where(total == 0, 1.0, total)

    def _prepared(self, chosen: Any) -> Any:
        """Rows as they enter the products, in float64."""
        rows = self.features[:, chosen].T
        if self.metric == "cosine":
            return rows / self.torch.sqrt(self.squares[chosen])[:, None]
        return rows * 2.0**self.shift - self.middle

    def _split(self, rows: Any, order: str) -> Any:
        """Half-precision parts side by side, h for hi and l for lo."""
        torch = self.torch
        large = rows * 2.0**SCALE
        hi = large.to(torch.float16)
        lo = (large - hi.to(torch.float64)).to(torch.float16)
        return torch.cat([hi if which == "h" else lo for which in order], dim=1)

    def query_side(self, queries: Any, precise: bool) -> Any:
        """The queries' side of a tile; `queries` are on the device."""
        rows = self._prepared(queries)
        if precise:
            return rows
        return self._split(rows, "hhl") if self.quick else rows.to(self.torch.float32)

    def scores(self, left: Any, first: int, last: int, precise: bool) -> Any:
        """A tile of scores in float32: products, and for l2 2 x·y - |y|²."""
        torch = self.torch
        if precise:
            result = left @ self._prepared(slice(first, last)).T
        elif self.quick:
            result = torch.mm(left, self.items[first:last].T, out_dtype=torch.float32)
        else:
            result = left @ self.items[first:last].T
        if self.metric == "l2":
            result.mul_(2).sub_((self.lengths2[first:last] * self._unit(precise)).to(result.dtype))
        return result.to(torch.float32)

    def _unit(self, precise: bool) -> float:
        """What stands in front of all products."""
        return 2.0 ** (2 * SCALE) if self.quick and not precise else 1.0

    def limits(self, queries: Any, scores: Any, precise: bool) -> tuple[Any, Any]:
        """Between which screened scores an item's order against a reference is in doubt; in float32, rounded outwards.

        `queries` and `scores` are on the device, and so are the limits.
        """
        own = self.lengths2[queries]
        if precise:
            units, least = 5 * (self.width + 16) * 2.0**-53, 2.0**-250
        elif self.quick:
            units, least = (6 * self.width + 32) * 2.0**-23 + 3 * 2.0**-22, 2.0**-32
        else:
            units, least = (self.width + 16) * 2.0**-24, 2.0**-120
        middle = scores * 2.0 ** (2 * self.shift)
        if self.metric == "l2":
            middle, room = middle + own, 2 * own + 3 * self.longest2
        else:
            room = self.torch.sqrt(own * self.longest2)
        room = 1.001 * room * units + self.width * least
        return self._outwards((middle - room) * self._unit(precise), (middle + room) * self._unit(precise))

    def _outwards(self, low: Any, high: Any) -> tuple[Any, Any]:
        torch = self.torch
        below, above = low.to(torch.float32), high.to(torch.float32)
        end = torch.tensor(float("inf"), device=self.device)
        below = torch.where(below.to(torch.float64) > low, torch.nextafter(below, -end), below)
        return below, torch.where(above.to(torch.float64) < high, torch.nextafter(above, end), above)

    def reference(self, queries: Any, items: Any) -> Any:
        """The scores that count, of pairs; multiply and add are two steps, so that none is fused."""
        parts = [
            self._pairs(queries[start : start + PAIRS], items[start : start + PAIRS])
            for start in range(0, queries.numel(), PAIRS)
        ]
        return self.torch.cat(parts) if parts else self.squares[:0]

    def _pairs(self, one: Any, other: Any) -> Any:
        total = self._terms(one, other)
        if self.metric == "cosine":
            total = total / self._root(self.squares[one] * self.squares[other])
        return 0.0 - total if self.metric == "l2" else total + 0.0

    def _terms(self, one: Any, other: Any) -> Any:
        if self.device == "cuda" and available():
            return pair_terms(self.torch, self.features, one, other, self.metric == "l2")
        total = self.torch.zeros(one.numel(), dtype=self.torch.float64, device=self.device)
        for feature in self.features:
            total.add_(self._term(feature[one], feature[other]))
        return total

    def _root(self, values: Any) -> Any:
        """Square roots, correctly rounded: CUDA's are, torch's own on the processor are not."""
        return self.torch.sqrt(values) if self.device == "cuda" else self.torch.from_numpy(np.sqrt(values.numpy()))

    def _term(self, one: Any, other: Any) -> Any:
        if self.metric == "l2":
            difference = one - other
            return difference * difference
        return one * other


def has_wide_output(torch: Any) -> bool:
    """Whether half-precision products can come out in float32 (torch 2.8 and later)."""
    try:
        one = torch.ones((16, 16), dtype=torch.float16, device="cuda")
        return bool(torch.mm(one, one, out_dtype=torch.float32).dtype == torch.float32)
    except (TypeError, RuntimeError):
        return False
