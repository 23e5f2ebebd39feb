"""`rankscope estimate`: what can be said without complete ground truth, and how many items to judge."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand
from rankscope.cli.options import level_option


@click.command("estimate", cls=GuardedCommand, short_help="What can be said without complete judgements?")
@click.option(
    "--collection-size",
    "collection",
    required=True,
    type=click.IntRange(min=1),
    metavar="D",
    help="Number of items in the collection.",
)
@click.option(
    "--scope",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="S",
    help="Number of items judged from the top of the list.",
)
@click.option(
    "--hits",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="V",
    help="Number of relevant items among the first S.",
)
@click.option(
    "--judged",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Number of items drawn at random from those below the scope, and judged.",
)
@click.option(
    "--found",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="X",
    help="Number of relevant items among the N drawn.",
)
@level_option(0.95)
@click.option(
    "--method",
    default="hypergeometric",
    show_default=True,
    metavar="NAME",
    help="Kind of interval: hypergeometric (exact), clopper-pearson or wilson.",
)
@click.option(
    "--needed",
    type=float,
    metavar="ERROR",
    help="Say how many items to judge for this relative error of the class size, .2 for 20 %; needs --relevant.",
)
@click.option("--relevant", type=click.IntRange(min=1), metavar="C", help="Class size to plan for, with --needed.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Format of the result.",
)
def command(
    collection: int,
    scope: int,
    hits: int,
    judged: int,
    found: int,
    level: float,
    method: str,
    needed: float | None,
    relevant: int | None,
    output_format: str,
) -> None:
    """What can still be said without complete ground truth? Class size, recall and generality, from a judged sample.

    The first S items are judged and V of them are relevant; of N items drawn at random from all those below, X are.

    \b
    rankscope estimate --collection-size 20000 --scope 100 --hits 6 --judged 500 --found 3
    rankscope estimate --collection-size 20000 --needed .2 --relevant 64
    """
    from rankscope.errors import SettingError
    from rankscope.sampling import estimate, needed_sample

    if (needed is None) != (relevant is None):
        raise SettingError("--needed ERROR and --relevant C belong together: the class size to plan for")
    if needed is not None and relevant is not None:
        planned = needed_sample(collection, relevant, needed, level)
        _show("sample_size", planned.rows(), output_format)
        return
    said = estimate(collection, scope, hits, judged, found, level, method)
    _show("estimate", said.rows(), output_format, level=level, method=method)


def _show(name: str, rows: list[dict[str, object]], output_format: str, **more: Any) -> None:
    from rankscope.cli.output import print_result
    from rankscope.reports.formats.rows import as_json, table

    if output_format == "json":
        print_result(as_json({"format": f"rankscope.{name}", "version": 1, **more, "rows": rows}))
        return
    print_result(table(rows, places=6) + "".join(f"{key}: {value}\n" for key, value in more.items()))
