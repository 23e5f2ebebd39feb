"""What each system finds first for each query, for a page that shows it: from the runs, topics and documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores, SystemScores
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.run import Run
    from rankscope.inputs.topics.query_set import QuerySet
    from rankscope.ranks.first_items import Lists
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
    from dataclasses import replace

    from rankscope.inputs.reading import reading_of
    from rankscope.reports.page.found_items import FoundItems

    how = reading or reading_of(comments=scores.settings.comments)
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
    from rankscope.reports.page.found_items import listed_systems
    from rankscope.reports.page.leaderboard import places_of

    systems = sorted(scores.systems, key=lambda system: bool(baseline) and system.name != baseline)
    main = [next((each for each in system.columns if each.measure.summary != "none"), None) for system in systems]
    values = [float("nan") if column is None else column.summary for column in main]
    lower = main[0] is not None and main[0].measure.lower_is_better
    names = [system.name for system in systems]
    wanted = listed_systems(names, places_of(values, lower), len(systems[0].ranks))
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
