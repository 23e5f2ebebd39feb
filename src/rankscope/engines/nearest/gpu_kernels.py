"""Kernels for a graphics card: references of pairs, products in fixed point, counting a tile, placing the doubtful."""

from __future__ import annotations

import os
from typing import Any

# mypy: ignore-errors
# (Triton's functions are no Python: they are read by its compiler, and it ships no types)


try:
    import triton
    import triton.language as tl
except ImportError:  # the plain ways are used
    triton = None

BLOCK, WARPS = 1024, 4
TILE = (64, 128, 8, 4, 4)  # rows, columns, tiles of columns side by side, warps and stages of products of digits
PAIRS = 128
UNROLLED = 8
MOST_BINS = 1024  # with more hits than this of one query each score adds to its bin by itself

if triton is not None:

    @triton.jit
    def _pair_terms(
        features,
        stride,
        width,
        one,
        other,
        total,
        count,
        SQUARED: tl.constexpr,  # noqa: N803  (Triton writes constants so)
        UNROLLED: tl.constexpr,  # noqa: N803
        PAIRS: tl.constexpr,  # noqa: N803
    ):
        # Terms are added in the order of the features; no multiply and add are fused (said when it is launched).
        place = tl.program_id(0).to(tl.int64) * PAIRS + tl.arange(0, PAIRS)
        inside = place < count
        mine = features + tl.load(one + place, mask=inside, other=0).to(tl.int64) * stride
        theirs = features + tl.load(other + place, mask=inside, other=0).to(tl.int64) * stride
        result = tl.zeros([PAIRS], dtype=tl.float64)
        for first in range(0, width, UNROLLED):
            for step in tl.static_range(UNROLLED):
                left = tl.load(mine + first + step, mask=inside, other=0.0).to(tl.float64)
                right = tl.load(theirs + first + step, mask=inside, other=0.0).to(tl.float64)
                if SQUARED:
                    left = left - right
                    right = left
                result = result + left * right
        tl.store(total + place, result, mask=inside)

    @triton.jit
    def _fixed_scores(
        left,
        right,
        out,
        factor,
        scale,
        offset,
        queries,
        items,
        depth,
        left_stride,
        right_stride,
        out_stride,
        ROWS: tl.constexpr,  # noqa: N803
        COLUMNS: tl.constexpr,  # noqa: N803
        STEP: tl.constexpr,  # noqa: N803
        BAND: tl.constexpr,  # noqa: N803
    ):
        # Digits h m l of queries with l m h of items, in whole numbers: the smallest sums first, each divided by 2^8.
        program = tl.program_id(0)
        across = tl.cdiv(queries, ROWS)
        band = BAND * across
        first = program // band * BAND
        size = min(tl.cdiv(items, COLUMNS) - first, BAND)
        row = (program % band) // size * ROWS + tl.arange(0, ROWS)
        column = (first + program % size) * COLUMNS + tl.arange(0, COLUMNS)
        step = tl.arange(0, STEP)
        mine = left + (row % queries).to(tl.int64)[:, None] * left_stride + step[None, :]
        theirs = right + (column % items).to(tl.int64)[None, :] * right_stride + step[:, None]
        total = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
        for skipped in tl.static_range(3):
            sums = tl.zeros([ROWS, COLUMNS], dtype=tl.int32)
            for at in range(0, (3 - skipped) * depth, STEP):
                sums = tl.dot(tl.load(mine + at), tl.load(theirs + skipped * depth + at), sums, out_dtype=tl.int32)
            total = total * 0.00390625 + sums.to(tl.float32)
        inside = column < items
        total = total * tl.load(factor + column, mask=inside, other=0.0)[None, :]
        total = total * tl.load(scale + row, mask=row < queries, other=0.0)[:, None]
        total = total - tl.load(offset + column, mask=inside, other=0.0)[None, :]
        place = out + row.to(tl.int64)[:, None] * out_stride + column[None, :]
        tl.store(place, total, mask=(row < queries)[:, None] & inside[None, :])

    @triton.jit
    def _first_reached(limits, value, count, STEPS: tl.constexpr, PADDED: tl.constexpr):  # noqa: N803
        # Limits fall: how many are above the value, by halving. Beyond the last lie limits that everything reaches, or
        # memory of any content.
        reached = tl.zeros_like(value).to(tl.uint32)
        for step in tl.static_range(STEPS):
            half = 1 << (STEPS - 1 - step)
            above = tl.load(limits + (half - 1) + reached) > value
            if not PADDED:
                above = above & (reached.to(tl.int32) < count - (half - 1))
            reached += tl.where(above, half, 0).to(tl.uint32)
        return reached.to(tl.int32)

    @triton.jit
    def _add(bins, place, count, BINS: tl.constexpr):  # noqa: N803
        # One more in the bin of each place; what lies beyond the last limit has none.
        if BINS > 0:
            number = tl.arange(0, BINS)
            amount = tl.histogram(place, BINS)
            tl.atomic_add(bins + number, amount, mask=(number < count) & (amount > 0))
        else:
            tl.atomic_add(bins + place, tl.full(place.shape, 1, tl.int32), mask=place < count)

    @triton.jit
    def _count(
        scores,
        stride,
        width,
        first,
        offsets,
        low,
        padded,
        high,
        bins,
        number,
        rows,
        items,
        room,
        STEPS: tl.constexpr,  # noqa: N803
        PADDED: tl.constexpr,  # noqa: N803
        BINS: tl.constexpr,  # noqa: N803
        BLOCK: tl.constexpr,  # noqa: N803
    ):
        # A program looks at a part of one row. Where nothing reaches the lowest limit, there is no more to do.
        row = tl.program_id(1)
        column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        start = tl.load(offsets + row)
        count = (tl.load(offsets + row + 1) - start).to(tl.int32)
        there = column < width
        place = row.to(tl.int64) * stride + column
        value = tl.load(scores + place, mask=there, other=float("-inf"))
        if count > 0:  # noqa: SIM102  (there is no lowest limit to load where there are no limits)
            if tl.max(value, axis=0) >= tl.load(low + start + count - 1):
                if PADDED:
                    reached = _first_reached(padded + (row.to(tl.int64) << STEPS), value, count, STEPS, True)
                else:
                    reached = _first_reached(low + start, value, count, STEPS, False)
                top = tl.load(high + start + reached, mask=reached < count, other=float("-inf"))
                close = (reached < count) & (value <= top)
                _add(bins + start, tl.where(close, count, reached), count, BINS)
                listed = close.to(tl.int32)
                many = tl.sum(listed, axis=0)
                if many > 0:
                    begin = tl.atomic_add(number, many.to(tl.int64))
                    where = begin + tl.cumsum(listed, axis=0) - 1
                    chosen = close & (where < room)
                    tl.store(rows + where, tl.zeros([BLOCK], dtype=tl.int32) + row, mask=chosen)
                    tl.store(items + where, column + first, mask=chosen)

    @triton.jit
    def _place(
        rows,
        items,
        scores,
        count,
        offsets,
        hit_items,
        hit_scores,
        bins,
        equal,
        before,
        STEPS: tl.constexpr,  # noqa: N803
        PAIRS: tl.constexpr,  # noqa: N803
    ):
        # Where an item in doubt really stands among the hits of its row: before all that are worse, equals by item.
        place = tl.program_id(0).to(tl.int64) * PAIRS + tl.arange(0, PAIRS)
        inside = place < count
        row = tl.load(rows + place, mask=inside, other=0)
        item = tl.load(items + place, mask=inside, other=0)
        score = tl.load(scores + place, mask=inside, other=0.0)
        start = tl.load(offsets + row, mask=inside, other=0)
        many = (tl.load(offsets + row + 1, mask=inside, other=0) - start).to(tl.int32)
        left = tl.zeros([PAIRS], dtype=tl.int32)
        right = many
        lower = left
        upper = many
        for _ in tl.static_range(STEPS):
            middle = (left + right) // 2
            open_ = left < right
            theirs = tl.load(hit_scores + start + middle, mask=open_, other=0.0)
            number = tl.load(hit_items + start + middle, mask=open_, other=0)
            better = (theirs > score) | ((theirs == score) & (number < item))
            left = tl.where(open_ & better, middle + 1, left)
            right = tl.where(open_ & (better == 0), middle, right)
            center = (lower + upper) // 2
            still = lower < upper
            larger = tl.load(hit_scores + start + center, mask=still, other=0.0) > score
            lower = tl.where(still & larger, center + 1, lower)
            upper = tl.where(still & (larger == 0), center, upper)
        one = tl.full([PAIRS], 1, tl.int32)
        tl.atomic_add(bins + start + left, one, mask=inside & (left < many))
        found = tl.load(hit_scores + start + lower, mask=inside & (lower < many), other=float("inf")) == score
        found = found & inside & (lower < many)
        tl.atomic_add(equal + start + lower, one, mask=found)
        tl.atomic_add(before + start + lower, one, mask=found & (left == lower))


def kernels_for(device: str) -> bool:
    """Whether kernels run on a device: on cards where Triton is installed, and where its interpreter was asked for."""
    return triton is not None and (device.startswith("cuda") or os.environ.get("TRITON_INTERPRET") == "1")


def halvings(count: int) -> int:
    """How many halvings find a place among so many, or behind them.

    >>> [halvings(count) for count in (1, 2, 3, 4)]
    [1, 2, 2, 3]
    """
    return max(1, count).bit_length()


def pair_terms(torch: Any, features: Any, one: Any, other: Any, squared: bool) -> Any:
    """The sum over features of products, or of squared differences, for each pair of items."""
    total = torch.empty(one.numel(), dtype=torch.float64, device=one.device)
    if one.numel():
        grid = (triton.cdiv(one.numel(), PAIRS),)
        _pair_terms[grid](
            features,
            features.stride(0),
            features.shape[1],
            one,
            other,
            total,
            one.numel(),
            SQUARED=squared,
            UNROLLED=UNROLLED,
            PAIRS=PAIRS,
            num_warps=4,
            enable_fp_fusion=False,
        )
    return total


def fixed_scores(torch: Any, left: Any, right: Any, factor: Any, scale: Any, offset: Any) -> Any:
    """Scores of rows of digits h m l with rows of digits l m h: products in whole numbers."""
    queries, items, depth = left.shape[0], right.shape[0], left.shape[1] // 3
    out = torch.empty((queries, items), dtype=torch.float32, device=left.device)
    rows, columns, band, warps, stages = TILE
    step = next(each for each in (128, 64, 32) if depth % each == 0)
    grid = (triton.cdiv(queries, rows) * triton.cdiv(items, columns),)
    sizes = {"ROWS": rows, "COLUMNS": columns, "STEP": step, "BAND": band, "num_warps": warps, "num_stages": stages}
    strides = (left.stride(0), right.stride(0), out.stride(0))
    _fixed_scores[grid](left, right, out, factor, scale, offset, queries, items, depth, *strides, **sizes)
    return out


def count_tile(counts: Any, scores: Any, first: int) -> None:
    """Count a tile of scores, of items from the first on, into `counts`."""
    queries, width = scores.shape
    bins = triton.next_power_of_2(counts.most_hits + 1)
    _count[(triton.cdiv(width, BLOCK), queries)](
        scores,
        scores.stride(0),
        width,
        first,
        counts.offsets,
        counts.low,
        counts.low if counts.padded is None else counts.padded,
        counts.high,
        counts.bins,
        counts.number,
        counts.row,
        counts.item,
        counts.room,
        STEPS=halvings(counts.most_hits),
        PADDED=counts.padded is not None,
        BINS=max(bins, 16) if bins <= MOST_BINS else 0,
        BLOCK=BLOCK,
        num_warps=WARPS,
    )


def place_among(hits: Any, row: Any, item: Any, score: Any, bins: Any, equal: Any, before: Any) -> None:
    """Add each item in doubt to the bin of the first hit it stands before; and to those it has the score of."""
    if row.numel():
        _place[(triton.cdiv(row.numel(), PAIRS),)](
            row,
            item,
            score,
            row.numel(),
            hits.offsets,
            hits.item,
            hits.score,
            bins,
            equal,
            before,
            STEPS=halvings(hits.most),
            PAIRS=PAIRS,
            num_warps=4,
        )
