"""`rankscope graph`: judgements and runs to a picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from rankscope.cli.options import chosen_settings, input_options, setting_options

SAVED = ".ranks.parquet"
KINDS: dict[str, str] = {  # what `rankscope graph --help` lists; a test holds it equal to graphs.ALL
    "precision-recall": "the trade that every deeper look makes",
    "precision-scope": "share of the first s items that is relevant",
    "recall-scope": "share of the relevant items among the first s",
    "grip": "precision = recall (at scope c) over generality",
    "grnp": "precision and recall at scope n c over generality",
    "grep": "precision over recall and generality, a surface",
    "precision-window": "precision over scope on log2 scales, class size known or not",
    "forecast": "a measure as the collection grows",
    "per-query-differences": "two systems query by query, sorted",
    "score-distribution": "scores of relevant items and distractors",
}
WITH_SCORES = ("score-distribution", "forecast")


class KindsInHelp(click.Command):
    """Lists the kinds of graph below the options."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line for each kind."""
        with formatter.section("Kinds"):
            formatter.write_dl(list(KINDS.items()))


@click.command("graph", cls=KindsInHelp, short_help="What does the whole picture look like?")
@click.argument("kind")
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN... | RANKS.parquet...")
@click.option(
    "-o", "--output", required=True, metavar="FILE",
    help="Where it goes; the suffix is the format: .svg, .pdf, .png, .html (interactive, needs no net), .json "
    "(Vega-Lite), .csv (the data).",
)  # fmt: skip
@click.option("--theme", metavar="NAME", default="light", show_default=True, help="light or dark.")
@click.option(
    "--width", metavar="WIDTH", help="column (85 mm), full (175 mm) or millimetres. Default: column; a page full."
)
@click.option("--flat", is_flag=True, help="grep: a heat map instead of three dimensions.")
@click.option("-m", "--measure", metavar="NAME", help="per-query-differences (AP), forecast (Rprec): of what.")
@click.option("-n", "n", type=float, metavar="N", help="grnp: scope in class sizes. Default: 2.")
@click.option("--way", metavar="NAME", help="grip, grnp, grep: how generality varies: thinned, bins or hard.")
@click.option("--reach", type=float, metavar="G", help="grip, grnp: only queries that reach this generality index.")
@click.option("--generality", type=float, metavar="G", help="precision-recall: queries of this generality index.")
@click.option("--averaging", metavar="NAME", help="precision-recall: radial or levels.")
@click.option("--to", metavar="N|10x", help="forecast: to how many items, or how many times more. Default: 10x.")
@click.option("--force", is_flag=True, help="forecast: even where the back-test says no.")
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
    reach: float | None,
    generality: float | None,
    averaging: str | None,
    to: str | None,
    force: bool,
    queries_shown: tuple[str, ...],
    relevant: int | None,
    junk: str | None,
    classes: str | None,
    input_format: str | None,
    encoding: str,
    quiet: bool,
    compat: str | None,
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
    from rankscope.cli.output import progress_line
    from rankscope.graphs.look import Look
    from rankscope.graphs.saving import format_of
    from rankscope.settings import Settings

    made = graphs.by_name(kind)
    format_of(output)
    Look.of(theme, width or "column")
    options = _options(made, measure=measure, n=n, way=way, reach=reach, generality=generality, averaging=averaging,
                       to=to, force=force or None, queries=queries_shown or None, relevant=relevant)  # fmt: skip
    settings = Settings.make(compat=compat, **chosen_settings(given))
    with progress_line(quiet) as progress:
        ranks = _ranks(files, settings, kind in WITH_SCORES, junk, input_format, encoding, progress)
        systems, warnings = _seen(ranks, settings, classes)
    made(systems, **options).save(output, theme=theme, width=width, flat=flat)
    if not quiet:
        for line in warnings:
            click.echo(f"! {line}", err=True)
        click.echo(f"{output}: {kind} of {', '.join(each.system for each in systems)}", err=True)


def _options(kind: Any, **given: Any) -> dict[str, Any]:
    """What was given by hand; an option that the kind does not have is an error."""
    from rankscope.errors import SettingError

    chosen = {name: value for name, value in given.items() if value is not None}
    spelled = {"n": "-n", "queries": "--query"}
    wrong = [spelled.get(name, f"--{name}") for name in chosen if name not in kind.options]
    if wrong:
        there = [spelled.get(name, f"--{name}") for name in given if name in kind.options]
        raise SettingError(f"{kind.name} has no option {', '.join(wrong)}; it has: {', '.join(there) or 'none'}")
    return chosen


def _ranks(
    files: tuple[str, ...],
    settings: Any,
    keep_scores: bool,
    junk: str | None,
    input_format: str | None,
    encoding: str,
    progress: Any,
) -> list[Any]:
    """Saved ranks, or the reduction of each run; all problems of all files at once."""
    from rankscope.errors import InputError
    from rankscope.inputs.checks import raise_all
    from rankscope.inputs.junk import read_junk
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.several import named_runs
    from rankscope.ranks.reduce import check_run, reduce
    from rankscope.ranks.storage import load_ranks

    if all(path.endswith(SAVED) for path in files):
        return [load_ranks(path) for path in files]
    qrels, *runs = files
    _need_runs(runs)
    reading = Reading(input_format, encoding, settings.comments)
    errors: list[InputError] = []
    judgements: Qrels | None = None
    unwanted: Iterable[tuple[str, str]] = ()
    try:
        judgements = Qrels.of(qrels, reading)
        unwanted = read_junk(junk, reading) if junk else ()
    except InputError as error:
        errors.append(error)
    made = []
    for run in named_runs(runs, reading, errors):
        try:
            if judgements is None:
                check_run(run, settings)
            else:
                made.append(
                    reduce(judgements, run, settings, junk=unwanted, keep_scores=keep_scores, progress=progress)
                )
        except InputError as error:
            errors.append(error)
    raise_all(errors)
    return made


def _need_runs(runs: list[str]) -> None:
    from rankscope.errors import SettingError

    if not runs:
        raise SettingError("graph needs judgements and at least one run: rankscope graph KIND QRELS RUN... -o FILE")
    if any(run.endswith(SAVED) for run in runs):
        raise SettingError("saved ranks hold their judgements already: give NAME.ranks.parquet files alone")


def _seen(ranks: list[Any], settings: Any, classes: str | None) -> tuple[list[Any], list[str]]:
    """The rankings as the settings want them (depth, rel, collection size, classes), and what to warn of."""
    import numpy as np

    from rankscope.measures.evaluate import evaluate_ranks

    scores = evaluate_ranks(ranks, ["num_q"], settings, classes)
    systems = [each.ranks for each in scores.systems]
    if settings.queries == "answered":
        systems = [each.take(np.flatnonzero(each.answered)) for each in systems]
    return systems, scores.warnings()
