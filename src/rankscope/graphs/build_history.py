"""A graph of builds: the value of one check with its interval, build after build, and its baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve, Region
from rankscope.errors import SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.number_texts import how_many
from rankscope.statistics.intervals.bootstrap import SHORT
from rankscope.statistics.verdicts.gate_history import CheckRecord, GateHistory

MOST_TICKS = 8
AIR = 0.08  # of the range, above and below


def build_history_graph(history: GateHistory, name: str) -> Graph:
    """The value of a check with its 95 % interval over the builds; hollow points failed this check.

    The baseline may change between builds: it is drawn as it was at each.
    """
    found = history.checks(name)
    if len(found) < 2:
        raise SettingError(f"{name}: one build has no history to draw")
    places = np.array([place + 1.0 for place, _ in found])
    checks = [check for _, check in found]
    values, lows, highs, bases = (
        np.array([getattr(check, key) for check in checks]) for key in ("value", "value_low", "value_high", "baseline")
    )
    ticks = _ticks(len(history.builds))
    graph = Graph(
        f"{name} over {how_many(len(found), 'builds')}",
        Axis(
            "build",
            domain=(0.5, len(history.builds) + 0.5),
            ticks=ticks,
            texts=tuple(_short(history.builds[round(tick) - 1].build) for tick in ticks),
        ),
        Axis(name, domain=_domain(np.concatenate([values, lows, highs, bases]))),
        subtitle=f"{_queries(checks)}; band: 95 % intervals of the value{_kinds(checks)}; hollow points failed this "
        "check",
        summary=f"{name} went from {values[0]:.3f} to {values[-1]:.3f} over {how_many(len(found), 'builds')}.",
    )
    series = "candidate"
    graph = graph.curve(Curve(places, bases), "its baseline", markers=0, light=True)
    graph = graph.curve(Curve(places, values), series, markers=0)
    known = np.isfinite(lows)
    if known.any():
        graph = graph.band(Region(places[known], lows[known], highs[known]), series)
    failed = [check.verdict == "fail" for check in checks]
    return graph.points(Curve(places, values), series, open=failed, facts=_facts(history, found))


def _facts(history: GateHistory, found: list[tuple[int, CheckRecord]]) -> dict[str, list[object]]:
    builds = [history.builds[place] for place, _ in found]
    return {
        "build": [each.build for each in builds],
        "date": [each.day for each in builds],
        "change": [round(check.change, 4) for _, check in found],
        "gate": [check.verdict for _, check in found],
    }


def _ticks(count: int) -> tuple[float, ...]:
    """So many builds that their names have room; the last always.

    >>> _ticks(4), _ticks(20)
    ((1.0, 2.0, 3.0, 4.0), (2.0, 5.0, 8.0, 11.0, 14.0, 17.0, 20.0))
    """
    step = -(-count // MOST_TICKS)
    return tuple(float(each) for each in range(count, 0, -step))[::-1]


def _short(build: str) -> str:
    return build if len(build) <= 10 else f"{build[:9]}\u2026"


def _queries(checks: list[CheckRecord]) -> str:
    counts = sorted({check.queries for check in checks})
    return f"{counts[0]:,} queries" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,} queries"


def _domain(values: FloatArray) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    air = AIR * (high - low) or 0.01
    bottom, top = low - air, high + air
    return (max(0.0, bottom) if low >= 0 else bottom), (min(1.0, top) if high <= 1 else top)


def _kinds(checks: Sequence[CheckRecord]) -> str:
    """Which intervals these are, where the records say."""
    kinds = dict.fromkeys(SHORT[each.interval] for each in checks if each.interval)
    return f" ({', '.join(kinds)})" if kinds else ""
