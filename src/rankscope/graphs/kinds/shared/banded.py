"""A mean curve with its band on a graph: limits shaded, points on few units thin, and what the band promises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.graphs.graph import Graph
from rankscope.graphs.kinds.shared.chance import LimitsAtPoints, ranges
from rankscope.graphs.kinds.shared.describing import facts_of
from rankscope.graphs.marks import Facts
from rankscope.statistics.intervals.band import CAUTION, Band
from rankscope.statistics.intervals.deciding import FEW

PROMISE = {
    "unseen-unit": "bounded {bands} for the whole curve",
    "bonferroni": f"Bonferroni {{bands}} for the whole curve, {CAUTION}",
    "sup-t": f"sup-t {{bands}} for the whole curve, {CAUTION}",
    "t": "t {bands}, each point by itself",
}


def promise_of(around: Band, count: int = 1) -> str:
    """What one band or several of a kind promise.

    >>> from rankscope.statistics.intervals.bands import band
    >>> promise_of(band([[0.1], [0.2]]), count=2), promise_of(band([[0.1], [0.2]], how="t"))
    ('95% bounded bands for the whole curve', '95% t band, each point by itself')
    """
    return f"{100 * around.level:g}% {PROMISE[around.how].format(bands='bands' if count > 1 else 'band')}"


def with_band(
    graph: Graph,
    around: Band,
    name: str,
    note: str = "",
    *,
    facts: Facts | None = None,
    markers: int | Sequence[int] = 6,
    shaded: bool = True,
) -> Graph:
    """The mean curve, its limits shaded where wanted and where they exist, its points that rest on few units thin."""
    graph = graph.band(around.drawn(), name) if shaded and around.exists else graph
    told = {**(facts or facts_of(around.curve())), **band_facts(around, shaded)}
    thin = np.flatnonzero(around.few).tolist() if around.exists else []  # one query decides all there is
    return graph.curve(around.curve(), name, note, facts=told, markers=markers, thin=thin)


def band_facts(around: Band, limits: bool = True, told: LimitsAtPoints | None = None) -> Facts:
    """What to tell of each point: its limits where wanted, how many units decide it, and whether these are few.

    `told` are the limits in another quantity.
    """
    ends = told or around.drawn()
    what = f"{100 * around.level:g}% band, {'whole curve' if around.simultaneous else 'pointwise'}"
    return {
        **({what: ranges(ends.low, ends.high)} if limits and around.exists else {}),
        f"deciding {around.unit}": [round(each, 2) for each in around.deciding.tolist()],
        "few": ["yes" if each else "no" for each in around.few.tolist()],
    }


def band_words(bands: Sequence[Band]) -> list[str]:
    """What kind of band, what it promises, over which units, and where it rests on few of them.

    >>> from rankscope.statistics.intervals.bands import band
    >>> band_words([band([[0.1], [0.2], [0.3], [0.4], [0.2], [0.9]])])
    ['95% bounded band for the whole curve', 'thin: fewer than 5 queries decide']
    """
    there = [each for each in bands if each.exists]
    if not there:
        return [each.note for each in bands[:1]]
    first = there[0]
    units = "sampling units: classes" if first.unit == "classes" else ""
    return [*filter(None, (promise_of(first, len(there)), units, thin_words(there)))]


def thin_words(bands: Sequence[Band]) -> str:
    """What a thin part of a curve means, where there is one, whether or not bands are shaded.

    >>> from rankscope.statistics.intervals.bands import band
    >>> thin_words([band([[0.1], [0.2], [0.3]])]), thin_words([band([[0.1]])])
    ('thin: fewer than 5 queries decide', '')
    """
    few = [each for each in bands if each.exists and each.few.any()]
    return f"thin: fewer than {FEW} {few[0].unit} decide" if few else ""
