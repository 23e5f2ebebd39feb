"""`rankscope reuse`: can judgements be used for a system that was not in the pool?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input
from rankscope.cli.options import map_options, setting_options, system_option, table_or_json_option


@click.command("reuse", cls=GuardedCommand, short_help="Can the judgements be used for a new system?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN RUN...")
@click.option("-m", "--measure", default="AP", show_default=True, metavar="NAME", help="Measure of the systems.")
@click.option(
    "--pool-depth",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    metavar="K",
    help="How many items of each run went into the pool.",
)
@click.option(
    "--teams",
    type=Input(),
    metavar="CSV",
    help="File with the team of each run (columns run, team): what only one team brought in is left out.",
)
@table_or_json_option
@system_option
@map_options
@setting_options
def command(
    files: tuple[str, ...],
    measure: str,
    pool_depth: int,
    teams: str | None,
    output_format: str,
    systems: tuple[str, ...],
    **given: Any,
) -> None:
    """Can these judgements be used for a system that was not in the pool? Each run in turn is left out of it.

    A system that comes later may find relevant items that nobody has judged. What that costs is seen by leaving out the
    judgements that one run alone has brought in, and evaluating that run with the rest.

    \b
    rankscope reuse qrels.txt runs/*.run
    rankscope reuse qrels.txt runs/*.run --pool-depth 50 -m nDCG@10 --teams teams.csv
    """
    from rankscope.cli.output import print_result
    from rankscope.errors import SettingError
    from rankscope.facade.reusing import pool_reuse
    from rankscope.reports.formats.rows import as_json
    from rankscope.reports.texts.reuse import reuse_text

    if len(files) < 3:
        raise SettingError("reuse needs judgements and at least two runs: rankscope reuse QRELS RUN RUN...")
    if systems and len(systems) != len(files) - 1:
        raise SettingError(f"--system NAME once for each run: {len(files) - 1} needed, got {len(systems)}")
    runs = dict(zip(systems, files[1:], strict=True)) if systems else list(files[1:])
    chosen = {name: value for name, value in given.items() if value is not None}
    done = pool_reuse(files[0], runs, measure, pool_depth=pool_depth, teams=teams, **chosen)
    if output_format == "table":
        print_result(reuse_text(done))
        return
    whole = {"format": "rankscope.reuse", "version": 1, "measure": done.measure, "pool_depth": done.depth}
    whole |= {"tau": done.tau, "mean_change": done.mean_change, "rows": [each.row() for each in done.systems]}
    print_result(as_json(whole))
