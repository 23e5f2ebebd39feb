"""Measures of diversity next to the plain ones: which judgements they read, and the reduction they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rankscope.core.errors import InputError, SettingError
from rankscope.core.settings import Settings
from rankscope.core.wording import setting_usage
from rankscope.inputs.subtopics import Subtopics, swap_subtopics_and_items
from rankscope.measures.measure import Measure
from rankscope.ranks.relevant_ranks import RelevantRanks, with_subtopics

SHOWN = 5


def needs_subtopics(measure: Measure) -> bool:
    """Whether a measure reads judgements of subtopics."""
    return "subtopics" in measure.needs


def read_subtopics(
    subtopics: Any,
    qrels: Any,
    kinds: Iterable[Measure],
    reading: Any,
    settings: Settings,
    reductions: Sequence[Callable[..., RelevantRanks]] = (),
) -> Subtopics:
    """The judgements of subtopics that measures of diversity are computed from; of their own, or the only ones.

    `reductions` of the runs, which take judgements and settings, tell the items of three nested dictionaries.
    """
    needing = [each for each in kinds if needs_subtopics(each)]
    if not needing:
        raise SettingError(
            f"{setting_usage('subtopics', '...')}: only measures of diversity read subtopics; ask for one, as "
            "alpha_nDCG@10, ERR_IA@10 or StRecall@10"
        )
    data = qrels if subtopics is None else subtopics
    read = Subtopics.of(data, reading, settings.duplicates)
    turned = swap_subtopics_and_items(data)
    if turned is not None and reductions:
        read = _with_the_items_of_runs(read, Subtopics.of(turned, reading, settings.duplicates), reductions, settings)
    if subtopics is None and read.count < 2:
        given = setting_usage("subtopics", "FILE")
        raise InputError.of(
            read.name,
            [f"{needing[0]} needs judgements of subtopics, but no query has more than one subtopic here"],
            f"The second column of a diversity file names the subtopic; give one with {given}.",
        )
    return read


def _with_the_items_of_runs(
    read: Subtopics, turned: Subtopics, reductions: Sequence[Callable[..., RelevantRanks]], settings: Settings
) -> Subtopics:
    """Of two readings the one of which the runs return an item; an error where that is so of both, or of none."""
    found = [any(_finds_some(each, judged, settings) for each in reductions) for judged in (read, turned)]
    if found[0] != found[1]:
        return read if found[0] else turned
    which = "both" if found[0] else "neither"
    raise InputError.of(
        read.name,
        [
            "may mean {query: {subtopic: {item: grade}}} or {query: {item: {subtopic: grade}}}: runs return items of "
            f"{which} of these readings"
        ],
        f"Say which is which: a list of tuples (query, subtopic, item, grade), or a table with these columns, as "
        f"{setting_usage('subtopics', '...')} or in the place of qrels.",
    )


def _finds_some(reduction: Callable[..., RelevantRanks], judged: Subtopics, settings: Settings) -> bool:
    """Whether a run returns a judged item; what is wrong with the run is told where it is evaluated."""
    try:
        return reduction(judged.numbered(), settings=settings).judged.size > 0
    except InputError:
        return False


def reduced_by_subtopic(judged: Subtopics, reduction: Callable[..., RelevantRanks]) -> Callable[..., RelevantRanks]:
    """The reduction of a run to where the items of subtopics stand; `reduction` takes judgements and settings."""
    numbered = judged.numbered()

    def reduced(settings: Settings, **more: Any) -> RelevantRanks:
        return with_subtopics(reduction(numbered, settings=settings, **more), judged)

    return reduced


def refuse_other_queries(divided: RelevantRanks, plain: RelevantRanks) -> None:
    """Both sorts of judgements must be about the same queries: a mean over some of them would be another mean."""
    problems = []
    for one, other, words in (
        (divided, plain, "has judgements of subtopics, but no plain ones"),
        (plain, divided, "has plain judgements, but none of subtopics"),
    ):
        lacking = sorted(set(one.queries) - set(other.queries))
        problems += [f"query {query} {words}" for query in lacking[:SHOWN]]
        problems += [f"and {len(lacking) - SHOWN} more queries"] if len(lacking) > SHOWN else []
    if problems:
        raise InputError.of("subtopics", problems, "Give the file of subtopics alone, as QRELS, or judge both alike.")
