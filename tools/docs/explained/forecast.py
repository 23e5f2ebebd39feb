"""The beginning of docs/explanation/forecast.md: a forecast held against what came."""

from __future__ import annotations

from functools import cache

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.forecast.growth import Forecast, forecast_course
from rankscope.measures.average_precision import AP
from rankscope.reports.graphs.graph import Axis, Graph
from tools.docs.explained.pages import flowed
from tools.docs.explained.shipped import edges, edges_in_a_part, said

PART = 8
STEPS = 2
TEXT = """
A collection grows, and the same query has more distractors before its relevant items. How much worse will it
be? The scores of today's distractors tell how often a new item will score higher than a relevant one: that is
all a forecast needs.

![Average precision forecast from an eighth of the distractors to all of them, with its 90 % interval, and what
really came](forecast.svg)

**Held against the truth.** {queries} queries of the shipped icons were ranked among {small:,} icons, all
relevant ones and an eighth of the others. There mean AP is {now}. The forecast for {large:,} icons was
{forecast}, with a 90 % interval for these queries from {low} to {high}. Then the other icons were added: it
became {truth}.
""".strip()


@cache
def course() -> list[Forecast]:
    """From an eighth to the whole, in steps."""
    part = edges_in_a_part(PART)
    times = float(edges().collection[0] / part.collection[0])
    return list(forecast_course(part, times, AP(), None, steps=STEPS, force=True))


def truth() -> float:
    """Mean AP of the same queries in the whole collection."""
    return float(np.mean(AP().of(edges())))


def numbers() -> dict[str, float | str]:
    """What the text says."""
    last = course()[-1]
    found = last.measures[0]
    return {
        "queries": len(edges()),
        "small": last.collection,
        "large": round(float(last.target)),
        "now": said(found.now),
        "forecast": said(found.forecast),
        "low": said(found.these.low),
        "high": said(found.these.high),
        "truth": said(truth()),
    }


def block() -> str:
    """The part of the page that is made."""
    return flowed(TEXT, **numbers())


def graph() -> Graph:
    """Forecasts with their intervals, and the truth at the end."""
    steps = course()
    last = steps[-1]
    size = np.array([last.collection, *(float(each.target) for each in steps)])
    ahead = [each.measures[0] for each in steps]
    now = ahead[-1].now
    middle = np.array([now, *(each.forecast for each in ahead)])
    low, high = (np.array([now, *(getattr(each.these, end) for each in ahead)]) for end in ("low", "high"))
    drawn = Graph(
        "AP as the collection grows: forecast, and what came",
        Axis("collection size", "d", "log2", domain=(float(size[0]) / 1.1, float(size[-1]) * 1.1)),
        Axis("mean", "AP", domain=(float(low.min()) - 0.05, now + 0.05)),
        subtitle="forecast from an eighth of the distractors; 90% band for these queries",
        summary=f"Forecast {middle[-1]:.3f}, truth {truth():.3f}.",
    )
    drawn = drawn.band(Region(size, low, high), "forecast").curve(Curve(size, middle), "forecast", markers=len(size))
    return drawn.points(Curve(size[-1:], np.array([truth()])), "what came")
