"""`rankscope graph`: judgements and runs to a picture."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import FORCE, GuardedCommand, Input, OutputFile
from rankscope.cli.loading import Inputs
from rankscope.cli.options import input_options, setting_options

KINDS: dict[str, str] = {  # what `rankscope graph --help` lists; a test holds it equal to graphs.ALL
    "precision-recall": "the trade that every deeper look makes",
    "precision-scope": "share of the first s items that is relevant",
    "recall-scope": "share of the relevant items among the first s",
    "band": "mean curves, or their difference, with confidence bands",
    "grip": "precision = recall (at scope c) over generality",
    "grnp": "precision and recall at scope n c over generality",
    "grep": "precision over recall and generality, a surface",
    "precision-window": "precision over scope on log2 scales, class size known or not",
    "forecast": "a measure as the collection grows",
    "per-query-differences": "two systems query by query, sorted",
    "comparison-intervals": "means by class and system: disjoint means different",
    "class-matrix": "means by class and system as numbers on coloured tiles",
    "rank-intervals": "which ranks of several systems are chance",
    "power-curve": "how many queries tell two systems apart",
    "score-distribution": "scores of relevant items and distractors",
}
WITH_SCORES = ("score-distribution", "forecast")


class KindsInHelp(GuardedCommand):
    """Lists the kinds of graph below the options."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line for each kind."""
        with formatter.section("Kinds"):
            formatter.write_dl(list(KINDS.items()))


@click.command("graph", cls=KindsInHelp, short_help="What does the whole picture look like?")
@click.argument("kind")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN... | RANKS.parquet...")
@click.option(
    "-o", "--output", required=True, type=OutputFile("a picture"), metavar="FILE",
    help="Where it goes; the suffix is the format: .svg, .pdf, .png, .html (interactive, needs no net), .json "
    "(Vega-Lite), .csv (the data).",
)  # fmt: skip
@click.option("--theme", metavar="NAME", default="light", show_default=True, help="light or dark.")
@click.option(
    "--width", metavar="WIDTH", help="column (85 mm), full (175 mm) or millimetres. Default: column; a page full."
)
@click.option("--flat", is_flag=True, help="grep: a heat map instead of three dimensions.")
@click.option(
    "-m", "--measure", metavar="NAME",
    help="per-query-differences, comparison-intervals, class-matrix, rank-intervals, power-curve (AP), "
    "forecast (Rprec): of what.",
)  # fmt: skip
@click.option("-n", "n", type=float, metavar="N", help="grnp: scope in class sizes. Default: 2.")
@click.option("--way", metavar="NAME", help="grip, grnp, grep: how generality varies: thinned, bins or hard.")
@click.option(
    "--members", metavar="NAME",
    help="grip, grnp, grep: constant (the same queries at every G, those that reach all levels shown) or varying (at "
    "each G those that reach it). Default: constant.",
)  # fmt: skip
@click.option("--reach", type=float, metavar="G", help="grip, grnp: only queries that reach this generality index.")
@click.option(
    "--group", metavar="NAME",
    help="precision-recall: c=8 (queries with 8 relevant items) or G=7 (of that generality index, rounded); exact or "
    "bins says how queries are grouped. Default: the group in the middle, exact where enough share a class size.",
)  # fmt: skip
@click.option("--averaging", metavar="NAME", help="precision-recall: radial or levels.")
@click.option("--curve", metavar="NAME", help="band: precision-recall, precision-scope, recall-scope or grip.")
@click.option("--band", metavar="NAME", help="band: unseen-unit (whole curve), bonferroni, sup-t, or t (each point).")
@click.option("--level", type=float, metavar="SHARE", help="Level of confidence of bands and intervals. Default: 0.95.")
@click.option(
    "--largest", type=click.IntRange(min=1), metavar="N",
    help="comparison-intervals, class-matrix: so many of the largest classes. Default: 10.",
)  # fmt: skip
@click.option("--points", type=int, metavar="N", help="band: how many recall levels. Default: 21.")
@click.option("--difference", is_flag=True, help="band: of the second system minus the first.")
@click.option(
    "--effect", "effects", multiple=True, type=float, metavar="E",
    help="power-curve: a difference to be found; repeat it. Default: 0.01, 0.02, 0.05.",
)  # fmt: skip
@click.option("--to", metavar="N|10x", help="forecast: to how many items, or how many times more. Default: 10x.")
@click.option("--force", is_flag=True, help=f"{FORCE} With forecast: a graph even where the back-test says no.")
@click.option("--query", "queries_shown", multiple=True, metavar="ID", help="precision-window: a curve for this query.")
@click.option(
    "--relevant", type=click.IntRange(min=1), metavar="C", help="precision-window: class size known, queries with C."
)
@input_options
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
@setting_options
def command(
    kind: str,
    files: tuple[str, ...],
    output: str,
    theme: str,
    width: str | None,
    flat: bool,
    measure: str | None,
    n: float | None,
    way: str | None,
    members: str | None,
    reach: float | None,
    group: str | None,
    averaging: str | None,
    curve: str | None,
    band: str | None,
    level: float | None,
    largest: int | None,
    points: int | None,
    difference: bool,
    effects: tuple[float, ...],
    to: str | None,
    force: bool,
    queries_shown: tuple[str, ...],
    relevant: int | None,
    quiet: bool,
    **given: Any,
) -> None:
    """What does the whole picture look like? A graph of one run or several, for print or for a browser.

    QRELS and RUN as for `rankscope evaluate`; NAME.ranks.parquet files hold both. Graphs over generality need the size
    of the collection: give --collection-size D.

    \b
    rankscope graph precision-recall qrels.txt bm25.run dense.run -o pr.pdf
    rankscope graph grip demo/pixels.ranks.parquet demo/edges.ranks.parquet -o grip.html --theme dark
    """
    from rankscope import graphs
    from rankscope.cli.output import progress_line, say
    from rankscope.graphs.look import Look
    from rankscope.graphs.saving import format_of

    made = graphs.by_name(kind)
    format_of(output)
    Look.of(theme, width or "column")
    options = _options(made, measure=measure, n=n, way=way, members=members, reach=reach, group=group,
                       averaging=averaging, curve=curve, band=band, level=level, largest=largest, points=points,
                       difference=difference or None, effects=effects or None, to=to,
                       force=(force and "force" in made.options) or None,
                       queries=queries_shown or None, relevant=relevant)  # fmt: skip
    with progress_line(quiet) as progress:
        inputs = Inputs.of(files, given)
        scores = inputs.scores("graph", ["num_q"], progress, keep_scores=kind in WITH_SCORES)
    systems = _counted(scores)
    options |= {"seed": scores.settings.seed} if "seed" in made.options else {}
    made(systems, **options).save(output, theme=theme, width=width, flat=flat)
    if not quiet:
        for line in scores.warnings():
            say(f"! {line}")
        say(f"{output}: {kind} of {', '.join(each.system for each in systems)}")


def _options(kind: Any, **given: Any) -> dict[str, Any]:
    """What was given by hand; an option that the kind does not have is an error."""
    from rankscope.errors import SettingError

    chosen = {name: value for name, value in given.items() if value is not None}
    spelled = {"n": "-n", "queries": "--query", "effects": "--effect"}
    wrong = [spelled.get(name, f"--{name}") for name in chosen if name not in kind.options]
    if wrong:
        there = [spelled.get(name, f"--{name}") for name in given if name in kind.options]
        raise SettingError(f"{kind.name} has no option {', '.join(wrong)}; it has: {', '.join(there) or 'none'}")
    return chosen


def _counted(scores: Any) -> list[Any]:
    """The rankings as the settings want them (depth, rel, collection size, classes)."""
    import numpy as np

    systems = [each.ranks for each in scores.systems]
    if scores.settings.queries == "answered":
        systems = [each.take(np.flatnonzero(each.answered)) for each in systems]
    return systems
