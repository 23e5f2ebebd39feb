"""What each system finds first for each query, for a page that shows it: from the runs, topics and documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores, SystemScores
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.run import Run
    from rankscope.inputs.topics.query_set import QuerySet
    from rankscope.ranks.first_items import Lists
    from rankscope.ranks.relevant_ranks import RelevantRanks
    from rankscope.reports.page.found_items import FoundItems

LARGEST = 200_000_000  # bytes of a run that is read a second time


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
    how = reading or reading_with(None, None, None, "utf-8", settings.comments, 200.0, scores=settings.scores)
    shown = _shown(scores, baseline)
    found = FoundItems(_lists(scores, shown, qrels, runs, junk, how))
    if topics is not None:
        from rankscope.inputs.topics.reading import read_topics

        queries = read_topics(topics, replace(how, format=None, columns=(), roll_up=None))
        _need_common(queries, scores)
        found = found.with_words(queries)
    if docs is not None:
        from rankscope.reports.page.documents import shown_documents

        found = replace(found, documents=shown_documents(docs, found.items, replace(how, format=None)))
    return found


def size_of_docs(docs: str | Path | None, given: Mapping[str, Any]) -> int | None:
    """How many items the collection holds by the index `docs`; None where that holds chunks, or is no index."""
    from rankscope.reports.page.documents import documents_in_index

    return None if docs is None or given.get("roll_up") is not None else documents_in_index(docs)


def with_size_of_docs(scores: Scores, docs: str | Path | None, size: int | None, assumed: bool) -> Scores:
    """The same with the size of the index as that of the collection, where none was said; what contradicts it is noted.

    An index that holds less than a ranking lists is not the collection, and its size says nothing: scores made with it,
    because it was `assumed`, forget it.
    """
    from rankscope.errors import SettingError
    from rankscope.wording import setting_usage

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


def _need_common(queries: QuerySet, scores: Scores) -> None:
    from rankscope.errors import SettingError
    from rankscope.inputs.checks import shorten_value

    judged = scores.systems[0].ranks.queries
    if set(judged).isdisjoint(queries):
        there, here = (", ".join(shorten_value(each) for each in list(some)[:3]) for some in (queries, judged))
        raise SettingError(
            f"{queries.name}: none of its queries is judged. Ids there: {there}, ...; judged: {here}, ..."
        )


def _shown(scores: Scores, baseline: str) -> list[SystemScores]:
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
    from rankscope.inputs.junk import read_junk
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.several import named_runs
    from rankscope.reports.page.found_items import lists_of_ranks

    if runs is None:
        return {system.name: lists_of_ranks(system.ranks) for system in shown}
    judged = Qrels.of(qrels, reading, keep=False)
    by_name = {run.name: run for run in named_runs(runs, reading, [])}
    unwanted = read_junk(junk, reading) if junk is not None else ()
    return {
        system.name: _of_run(judged, by_name[system.name], scores, unwanted)
        if _can_be_read_again(by_name.get(system.name))
        else lists_of_ranks(system.ranks)
        for system in shown
    }


def _of_run(judged: Qrels, run: Run, scores: Scores, junk: Any) -> Lists:
    from rankscope.ranks.first_items import first_items
    from rankscope.reports.page.found_items import COUNT

    return first_items(judged, run, COUNT, scores.settings, junk)


def _can_be_read_again(run: Run | None) -> bool:
    """Not what came through a pipe, and nothing that would take minutes."""
    if run is None or run.source is None:
        return run is not None
    return run.source.address != "-" and run.source.size <= LARGEST
