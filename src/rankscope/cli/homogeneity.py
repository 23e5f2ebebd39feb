"""`rankscope homogeneity`: does quality depend on the generality alone?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input
from rankscope.cli.loading import Inputs
from rankscope.cli.options import VERBOSE, input_options, level_option, setting_options, table_or_json_option


@click.command("homogeneity", cls=GuardedCommand, short_help="Does quality depend on the generality alone?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN... | RANKS.parquet...")
@click.option(
    "-n",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    metavar="N",
    help="Scope in class sizes.",
)
@level_option(0.95)
@input_options
@table_or_json_option
@click.option("--quiet", is_flag=True, help="Only the numbers: no warnings.")
@VERBOSE
@setting_options
def command(
    files: tuple[str, ...], n: float, level: float, output_format: str, quiet: bool, verbose: bool, **given: Any
) -> None:
    """Does quality depend on the generality d/c alone, or on the class size too? Two ways to vary it are compared.

    At equal generality index G = log2(d/c) stand classes of that size in the whole collection, and one set of queries
    in collections from which distractors were left out at random. A gap beyond both intervals means that curves by
    class size say nothing about a growing collection. Needs the size of the collection.

    \b
    rankscope homogeneity demo-output/edges.ranks.parquet
    rankscope homogeneity qrels.txt bm25.run --collection-size 171332
    """
    from rankscope.cli.output import print_result, say_warnings
    from rankscope.facade.growing import homogeneity_of
    from rankscope.reports.formats.rows import as_json
    from rankscope.reports.texts.homogeneity import homogeneity_rows, homogeneity_text, homogeneity_verdict

    scores = Inputs.of(files, given).scores("homogeneity", ["num_q"])
    results = homogeneity_of(scores, n=n, level=level)
    if output_format == "json":
        systems = {
            name: {"rows": homogeneity_rows(each), "verdict": homogeneity_verdict(each)}
            for name, each in results.items()
        }
        print_result(as_json({"format": "rankscope.homogeneity", "version": 1, "level": level, "systems": systems}))
    else:
        print_result("\n".join(homogeneity_text(name, each) for name, each in results.items()))
    if not quiet:
        say_warnings(scores, verbose)
