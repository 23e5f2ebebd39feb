"""Vectors on a device, the scores that count of pairs of them, and quick scores of whole tiles with how far each may be
off.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.nearest.gpu_kernels import UNROLLED, fixed_scores, kernels_for, pair_terms
from rankscope.engines.nearest.space import U32, row_parts

TINY = 2.0**-120  # of each feature, for what falls below the normal range
SCALE = 10  # power of two in front of halves: parts of values down to 2^-24 are normal numbers
PEAK, DIGIT = 127, 256
WIDEST = 1 << 15  # more features than this could leave 32 bits


class Level(ABC):
    """One way to screen."""

    unit = 1.0  # what stands in front of all scores
    rounded = 0.0  # by how much the last steps may change a score, as a share of it

    def __init__(self, rows: DeviceRows) -> None:
        self.rows, self.torch = rows, rows.torch

    @abstractmethod
    def query_side(self, queries: Any) -> Any:
        """What the queries bring into the products."""

    @abstractmethod
    def scores(self, left: Any, first: int, last: int) -> Any:
        """Screened scores of a range of items, in float32."""

    @abstractmethod
    def off(self, queries: Any) -> Any:
        """How far a product with a query may be off before the last steps, at most."""

    def limits(self, queries: Any, scores: Any) -> tuple[Any, Any]:
        """Between which screened scores an item's order against a reference is in doubt; float32, rounded outwards."""
        low, high = self.around(queries, self.rows.in_units(queries, scores) * self.unit)
        torch = self.torch
        below, above = low.to(torch.float32), high.to(torch.float32)
        end = torch.tensor(float("inf"), device=below.device)
        below = torch.where(below.to(torch.float64) > low, torch.nextafter(below, -end), below)
        return below, torch.where(above.to(torch.float64) < high, torch.nextafter(above, end), above)

    def around(self, queries: Any, middle: Any) -> tuple[Any, Any]:
        """How far screened scores may be off that would be these, one of each query."""
        rows, own = self.rows, self.rows.lengths[queries]
        size = own * rows.longest if rows.metric != "l2" else 2 * own**2 + 3 * rows.longest**2
        room = self.off(queries) * (2 if rows.metric == "l2" else 1) + 5 * (rows.width + 16) * 2.0**-53 * size
        share = self.rounded * (middle.abs() / self.unit + room + (rows.longest**2 if rows.metric == "l2" else 0))
        room = 1.001 * (room + share) * self.unit + rows.width * TINY
        return middle - room, middle + room


class Half(Level):
    """Products of rows in half precision, added in float32."""

    unit = 2.0 ** (2 * SCALE)
    rounded = 3 * U32

    def __init__(self, rows: DeviceRows) -> None:
        super().__init__(rows)
        torch = self.torch
        self.wide = rows.device.startswith("cuda") and has_wide_output(torch)
        kind = torch.float16 if self.wide else torch.float32  # of the same values
        self.items = torch.empty((rows.count, rows.width), dtype=kind, device=rows.device)
        self.lost = torch.empty(rows.count, dtype=torch.float64, device=rows.device)
        for part in rows.slabs():
            large = rows.entering(part) * 2.0**SCALE
            half = large.to(torch.float16)
            self.items[part] = half.to(kind)
            self.lost[part] = (large - half.to(torch.float64)).norm(dim=1) * 2.0**-SCALE
        self.most_lost = float(self.lost.max())
        self.offset = (rows.lengths**2 * self.unit).to(torch.float32) if rows.metric == "l2" else None

    def query_side(self, queries: Any) -> Any:
        return self.items[queries]

    def scores(self, left: Any, first: int, last: int) -> Any:
        """Products, and for l2 2 x·y - |y|²."""
        right = self.items[first:last].T
        result = self.torch.mm(left, right, out_dtype=self.torch.float32) if self.wide else left @ right
        if self.offset is not None:
            result.mul_(2).sub_(self.offset[first:last])
        return result

    def off(self, queries: Any) -> Any:
        """Rounding of the rows, and of the sums."""
        own, lost = self.rows.lengths[queries], self.lost[queries]
        steps = (2 * self.rows.width + 32) * 2.0**-23
        rounding = steps * (own + lost) * (self.rows.longest + self.most_lost)
        return lost * self.rows.longest + (own + lost) * self.most_lost + rounding


class Fixed(Level):
    """Products of rows in fixed point of 24 bits, three digits each."""

    rounded = 10 * U32

    def __init__(self, rows: DeviceRows) -> None:
        super().__init__(rows)
        torch = self.torch
        self.depth = -(-rows.width // 32) * 32
        kind = {"dtype": torch.float64, "device": rows.device}
        self.items = torch.zeros((rows.count, 3 * self.depth), dtype=torch.int8, device=rows.device)  # l, m, h
        self.factor = torch.ones(rows.count, **kind)
        self.lost, self.middle, self.low = (torch.empty(rows.count, **kind) for _ in range(3))
        for part in rows.slabs():
            self._store(part, rows.entering(part))
        offset = rows.lengths**2 if rows.metric == "l2" else self.factor * 0
        self.offset, self.factor32 = (each.to(torch.float32) for each in (offset, self.factor))
        self.by_kernel = kernels_for(rows.device) and rows.width <= WIDEST

    def _store(self, part: slice, rows: Any) -> None:
        torch = self.torch
        peak = rows.abs().amax(dim=1)
        factor = torch.where(peak > 0, peak / PEAK, 1.0)
        number = torch.round(rows / factor[:, None] * DIGIT**2).to(torch.int32)
        low = ((number + 128) & 255) - 128
        middle = ((((number - low) >> 8) + 128) & 255) - 128
        high = (((number - low) >> 8) - middle) >> 8
        for place, digit in enumerate((low, middle, high)):
            self.items[part, place * self.depth : place * self.depth + self.rows.width] = digit.to(torch.int8)
        self.factor[part] = factor
        unit = factor / DIGIT**2
        self.lost[part] = (rows - number * unit[:, None]).norm(dim=1) * 1.001
        self.middle[part] = middle.to(torch.float64).norm(dim=1) * factor / DIGIT
        self.low[part] = low.to(torch.float64).norm(dim=1) * unit

    def query_side(self, queries: Any) -> Any:
        """Digits h, m, l, and the factor of each row."""
        digits = self.items[queries].reshape(-1, 3, self.depth).flip(1).reshape(-1, 3 * self.depth)
        scale = self.factor[queries] * (2 if self.rows.metric == "l2" else 1)
        return digits, scale.to(self.torch.float32)

    def scores(self, left: Any, first: int, last: int) -> Any:
        """Three sums, of the first digits, of first with second, of the rest that counts; and the score of each."""
        digits, scale = left
        there = slice(first, last)
        factor, offset = self.factor32[there], self.offset[there]
        if self.by_kernel:
            return fixed_scores(self.torch, digits, self.items[there], factor, scale, offset)
        total = 0.0
        for many in (3, 2, 1):
            one, other = digits[:, : many * self.depth], self.items[there, (3 - many) * self.depth :]
            product = one.to(self.torch.float64) @ other.to(self.torch.float64).T  # of whole numbers, which is exact
            total = total / DIGIT + product.to(self.torch.float32)
        return total * factor * scale[:, None] - offset

    def off(self, queries: Any) -> Any:
        """Rounding of the rows, products of digits that are left out, and rounding of the smaller sums."""
        own, lost, middle, low = (each[queries] for each in (self.rows.lengths, self.lost, self.middle, self.low))
        longest, most_lost, most_middle, most_low = (
            float(each.max()) for each in (self.rows.lengths, self.lost, self.middle, self.low)
        )
        left_out = middle * most_low + low * (most_middle + most_low)
        high, highest = own + lost + middle + low, longest + most_lost + most_middle + most_low
        smaller = high * (most_middle + most_low) + (middle + low) * highest + middle * most_middle
        return lost * longest + (own + lost) * most_lost + left_out + 3 * U32 * smaller


def has_wide_output(torch: Any) -> bool:
    """Whether half-precision products can come out in float32 (torch 2.8 and later)."""
    try:
        one = torch.ones((16, 16), dtype=torch.float16, device="cuda")
        return bool(torch.mm(one, one, out_dtype=torch.float32).dtype == torch.float32)
    except (TypeError, RuntimeError):
        return False


# Vectors on a device, and the scores that count of pairs of them: float64, terms added in the order of the features.

PAIRS = 1 << 25  # whose references are computed at once
SLAB = 1 << 26  # features that are sent at once
DEVICE_METRICS = ("cosine", "ip", "l2")


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
        return list(row_parts(self.count, self.width, SLAB))

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
        return float(self.lengths.max())

    def in_units(self, queries: Any, scores: Any) -> Any:
        """References as products of entering rows would give them if nothing were rounded; for l2 2 x·y - |y|²."""
        middle = scores * 2.0 ** (2 * self.shift)
        return middle + self.lengths[queries] ** 2 if self.metric == "l2" else middle

    def reference(self, queries: Any, items: Any) -> Any:
        return self._in_slabs(self._pairs, queries, items)

    def _in_slabs(self, work: Any, one: Any, other: Any) -> Any:
        starts = range(0, one.numel(), PAIRS)
        found = [work(one[start : start + PAIRS], other[start : start + PAIRS]) for start in starts]
        return self.torch.cat(found) if found else self.torch.zeros(0, dtype=self.torch.float64, device=self.device)

    def _pairs(self, one: Any, other: Any) -> Any:
        total = self._terms(one, other, squared=self.metric == "l2")
        if self.metric == "cosine":
            squares = self.squares[one] * self.squares[other]
            # Square roots, correctly rounded: CUDA's are, torch's own on the processor are not.
            on_device = squares.device.type == "cuda"
            total = total / (self.torch.sqrt(squares) if on_device else self.torch.from_numpy(np.sqrt(squares.numpy())))
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
