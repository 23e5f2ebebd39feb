"""`rankscope graph`: judgements and runs to a picture."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.graph_command import GraphCommand, known_kind
from rankscope.cli.guarded import FORCE, Input, OutputFile
from rankscope.cli.loading import Inputs
from rankscope.cli.options import VERBOSE, input_options, setting_options


@click.command("graph", cls=GraphCommand, short_help="What does the whole picture look like?")
@click.argument("kind", callback=known_kind)
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN... | RANKS.parquet...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFile("a picture"),
    metavar="FILE",
    help="Write the graph here; the suffix decides the format: .svg, .pdf, .png, .html (interactive, needs no "
    "net), .json "
    "(Vega-Lite), .csv (the data).",
)
@click.option(
    "--theme", metavar="NAME", default="light", show_default=True, help="Colours of the graph: light or dark."
)
@click.option(
    "--width",
    metavar="WIDTH",
    help="Width of the graph: column (85 mm), full (175 mm) or millimetres. Default: column; full for .html.",
)
@click.option("--flat", is_flag=True, help="Draw a surface as a heat map instead of in three dimensions.")
@click.option("--force", is_flag=True, help=FORCE)
@input_options
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
@VERBOSE
@setting_options
def command(
    kind: str,
    files: tuple[str, ...],
    output: str,
    theme: str,
    width: str | None,
    flat: bool,
    force: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> None:
    """What does the whole picture look like? A graph of one run or several, for print or for a browser.

    QRELS and RUN as for `rankscope evaluate`; NAME.ranks.parquet files hold both. Graphs over generality need the size
    of the collection: give --collection-size D. `rankscope graph KIND --help` has the options of that kind alone.

    \b
    rankscope graph precision-recall qrels.txt bm25.run dense.run -o pr.pdf
    rankscope graph grip demo-output/pixels.ranks.parquet demo-output/edges.ranks.parquet -o grip.html --theme dark
    """
    from rankscope import graphs
    from rankscope.cli.kind_options import chosen_options
    from rankscope.cli.output import progress_line, say, say_warnings
    from rankscope.graphs.look import Look
    from rankscope.graphs.saving import flat_for_want_of_matplotlib, format_of

    chosen = graphs.by_name(kind)
    format_of(output)
    Look.of(theme, width or "column")
    options = chosen_options(chosen, given, force=force)
    with progress_line(quiet) as progress:
        inputs = Inputs.of(files, given)
        scores = inputs.scores("graph", ["num_q"], progress, keep_scores=chosen.wants("scores"))
    systems = scores.ranks
    options |= chosen.accepted(seed=scores.settings.seed)
    picture = chosen(systems, **options)
    picture.save(output, theme=theme, width=width, flat=flat)
    if not quiet:
        if not flat and flat_for_want_of_matplotlib(picture, format_of(output)):
            say("! a heat map: to draw the surface in three dimensions, pip install 'rankscope[plots]'")
        say_warnings(scores, verbose)
        say(f"{output}: {chosen.name} of {', '.join(each.system for each in systems)}")
