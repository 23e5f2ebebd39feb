"""`rankscope compare`: is the difference real, and for which kind of query?

What `gate --sequential` and `compare --sequential` write stands here too: text, JSON, Markdown, or a picture of all
looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from rankscope.commands.defaults import COMPARE
from rankscope.commands.line.command import GuardedCommand, Input, OutputFile, OutputFolder
from rankscope.commands.line.inputs import Inputs
from rankscope.commands.line.options import (
    VERBOSE,
    input_options,
    intervals_option,
    latex_options,
    level_option,
    measure_option,
    resamples_option,
    setting_options,
)
from rankscope.commands.line.output import chosen_format, print_result, progress_line, say, say_warnings, write_text
from rankscope.core.errors import RankscopeError
from rankscope.core.names import visible
from rankscope.core.notation import split_list
from rankscope.core.settings import LEVEL

if TYPE_CHECKING:
    from rankscope.analysis.comparison.sequential_result import SequentialResult


FORMAT_OF_SUFFIX = {".txt": "text", ".md": "markdown", ".json": "json", ".csv": "csv", ".tex": "latex"}
SEQUENTIAL_FORMATS = ("text", "markdown", "json")
LOOKS_ONCE = (
    "correction",
    "intervals",
    "resamples",
    "permutations",
    "tests",
    "equivalent_within",
    "explain_by",
    "graphs",
    "every_pair",
    "write_up",
    "latex_columns",
    "latex_marks",
)
PAGES = {".html": "text", ".htm": "text"}  # next to the page itself, the text is printed


@click.command("compare", cls=GuardedCommand, short_help="Is B better than A, and for which kind of query?")
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN RUN... | RANKS.parquet...")
@measure_option(help="Measures to compare by; the first decides. Repeat it or separate by commas. Default: AP.")
@click.option("--baseline", metavar="NAME", help="The system the others are compared with. Default: the first.")
@click.option(
    "--pairs",
    type=click.Choice(["all", "baseline"]),
    default="all",
    show_default=True,
    help="Pairs of systems to compare: all, or each system with the baseline.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bonferroni", "benjamini-hochberg", "none"]),
    default="holm",
    show_default=True,
    help="Correction of p-values: over the pairs of the first measure, and over everything else together.",
)
@level_option(LEVEL)
@intervals_option
@resamples_option
@click.option(
    "--permutations",
    default=10_000,
    show_default=True,
    type=click.IntRange(100),
    help="Number of permutations of Tukey's test.",
)
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="NAMES",
    help="Show tables of other tests too, on which the verdict does not rest: anova, tukey, wilcoxon, ... "
    "(see docs/reference/names.md). Repeat it or separate by commas.",
)
@click.option(
    "--equivalent-within",
    multiple=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="E",
    help="Test every pair for equivalence too: whether the difference is smaller than this, the smallest that matters. "
    "Once for all measures, or once for each in their order.",
)
@click.option(
    "--explain-by",
    type=Input(),
    metavar="CSV",
    help="Table of the queries (columns query, and numbers such as length or size of the class): what they explain of "
    "the values and of the differences, by a mixed model.",
)
@click.option(
    "--sequential",
    type=OutputFile(),
    metavar="STATE.json",
    help="Look as often as you like (interim analyses): intervals that hold at every look for all pairs together, and "
    "a file with the queries that counted.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "markdown", "json", "csv", "latex"]),
    help="Format of the result. Default: by -o's suffix (.txt, .md, .json, .csv, .tex), else text.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile("a picture"),
    metavar="FILE",
    help="Write the result to this file, as its suffix says; .html writes the whole report, .tex a table for a paper.",
)
@click.option(
    "--graphs",
    type=OutputFolder(),
    metavar="FOLDER",
    help="Write the graphs of the comparison too, as SVG, into this folder.",
)
@click.option(
    "--every-pair", is_flag=True, help="Show every pair. Default: beyond 30 pairs, only neighbours in the ranking."
)
@click.option(
    "--write-up",
    is_flag=True,
    help="Give one paragraph for a paper in place of tables: test, correction, effect, limits, queries, citation. With "
    "text, markdown and latex; JSON has it in any case.",
)
@latex_options
@input_options
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
@VERBOSE
@setting_options
def compare_command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    pairs: Literal["all", "baseline"],
    correction: str,
    intervals: str,
    level: float,
    resamples: int | None,
    permutations: int,
    tests: tuple[str, ...],
    equivalent_within: tuple[float, ...],
    explain_by: str | None,
    sequential: str | None,
    output_format: str | None,
    output: str | None,
    graphs: str | None,
    every_pair: bool,
    write_up: bool,
    latex_columns: str,
    latex_marks: str,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> None:
    """Is B better than A, by how much, and for which kind of query? A verdict in words, then what it rests on.

    The first measure decides alone: a difference is significant where sign-flip and skew-t tests of per-query
    differences agree, with p-values corrected for multiple testing over all pairs of systems. It is shown with its
    confidence interval, effect size (d/sd) and, where none is significant, power. Other measures and, with --by,
    classes of queries are secondary: corrected together, and labelled as such. The analysis of variance of the cells
    and Tukey's test are shown too; no verdict rests on them. --equivalent-within tests whether a difference is too
    small to matter, which is more than that none is significant.

    \b
    rankscope compare qrels.txt bm25.run dense.run -m nDCG@10 --by kinds.csv
    rankscope compare qrels.txt runs/*.run -m AP -o comparison.md --graphs figures/
    rankscope compare qrels.txt runs/*.run -m AP,nDCG@10,P@10 -o table.tex --latex-columns 2
    rankscope compare qrels.txt bm25.run dense.run -m nDCG@10 --equivalent-within .02
    rankscope compare qrels.txt bm25.run dense.run -m nDCG@10 --write-up -o paragraph.tex
    rankscope compare qrels.txt bm25.run dense.run -m nDCG@10 --sequential looks.json
    """
    from rankscope.analysis.comparison.sequential_state import answered_part
    from rankscope.commands.compare import check_comparable, compare, compare_look

    drawn_too = PICTURE_SUFFIXES if sequential is not None else PAGES
    chosen = chosen_format(output, output_format, FORMAT_OF_SUFFIX | drawn_too, "text")
    if sequential is not None:
        _check_sequential_options(chosen)
        with progress_line(quiet) as progress:
            scores = answered_part(Inputs.of(files, given).scores("compare", measures or COMPARE, progress))
        write_look(compare_look(scores, sequential, baseline, pairs, level), sequential, chosen, output)
        if not quiet:
            say_warnings(scores, verbose)
        return
    if write_up and chosen in ("json", "csv"):
        raise click.UsageError("--write-up goes with text, markdown and latex; JSON has the paragraph in any case.")
    width = _table_width(latex_columns) if chosen == "latex" else 0.0
    page = output is not None and output.endswith((".html", ".htm"))
    variables = None if explain_by is None else _variables(explain_by, chosen)
    with progress_line(quiet) as progress:
        inputs = Inputs.of(files, given)
        scores = inputs.scores("compare", measures or COMPARE, progress, keep_scores=page)
        check_comparable(scores, inputs.choices.get("classes"))
        comparison = compare(
            scores,
            baseline=baseline,
            pairs=pairs,
            correction=correction,
            intervals=intervals,
            level=level,
            resamples=resamples,
            permutations=permutations,
            tests=split_list(",".join(tests)),
            equivalent_within=equivalent_within or None,
        )
        if page:
            from rankscope.commands.line.report import write_report

            write_report(_ordered(scores, comparison), str(output), progress=progress, compared=comparison)
        drawn = draw_comparison(scores, comparison, graphs) if graphs else []
    if write_up:
        shown = _paragraph(comparison, chosen)
    else:
        shown = _rendered(comparison, chosen, every_pair, not quiet, width, latex_marks)
    if variables is not None:
        shown = _explained(shown, scores, variables, level, chosen)
    write_text(shown, None if page else output)
    if not quiet:
        say_warnings(scores, verbose)
        for line in drawn:
            say(line)


def _check_sequential_options(format: str) -> None:
    """Refuse what belongs to a comparison that looks once."""
    given = click.get_current_context().get_parameter_source
    chosen = [name for name in LOOKS_ONCE if given(name) is not click.core.ParameterSource.DEFAULT]
    wrong = [f"--{name.removesuffix('s') if name == 'tests' else name.replace('_', '-')}" for name in chosen]
    wrong += [] if format in SEQUENTIAL_FORMATS else [f"the format {format}"]
    if wrong:
        raise click.UsageError(
            f"{', '.join(wrong)}: of a comparison that looks once; leave it out. --sequential gives "
            f"{', '.join(SEQUENTIAL_FORMATS)}, or draws all looks (-o looks.svg)."
        )


def _variables(path: str, format: str) -> Any:
    from rankscope.analysis.statistics.explanatory_variables import read_variables

    if format in ("csv", "latex"):
        raise click.UsageError("--explain-by goes with text, markdown and json.")
    return read_variables(path)


def _explained(text: str, scores: Any, variables: Any, level: float, format: str) -> str:
    """The comparison with what variables explain of the first measure."""
    from rankscope.analysis.comparison.compare import with_explained
    from rankscope.commands.compare import explain_by

    return with_explained(text, explain_by(scores, variables, level), format)


def _table_width(columns: str) -> float:
    from rankscope.core.latex import width_of_columns

    return width_of_columns(columns)


def _paragraph(comparison: Any, format: str) -> str:
    """The comparison as one paragraph for a paper."""
    from rankscope.core.latex import escape_latex

    text = comparison.write_up()
    return (escape_latex(text) if format == "latex" else visible(text)) + "\n"


def _rendered(comparison: Any, format: str, every_pair: bool, notes: bool, width: float, marks: str) -> str:
    if format == "latex":
        from rankscope.reports.paper_tables import comparison_table

        return comparison_table(comparison, width, marks, notes)
    from rankscope.analysis.comparison.compare import COMPARISON_FORMATS

    return COMPARISON_FORMATS[format](comparison, every_pair, notes)


def draw_comparison(scores: Any, result: Any, folder: str) -> list[str]:
    """The graphs that show the comparison; says what was drawn, and why a graph is not there.

    A graph that cannot be made is told of; one that cannot be written is an error.
    """
    from rankscope.core.files import made_folder
    from rankscope.reports import graphs

    where = made_folder(folder)
    systems = {system.name: system.ranks for system in scores.systems}
    ordered = [systems[name] for name in result.systems]
    said = []
    for kind in graphs.KINDS:
        too_many = len(ordered) > kind.systems.most == kind.systems.least
        if not kind.compares or too_many or len(ordered) < kind.systems.worth:
            continue
        if kind.wants("classes") and not result.main.classes:
            continue
        try:
            graph = kind(ordered, **kind.accepted(result.main.measure, compared=result))
        except RankscopeError as error:
            said.append(f"{kind.name} was not drawn: {error}")
            continue
        graph.save(where / f"{kind.name}.svg", width=kind.width)
        said.append(f"{where / kind.name}.svg")
    return said


def _ordered(scores: Any, result: Any) -> Any:
    """The scores with the baseline first, as in the comparison."""
    from dataclasses import replace

    first = result.systems[0]
    return replace(scores, systems=tuple(sorted(scores.systems, key=lambda system: system.name != first)))


# What `gate --sequential` and `compare --sequential` write: text, JSON, Markdown, or a picture of all looks.

PICTURE_WIDTH_MM = 130
PICTURE_SUFFIXES = {".svg": "text", ".png": "text", ".pdf": "text"}  # next to the picture, the text is printed


def is_picture(output: str | None) -> bool:
    """Whether a picture is asked for.

    >>> is_picture("looks.SVG"), is_picture("looks.json"), is_picture(None)
    (True, False, False)
    """
    return output is not None and output.lower().endswith(tuple(PICTURE_SUFFIXES))


def write_look(result: SequentialResult, state: str, format: str, output: str | None) -> None:
    """The whole result on standard output or in a file; where it goes into a file, its sentence is printed."""
    from rankscope.analysis.comparison.sequential_result import render_sequential
    from rankscope.analysis.comparison.sequential_state import read_state
    from rankscope.reports.graphs.interim_analyses import sequential_graph

    if not is_picture(output):
        write_text(render_sequential(result, format), output, result.sentence)
        return
    looks = read_state(state)
    assert looks is not None, "the look was written"
    sequential_graph(looks).save(str(output), width=PICTURE_WIDTH_MM)
    print_result(render_sequential(result, format))
