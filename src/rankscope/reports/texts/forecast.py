"""A forecast in words and numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rankscope.number_texts import how_many, percent_text
from rankscope.reports.formats.rows import as_json, table

if TYPE_CHECKING:
    from rankscope.forecast.result import Forecast


def forecast_text(result: Forecast, backtest: bool = False, quiet: bool = False) -> str:
    """Sizes, the table, why each model, and what the forecast rests on."""
    parts = [
        f"{forecast_line(result)}\n",
        table(forecast_rows(result), places=3),
        _tested(result),
        "".join(f"{reason}\n" for reason in result.reasons),
    ]
    if backtest:
        parts.append(table(result.backtest_rows(), places=3))
    if quiet:
        return "\n".join(parts)
    assumed = "\n".join(f"  - {line}" for line in result.assumptions)
    parts.append(f"The forecast holds only if\n{assumed}\n" + "".join(f"! {line}\n" for line in result.warnings))
    return "\n".join(parts)


def forecast_line(result: Forecast) -> str:
    """From how many items to how many, on what."""
    return (
        f"{result.system}: from {result.collection:,} to {how_many(result.target, 'items')} ({result.factor:.3g} "
        "times), "
        f"{_drawn(result)}; {percent_text(result.level)} intervals for these queries and for "
        f"{other_queries_text(result)}, seed {result.seed}"
    )


def forecast_rows(result: Forecast) -> list[dict[str, object]]:
    """One row per measure, as people read it."""
    return [
        _shown(row, "all such queries" if result.other_queries == "all" else "another set") for row in result.rows()
    ]


def other_queries_text(result: Forecast) -> str:
    """What the wider of the intervals shown is for.

    Without units there would be no measure, so the first tells what other queries are drawn by.
    """
    most = max(result.measures, key=lambda each: each.queries)
    if result.other_queries == "all":
        return "the mean over all such queries" + (" (of all such classes)" if most.unit == "classes" else "")
    return f"another set of {how_many(most.units, most.unit)}"


def _drawn(result: Forecast) -> str:
    """How many queries, and of how many classes where other queries would be of other classes."""
    most = max(result.measures, key=lambda each: each.queries)
    of = f" of {how_many(most.units, 'classes')}, the sampling units" if most.unit == "classes" else ""
    return f"{how_many(most.queries, 'queries')}{of}"


def _shown(row: dict[str, object], others: str) -> dict[str, object]:
    """A row with its intervals in one column each; the reasons name the model."""
    shown: dict[str, object] = {name: row[name] for name in ("measure", "now", "forecast")}
    for which in ("these queries", others):
        shown[which] = f"{row[f'{which} low']:.3f} to {row[f'{which} high']:.3f}"
    errors = {name: value for name, value in row.items() if name.startswith("error at")}
    return shown | {name: f"{round(float(str(value)), 3) + 0.0:+.3f}" for name, value in errors.items()}


def _tested(result: Forecast) -> str:
    """What the last columns are, or that there are none."""
    if any(each.own_tests for each in result.measures):
        return "error at: the present, forecast from that many times fewer items, minus the present\n"
    return "no back-test: too few items to thin\n"


def forecast_json(result: Forecast) -> str:
    """Everything, for programs."""
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
