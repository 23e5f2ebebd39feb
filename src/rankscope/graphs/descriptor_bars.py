"""Graphs of a benchmark: descriptors by quality with their intervals, and quality against cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.text_width import text_width
from rankscope.number_texts import decimal_text

AIR = 1.35  # beyond the first and last cost of a log axis
WIDE, HIGH = 300.0, 190.0  # about the pixels of the plot, to keep names from each other
SIZE = 9.5
BESIDE = 6.0  # pixels from a point to its name
RAISED = (0.0, 8.0, -8.0, 15.0, -15.0)
Box: TypeAlias = tuple[float, float, float, float]
Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True)
class Bar:
    """A descriptor's mean with its interval (NaN: none), its cost in milliseconds and its letters."""

    name: str
    mean: float
    low: float
    high: float
    cost: float
    letters: str = ""


def quality_graph(bars: Sequence[Bar], measure: str, what: str = "") -> Graph:
    """Means with 95 % intervals, in the order given from top to bottom; letters stand at the right."""
    count = len(bars)
    rows = np.arange(float(count), 0.0, -1.0)
    ends = np.array([[each.mean, each.low, each.high] for each in bars])
    high = max(float(np.nanmax(ends)), 1e-6)
    letters = any(each.letters for each in bars)
    right = min(1.0, 1.05 * high) if not letters else high * 1.04
    room = right * (0.03 + 0.025 * max(len(each.letters) for each in bars)) if letters else 0.0
    graph = Graph(
        f"{measure} of {count} descriptor{'s' * (count > 1)}",
        Axis(measure, domain=(0.0, right + room)),
        Axis(
            "descriptor",
            domain=(0.3, count + 0.7),
            ticks=tuple(rows[::-1].tolist()),
            texts=tuple(each.name for each in bars)[::-1],
            rows=1.15,
        ),
        subtitle="; ".join(
            filter(None, (what, "no significant difference between those that share a letter" if letters else ""))
        ),
        summary=f"{measure} of {', '.join(f'{each.name} {each.mean:.3f}' for each in bars)}.",
        conclusion=_best_words(bars, measure),
    )
    facts = {
        "descriptor": [each.name for each in bars],
        "from": ends[:, 1].tolist(),
        "to": ends[:, 2].tolist(),
        "group": [each.letters or "-" for each in bars],
    }
    name = "mean and 95% interval" if np.isfinite(ends[:, 1]).any() else "mean"
    graph = graph.spans(rows, ends[:, 1], ends[:, 2], name).points(Curve(ends[:, 0], rows), name, facts=facts)
    for row, each in zip(rows.tolist(), bars, strict=True):
        graph = graph.text(right + 0.02 * right, row, each.letters) if each.letters else graph
    return graph


def _best_words(bars: Sequence[Bar], measure: str) -> str:
    """Who has the best mean, and how many share a letter with it."""
    best = max(bars, key=lambda each: each.mean)
    told = f"{best.name} has the best mean {measure}, {decimal_text(best.mean)}"
    if not best.letters:
        return f"{told}."
    alike = sum(bool(set(each.letters) & set(best.letters)) for each in bars) - 1
    if not alike:
        return f"{told}, and is significantly better than all others."
    others = len(bars) - 1
    who = (
        "the other one"
        if others == 1
        else f"all other {others}"
        if alike == others
        else f"{alike} of the other {others}"
    )
    return f"{told}, but without a significant difference from {who}."


def cost_graph(bars: Sequence[Bar], measure: str, what: str = "") -> Graph:
    """Quality against the processor time of one picture; the line joins those that no cheaper one beats."""
    known = [each for each in bars if np.isfinite(each.cost) and each.cost > 0]
    cost, mean = (np.array([getattr(each, name) for each in known]) for name in ("cost", "mean"))
    domain = (float(cost.min()) / AIR, float(cost.max()) * AIR)
    span = max(float(np.ptp(mean)), 0.05)
    top, bottom = min(1.0, float(mean.max()) + 0.15 * span), max(0.0, float(mean.min()) - 0.15 * span)
    graph = Graph(
        f"{measure} against cost",
        Axis("processor time for one picture, ms", scale="log2", domain=domain),
        Axis(measure, domain=(bottom, top)),
        subtitle="; ".join(filter(None, (what, "the line joins descriptors that no cheaper one beats"))),
        summary=f"{measure} and cost of {', '.join(f'{each.name} {each.cost:.2g} ms' for each in known)}.",
    )
    best = frontier(cost, mean)
    graph = graph.described(conclusion=_cheapest_words([known[each] for each in best], measure))
    if len(best) > 1:
        graph = graph.guides([Curve(cost[best], mean[best])], dashed=True)
    facts = {"descriptor": [each.name for each in known]}
    graph = graph.points(Curve(cost, mean), facts=facts)
    across = np.log(cost / domain[0]) / np.log(domain[1] / domain[0])
    up = (mean - bottom) / (top - bottom)
    for name, x, y, side in _placed([each.name for each in known], across, up, best):
        place = domain[0] * (domain[1] / domain[0]) ** x
        graph = graph.text(place, bottom + y * (top - bottom), name, side)
    return graph


def _cheapest_words(line: Sequence[Bar], measure: str) -> str:
    """What more quality costs, from the cheapest to the best; `line` are those that no cheaper one beats."""
    first, last = line[0], line[-1]
    if first is last:
        return f"{first.name} is both the cheapest and the best."
    return (
        f"{last.name} has the best mean {measure}, {decimal_text(last.mean)}, at {last.cost:.2g} ms; the cheapest, "
        f"{first.name}, has {decimal_text(first.mean)} at {first.cost:.2g} ms: the best takes "
        f"{last.cost / first.cost:.2g} times as long."
    )


def frontier(cost: FloatArray, mean: FloatArray) -> list[int]:
    """Those that are better than everything cheaper, by rising cost.

    >>> frontier(np.array([1.0, 2.0, 3.0, 0.5]), np.array([0.5, 0.4, 0.6, 0.1]))
    [3, 0, 2]
    """
    found: list[int] = []
    for each in np.lexsort((-mean, cost)).tolist():
        if not found or mean[each] > mean[found[-1]]:
            found.append(each)
    return found


def _placed(
    names: Sequence[str], across: FloatArray, up: FloatArray, line: Sequence[int]
) -> list[tuple[str, float, float, Side]]:
    """A place for each name next to its point, where it lies over no name, point or piece of the line if it can."""
    taken = _squares(across, up, 3.0)
    if len(line) > 1:
        steps = np.linspace(0, len(line) - 1, 40 * (len(line) - 1) + 1)
        along, high = (np.interp(steps, np.arange(len(line)), each[line]) for each in (across, up))
        taken += _squares(along, high, 1.0)
    results = []
    for number, name in enumerate(names):
        x, y = float(across[number]) * WIDE, float(up[number]) * HIGH
        wide = text_width(name, SIZE)
        sides: tuple[tuple[Side, float], ...] = (("left", BESIDE), ("right", -BESIDE))
        tries = [(side, x + shift, y + raised) for raised in RAISED for side, shift in sides]
        boxes = [_box(side, left, at, wide) for side, left, at in tries]
        cost = [_overlap(box, taken[:number] + taken[number + 1 :]) for box in boxes]
        best = int(np.argmin(cost))
        taken.append(boxes[best])
        side, left, at = tries[best]
        results.append((name, left / WIDE, at / HIGH, side))
    return results


def _squares(across: FloatArray, up: FloatArray, half: float) -> list[Box]:
    places = zip((across * WIDE).tolist(), (up * HIGH).tolist(), strict=True)
    return [(x - half, y - half, x + half, y + half) for x, y in places]


def _box(side: str, x: float, y: float, wide: float) -> Box:
    left = x if side == "left" else x - wide
    return left, y - SIZE / 2, left + wide, y + SIZE / 2


def _overlap(box: Box, others: Sequence[Box]) -> float:
    """How much of it lies over others, or outside of the plot."""
    outside = max(0.0, -box[0]) + max(0.0, box[2] - WIDE) + max(0.0, -box[1]) + max(0.0, box[3] - HIGH)
    total = 50.0 * outside
    for left, low, right, high in others:
        wide, tall = min(box[2], right) - max(box[0], left), min(box[3], high) - max(box[1], low)
        total += wide * tall if wide > 0 and tall > 0 else 0.0
    return total
