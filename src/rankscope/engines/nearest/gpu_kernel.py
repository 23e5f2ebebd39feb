"""One pass over a tile of scores: how many lie above each limit, how many within, and which ones those are."""

# mypy: ignore-errors
# (Triton's functions are no Python: they are read by its compiler, and it ships no types)

from __future__ import annotations

from typing import Any

try:
    import triton
    import triton.language as tl
except ImportError:  # the plain way of counting is used
    triton = None

BLOCK = 4096

if triton is not None:

    @triton.jit
    def _count(
        scores, stride, width, first, offsets, low, high, above, within, number, rows, items, values, room,
        BLOCK: tl.constexpr,  # noqa: N803  (Triton writes constants so)
    ):  # fmt: skip
        # A program looks at a part of one row. Limits fall: where nothing reaches the last, there is no more to do.
        row = tl.program_id(1)
        column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        start = tl.load(offsets + row)
        stop = tl.load(offsets + row + 1)
        value = tl.load(scores + row.to(tl.int64) * stride + column, mask=column < width, other=float("-inf"))
        if start < stop:
            lowest = tl.load(low + stop - 1)
            if tl.max(value, axis=0) >= lowest:
                close = tl.zeros([BLOCK], dtype=tl.int32)
                for place in range(start, stop):
                    base = tl.load(low + place)
                    top = tl.load(high + place)
                    over = tl.sum((value > top).to(tl.int32), axis=0)
                    inside = ((value >= base) & (value <= top)).to(tl.int32)
                    there = tl.sum(inside, axis=0)
                    if over > 0:
                        tl.atomic_add(above + place, over.to(tl.int64))
                    if there > 0:
                        tl.atomic_add(within + place, there.to(tl.int64))
                    close = close | inside
                many = tl.sum(close, axis=0)
                if many > 0:
                    begin = tl.atomic_add(number, many.to(tl.int64))
                    where = begin + tl.cumsum(close, axis=0) - 1
                    chosen = (close > 0) & (where < room)
                    tl.store(rows + where, tl.zeros([BLOCK], dtype=tl.int32) + row, mask=chosen)
                    tl.store(items + where, column + first, mask=chosen)
                    tl.store(values + where, value, mask=chosen)


def available() -> bool:
    """Whether Triton is installed."""
    return triton is not None


def count_tile(counts: Any, scores: Any, first: int) -> None:
    """Count a tile of scores, of items from the first on, into `counts`."""
    queries, width = scores.shape
    grid = (triton.cdiv(width, BLOCK), queries)
    _count[grid](
        scores, scores.stride(0), width, first, counts.offsets, counts.low, counts.high, counts.above, counts.within,
        counts.number, counts.row, counts.item, counts.score, counts.most, BLOCK=BLOCK, num_warps=8,
    )  # fmt: skip
