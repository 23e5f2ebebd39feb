"""Where an axis has ticks, and what is written there."""

from __future__ import annotations

import math

from rankscope.graphs.axis import Axis

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
SLACK = 1e-9


def ticks_of(axis: Axis, most: int) -> tuple[float, ...]:
    """At most so many ticks (two at least): round numbers, powers of two on a log2 axis, given ones inside the domain.

    >>> ticks_of(Axis("precision", "p", domain=(0, 1)), most=6)
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    >>> ticks_of(Axis("scope", "s", "log2", (1, 1024)), most=6)
    (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
    >>> ticks_of(Axis("scope", "s", "log2", (1, 60), ticks=(1, 64)), most=6)
    (1,)
    """
    low, high = axis.domain or (0.0, 1.0)
    if axis.ticks is not None:
        return tuple(tick for tick in axis.ticks if 0 - SLACK <= axis.place(tick) <= 1 + SLACK)
    result = _powers(low, high, most) if axis.scale == "log2" else _round(low, high, most, axis.whole)
    return tuple(tick for tick in result if 0 - SLACK <= axis.place(tick) <= 1 + SLACK)  # rounded out of a tiny domain


def _round(low: float, high: float, most: int, whole: bool) -> tuple[float, ...]:
    least = (high - low) / max(most - 1, 1)
    tenth = 10.0 ** math.floor(math.log10(least))
    step = next(tenth * each for each in STEPS if tenth * each >= least * (1 - SLACK))
    step = max(1.0, float(math.ceil(step))) if whole else step
    first, last = math.ceil(low / step - SLACK), math.floor(high / step + SLACK)
    return tuple(round(number * step, 12) for number in range(first, last + 1))


def _powers(low: float, high: float, most: int) -> tuple[float, ...]:
    first, last = math.ceil(math.log2(low) - SLACK), math.floor(math.log2(high) + SLACK)
    step = max(1, math.ceil((last - first) / max(most - 1, 1)))
    return tuple(2.0**power for power in range(first + (-first) % step, last + 1, step))


def tick_text(value: float, axis: Axis) -> str:
    """A number as it stands on an axis: 0.2, 1,000; on a log2 axis below 1 a fraction; its name where it has one.

    >>> tick_text(0.25, Axis("precision")), tick_text(4096.0, Axis("scope")), tick_text(0.25, Axis("p", scale="log2"))
    ('0.25', '4,096', '1/4')
    """
    if axis.texts is not None and axis.ticks is not None:
        return axis.texts[axis.ticks.index(value)]
    if axis.scale == "log2" and 0 < value < 1 and math.log2(value).is_integer():
        return f"1/{1 / value:,.0f}"
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return text.replace("-", "\N{MINUS SIGN}") if text != "-0" else "0"
