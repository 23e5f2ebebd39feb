"""The one reduction: judgements and a run, of any size, to the ranks of the judged items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.inputs import forks
from rankscope.inputs.checks import KEPT, Problems, shorten_value
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.judged_items import JudgedItems
from rankscope.inputs.judged_lists import JudgedLists
from rankscope.inputs.junk import read_junk
from rankscope.inputs.plain_nested import PlainNested
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading, reading_of
from rankscope.inputs.run import Run
from rankscope.ranks.grouping import Scattered, Whole, gather_rows, whole_queries
from rankscope.ranks.look_up import find_hits, ranks_of_hits
from rankscope.ranks.lots import lots_of_names
from rankscope.ranks.matching import ItemKeys, keys_of
from rankscope.ranks.ragged import Ragged, ranges
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks, count_levels
from rankscope.ranks.ties import ScoredRows, ranks_of
from rankscope.settings import Settings
from rankscope.version import __version__
from rankscope.wording import setting_value

Progress = Callable[[str, float], None]  # name of the run, share of it that has been read
FIXED_BY_REDUCTION = ("ties", "duplicates", "judged_only", "score_width", "query_item", "seed")


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
    reading = reading or reading_of(comments=settings.comments)
    qrels, run = Qrels.of(qrels, reading), Run.of(run, reading)
    unwanted = [] if junk == () else read_junk(junk, reading)
    if run.plain is not None and qrels.judged_lists is not None and _needs_no_rows(unwanted, settings, keep_scores):
        looked_up = _looked_up(qrels.judged_lists, run.plain, settings, Problems(run.place))
        _check_common(looked_up, qrels)
        return looked_up.assembled(run, qrels)
    left_out = left_out_pairs(qrels, unwanted, settings)
    judged = JudgedItems.of(with_query_counted(qrels, settings), settings.duplicates, left_out)
    junk_items = JudgedItems.of(_as_qrels(left_out), "first") if left_out else None
    found = _collected(judged, junk_items, run, settings, keep_scores, progress)
    _check_common(found, qrels)
    return found.assembled(run, qrels)


def _needs_no_rows(junk: list[tuple[str, str]], settings: Settings, keep_scores: bool) -> bool:
    """Whether judged items and their scores are all that is asked of a run: nothing leaves its lists."""
    return not junk and not keep_scores and settings.query_item == "kept" and settings.ties != "rank"


def _looked_up(judged: JudgedLists, answers: PlainNested, settings: Settings, problems: Problems) -> _Found:
    """What dictionaries hold, found by look-up."""
    found = _Found(judged=judged, junk=None, settings=settings, problems=problems, keep_scores=False)
    found.add_answers(answers, judged)
    return found


def _check_common(found: _Found, qrels: Qrels) -> None:
    """Raise what is wrong with the run, or that nothing of it is judged."""
    if not found.problems.count and not found.rows_of_query:
        found.problems.add("", f"no query of the run is judged in {qrels.name}", _common_advice(found))
    found.problems.raise_if_any()


def check_run(run: Run, settings: Settings) -> None:
    """Raise what is wrong with a run by itself, when there are no judgements to hold it against."""
    nothing = JudgedItems.of(_as_qrels([]))
    _collected(nothing, None, run, settings, False, None).problems.raise_if_any()


def _collected(
    judged: JudgedItems,
    junk: JudgedItems | None,
    run: Run,
    settings: Settings,
    keep_scores: bool,
    progress: Progress | None,
) -> _Found:
    """All rows of a run: block by block as they come, or all at once where the lines of a query are scattered."""

    def fresh() -> _Found:
        return _Found(
            judged=judged, junk=junk, settings=settings, problems=Problems(run.place), keep_scores=keep_scores
        )

    def added(found: _Found, parts: Iterable[Whole]) -> _Found:
        for part in parts:
            found.add(part)
            if progress is not None:
                progress(run.name, run.share)
        return found

    found, with_rank = fresh(), settings.ties == "rank"
    blocks = iter(run.blocks(found.problems, rank=with_rank))
    try:
        return added(found, whole_queries(blocks))
    except Scattered as signal:
        if signal.pending is not None:
            return added(found, gather_rows(chain(signal.pending, blocks)))
    found = fresh()
    return added(found, gather_rows(run.blocks(found.problems, rank=with_rank)))


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
    )


def _common_advice(found: _Found) -> str:
    ran = ", ".join(shorten_value(each) for each in found.not_judged[:3])
    known = ", ".join(shorten_value(each) for each in found.judged.queries[:3])
    return f"Query ids of the run: {ran}, ...; of the judgements: {known}, ... Are these the right files?"


@dataclass
class _Found:
    """What has been found so far, block by block."""

    judged: JudgedItems | JudgedLists
    junk: JudgedItems | None
    settings: Settings
    problems: Problems
    keep_scores: bool
    rows_of_query: dict[int, int] = field(default_factory=dict)
    not_judged: list[str] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    best: list[dict[str, Any]] = field(default_factory=list)
    returned: int = 0

    def add(self, part: Whole) -> None:
        """Find the judged items of a block of whole queries."""
        judged = self.judged
        assert isinstance(judged, JudgedItems)
        self.returned += len(part.rows)
        part = self._settled(part)
        row_of = self._rows_of(part.queries, part.lengths)
        if len(part.rows) == 0:
            return
        scored = ScoredRows(self._scores(part), part.segment, part.lengths)
        rows, entry = _find(part.keys, row_of, judged)
        rank, groups = ranks_of(rows, scored, part.rows.item, part.queries, self.settings.ties, self.settings.seed)
        segment = part.segment
        self.items.append(
            {
                "row": row_of[segment[rows]],
                "rank": rank,
                "grade": self.judged.grade[entry],
                "score": part.rows.score[rows],
            }
        )
        self.groups.append({"row": row_of[groups.segment], "start": groups.above + 1, "size": groups.size})
        if self.keep_scores:
            relevant = rows[self.judged.grade[entry] >= 1]
            self.best.append(_best_others(part, scored, row_of, relevant))

    def add_answers(self, answers: PlainNested, judged: JudgedLists) -> None:
        """Find the judged items of dictionaries, in which no item occurs twice."""
        self.returned += answers.values.size
        answers = answers.answered()
        row_of = self._rows_of(answers.queries, answers.lengths)
        hits = find_hits(answers, judged)
        deciding, width = hits, self.settings.score_width
        if width == 32:
            deciding = hits._replace(score=in_width(hits.score, width))
            answers = replace(answers, values=in_width(answers.values, width))
        rank, groups = ranks_of_hits(deciding, answers, judged, self.settings.ties, self.settings.seed)
        row, grade = judged.query_row[hits.entry], judged.grade[hits.entry]
        self.items.append({"row": row, "rank": rank, "grade": grade, "score": hits.score})
        if groups is not None:
            self.groups.append({"row": row_of[groups.segment], "start": groups.above + 1, "size": groups.size})

    def _rows_of(self, queries: tuple[str, ...], lengths: IntArray) -> IntArray:
        """The judged row of each query of a part, -1 where it has none; how many items it has is noted."""
        rows = [self.judged.row_of.get(query, -1) for query in queries]
        noted = dict(zip(rows, lengths.tolist(), strict=True))
        if noted.pop(-1, None) is not None:
            self.not_judged += [query for query, row in zip(queries, rows, strict=True) if row < 0]
        self.rows_of_query.update(noted)
        return np.array(rows, dtype=np.int64)

    def _settled(self, part: Whole) -> Whole:
        """The block without duplicates and junk."""
        keys = part.keys
        earlier, later = keys.repeated()
        keep = np.ones(len(part.rows), dtype=np.bool_)
        if earlier.size:
            keep &= self._without_duplicates(part, earlier, later)
        if self.settings.ties == "rank":
            self._check_ranks(part, keep)
        if self.junk is not None:
            row_of = np.array([self.junk.row_of.get(query, -1) for query in part.queries], dtype=np.int64)
            rows, _ = _find(keys, row_of, self.junk)
            keep[rows] = False
        if keep.all():
            return part
        return part.keep(keep)

    def _without_duplicates(self, part: Whole, earlier: IntArray, later: IntArray) -> BoolArray:
        keep = np.ones(len(part.rows), dtype=np.bool_)
        policy = self.settings.duplicates
        if policy == "error":
            self._complain(part, earlier, later)
        elif policy == "first":
            keep[later] = False
        elif policy == "last":
            keep[earlier] = False
        else:
            best: dict[int, int] = {}  # of the rows that hold one item, up to this one
            for one, other in zip(earlier.tolist(), later.tolist(), strict=True):
                champion = best.get(one, one)
                best[other] = other if part.rows.score[other] > part.rows.score[champion] else champion
                keep[champion if best[other] == other else other] = False
        return keep

    def _check_ranks(self, part: Whole, keep: BoolArray) -> None:
        """The rank column must count 1, 2, 3, ...: with the duplicates that go, or without; junk is still there."""
        if part.rows.rank is None or self.problems.count:
            return
        wrong = _wrong_ranks(part)
        if wrong and not keep.all():
            wrong = _wrong_ranks(part.keep(keep)) and wrong
        for query, what, line in wrong[:KEPT]:
            self.problems.add(f"query {query}", what, order=line)
        self.problems.more(max(0, len(wrong) - KEPT))

    def _complain(self, part: Whole, earlier: IntArray, later: IntArray) -> None:
        best = setting_value("duplicates", "best")
        self.problems.advise(f"Rank an item once per query, or choose {best}, first or last.")
        block, segment = part.rows, part.segment
        for one, other in zip(earlier[:KEPT].tolist(), later[:KEPT].tolist(), strict=True):
            lines = f"{block.word}s {block.line[one]} and {block.line[other]}"
            what = f"item {shorten_value(block.item[one])} is ranked twice ({lines})"
            self.problems.add(f"query {part.queries[segment[one]]}", what, order=int(block.line[other]))
        self.problems.more(max(0, earlier.size - KEPT))

    def _scores(self, part: Whole) -> FloatArray:
        """What the order is made of: scores in the width asked for, or the rank column."""
        if self.settings.ties == "rank" and part.rows.rank is not None:
            return -part.rows.rank.astype(np.float64)
        return in_width(part.rows.score, self.settings.score_width)

    def _left_out(self) -> IntArray:
        """How many items of the collection are junk to each judged query."""
        count = np.zeros(len(self.judged.queries), dtype=np.int64)
        if self.junk is not None:
            for query, number in zip(self.junk.queries, np.diff(self.junk.offsets).tolist(), strict=True):
                if query in self.judged.row_of:
                    count[self.judged.row_of[query]] = number
        return count

    def assembled(self, run: Run, qrels: Qrels) -> RelevantRanks:
        """All blocks together, one row per judged query."""
        judged, count = self.judged, len(self.judged.queries)
        scores = ("score",) if run.gives_scores else ()
        columns = ("rank", "grade", *scores) if self.keep_scores else ("rank", "grade")
        items = _joined(self.items, count, "rank", columns)
        depth, answered = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_)
        rows = np.fromiter(self.rows_of_query, np.int64, len(self.rows_of_query))
        depth[rows] = np.fromiter(self.rows_of_query.values(), np.int64, rows.size)
        answered[rows] = True
        left_out = self._left_out()
        known = self.settings.collection_size
        return RelevantRanks.assemble(
            judged.queries,
            items,
            levels=_levels(judged),
            depth=depth,
            answered=answered,
            collection=None if known is None else known - left_out,
            ties=_joined(self.groups, count, "start", ("start", "size")),
            system=run.name,
            tag=run.tag,
            top_grade=max(qrels.top_grade, float(judged.grade.max(initial=0.0))),
            distractors=_joined(self.best, count, "order", (*scores, "lot")) if self.keep_scores else None,
            not_judged=tuple(sorted(self.not_judged)),
            left_out=left_out,
            provenance=_provenance(run, qrels, self.settings, self.returned),
        )


def in_width(score: FloatArray, width: int) -> FloatArray:
    """Scores as far as they are distinguished: rounded to 32 bits, or as they are."""
    if width == 64:
        return score
    with np.errstate(over="ignore"):
        return score.astype(np.float32).astype(np.float64)


def _levels(judged: JudgedItems | JudgedLists) -> Ragged:
    """How many items of each query were judged at each grade."""
    if isinstance(judged, JudgedLists):
        row, grade, number = judged.levels
        return Ragged.from_rows(row, len(judged.queries), grade=grade, count=number)
    ones = np.ones(judged.grade.size, dtype=np.int64)
    return count_levels(judged.query_row, judged.grade, ones, len(judged.queries))


def _find(keys: ItemKeys, row_of: IntArray, wanted: JudgedItems) -> tuple[IntArray, IntArray]:
    """Rows of the block that hold a wanted item of their query, and which item that is."""
    segments = np.flatnonzero(row_of >= 0)
    lengths = np.diff(wanted.offsets)[row_of[segments]]
    entries = ranges(wanted.offsets[row_of[segments]], lengths)
    segment = np.repeat(segments, lengths)
    items, hashes = wanted.like(keys.item)
    rows, index = keys.find(items.take(entries), keys_of(hashes[entries], segment))
    return rows, entries[index]


def _best_others(part: Whole, scored: ScoredRows, row_of: IntArray, relevant: IntArray) -> dict[str, Any]:
    """Scores and lots of the first items of each judged query that are not relevant."""
    segments = np.flatnonzero(row_of >= 0)
    hits = np.bincount(part.segment[relevant], minlength=row_of.size)[segments]
    lengths = np.minimum(part.lengths[segments], hits + KEPT_DISTRACTORS)
    places = ranges(scored.starts[segments], lengths)
    is_relevant = np.zeros(len(part.rows), dtype=np.bool_)
    is_relevant[relevant] = True
    places = places[~is_relevant[scored.at(places)]]
    owner = part.segment[scored.at(places)]
    nth = np.arange(places.size) - np.searchsorted(owner, owner)
    places, owner, nth = (each[nth < KEPT_DISTRACTORS] for each in (places, owner, nth))
    rows = scored.at(places)
    lot = lots_of_names(part.rows.item.take(rows))
    return {"row": row_of[owner], "order": nth, "score": part.rows.score[rows], "lot": lot}


def _joined(parts: list[dict[str, Any]], lists: int, order: str, columns: tuple[str, ...]) -> Ragged:
    """Blocks' findings as one ragged array, sorted by query and by the order column."""
    if not parts:
        kinds = {name: np.float64 if name in ("score", "grade") else np.int64 for name in columns}
        return Ragged(np.zeros(lists + 1, np.int64), {name: np.empty(0, kind) for name, kind in kinds.items()})
    names = {"row", order, *columns}
    whole = {name: np.concatenate([part[name] for part in parts]) if parts[1:] else parts[0][name] for name in names}
    judged = whole["row"] >= 0
    if not judged.all():
        whole = {name: column[judged] for name, column in whole.items()}
    sorting = np.argsort(whole["row"] * (whole[order].max(initial=0) + 1) + whole[order], kind="stable")
    return Ragged.from_rows(whole["row"][sorting], lists, **{name: whole[name][sorting] for name in columns})


def _wrong_ranks(part: Whole) -> list[tuple[str, str, int]]:
    """Queries whose rank column does not count 1, 2, 3, ... (or from 0): query, what is wrong, line."""
    assert part.rows.rank is not None
    scored = ScoredRows(-part.rows.rank.astype(np.float64), part.segment, part.lengths)
    rank = part.rows.rank if scored.order is None else part.rows.rank[scored.order]
    owner = np.repeat(np.arange(len(part.queries)), part.lengths)
    full = part.lengths > 0
    first = np.zeros(len(part.queries), dtype=np.int64)
    first[full] = rank[scored.starts[full]]
    expected = np.arange(rank.size) - scored.starts[owner] + np.where(first == 0, 0, 1)[owner]
    wrong, problems = np.flatnonzero(rank != expected), []
    for segment in np.unique(owner[wrong]).tolist():
        place = int(wrong[np.searchsorted(owner[wrong], segment)])
        line = int(part.rows.line[scored.at(np.array([place]))[0]])
        what = f"ranks must run 1, 2, 3, ... without gaps or doubles; expected {expected[place]}, got {rank[place]}"
        problems.append((part.queries[segment], f"{what} ({part.rows.word} {line})", line))
    return problems


def _provenance(run: Run, qrels: Qrels, settings: Settings, returned: int) -> dict[str, Any]:
    """Where the numbers come from: digests and choices, but no time, host or path, so equal inputs give equal bytes."""
    return {
        "run": {"file": run.place, "sha256": run.digest, "tag": run.tag, "rows": returned, "scores": run.gives_scores},
        "judgements": {"file": qrels.name, "sha256": qrels.digest, "rows": len(qrels)},
        "settings": {name: getattr(settings, name) for name in FIXED_BY_REDUCTION},
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """The versions that numbers depend on: what reads a file changes none of them."""
    return {"rankscope": __version__, "numpy": np.__version__}
