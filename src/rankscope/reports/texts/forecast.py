"""A forecast of larger collections in words and numbers, and the test of homogeneity behind curves by class size."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

from rankscope.analysis.statistics.bootstrap import ENOUGH
from rankscope.core.rendering import as_json, text_table
from rankscope.core.wording import how_many, percent_text, setting_value

if TYPE_CHECKING:
    from rankscope.analysis.forecast.growth import Forecast
    from rankscope.analysis.statistics.generality_estimate import Homogeneity


# A forecast in words and numbers.


def forecast_text(result: Forecast, backtest: bool = False, quiet: bool = False) -> str:
    """Sizes, the table, why each model, and what the forecast rests on."""
    errors = "error at: the present, forecast from that many times fewer items, minus the present\n"
    tested = any(each.own_tests for each in result.measures)
    parts = [
        f"{forecast_line(result)}\n",
        text_table(forecast_rows(result), places=3),
        errors if tested else "no back-test: too few items to thin\n",
        "".join(f"{reason}\n" for reason in result.reasons),
    ]
    if backtest:
        parts.append(text_table(result.backtest_rows(), places=3))
    if quiet:
        return "\n".join(parts)
    assumed = "\n".join(f"  - {line}" for line in result.assumptions)
    parts.append(f"The forecast holds only if\n{assumed}\n" + "".join(f"! {line}\n" for line in result.warnings))
    return "\n".join(parts)


def forecast_line(result: Forecast) -> str:
    """From how many items to how many, on what."""
    most = max(result.measures, key=lambda each: each.queries)
    drawn = how_many(most.queries)
    if most.unit == "classes":  # other queries would be of other classes
        drawn += f" of {how_many(most.units, 'classes')}, the sampling units"
    return (
        f"{result.system}: from {result.collection:,} to {how_many(result.target, 'items')} ({result.factor:.3g} "
        f"times), {drawn}; {percent_text(result.level)} intervals for these queries and for "
        f"{other_queries_text(result)}, seed {result.seed}"
    )


def forecast_rows(result: Forecast) -> list[dict[str, object]]:
    """One row per measure, as people read it."""
    others = "all such queries" if result.other_queries == "all" else "another set"
    rows = []
    for row in result.rows():  # intervals in one column each; the reasons name the model
        shown: dict[str, object] = {name: row[name] for name in ("measure", "now", "forecast")}
        for which in ("these queries", others):
            shown[which] = f"{row[f'{which} low']:.3f} to {row[f'{which} high']:.3f}"
        errors = {name: value for name, value in row.items() if name.startswith("error at")}
        rows.append(shown | {name: f"{round(float(str(value)), 3) + 0.0:+.3f}" for name, value in errors.items()})
    return rows


def other_queries_text(result: Forecast) -> str:
    """What the wider of the intervals shown is for.

    Without units there would be no measure, so the first tells what other queries are drawn by.
    """
    most = max(result.measures, key=lambda each: each.queries)
    if result.other_queries == "all":
        return "the mean over all such queries" + (" (of all such classes)" if most.unit == "classes" else "")
    return f"another set of {how_many(most.units, most.unit)}"


def forecast_json(result: Forecast) -> str:
    whole = {name: value for name, value in asdict(result).items() if name != "measures"}
    return as_json(
        {
            "format": "rankscope.forecast",
            "version": 3,
            **whole,
            "models": result.reasons,
            "measures": result.rows(),
            "backtest": result.backtest_rows(),
        }
    )


# The test of homogeneity in words and as a table.


def homogeneity_rows(result: Homogeneity) -> list[dict[str, object]]:
    """One row for each generality index at which both are known."""
    units = {} if result.unit == "queries" else {result.unit: result.units.tolist()}
    columns: dict[str, list[object]] = {
        "G": result.index.tolist(),
        "thinned": result.thinned.tolist(),
        "thinned interval": [*map(_interval, result.thinned_low.tolist(), result.thinned_high.tolist())],
        "class size": result.bins.tolist(),
        "class size interval": [*map(_interval, result.bins_low.tolist(), result.bins_high.tolist())],
        "gap": result.gap.tolist(),
        "differs": ["yes" if each else "no" for each in result.differs.tolist()],
        "queries": result.queries.tolist(),
        **units,
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _interval(low: float, high: float) -> str:
    """Both ends; one unit has no interval.

    >>> _interval(0.25, 0.5), _interval(float("nan"), float("nan"))
    ('0.250 to 0.500', 'none')
    """
    return "none" if math.isnan(low) or math.isnan(high) else f"{low:.3f} to {high:.3f}"


def homogeneity_verdict(result: Homogeneity) -> str:
    """What the gaps say, and what they do not."""
    there = result.index.size
    if not there:
        return "No generality index has both a thinned collection and classes of that size: nothing can be compared."
    apart = int(result.differs.sum())
    if not apart:
        return (
            f"At none of {there} generality indices do the two lie apart beyond both {percent_text(result.level)} "
            "intervals: no dependence on class size in addition to d/c is shown, which is no proof that there is none."
        )
    signs = {bool(gap > 0) for gap in result.gap[result.differs].tolist()}
    side = "differ from" if len(signs) > 1 else ("do better than" if signs == {True} else "do worse than")
    return (
        f"At {apart} of {there} generality indices classes of that size {side} the queries that are followed through "
        "thinned collections, beyond both intervals: hits do not depend on d/c alone, or large and small classes are "
        f"not equally hard. Curves by class size ({setting_value('way', 'bins')}) say nothing about a growing "
        "collection here."
    )


def homogeneity_text(system: str, result: Homogeneity) -> str:
    """The table of one system and its verdict."""
    head = (
        f"{system}: precision = recall at equal generality, {percent_text(result.level)} intervals over {result.unit} "
        f"(bounded below {ENOUGH}, BCa from {ENOUGH} on)\n"
    )
    rows = homogeneity_rows(result)
    return "\n".join([head, *([text_table(rows, places=3)] if rows else []), homogeneity_verdict(result) + "\n"])
