"""Kernels for a graphics card: counting a tile of scores in one pass, and the references of pairs in one launch."""

# mypy: ignore-errors
# (Triton's functions are no Python: they are read by its compiler, and it ships no types)

from __future__ import annotations

from typing import Any

try:
    import triton
    import triton.language as tl
except ImportError:  # the plain ways are used
    triton = None

BLOCK = 4096
PAIRS = 256
MOST_BINS = 1024  # with more hits than this of one query each score adds to its bin by itself

if triton is not None:

    @triton.jit
    def _first_below(limits, value, count, STEPS: tl.constexpr, STRICTLY: tl.constexpr):  # noqa: N803
        # Limits fall: the first place whose limit is below the value (or equal to it), by halving.
        left = tl.zeros_like(value).to(tl.int32)
        right = left + count.to(tl.int32)
        for _ in tl.static_range(STEPS):
            middle = (left + right) // 2
            open_ = left < right
            limit = tl.load(limits + middle, mask=open_, other=0.0)
            reached = (limit < value) if STRICTLY else (limit <= value)
            right = tl.where(open_ & reached, middle, right)
            left = tl.where(open_ & (reached == 0), middle + 1, left)
        return left

    @triton.jit
    def _add(bins, place, count, BINS: tl.constexpr):  # noqa: N803
        # One more in the bin of each place; what lies beyond the last limit has none.
        if BINS > 0:
            number = tl.arange(0, BINS)
            amount = tl.histogram(place, BINS)
            tl.atomic_add(bins + number, amount.to(tl.int64), mask=(number < count) & (amount > 0))
        else:
            tl.atomic_add(bins + place, tl.full(place.shape, 1, tl.int64), mask=place < count)

    @triton.jit
    def _count(
        scores,
        stride,
        width,
        first,
        offsets,
        low,
        high,
        over,
        least,
        number,
        rows,
        items,
        values,
        room,
        STEPS: tl.constexpr,  # noqa: N803  (Triton writes constants so)
        BINS: tl.constexpr,  # noqa: N803
        BLOCK: tl.constexpr,  # noqa: N803
    ):
        # A program looks at a part of one row. Where nothing reaches the lowest limit, there is no more to do.
        row = tl.program_id(1)
        column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        start = tl.load(offsets + row)
        count = tl.load(offsets + row + 1) - start
        value = tl.load(scores + row.to(tl.int64) * stride + column, mask=column < width, other=float("-inf"))
        if count > 0:  # noqa: SIM102  (there is no lowest limit to load where there are no limits)
            if tl.max(value, axis=0) >= tl.load(low + start + count - 1):
                above = _first_below(high + start, value, count, STEPS, True)
                reached = _first_below(low + start, value, count, STEPS, False)
                _add(over + start, above, count, BINS)
                _add(least + start, reached, count, BINS)
                close = (reached < above).to(tl.int32)
                many = tl.sum(close, axis=0)
                if many > 0:
                    begin = tl.atomic_add(number, many.to(tl.int64))
                    where = begin + tl.cumsum(close, axis=0) - 1
                    chosen = (close > 0) & (where < room)
                    tl.store(rows + where, tl.zeros([BLOCK], dtype=tl.int32) + row, mask=chosen)
                    tl.store(items + where, column + first, mask=chosen)
                    tl.store(values + where, value, mask=chosen)

    @triton.jit
    def _pair_terms(
        features,
        stride,
        width,
        one,
        other,
        total,
        count,
        SQUARED: tl.constexpr,  # noqa: N803
        PAIRS: tl.constexpr,  # noqa: N803
    ):
        # Terms are added in the order of the features; no multiply and add are fused (said when it is launched).
        place = tl.program_id(0).to(tl.int64) * PAIRS + tl.arange(0, PAIRS)
        inside = place < count
        mine = features + tl.load(one + place, mask=inside, other=0)
        theirs = features + tl.load(other + place, mask=inside, other=0)
        result = tl.zeros([PAIRS], dtype=tl.float64)
        for _ in range(width):
            left = tl.load(mine, mask=inside, other=0.0)
            right = tl.load(theirs, mask=inside, other=0.0)
            if SQUARED:
                left = left - right
                right = left
            result = result + left * right
            mine += stride
            theirs += stride
        tl.store(total + place, result, mask=inside)


def available() -> bool:
    """Whether Triton is installed."""
    return triton is not None


def count_tile(counts: Any, scores: Any, first: int) -> None:
    """Count a tile of scores, of items from the first on, into `counts`."""
    queries, width = scores.shape
    most = counts.most_hits
    bins = triton.next_power_of_2(most + 1)
    grid = (triton.cdiv(width, BLOCK), queries)
    _count[grid](
        scores,
        scores.stride(0),
        width,
        first,
        counts.offsets,
        counts.low,
        counts.high,
        counts.over,
        counts.least,
        counts.number,
        counts.row,
        counts.item,
        counts.score,
        counts.most,
        STEPS=max(1, most).bit_length() + 1,
        BINS=max(bins, 16) if bins <= MOST_BINS else 0,
        BLOCK=BLOCK,
        num_warps=8,
    )


def pair_terms(torch: Any, features: Any, one: Any, other: Any, squared: bool) -> Any:
    """The sum over features of products, or of squared differences, for each pair of items."""
    total = torch.empty(one.numel(), dtype=torch.float64, device=one.device)
    if one.numel():
        grid = (triton.cdiv(one.numel(), PAIRS),)
        _pair_terms[grid](
            features,
            features.stride(0),
            features.shape[0],
            one,
            other,
            total,
            one.numel(),
            SQUARED=squared,
            PAIRS=PAIRS,
            num_warps=8,
            enable_fp_fusion=False,
        )
    return total
