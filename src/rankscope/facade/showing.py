"""The whole picture: a page, or one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.calling import public, refuse_unknown
from rankscope.errors import SettingError
from rankscope.facade import usual
from rankscope.settings import InputChoices
from rankscope.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.graphs.graph import Graph
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduce import Progress
    from rankscope.reports.page.contents import Report
    from rankscope.reports.page.found_items import FoundItems
    from rankscope.reports.page.report_page import ReportPage
    from rankscope.statistics.verdicts.compared import Compared


@public
def report(
    qrels: Any = None,
    runs: Any = None,
    measures: Asked = usual.REPORT,
    *,
    output: str | Path | None = None,
    latex: str | Path | None = None,
    latex_columns: str | float = "1",
    latex_marks: str = "auto",
    title: str = "",
    baseline: str = "",
    suite: str | Path | Mapping[str, Any] | None = None,
    history: str | Path | None = None,
    topics: Any = None,
    docs: str | Path | None = None,
    assessors: Mapping[str, Any] | Sequence[Any] | None = None,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> ReportPage:
    """The whole picture of one or several systems as one HTML page that opens offline; returns the page, a text.

    Takes what `evaluate` takes, or scores that it gave with `keep_scores=True`, all of them or by some measures:
    `report(scores, "AP")`. `output` writes the page, `latex`
    writes tables and figures for a paper into a folder: `latex_columns` says how wide tables are (1 or 2 columns of a
    two-column page, or points), `latex_marks` what stands behind numbers (letters, daggers, none). The others are
    compared with the `baseline`, else with the first system. `topics` are the words of the queries; `docs` says what
    the items are that stand first: a file, a folder of texts or pictures, an index, or a template of links such as
    https://example.org/{id}; the size of an index is that of the collection unless `collection_size` says another.
    `assessors` are the judgements of each of several people, files or by name: then the page says how far they agree,
    and whether that changes the order of the systems. In place of runs, `suite` compares systems over the tasks of a
    file, and `history` draws what `gate` wrote there.
    """
    from rankscope.evaluation.scores import Scores
    from rankscope.facade.finding import found_items, size_of_docs, with_size_of_docs
    from rankscope.facade.scoring import choices_of_ranks, reading_of_choices, scores_asked

    named = {"measures": None if measures is usual.REPORT else measures, "baseline": baseline}
    also = {"latex": latex, "topics": topics, "docs": docs, "assessors": assessors}
    check_sources(() if qrels is None else (qrels,), suite, history, {**named, **also, **given})
    if suite is not None:
        from rankscope.facade.suites import suite as compared_suite
        from rankscope.facade.suites import suite_page

        wanted = None if measures is usual.REPORT else measures
        tasks = compared_suite(suite, wanted, baseline=baseline or None, progress=progress)
        return _written(suite_page(tasks, title), output)
    if history is not None:
        from rankscope.facade.gate_history import history_page

        return _written(history_page(history, title)[0], output)

    known = isinstance(qrels, Scores)
    size = size_of_docs(docs, given)
    assumed = size is not None and runs is not None and not known and given.get("collection_size") is None
    if assumed:
        given["collection_size"] = size
    asked = choices_of_ranks(given, None if known else runs, topics, docs)
    scores = scores_asked(qrels, runs, measures, usual.REPORT, keep_scores=True, progress=progress, **asked)
    scores = with_size_of_docs(scores, docs, size, assumed)
    sources = (None, None) if known else (qrels, runs)
    found = found_items(
        scores,
        *sources,
        topics=topics,
        docs=docs,
        junk=given.get("junk"),
        baseline=baseline,
        reading=reading_of_choices(given, scores.settings.comments),
    )
    whole = whole_report(scores, title, progress, baseline=baseline, found=found)
    if assessors is not None:
        whole = with_assessors(whole, assessors, None if known else runs)
    if not known and runs is not None:
        whole = with_stability(whole, runs, assessors, given)
    page = page_of(whole)
    if latex is not None:
        from rankscope.reports.formats.latex_layout import width_of_columns

        write_paper(whole, latex, progress, width_of_columns(latex_columns), latex_marks)
    return _written(page, output)


def with_assessors(whole: Report, assessors: Mapping[str, Any] | Sequence[Any], runs: Any) -> Report:
    """The same with how far assessors agree, and with the order of the systems under each, by the first measure."""
    from dataclasses import replace

    from rankscope.facade.agreeing import agreement

    scores, several = whole.scores, runs is not None and len(whole.systems) > 1
    ranks = scores.systems[0].ranks
    kinds = ranks.classes if scores.by_class_wanted else None
    found = agreement(
        assessors,
        runs if several else None,
        scores.measures[0],
        classes=None if kinds is None else dict(zip(ranks.queries, kinds, strict=True)),
        rel=scores.settings.rel,
    )
    return replace(whole, agreed=found)


def with_stability(whole: Report, runs: Any, assessors: Any, given: Mapping[str, Any]) -> Report:
    """The same with what other assessors and other items would do to the order of two systems or more."""
    from dataclasses import replace

    if whole.compared is None or len(whole.systems) < 2:
        return whole
    from rankscope.facade.leaderboards import stability_of_report

    return replace(whole, stable=stability_of_report(whole.scores, runs, assessors, given))


def _written(page: str, output: str | Path | None) -> ReportPage:
    """The page, also in a file where one is named."""
    from rankscope.reports.page.report_page import ReportPage

    if output is not None:
        write_page(page, output)
    return ReportPage(page)


def check_sources(files: Sequence[Any], suite: Any, history: Any, choices: Mapping[str, Any]) -> None:
    """A report is of runs, of a suite or of a history; the last two refuse choices that are about runs."""
    given = [bool(files), suite is not None, history is not None]
    if sum(given) != 1:
        others = " or ".join(setting_usage(name, "FILE") for name in ("suite", "history"))
        what = "got several of them" if any(given) else "got none of them"
        raise SettingError(f"a report needs QRELS and RUN, saved ranks, {others}, one of them alone: {what}")
    if files:
        return
    source, kept = ("suite", ("measures", "baseline")) if suite is not None else ("history", ())
    useless = [
        setting_usage(name)
        for name, value in choices.items()
        if name not in kept and value is not None and not (isinstance(value, str | tuple) and not value)
    ]
    if useless:
        raise SettingError(f"{', '.join(useless)}: of a report of runs; leave it out, or {setting_usage(source)}")


def whole_report(
    scores: Scores,
    title: str = "",
    progress: Progress | None = None,
    compared: Compared | None = None,
    baseline: str = "",
    found: FoundItems | None = None,
) -> Report:
    """What stands in the page."""
    from rankscope.reports.page.contents import Report

    return Report.of(scores, title, progress, compared, baseline, found)


def page_of(whole: Report) -> str:
    """The page as HTML."""
    from rankscope.reports.page import html

    return html.render(whole)


def write_page(page: str, path: str | Path) -> int:
    """Write a page, whole or not at all; how many bytes it has."""
    from rankscope.files import atomic

    with atomic(path, "wb") as file:
        return file.write(page.encode())


def write_paper(
    whole: Report,
    folder: str | Path,
    progress: Progress | None = None,
    width: float | None = None,
    marks: str = "auto",
) -> list[tuple[Path, str]]:
    """Tables, one column or so many points wide, and figures of a report for a paper: the files, and what each is."""
    from rankscope.reports.formats.latex_layout import COLUMN
    from rankscope.reports.page import paper

    return paper.write_paper(whole, folder, progress, COLUMN if width is None else width, marks)


@public
def graph(kind: str, qrels: Any, runs: Any = None, *, progress: Progress | None = None, **options: Any) -> Graph:
    """A graph, not yet drawn: `show` it or `save` it. Kinds: `rankscope.graphs.KINDS`, or `rankscope graph --help`.

    Takes what `evaluate` takes, judgements and runs, or ranks; or scores that it gave. `options` are those of the kind,
    as `way="bins"` of grip, and else what `evaluate` takes, as `collection_size=20000`; a name that is both is the
    kind's.
    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> graph("precision-recall", qrels, run).title
    'Precision and recall of one query'
    """
    from rankscope import graphs
    from rankscope.evaluation.scores import Scores
    from rankscope.facade.scoring import scores_of

    chosen = graphs.by_name(kind)
    refuse_unknown(chosen.name, options, [*chosen.parameters[1:], *InputChoices.__annotations__])
    own = {name: options.pop(name) for name in [*options] if name in chosen.parameters[1:]}
    wanted = None if isinstance(qrels, Scores) else ["num_q"]
    keep = chosen.wants("scores")
    scores = scores_of(qrels, runs, wanted, keep_scores=keep, progress=progress, **options)
    return chosen(scores.ranks, **chosen.accepted(seed=scores.settings.seed) | own)
