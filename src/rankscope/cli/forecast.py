"""`rankscope forecast`: what is left of the quality when the collection grows."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input
from rankscope.cli.loading import SAVED, Inputs
from rankscope.cli.options import (
    level_option,
    measure_option,
    reading_options,
    setting_options,
    table_or_json_option,
)
from rankscope.facade.usual import FORECAST


@click.command("forecast", cls=GuardedCommand, short_help="What is left when the collection grows?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN | RANKS.parquet")
@click.option(
    "--to",
    required=True,
    metavar="10x|N",
    help="Size of the larger collection: how many times as many items, or how many items.",
)
@measure_option(
    help=f"Measures to forecast: AP, P@k, R@k, Rprec, nDCG, nDCG@k. Repeat it or separate by commas. "
    f"Default: {', '.join(FORECAST)}.",
)
@click.option(
    "--model",
    metavar="NAME",
    help="Model: pareto, tail (with scores), between, trend, jeffreys (ranks alone). Default: pareto where the "
    "run has real"
    " scores, with as many of them as the back-test finds best, else between.",
)
@click.option(
    "--force", is_flag=True, help="Forecast even beyond 32 times as many items, or where the back-test fails."
)
@level_option(0.9)
@click.option("--backtest", is_flag=True, help="Show the back-test of every model too.")
@reading_options
@table_or_json_option
@click.option("--quiet", is_flag=True, help="Only the numbers: no assumptions and no warnings.")
@setting_options
def command(
    files: tuple[str, ...],
    to: str,
    measures: tuple[str, ...],
    model: str | None,
    force: bool,
    level: float,
    backtest: bool,
    output_format: str,
    quiet: bool,
    **given: Any,
) -> None:
    """What is left of my quality when the collection grows? Means in a larger collection, with an interval.

    The collection is thinned to 1/2, 1/4 and 1/16, as far as enough is left, and the model forecasts the present from
    that; its errors are shown with its forecast. Two intervals: for these very queries, and for other queries of the
    same kind (of other classes, where every member of a class was a query). The size of the collection must be known.

    \b
    rankscope forecast qrels.txt bm25.run --to 10x --collection-size 171332
    rankscope forecast icons.ranks.parquet --to 200000 -m Rprec -m nDCG@10
    """
    from rankscope.cli.output import print_result
    from rankscope.facade.growing import forecast_of

    inputs = Inputs.of(files, given)
    _need_one(inputs)
    scores = inputs.scores("forecast", ["num_q"], keep_scores=True)
    result = forecast_of(scores, measures or FORECAST, to=to, model=model, force=force, level=level, backtest=backtest)
    print_result(_json(result) if output_format == "json" else _text(result, backtest, quiet))


def _need_one(inputs: Inputs) -> None:
    """A forecast is for one system."""
    from rankscope.errors import SettingError

    saved = sum(path.endswith(SAVED) for path in inputs.files)
    if len(inputs.files) != (1 if saved else 2):
        raise SettingError("a forecast is for one system: give QRELS and one RUN, or one NAME.ranks.parquet")


def _text(result: Any, backtest: bool, quiet: bool) -> str:
    from rankscope.reports.formats.rows import table

    parts = [
        f"{result.system}: from {result.collection:,} to {result.target:,} items ({result.factor:.3g} times), "
        f"{_drawn(result)}; {result.level:.0%} intervals, seed {result.seed}\n",
        table([_shown(row) for row in result.rows()], places=3),
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


def _drawn(result: Any) -> str:
    """How many queries, and of how many classes where other queries would be of other classes."""
    most = max(result.measures, key=lambda each: each.queries)
    of = f" of {most.units:,} classes, the unit for other queries" if most.unit == "classes" else ""
    return f"{most.queries:,} queries{of}"


def _shown(row: dict[str, object]) -> dict[str, object]:
    """A row with its intervals in one column each; the reasons name the model."""
    shown: dict[str, object] = {name: row[name] for name in ("measure", "now", "forecast")}
    for which in ("these queries", "other queries"):
        shown[which] = f"{row[f'{which} low']:.3f} to {row[f'{which} high']:.3f}"
    errors = {name: value for name, value in row.items() if name.startswith("error at")}
    return shown | {name: f"{round(float(str(value)), 3) + 0.0:+.3f}" for name, value in errors.items()}


def _tested(result: Any) -> str:
    """What the last columns are, or that there are none."""
    if any(each.own_tests for each in result.measures):
        return "error at: the present, forecast from that many times fewer items, minus the present\n"
    return "no back-test: too few items to thin\n"


def _json(result: Any) -> str:
    from dataclasses import asdict

    from rankscope.reports.formats.rows import as_json

    whole = {name: value for name, value in asdict(result).items() if name != "measures"}
    return as_json(
        {
            "format": "rankscope.forecast",
            "version": 2,
            **whole,
            "models": result.reasons,
            "measures": result.rows(),
            "backtest": result.backtest_rows(),
        }
    )
