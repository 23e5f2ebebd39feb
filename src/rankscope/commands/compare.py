"""Is the difference real, and for which kind of query? Once, or at every look (sequentially)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from rankscope.commands import defaults
from rankscope.commands.line.questions import (
    INTERVALS,
    LATEX_COLUMNS,
    LATEX_MARKS,
    LEVEL_OPTION,
    QUIET,
    RESAMPLES,
    VERBOSE,
    Request,
    command,
    measure_option,
)
from rankscope.core.errors import InputError, Problem, ProblemReport, RankscopeError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import visible
from rankscope.core.options import CHOICES, DECIDES, OUTPUT, NumberRange, Option, Reads, Writes
from rankscope.core.settings import LEVEL, InputChoices
from rankscope.core.validation import SHARE, OneOf, check
from rankscope.core.wording import setting_usage, setting_value

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared
    from rankscope.analysis.comparison.sequential_result import SequentialResult
    from rankscope.analysis.statistics.explanatory_variables import Explained
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduction import Progress


@strict_keywords
def compare(
    qrels: Any,
    runs: Any = None,
    measures: Annotated[
        Asked,
        measure_option("Measures to compare by; the first decides.", defaults.COMPARE),
    ] = defaults.COMPARE,
    *,
    baseline: Annotated[
        str | None,
        Option("The system that the others are compared with.", metavar="NAME", default="the first"),
    ] = None,
    pairs: Annotated[
        Literal["all", "baseline"], Option("Pairs of systems to compare: all, or each system with the baseline.")
    ] = "all",
    correction: Annotated[
        str,
        Option(
            "Correction of p-values: over the pairs of the first measure, and over everything else together.",
            choices=("holm", "bonferroni", "benjamini-hochberg", "none"),
            panel=DECIDES,
        ),
    ] = "holm",
    level: Annotated[float, LEVEL_OPTION] = LEVEL,
    intervals: Annotated[str, INTERVALS] = "auto",
    resamples: Annotated[int | None, RESAMPLES] = None,
    permutations: Annotated[
        int, Option("Number of permutations of Tukey's test.", kind=NumberRange(100), panel=CHOICES)
    ] = 10_000,
    tests: Annotated[
        Sequence[str],
        Option(
            "Tables of other tests too, on which the verdict does not rest: anova, tukey, wilcoxon, ... "
            "(see docs/reference/names.md).",
            "--test",
            metavar="NAMES",
            many="names",
            panel=OUTPUT,
        ),
    ] = (),
    equivalent_within: Annotated[
        float | Sequence[float] | None,
        Option(
            "Test every pair for equivalence too: whether the difference is smaller than this, the smallest that "
            "matters. Once for all measures, or once for each in their order.",
            metavar="E",
            kind=NumberRange(0, low_open=True),
            many=True,
            panel=DECIDES,
        ),
    ] = None,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> Compared:
    """Is B better than A, by how much, and for which kind of query? The first measure decides.

    Takes what `evaluate` takes, or scores that it gave, as `compare(scores)` or `compare(scores, "AP")`, or tables of
    scores (`ScoreTable`). Every pair is compared, or
    with `pairs="baseline"` each system with the baseline, which is the first one unless named. `tests` are made too,
    by name; no verdict rests on them. `equivalent_within` is the smallest difference that matters, once for all
    measures or once for each: pairs are then tested for equivalence too.
    >>> qrels = {f"q{n}": {"a": 1} for n in range(12)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> bad = {query: {"x": 2.0, "a": 1.0} for query in qrels}
    >>> compare(qrels, {"old": bad, "new": good}).main.pairs[0].better
    'new'
    """
    from rankscope.analysis.comparison.compare import compare as compare_tables
    from rankscope.commands.scores import refuse_more, scores_asked

    chosen = check({"pairs": pairs}, pairs=OneOf(("all", "baseline")))
    seed = given.get("seed")
    if _is_tables(qrels):
        refuse_more(runs, given, "seed")
        scores = qrels
    else:
        scores = scores_asked(qrels, runs, measures, defaults.COMPARE, progress=progress, **given)
        seed = scores.settings.seed if seed is None else seed
    check_comparable(scores, given.get("classes"))
    return compare_tables(
        scores,
        baseline=baseline,
        every_pair=chosen["pairs"] == "all",
        correction=correction,
        level=level,
        intervals=intervals,
        resamples=resamples,
        permutations=permutations,
        tests=tests,
        equivalent_within=equivalent_within,
        seed=seed or 0,
    )


@strict_keywords
def explain_by(scores: Any, variables: Any, level: float = LEVEL) -> Explained:
    """What do variables of the queries, such as their length, explain of the first measure, and of differences?

    `scores`: what `evaluate` gives, or a `ScoreTable`. `variables`: a CSV file, or {variable: {query: value}}.
    >>> from rankscope.analysis.statistics.score_table import ScoreTable
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.6], "B": [0.2, 0.4, 0.5, 1.0]})
    >>> found = explain_by(table, {"length": {"q1": 1, "q2": 2, "q3": 3, "q4": 4}})
    >>> [(each.of, round(each.slope, 4)) for each in found.slopes]
    [('all systems', 0.2292), ('B minus A', 0.1006)]
    """
    from rankscope.analysis.statistics.explanatory_variables import explain, read_variables
    from rankscope.analysis.statistics.score_table import ScoreTable

    read = read_variables(variables) if isinstance(variables, str | Path) else variables
    table = scores if isinstance(scores, ScoreTable) else ScoreTable.of(scores)
    return explain(table, read, level)


def check_comparable(scores: Any, classes: Any) -> None:
    """Refuse runs whose items do not occur in the judgements, other means, and classes that know no query."""
    from rankscope.measures.evaluation.scores import Scores

    if not isinstance(scores, Scores):
        return
    refuse_unmet(scores)
    if scores.settings.mean != "macro":
        mean = setting_value("mean", scores.settings.mean)
        raise SettingError(f"compare tests means over queries: leave {mean} out, or evaluate alone")
    if classes is None or any(any(system.ranks.classes or ()) for system in scores.systems):
        return
    example = ", ".join(scores.systems[0].ranks.queries[:3])
    what = setting_value("classes", classes if isinstance(classes, str) else "...")
    raise SettingError(f"{what}: none of its queries is among those compared, which are called {example}, ...")


def _is_tables(source: Any) -> bool:
    from rankscope.analysis.statistics.score_table import ScoreTable

    several = isinstance(source, Sequence) and not isinstance(source, str) and len(source) > 0
    return several and all(isinstance(each, ScoreTable) for each in source)


def need_means(scores: Scores) -> None:
    """Refuse what is no mean over queries."""
    wrong = [column.asked for column in scores.systems[0].columns if column.measure.summary != "mean"]
    if wrong:
        raise SettingError(f"the gate compares means over queries, and these are none: {', '.join(wrong)}")
    if scores.settings.mean != "macro":
        mean = setting_value("mean", scores.settings.mean)
        raise SettingError(f"the gate compares means over queries; {mean} is another summary")


def refuse_unmet(scores: Scores) -> None:
    """Refuse runs none of whose items occurs in the judgements: nothing was measured, and both would seem equal."""
    reports = []
    for ranks in (system.ranks for system in scores.systems):
        if ranks.unmet is not None and not ranks.unmet.occur:
            place = str(ranks.provenance.get("run", {}).get("file") or ranks.system)
            reports.append(ProblemReport(place, [Problem("", ranks.unmet.what)], ranks.unmet.ids.advice("item")))
    if reports:
        raise InputError(reports)


# The comparison that may be looked at after every query.


@strict_keywords
def compare_sequentially(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.COMPARE,
    *,
    sequential: str | Path,
    baseline: str | None = None,
    pairs: Literal["all", "baseline"] = "all",
    level: float = LEVEL,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> SequentialResult:
    """Is B better than A? Look as often as you like: all intervals hold at all looks together, with this level.

    Takes what `compare` takes; every pair by every measure is one family. `sequential` is the file that holds the
    looks so far: a query counts once, a changed system starts all anew, another baseline is refused.
    >>> import tempfile
    >>> qrels = {f"q{n}": {"a": 1} for n in range(40)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> bad = {query: {"x": 2.0, "a": 1.0} for query in qrels}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = compare_sequentially(qrels, {"old": bad, "new": good}, sequential=f"{folder}/state.json")
    >>> made.decision, made.checks[0].second
    ('better', 'new')
    """
    scores = scores_given(qrels, runs, measures, progress, given)
    chosen = check({"pairs": pairs, "level": level}, pairs=OneOf(("all", "baseline")), level=SHARE)
    need_means(scores)
    refuse_unmet(scores)
    names = [system.name for system in scores.systems]
    if baseline is not None:
        if baseline not in names:
            raise SettingError(f"no system '{baseline}'. There are: {', '.join(names)}")
        systems = sorted(scores.systems, key=lambda system: system.name != baseline)
        scores = replace(scores, systems=tuple(systems))
    count = len(names)
    if count < 2:
        raise SettingError(f"a comparison needs two systems at least, got {count}")
    asked = tuple(combinations(range(count), 2)) if chosen["pairs"] == "all" else tuple((0, n) for n in range(1, count))
    return look_at(scores, sequential, "compare", (0.0,) * len(scores.measures), asked, round(1 - chosen["level"], 12))


def scores_given(qrels: Any, runs: Any, measures: Asked, progress: Progress | None, given: InputChoices) -> Scores:
    """Scores as they are, or of judgements and runs."""
    from rankscope.commands.scores import refuse_more, scores_of
    from rankscope.measures.evaluation.scores import Scores

    if isinstance(qrels, Scores):
        refuse_more(runs, given)
        return qrels
    return scores_of(qrels, runs, measures, progress=progress, **given)


def look_at(
    scores: Scores,
    path: str | Path,
    kind: Literal["gate", "compare"],
    effects: tuple[float, ...],
    pairs: tuple[tuple[int, int], ...],
    alpha: float,
) -> SequentialResult:
    """One look at some scores, kept in the file with those before."""
    from rankscope.analysis.comparison.sequential import take_look
    from rankscope.analysis.comparison.sequential_state import Question, observe, read_state, write_state
    from rankscope.core.files import one_after_the_other
    from rankscope.measures.direction import direction_of

    if scores.by_class_wanted:
        raise SettingError(
            f"looks are taken at all queries together: leave {setting_usage('classes')} out, or give "
            f"each class its own {setting_usage('sequential', 'STATE.json')} and queries"
        )
    seen = observe(scores)
    if not seen.records:
        raise SettingError("no query can count: every system needs a value of every measure, and an answer is needed")
    question = Question(
        kind=kind,
        measures=seen.measures,
        better=tuple(map(direction_of, seen.lower_is_better)),
        min_effect=effects,
        pairs=pairs,
        alpha=alpha,
        unit=seen.unit,
        settings=seen.settings,
    )
    with one_after_the_other(path):
        before = read_state(path)
        state, result = take_look(path, before, question, seen)
        if state != before:
            write_state(path, state)
    return result


# `rankscope compare`.

FORMAT_OF_SUFFIX = {".txt": "text", ".md": "markdown", ".json": "json", ".csv": "csv", ".tex": "latex"}
SEQUENTIAL_FORMATS = ("text", "markdown", "json")
ONLY_ONCE = {  # what belongs to a comparison that looks once
    "correction": "--correction",
    "intervals": "--intervals",
    "resamples": "--resamples",
    "permutations": "--permutations",
    "tests": "--test",
    "equivalent_within": "--equivalent-within",
    "query_table": "--explain-by",
    "graphs": "--graphs",
    "every_pair": "--every-pair",
    "write_up": "--write-up",
    "latex_columns": "--latex-columns",
    "latex_marks": "--latex-marks",
}
PAGES = {".html": "text", ".htm": "text"}  # next to the page itself, the text is printed


@command(compare, files="QRELS RUN RUN... | RANKS.parquet...", short="Is B better than A, and for which kind of query?")
def compare_command(
    request: Request,
    *,
    query_table: Annotated[
        str | None,
        Option(
            "Table of the queries (columns query, and numbers such as length or size of the class): what they explain "
            "of the values and of the differences, by a mixed model.",
            "--explain-by",
            metavar="CSV",
            kind=Reads(),
        ),
    ] = None,
    sequential: Annotated[
        str | None,
        Option(
            "Look as often as you like (interim analyses): intervals that hold at every look for all pairs together, "
            "and a file with the queries that counted.",
            metavar="STATE.json",
            kind=Writes(),
            panel=DECIDES,
        ),
    ] = None,
    output_format: Annotated[
        Literal["text", "markdown", "json", "csv", "latex"] | None,
        Option(
            "Format of the result.",
            "--format",
            default="by -o's suffix (.txt, .md, .json, .csv, .tex), else text",
            panel=OUTPUT,
        ),
    ] = None,
    output: Annotated[
        str | None,
        Option(
            "Write the result to this file, as its suffix says; .html writes the whole report, .tex a table for a "
            "paper.",
            "-o --output",
            metavar="FILE",
            kind=Writes(("a picture",)),
            panel=OUTPUT,
        ),
    ] = None,
    graphs: Annotated[
        str | None,
        Option(
            "Write the graphs of the comparison too, as SVG, into this folder.",
            metavar="FOLDER",
            kind=Writes(folder=True),
            panel=OUTPUT,
        ),
    ] = None,
    every_pair: Annotated[
        bool,
        Option("Show every pair, also beyond 30, where only neighbours in the ranking are shown.", panel=OUTPUT),
    ] = False,
    write_up: Annotated[
        bool,
        Option(
            "Give one paragraph for a paper in place of tables: test, correction, effect, limits, queries, citation. "
            "With text, markdown and latex; JSON has it in any case.",
            panel=OUTPUT,
        ),
    ] = False,
    latex_columns: Annotated[str, LATEX_COLUMNS] = "1",
    latex_marks: Annotated[Literal["auto", "letters", "daggers", "none"], LATEX_MARKS] = "auto",
    quiet: Annotated[bool, QUIET] = False,
    verbose: Annotated[bool, VERBOSE] = False,
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
    import click

    from rankscope.analysis.comparison.compare import with_explained
    from rankscope.analysis.comparison.sequential_state import answered_part
    from rankscope.analysis.statistics.explanatory_variables import read_variables
    from rankscope.commands.line.output import chosen_format, say, say_warnings, write_text
    from rankscope.core.latex import escape_latex, width_of_columns

    drawn_too = PAGES if sequential is None else PICTURE_SUFFIXES
    chosen = chosen_format(output, output_format, FORMAT_OF_SUFFIX | drawn_too, "text")
    own = request.own
    if sequential is not None:
        _check_sequential_options(request.chosen(ONLY_ONCE), chosen)
        scores = answered_part(request.scores())
        baseline, pairs, level = own["baseline"], own["pairs"], own["level"]
        look = compare_sequentially(scores, sequential=sequential, baseline=baseline, pairs=pairs, level=level)
        write_look(look, sequential, chosen, output)
        if not quiet:
            say_warnings(scores, verbose)
        return
    if write_up and chosen in ("json", "csv"):
        raise click.UsageError("--write-up goes with text, markdown and latex; JSON has the paragraph in any case.")
    width = width_of_columns(latex_columns) if chosen == "latex" else 0.0
    page = output is not None and output.endswith((".html", ".htm"))
    variables = None
    if query_table is not None:
        if chosen in ("csv", "latex"):
            raise click.UsageError("--explain-by goes with text, markdown and json.")
        variables = read_variables(query_table)
    with request.progress() as progress:
        scores = request.scores(keep_scores=page, progress=progress)
        check_comparable(scores, request.inputs.choices.get("classes"))
        comparison = compare(scores, **own)
        if page:
            from rankscope.commands.line.report import write_report

            write_report(_ordered(scores, comparison), str(output), progress=progress, compared=comparison)
        drawn = draw_comparison(scores, comparison, graphs) if graphs else []
    if write_up:
        paragraph = comparison.write_up()
        shown = (escape_latex(paragraph) if chosen == "latex" else visible(paragraph)) + "\n"
    elif chosen == "latex":
        from rankscope.analysis.comparison.paper_tables import comparison_table

        shown = comparison_table(comparison, width, latex_marks, not quiet)
    elif chosen == "markdown":
        shown = comparison.to_markdown(every_pair, not quiet)
    else:
        shown = str(comparison.render(chosen, every_pair=every_pair, notes=not quiet))
    if variables is not None:
        shown = with_explained(shown, explain_by(scores, variables, own["level"]), chosen)
    write_text(shown, None if page else output)
    if not quiet:
        say_warnings(scores, verbose)
        for line in drawn:
            say(line)


def _check_sequential_options(chosen: list[str], format: str) -> None:
    """Refuse what belongs to a comparison that looks once."""
    import click

    wrong = [ONLY_ONCE[name] for name in chosen]
    wrong += [] if format in SEQUENTIAL_FORMATS else [f"the format {format}"]
    if wrong:
        raise click.UsageError(
            f"{', '.join(wrong)}: of a comparison that looks once; leave it out. --sequential gives "
            f"{', '.join(SEQUENTIAL_FORMATS)}, or draws all looks (-o looks.svg)."
        )


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
    from rankscope.commands.line.output import print_result, write_text
    from rankscope.reports.graphs.interim_analyses import sequential_graph

    if not is_picture(output):
        write_text(render_sequential(result, format), output, result.sentence)
        return
    looks = read_state(state)
    assert looks is not None, "the look was written"
    sequential_graph(looks).save(str(output), width=PICTURE_WIDTH_MM)
    print_result(render_sequential(result, format))
