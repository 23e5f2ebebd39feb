"""The one reduction: judgements and a run, of any size, to the ranks of the judged items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from rankscope.calling import public
from rankscope.inputs import forks
from rankscope.inputs.checks import Problems
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.judged_items import JudgedItems
from rankscope.inputs.judged_lists import JudgedLists
from rankscope.inputs.junk import read_junk
from rankscope.inputs.plain_nested import PlainNested
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading, reading_of
from rankscope.inputs.run import Run
from rankscope.inputs.unlike_ids import UnlikeIds
from rankscope.ranks.found import Found
from rankscope.ranks.grouping import Scattered, WholeQueries, gather_rows, whole_queries
from rankscope.ranks.provenance import JudgementFacts
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings

Progress = Callable[[str, float], None]  # name of the run, share of it that has been read


@public
def reduce(
    qrels: Any,
    run: Any,
    settings: Settings | None = None,
    *,
    junk: Any = (),
    keep_scores: bool = False,
    reading: Reading | None = None,
    progress: Progress | None = None,
) -> RelevantRanks:
    """Ranks of all judged items of a run; raises `InputError` with every problem of the run.

    `qrels` and `run`: a path, a nested dictionary, a polars or pandas frame, three arrays, or `Qrels` and `Run`.
    `junk`: pairs (query, item), {query: [item, ...]}, a table or a file, of items that leave the list before ranks are
    counted. `reading` says how files are read. `keep_scores` keeps the scores of the
    judged items, and scores and lots of the best distractors, which the growth forecast needs; a run that gives an
    order only has no scores to keep.
    >>> ranks = reduce({"q": {"a": 1, "b": 0}}, {"q": {"b": 3.0, "x": 2.0, "a": 1.0}})
    >>> ranks.judged.lists("rank"), ranks.ranks
    ([[1, 3]], array([3]))
    """
    forks.check()
    settings = settings or Settings()
    reading = reading or reading_of(comments=settings.comments, scores=settings.scores)
    qrels, run = Qrels.of(qrels, reading), Run.of(run, reading)
    unwanted = [] if junk == () else read_junk(junk, reading)
    if run.plain is not None and qrels.judged_lists is not None and _needs_no_rows(unwanted, settings, keep_scores):
        looked_up = _looked_up(qrels.judged_lists, run.plain, settings, Problems(run.place))
        check_common(looked_up, qrels)
        return looked_up.with_doubts(looked_up.assembled(run, qrels), run)
    found = collect_rows(nothing_found(qrels, run.place, settings, unwanted, keep_scores), run, progress)
    check_common(found, qrels)
    return found.with_doubts(found.assembled(run, qrels), run)


def nothing_found(
    qrels: Qrels, place: str, settings: Settings, junk: Iterable[tuple[str, str]] = (), keep_scores: bool = False
) -> Found:
    """A reduction that has not begun: what is judged, and what is to leave the lists."""
    left_out = left_out_pairs(qrels, junk, settings)
    judged = JudgedItems.of(with_query_counted(qrels, settings), settings.duplicates, left_out)
    junk_items = JudgedItems.of(_as_qrels(left_out), "first") if left_out else None
    problems = Problems(place)
    return Found(judged=judged, junk=junk_items, settings=settings, problems=problems, keep_scores=keep_scores)


def _needs_no_rows(junk: list[tuple[str, str]], settings: Settings, keep_scores: bool) -> bool:
    """Whether judged items and their scores are all that is asked of a run: nothing leaves its lists."""
    return not junk and not keep_scores and settings.query_item == "kept" and settings.ties != "rank"


def _looked_up(judged: JudgedLists, answers: PlainNested, settings: Settings, problems: Problems) -> Found:
    """What dictionaries hold, found by look-up."""
    found = Found(judged=judged, junk=None, settings=settings, problems=problems, keep_scores=False)
    found.add_answers(answers, judged)
    return found


def check_common(found: Found, qrels: JudgementFacts) -> None:
    """Raise what is wrong with the run, or that nothing of it is judged."""
    if not found.problems.any and not found.rows_of_query:
        found.problems.add("", f"no query of the run is judged in {qrels.name}", _common_advice(found))
    found.problems.raise_if_any()


def check_run(run: Run, settings: Settings) -> None:
    """Raise what is wrong with a run by itself, when there are no judgements to hold it against."""
    collect_rows(nothing_found(_as_qrels([]), run.place, settings), run).problems.raise_if_any()


def collect_rows(found: Found, run: Run, progress: Progress | None = None, gathers: bool = True) -> Found:
    """All rows of a run: block by block as they come, or all at once where the lines of a query are scattered.

    Where they must not be gathered, scattered lines raise `Scattered`.
    """

    def added(found: Found, parts: Iterable[WholeQueries]) -> Found:
        for part in parts:
            found.add(part)
            if progress is not None:
                progress(run.name, run.share)
        return found

    with_rank, begun = found.settings.ties == "rank", found.fresh()
    blocks = iter(run.blocks(found.problems, rank=with_rank))
    try:
        return added(found, whole_queries(blocks))
    except Scattered as signal:
        if not gathers:
            raise
        if signal.pending is not None:
            return added(found, gather_rows(chain(signal.pending, blocks)))
    return added(begun, gather_rows(run.blocks(begun.problems, rank=with_rank)))


def left_out_pairs(qrels: Qrels, junk: Iterable[tuple[str, str]], settings: Settings) -> list[tuple[str, str]]:
    """Junk pairs, and each query as an item of its own where it is not to be ranked."""
    left_out = [(str(query), str(item)) for query, item in junk]
    if settings.query_item in ("removed", "kept_ignored"):
        left_out += [(query, query) for query in _distinct_queries(qrels)]
    return left_out


def _distinct_queries(qrels: Qrels) -> list[str]:
    """In the order they are first judged."""
    return list(dict.fromkeys(qrels.query.take(qrels.query.starts()).to_list()))


def _as_qrels(pairs: list[tuple[str, str]]) -> Qrels:
    return Qrels(
        query=TextIds.of([query for query, _ in pairs]),
        item=TextIds.of([item for _, item in pairs]),
        grade=np.zeros(len(pairs)),
        line=np.arange(len(pairs), dtype=np.int64),
        name="junk",
    )


def with_query_counted(qrels: Qrels, settings: Settings) -> Qrels:
    """The judgements with each query as a relevant item of its own, where it is to be counted."""
    if settings.query_item != "counted":
        return qrels
    judged = set(zip(qrels.query.to_list(), qrels.item.to_list(), strict=True))
    own = TextIds.of([query for query in _distinct_queries(qrels) if (query, query) not in judged])
    return Qrels(
        query=qrels.query.as_texts().joined([own]),
        item=qrels.item.as_texts().joined([own]),
        grade=np.concatenate([qrels.grade, np.ones(len(own))]),
        line=np.concatenate([qrels.line, np.zeros(len(own), dtype=np.int64)]),
        name=qrels.name,
        digest=qrels.digest,
        word=qrels.word,
        files=qrels.files,
    )


def _common_advice(found: Found) -> str:
    return UnlikeIds.of(found.not_judged, found.judged.queries).advice("query")
