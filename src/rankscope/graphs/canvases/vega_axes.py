"""Scales, axes and the colours of a surface, as Vega-Lite wants them; places and ticks are those of the layout."""

from __future__ import annotations

from typing import Any, Literal

from rankscope.graphs.axis import Axis
from rankscope.graphs.canvases.vega_parts import centre_labels, script
from rankscope.graphs.layout import PlotLayout, Ticks
from rankscope.graphs.look import Look


def scale_of(axis: Axis) -> dict[str, Any]:
    """The scale of an axis, in full.

    >>> scale_of(Axis("scope", "s", "log2", domain=(1, 8)))
    {'type': 'log', 'base': 2, 'domain': [1, 8], 'nice': False}
    """
    kind = {"type": "log", "base": 2} if axis.scale == "log2" else {"type": "linear", "zero": False}
    return {**kind, "domain": list(axis.domain or (0.0, 1.0)), "nice": False}


def axis_of(axis: Axis, ticks: Ticks, orient: Literal["bottom", "left", "right"], look: Look) -> dict[str, Any]:
    """An axis with ticks at these places."""
    values, texts = ticks.values, ticks.texts
    order = sorted(range(len(values)), key=lambda i: values[i])  # Vega counts ticks from the lowest
    names = [texts[i].split("\n") if "\n" in texts[i] else texts[i] for i in order]
    which = f"round(datum.index * {max(len(values) - 1, 1)})"
    return {
        "orient": orient,
        "title": axis.title,
        "values": [values[i] for i in order],
        "grid": False,
        "tickCount": len(values),
        "labelLineHeight": round(look.line, 2),
        "labelLimit": 0,
        "labelExpr": f"{script(names)}[{which}]",
        **(centre_labels(names, which, look.line) if orient == "left" else {}),
        "labelOverlap": False,
        **_axis_style(look),
    }


def _axis_style(look: Look) -> dict[str, Any]:
    return {
        "labelFontSize": round(look.small, 2),
        "titleFontSize": round(look.text, 2),
        "titleFontWeight": "normal",
        "labelColor": look.theme.ink,
        "titleColor": look.theme.ink,
        "domainColor": look.theme.ink,
        "tickColor": look.theme.ink,
        "tickSize": 4,
        "labelPadding": 2,
        "titlePadding": 4,
        "domainWidth": 0.8,
        "tickWidth": 0.8,
        "labelFlush": False,
        "labelBound": False,
    }


def heat_colour(axis: Axis, layout: PlotLayout, look: Look) -> dict[str, Any]:
    """The colours of heights, with their legend at the right of the plot."""
    ink, small = look.theme.ink, round(look.small, 2)
    legend = {
        "title": axis.title,
        "orient": "none",
        "legendX": round(layout.width + 10, 1),
        "legendY": 0,
        "gradientLength": round(layout.height - 24, 1),
        "gradientThickness": 9,
        "titleFontWeight": "normal",
        "titleFontSize": small,
        "labelFontSize": small,
        "titleColor": ink,
        "labelColor": ink,
        "format": ".1f",
    }
    return {
        "field": "z",
        "type": "quantitative",
        "legend": legend,
        "scale": {"scheme": "cividis", "domain": list(axis.domain or (0.0, 1.0))},
    }
