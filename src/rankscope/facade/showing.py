"""The whole picture: a page, or one graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.facade import usual

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.facade.scoring import InputChoices
    from rankscope.graphs.graph import Graph
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduce import Progress
    from rankscope.reports.page.contents import Report
    from rankscope.reports.page.found_items import FoundItems
    from rankscope.statistics.verdicts.compared import Compared


def report(
    qrels: Any,
    runs: Any = None,
    measures: Asked = usual.REPORT,
    *,
    output: str | Path | None = None,
    latex: str | Path | None = None,
    title: str = "",
    baseline: str = "",
    topics: Any = None,
    docs: str | Path | None = None,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> str:
    """The whole picture of one or several systems as one HTML page that opens offline; returns the page.

    Takes what `evaluate` takes, or scores that it gave with `keep_scores=True`. `output` writes the page, `latex`
    writes tables and figures for a paper into a folder. The others are compared with the `baseline`, else with the
    first system. `topics` are the words of the queries; `docs` says what the items are that stand first: a file, a
    folder of texts or pictures, an index, or a template of links such as https://example.org/{id}.
    """
    from rankscope.evaluation.scores import Scores
    from rankscope.facade.finding import found_items
    from rankscope.facade.scoring import scores_of

    known = isinstance(qrels, Scores)
    scores = qrels if known else scores_of(qrels, runs, measures, keep_scores=True, progress=progress, **given)
    sources = (None, None) if known else (qrels, runs)
    found = found_items(scores, *sources, topics=topics, docs=docs, junk=given.get("junk"), baseline=baseline)
    whole = whole_report(scores, title, progress, baseline=baseline, found=found)
    page = page_of(whole)
    if latex is not None:
        write_paper(whole, latex, progress)
    if output is not None:
        write_page(page, output)
    return page


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


def write_paper(whole: Report, folder: str | Path, progress: Progress | None = None) -> list[tuple[Path, str]]:
    """Tables and figures of a report for a paper: the files, and what each is."""
    from rankscope.reports.page import paper

    return paper.write_paper(whole, folder, progress)


def graph(kind: str, qrels: Any, runs: Any = None, *, progress: Progress | None = None, **options: Any) -> Graph:
    """A graph, not yet drawn: `show` it or `save` it. Kinds: `rankscope.graphs.KINDS`, or `rankscope graph --help`.

    Takes what `evaluate` takes: judgements and runs, or ranks. `options` are those of the kind, as `way="bins"` of
    grip, and else what `evaluate` takes, as `collection_size=20000`; a name that is both is the kind's.
    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> graph("precision-recall", qrels, run).title
    'Precision and recall of one query'
    """
    from rankscope import graphs
    from rankscope.evaluation.scores import Scores
    from rankscope.facade.scoring import counted_ranks, scores_of

    chosen = graphs.by_name(kind)
    own = {name: options.pop(name) for name in [*options] if name in chosen.parameters[1:]}
    if isinstance(qrels, Scores):
        scores = qrels
    else:
        keep = chosen.wants("scores")
        scores = scores_of(qrels, runs, ["num_q"], keep_scores=keep, progress=progress, **options)
    return chosen(counted_ranks(scores), **chosen.accepted(seed=scores.settings.seed) | own)
