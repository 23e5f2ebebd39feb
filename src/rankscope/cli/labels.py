"""`rankscope labels`: which items may belong to a class whose label they do not have?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input, OutputFile
from rankscope.cli.options import label_options


@click.command("labels", cls=GuardedCommand, short_help="Which items did the labels miss?")
@click.argument("features", type=Input(), metavar="FEATURES")
@click.option("--metric", metavar="NAME", help="Metric, as for `rankscope rank`. Default: the file's own, else cosine.")
@click.option(
    "--least",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, max_open=True),
    metavar="SHARE",
    help="List an item that more than this share of the members of a class find.",
)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="Number of items shown.")
@click.option(
    "-o", "--output", type=OutputFile(), metavar="NAME.csv", help="Write all of them to this file (CSV or JSON)."
)
@label_options
@click.option("--quiet", is_flag=True, help="Show no progress line.")
def command(features: str, limit: int, output: str | None, quiet: bool, **given: Any) -> None:
    """Which items rank as members of a class whose label they do not have? To be looked at before labels are truth.

    Every member of a class asks in turn and looks at as many items as its class has other members; an item outside the
    class that most members find there may belong to it. Members that no other member finds may not. What is listed is
    alike by these features: whether it belongs is for a person to say.

    \b
    rankscope labels cedd.npz
    rankscope labels clip.npy --labels labels.txt --least 0.7 -o misses.csv
    """
    from rankscope.cli.output import print_result, progress_line
    from rankscope.facade.reusing import check_labels
    from rankscope.reports.texts.label_check import label_check_csv, label_check_json, label_check_text

    if output is not None and not output.endswith((".csv", ".json")):
        raise click.UsageError(f"the list is written as NAME.csv or NAME.json, got '{output}'")
    with progress_line(quiet) as progress:
        told = None if progress is None else lambda share: progress("classes", share)
        done = check_labels(features, progress=told, **given)
    print_result(label_check_text(done, limit))
    if output is not None:
        from rankscope.files import atomic

        with atomic(output) as file:
            file.write(label_check_json(done) if output.endswith(".json") else label_check_csv(done))
