"""`rankscope forecast`: what is left of the quality when the collection grows."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input
from rankscope.cli.loading import SAVED, Inputs
from rankscope.cli.options import setting_options, system_option

USUAL = ("Rprec", "AP", "P@10", "R@10")


@click.command("forecast", cls=GuardedCommand, short_help="What is left when the collection grows?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN | RANKS.parquet")
@click.option("--to", required=True, metavar="10x|N", help="How many times as many items, or how many items.")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAMES",
    help=f"AP, P@k, R@k, Rprec, nDCG, nDCG@k. Repeat it or separate by commas. Default: {', '.join(USUAL)}.",
)  # fmt: skip
@click.option(
    "--model", metavar="NAME",
    help="pareto, tail (with scores), between, trend, jeffreys (ranks alone). Default: pareto or between,"
    " unless the back-test finds one clearly better.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="A number even beyond 32 times, or where the back-test fails.")
@click.option("--level", default=0.9, show_default=True, type=click.FloatRange(0.5, 0.999), help="Of the intervals.")
@click.option("--backtest", is_flag=True, help="The back-test of every model too.")
@click.option(
    "--junk",
    type=Input(),
    metavar="FILE",
    help="Items neither relevant nor irrelevant (query 0 item 0): removed first.",
)
@click.option("--input-format", metavar="NAME", help="Format of the files, where it cannot be told: trec, csv, ...")
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
@system_option
@click.option("--format", "output_format", type=click.Choice(["table", "json"]), default="table", show_default=True)
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

    The collection is thinned to 1/2, 1/4 and 1/16, and each model foretells the present from that; the errors of the
    one that looks ahead stand beside its forecast. The size of the collection must be known.

    \b
    rankscope forecast qrels.txt bm25.run --to 10x --collection-size 171332
    rankscope forecast icons.ranks.parquet --to 200000 -m Rprec -m nDCG@10
    """
    from rankscope.cli.output import print_result
    from rankscope.forecast import forecast
    from rankscope.measures.notation import parse_measures

    inputs = Inputs.of(files, given)
    settings, ranks = inputs.settings, _ranks(inputs)
    asked = parse_measures(measures or USUAL, settings.rel, settings.compat)
    result = forecast(ranks, to, asked, model, force=force, seed=settings.seed, level=level)
    print_result(_json(result) if output_format == "json" else _text(result, backtest, quiet))


def _ranks(inputs: Inputs) -> Any:
    """One system's ranks with scores, in a collection of known size."""
    from rankscope.errors import SettingError

    saved = sum(path.endswith(SAVED) for path in inputs.files)
    if len(inputs.files) != (1 if saved else 2):
        raise SettingError("a forecast is for one system: give QRELS and one RUN, or one NAME.ranks.parquet")
    return inputs.scores("forecast", ["num_q"], keep_scores=True).systems[0].ranks


def _text(result: Any, backtest: bool, quiet: bool) -> str:
    from rankscope.reports.rows import table

    parts = [
        f"{result.system}: from {result.collection:,} to {result.target:,} items ({result.factor:.3g} times), "
        f"{result.level:.0%} intervals, seed {result.seed}\n",
        table(result.rows()),
    ]
    if backtest:
        parts.append(table(result.backtest_rows()))
    if quiet:
        return "\n".join(parts)
    assumed = "\n".join(f"  - {line}" for line in result.assumptions)
    parts.append(f"The forecast holds only if\n{assumed}\n" + "".join(f"! {line}\n" for line in result.warnings))
    return "\n".join(parts)


def _json(result: Any) -> str:
    from dataclasses import asdict

    from rankscope.reports.rows import as_json

    whole = {name: value for name, value in asdict(result).items() if name != "measures"}
    return as_json(
        {
            "format": "rankscope.forecast",
            "version": 1,
            **whole,
            "measures": result.rows(),
            "backtest": result.backtest_rows(),
        }
    )
