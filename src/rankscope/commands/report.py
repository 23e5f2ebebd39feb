"""The whole picture: a page, or one graph.

What each system finds first for each query, for the page, is read from runs, topics and documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankscope.commands import defaults
from rankscope.core.errors import SettingError
from rankscope.core.keywords import refuse_unknown, strict_keywords
from rankscope.core.settings import MAX_RATIO, InputChoices
from rankscope.core.wording import setting_usage

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared
    from rankscope.inputs.reading import Reading
    from rankscope.measures.evaluation.scores import Scores, SystemScores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.item_ranks import Lists
    from rankscope.ranks.reduction import Progress
    from rankscope.ranks.relevant_ranks import RelevantRanks
    from rankscope.reports.graphs.graph import Graph
    from rankscope.reports.page.found_items import FoundItems
    from rankscope.reports.page.html import ReportPage
    from rankscope.reports.page.report import Report


@strict_keywords
def report(
    qrels: Any = None,
    runs: Any = None,
    measures: Asked = defaults.REPORT,
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
    from rankscope.commands.scores import choices_of_ranks, reading_of_choices, scores_asked
    from rankscope.measures.evaluation.scores import Scores

    named = {"measures": None if measures is defaults.REPORT else measures, "baseline": baseline}
    also = {"latex": latex, "topics": topics, "docs": docs, "assessors": assessors}
    check_sources(() if qrels is None else (qrels,), suite, history, {**named, **also, **given})
    if suite is not None:
        from rankscope.commands.suite import suite as compared_suite
        from rankscope.commands.suite import suite_page

        wanted = None if measures is defaults.REPORT else measures
        tasks = compared_suite(suite, wanted, baseline=baseline or None, progress=progress)
        return _page_written(suite_page(tasks, title), output)
    if history is not None:
        from rankscope.analysis.comparison.gate_history import read_history
        from rankscope.reports.page.result_pages import render_history

        return _page_written(render_history(read_history(history), title), output)

    from rankscope.reports.page.html import render_report

    known = isinstance(qrels, Scores)
    size = size_of_docs(docs, given)
    assumed = size is not None and runs is not None and not known and given.get("collection_size") is None
    if assumed:
        given["collection_size"] = size
    asked = choices_of_ranks(given, None if known else runs, topics, docs)
    scores = scores_asked(qrels, runs, measures, defaults.REPORT, keep_scores=True, progress=progress, **asked)
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
    read = None if known else runs
    whole = report_of(
        scores, title, progress, baseline=baseline, found=found, assessors=assessors, runs=read, given=given
    )
    page = render_report(whole)
    if latex is not None:
        from rankscope.core.latex import width_of_columns
        from rankscope.reports.page.paper import write_paper

        write_paper(whole, latex, progress, width_of_columns(latex_columns), latex_marks)
    return _page_written(page, output)


def report_of(
    scores: Scores,
    title: str = "",
    progress: Progress | None = None,
    *,
    compared: Compared | None = None,
    baseline: str = "",
    found: FoundItems | None = None,
    assessors: Mapping[str, Any] | Sequence[Any] | None = None,
    runs: Any = None,
    given: Mapping[str, Any] | None = None,
) -> Report:
    """What stands in the page.

    With `assessors` how far they agree, and the order of the systems under each by the first measure; with runs of two
    systems or more what other assessors and other items would do to the order.
    """
    from rankscope.reports.page.report import Report

    whole = Report.of(scores, title, progress, compared, baseline, found)
    several = runs is not None and len(whole.systems) > 1
    if assessors is not None:
        from rankscope.commands.judgements import agreement

        ranks, measure, rel = scores.systems[0].ranks, scores.measures[0], scores.settings.rel
        kinds = ranks.classes if scores.by_class_wanted else None
        classes = None if kinds is None else dict(zip(ranks.queries, kinds, strict=True))
        agreed = agreement(assessors, runs if several else None, measure, classes=classes, rel=rel)
        whole = replace(whole, agreed=agreed)
    if several and whole.compared is not None:
        from rankscope.commands.stability import stability_of_report

        whole = replace(whole, stable=stability_of_report(scores, runs, assessors, given or {}))
    return whole


def _page_written(page: str, output: str | Path | None) -> ReportPage:
    """The page, also in a file where one is named."""
    from rankscope.reports.page.html import ReportPage

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


def write_page(page: str, path: str | Path) -> int:
    """Write a page, whole or not at all; how many bytes it has."""
    from rankscope.core.files import atomic

    with atomic(path, "wb") as file:
        return file.write(page.encode())


@strict_keywords
def graph(kind: str, qrels: Any, runs: Any = None, *, progress: Progress | None = None, **options: Any) -> Graph:
    """A graph, not yet drawn: `show` or `save` it. Kinds: `rankscope graph --help`.

    Takes what `evaluate` takes, judgements and runs, or ranks; or scores that it gave. `options` are those of the kind,
    as `way="bins"` of grip, and else what `evaluate` takes, as `collection_size=20000`; a name that is both is the
    kind's.
    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    >>> graph("precision-recall", qrels, run).title
    'Precision and recall of one query'
    """
    from rankscope.commands.scores import scores_of
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.reports import graphs

    chosen = graphs.by_name(kind)
    refuse_unknown(chosen.name, options, [*chosen.parameters[1:], *InputChoices.__annotations__])
    own = {name: options.pop(name) for name in [*options] if name in chosen.parameters[1:]}
    wanted = None if isinstance(qrels, Scores) else ["num_q"]
    keep = chosen.wants("scores")
    scores = scores_of(qrels, runs, wanted, keep_scores=keep, progress=progress, **options)
    return chosen(scores.ranks, **chosen.accepted(seed=scores.settings.seed) | own)


# What each system finds first for each query, for a page that shows it: from the runs, topics and documents.

LARGEST_READ_AGAIN = 200_000_000  # bytes of a run that is read a second time


def found_items(
    scores: Scores,
    qrels: Any = None,
    runs: Any = None,
    *,
    topics: Any = None,
    docs: str | Path | None = None,
    junk: Any = None,
    baseline: str = "",
    reading: Reading | None = None,
) -> FoundItems:
    """The first items of each query; without runs only the grades of those judged, which ranks hold.

    `topics`: the words of the queries. `docs`: a file, a folder, an index or a template of links, for what is found.
    """
    from rankscope.inputs.reading import reading_with
    from rankscope.reports.page.found_items import FoundItems

    settings = scores.settings
    how = reading or reading_with(None, None, None, "utf-8", settings.comments, MAX_RATIO, scores=settings.scores)
    shown = _shown_systems(scores, baseline)
    found = FoundItems(_lists(scores, shown, qrels, runs, junk, how))
    if topics is not None:
        from rankscope.inputs.documents.topics import read_topics

        queries = read_topics(topics, replace(how, format=None, columns=(), roll_up=None))
        from rankscope.inputs.problems import shorten_value

        judged = scores.systems[0].ranks.queries
        if set(judged).isdisjoint(queries):
            there, here = (", ".join(shorten_value(each) for each in list(some)[:3]) for some in (queries, judged))
            raise SettingError(
                f"{queries.name}: none of its queries is judged. Ids there: {there}, ...; judged: {here}, ..."
            )
        found = found.with_words(queries)
    if docs is not None:
        from rankscope.reports.page.found_items import shown_documents

        found = replace(found, documents=shown_documents(docs, found.items, replace(how, format=None)))
    return found


def size_of_docs(docs: str | Path | None, given: Mapping[str, Any]) -> int | None:
    """How many items the collection holds by the index `docs`; None where that holds chunks, or is no index."""
    from rankscope.reports.page.found_items import documents_in_index

    return None if docs is None or given.get("roll_up") is not None else documents_in_index(docs)


def with_size_of_docs(scores: Scores, docs: str | Path | None, size: int | None, assumed: bool) -> Scores:
    """The same with the size of the index as that of the collection, where none was said; what contradicts it is noted.

    An index that holds less than a ranking lists is not the collection, and its size says nothing: scores made with it,
    because it was `assumed`, forget it.
    """
    if size is None:
        return scores
    said = dict.fromkeys(_size_of(system.ranks) for system in scores.systems)
    known = [each for each in said if each is not None]
    longest = max(int(system.ranks.depth.max(initial=0)) for system in scores.systems)
    if longest > size:
        note = (
            f"the index {docs} holds {size:,} documents and a ranking lists {longest:,}: it is not the whole collection"
        )
        if not assumed:
            return replace(scores, notes=(*scores.notes, note))
        if any("collection" in column.measure.needs for system in scores.systems for column in system.columns):
            raise SettingError(f"{note}: give {setting_usage('collection_size', 'D')}")
        forgotten = [_sized(system, None) for system in scores.systems]
        return replace(scores, systems=tuple(forgotten), notes=(*scores.notes, note))
    filled = [_sized(system, size) if _size_of(system.ranks) is None else system for system in scores.systems]
    notes = [
        f"the collection was said to hold {each:,} items, and the index {docs} holds {size:,} documents: {each:,} "
        "counts"
        for each in known
        if each != size
    ]
    return replace(scores, systems=tuple(filled), notes=(*scores.notes, *notes))


def _size_of(ranks: RelevantRanks) -> int | None:
    """The size of the whole collection, with what queries leave out of it; None where it is not known."""
    left_out = 0 if ranks.left_out is None else ranks.left_out
    largest = int(np.max(np.where(ranks.collection < 0, -1, ranks.collection + left_out), initial=-1))
    return None if largest < 0 else largest


def _sized(system: SystemScores, size: int | None) -> SystemScores:
    ranks = system.ranks
    unknown = replace(ranks, collection=np.full(len(ranks), -1, dtype=np.int64))
    return replace(system, ranks=unknown if size is None else ranks.with_collection(size))


def _shown_systems(scores: Scores, baseline: str) -> list[SystemScores]:
    """The systems whose lists a page can hold."""
    from rankscope.measures.direction import best_first
    from rankscope.reports.page.found_items import listed_systems

    systems = sorted(scores.systems, key=lambda system: bool(baseline) and system.name != baseline)
    main = [next((each for each in system.columns if each.measure.summary != "none"), None) for system in systems]
    values = [float("nan") if column is None else column.summary for column in main]
    lower = main[0] is not None and main[0].measure.lower_is_better
    names = [system.name for system in systems]
    wanted = listed_systems(names, best_first(values, lower), len(systems[0].ranks))
    return [system for system in systems if system.name in wanted]


def _lists(
    scores: Scores, shown: list[SystemScores], qrels: Any, runs: Any, junk: Any, reading: Reading
) -> dict[str, Lists]:
    from rankscope.inputs.qrels import Qrels, read_junk
    from rankscope.inputs.run import named_runs
    from rankscope.ranks.item_ranks import first_items
    from rankscope.reports.page.found_items import COUNT, lists_of_ranks

    if runs is None:
        return {system.name: lists_of_ranks(system.ranks) for system in shown}
    judged = Qrels.of(qrels, reading, keep=False)
    by_name = {run.name: run for run in named_runs(runs, reading, [])}
    unwanted = read_junk(junk, reading) if junk is not None else ()
    lists = {}
    for system in shown:
        run = by_name.get(system.name)
        source = None if run is None else run.source
        # what came through a pipe is gone, and a very large run would take minutes
        lasts = source is None or (source.address != "-" and source.size <= LARGEST_READ_AGAIN)
        if run is not None and lasts:
            lists[system.name] = first_items(judged, run, COUNT, scores.settings, unwanted)
        else:
            lists[system.name] = lists_of_ranks(system.ranks)
    return lists
