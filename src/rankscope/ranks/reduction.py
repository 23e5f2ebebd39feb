"""The one reduction: judgements and a run, of any size, to the ranks of the judged items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field, fields, replace
from itertools import chain, islice
from typing import Any, Self

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.keywords import strict_keywords
from rankscope.core.settings import Settings
from rankscope.core.wording import setting_value, several_files
from rankscope.inputs.id_columns import IdColumn, TextIds
from rankscope.inputs.mix_ups import FIRST_ITEMS, IDS_LOOKED_AT, UnlikeIds
from rankscope.inputs.plain_objects import PlainNested
from rankscope.inputs.problems import KEPT, LINE_BITS, Problems, file_of_line, shorten_value
from rankscope.inputs.qrels import JudgedItems, JudgedLists, Qrels, read_junk
from rankscope.inputs.reading import Reading, reading_of
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import RunRows, contradiction_of, line_numbers
from rankscope.ranks.kept_scores import lots_of_names
from rankscope.ranks.query_blocks import ItemKeys, Scattered, WholeQueries, gather_rows, keys_of, whole_queries
from rankscope.ranks.ragged import Ragged, ranges
from rankscope.ranks.relevant_ranks import (
    CONTRADICTION,
    KEPT_DISTRACTORS,
    JudgementFacts,
    RelevantRanks,
    RunFacts,
    UnmetItems,
    count_levels,
    is_rare,
    reduction_provenance,
)
from rankscope.ranks.ties import ScoredRows, find_hits, ranks_of, ranks_of_hits

Progress = Callable[[str, float], None]  # name of the run, share of it that has been read


@strict_keywords
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
    settings = settings or Settings()
    reading = reading or reading_of(comments=settings.comments, scores=settings.scores)
    qrels, run = Qrels.of(qrels, reading), Run.of(run, reading)
    unwanted = [] if junk == () else read_junk(junk, reading)
    # Nothing leaves the lists, and judged items and their scores are all that is asked of them.
    needs_no_rows = not unwanted and not keep_scores and settings.query_item == "kept" and settings.ties != "rank"
    if needs_no_rows and run.plain is not None and qrels.judged_lists is not None:
        found = Found(qrels.judged_lists, None, settings, Problems(run.place), keep_scores=False)
        found.add_answers(run.plain, qrels.judged_lists)
    else:
        found = collect_rows(nothing_found(qrels, run.place, settings, unwanted, keep_scores), run, progress)
        found.problems.raise_if_any()
    if not found.rows_of_query:
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


def check_common(found: Found, qrels: JudgementFacts) -> None:
    """Raise what is wrong with the run, or that nothing of it is judged."""
    if not found.problems.any and not found.rows_of_query:
        advice = UnlikeIds.of(found.not_judged, found.judged.queries).advice("query")
        found.problems.add("", f"no query of the run is judged in {qrels.name}", advice)
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


# What a reduction has found so far: the judged items of block after block, and all of them together in the end.

ACROSS = "{count} duplicate{s} between files: does each file hold another system?"


@dataclass
class Found:
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
    occur: bool = False  # whether items that are not judged for their query are for another, in blocks of such alone
    returned: int = 0

    def fresh(self) -> Self:
        """The same before anything was found: what is gathered begins empty."""
        gathered = {each.name: each.default_factory() for each in fields(self) if each.default_factory is not MISSING}
        return replace(self, problems=Problems(self.problems.source), returned=0, occur=False, **gathered)

    def add(self, part: WholeQueries) -> None:
        """Find the judged items of a block of whole queries."""
        judged = self.judged
        assert isinstance(judged, JudgedItems)
        self.returned += len(part.rows)
        part = self.settled(part)
        row_of = self._rows_of(part.queries, part.lengths)
        if len(part.rows) == 0:
            return
        scored = ScoredRows(self.sorting_scores(part.rows), part.segment, part.lengths, stable=self.keep_scores)
        rows, entry = find_judged(part.keys, row_of, judged)
        if not rows.size:
            self.look_for_ids(part.rows.item)
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
        if not hits.entry.size:
            self.look_for_ids(answers)
        row, grade = judged.query_row[hits.entry], judged.given.values[hits.entry]
        self.items.append({"row": row, "rank": rank, "grade": grade, "score": hits.score})
        if groups is not None:
            self.groups.append({"row": row_of[groups.segment], "start": groups.above + 1, "size": groups.size})

    def look_for_ids(self, items: IdColumn | PlainNested) -> None:
        """See whether the items of a block occur in the judgements, where none of them is judged for its query."""
        if self.occur:
            return
        if isinstance(self.judged, JudgedLists):
            assert isinstance(items, PlainNested)
            self.occur = not set(self.judged.names).isdisjoint(items.items())
        elif isinstance(items, IdColumn):
            known, hashes = self.judged.like(items)
            once, rows = np.unique(hashes, return_index=True)
            self.occur = bool(ItemKeys(items, items.hashes()).find(known.take(rows), once)[0].size)

    def with_doubts(self, ranks: RelevantRanks, run: Run) -> RelevantRanks:
        """The whole reduction with what casts doubt on it: ranks that contradict scores, ids that do not meet."""
        ranks = self._with_unmet(ranks, run)
        # The first rows tell whether ranks contradict scores, where ranks do not decide anyway.
        found = None if run.plain is not None or self.settings.ties == "rank" else contradiction_of(run)
        if found is None:
            return ranks
        facts = {**ranks.provenance.get("run", {}), CONTRADICTION: found._asdict()}
        return replace(ranks, provenance={**ranks.provenance, "run": facts})

    def _with_unmet(self, ranks: RelevantRanks, run: Run) -> RelevantRanks:
        """With ids of both sides where hardly any item is judged; the run is looked into again."""
        of_ranks, judged = ranks.judged, self.judged.grade.size
        begins_judged = of_ranks.size and of_ranks.columns["rank"][0] <= FIRST_ITEMS
        if begins_judged and not is_rare(of_ranks.size, self.returned, judged):
            return ranks
        first = any((each["rank"] <= FIRST_ITEMS).any() for each in (of_ranks, ranks.pooled))
        found = of_ranks.size + ranks.pooled.size
        if not self.returned or (first and not is_rare(found, self.returned, judged)):
            return ranks
        items = (block.rows.item.slice(0, IDS_LOOKED_AT).to_list() for block in run.blocks(Problems(run.place)))
        some = islice(chain.from_iterable(items), IDS_LOOKED_AT)
        known = self.judged.item.to_list() if isinstance(self.judged, JudgedItems) else self.judged.names
        ids = UnlikeIds.of(some, known)
        ids = replace(ids, pattern="") if run.rolled_up else ids
        occur = self.occur or found > 0
        return replace(
            ranks, unmet=UnmetItems(found=found, returned=self.returned, judged=judged, occur=occur, ids=ids)
        )

    def _rows_of(self, queries: tuple[str, ...], lengths: IntArray) -> IntArray:
        """The judged row of each query of a part, -1 where it has none; how many items it has is noted."""
        rows = [self.judged.row_of.get(query, -1) for query in queries]
        noted = dict(zip(rows, lengths.tolist(), strict=True))
        if noted.pop(-1, None) is not None:
            self.not_judged += [query for query, row in zip(queries, rows, strict=True) if row < 0]
        self.rows_of_query.update(noted)
        return np.array(rows, dtype=np.int64)

    def settled(self, part: WholeQueries) -> WholeQueries:
        """The block without duplicates and junk."""
        earlier, later = part.keys.repeated()
        keep = np.ones(len(part.rows), dtype=np.bool_)
        if earlier.size:
            keep &= self._without_duplicates(part, earlier, later)
        if self.settings.ties == "rank" and part.rows.rank is not None:
            # The ranks must count 1, 2, 3, ...: with the duplicates that go, or without; junk is still there.
            wrong = _wrong_ranks(part)
            if wrong and not keep.all():
                wrong = _wrong_ranks(part.keep(keep)) and wrong
            for query, what, line in wrong:
                self.problems.add_follower(f"query {query}", what, order=line)
        if self.junk is not None:
            row_of = np.array([self.junk.row_of.get(query, -1) for query in part.queries], dtype=np.int64)
            rows, _ = find_judged(part.keys, row_of, self.junk)
            keep[rows] = False
        return part if keep.all() else part.keep(keep)

    def _without_duplicates(self, part: WholeQueries, earlier: IntArray, later: IntArray) -> BoolArray:
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

    def _complain(self, part: WholeQueries, earlier: IntArray, later: IntArray) -> None:
        line = line_numbers(part.rows.line)
        across: BoolArray = line[earlier] >> LINE_BITS != line[later] >> LINE_BITS  # they stand in two files
        for pairs, what in ((np.flatnonzero(across), ACROSS), (np.flatnonzero(~across), "")):
            told = pairs[np.argsort(line[later[pairs]])][:KEPT]
            for one, other in zip(earlier[told].tolist(), later[told].tolist(), strict=True):
                self.complain_of_pair(part.queries[part.segment[one]], part.rows.item[one], part.rows, one, other)
            if pairs.size > told.size:
                self.problems.more(pairs.size - told.size, what)

    def complain_of_pair(self, query: str, item: str, rows: RunRows, one: int, other: int) -> None:
        """An item of a query stands in two rows; where these are of two files, that is told once for all of them."""
        what = f"item {shorten_value(item)} is ranked twice ({rows.places(one, other)})"
        order = int(rows.line[other])
        best = setting_value("duplicates", "best")
        self.problems.advise(f"Rank an item once per query, or choose {best}, first or last.")
        if file_of_line(int(rows.line[one]))[0] == file_of_line(order)[0]:
            self.problems.add(f"query {query}", what, order=order)
            return
        self.problems.add_alike(ACROSS, f"query {query}", what, order)
        self.problems.advise(f"A folder or pattern is one system. {several_files(self.problems.source)}.")

    def sorting_scores(self, rows: RunRows) -> FloatArray:
        """What the order is made of: scores in the width asked for, or the rank column."""
        if self.settings.ties == "rank" and rows.rank is not None:
            return -rows.rank.astype(np.float64)
        return in_width(rows.score, self.settings.score_width)

    def assembled(self, run: RunFacts, qrels: JudgementFacts, rows: IntArray | None = None) -> RelevantRanks:
        """All blocks together, one row per judged query, or only for some of them, ascending."""
        judged = self.judged
        chosen = np.arange(len(judged.queries)) if rows is None else rows
        count = chosen.size
        place = np.full(len(judged.queries), -1)  # of each judged query among those chosen
        place[chosen] = np.arange(count)
        scores = ("score",) if run.gives_scores else ()
        columns = ("rank", "grade", *scores) if self.keep_scores else ("rank", "grade")
        depth, answered = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_)
        found = place[np.fromiter(self.rows_of_query, np.int64, len(self.rows_of_query))]
        depth[found] = np.fromiter(self.rows_of_query.values(), np.int64, found.size)
        answered[found] = True
        left_out = np.zeros(count, dtype=np.int64) if self.junk is None else self._left_out(self.junk)[chosen]
        known = self.settings.collection_size
        return RelevantRanks.assemble(
            judged.queries if rows is None else [judged.queries[row] for row in rows.tolist()],
            _joined(self.items, place, count, "rank", columns),
            levels=_levels(judged, chosen),
            depth=depth,
            answered=answered,
            collection=None if known is None else known - left_out,
            ties=_joined(self.groups, place, count, "start", ("start", "size")),
            system=run.name,
            tag=run.tag,
            top_grade=max(qrels.top_grade, float(judged.grade.max(initial=0.0))),
            distractors=_joined(self.best, place, count, "order", (*scores, "lot")) if self.keep_scores else None,
            not_judged=tuple(sorted(self.not_judged)),
            left_out=left_out,
            provenance=reduction_provenance(run, qrels, self.settings, self.returned),
        )

    def _left_out(self, junk: JudgedItems) -> IntArray:
        """How many items of the collection are junk to each judged query."""
        count = np.zeros(len(self.judged.queries), dtype=np.int64)
        for query, number in zip(junk.queries, np.diff(junk.offsets).tolist(), strict=True):
            if query in self.judged.row_of:
                count[self.judged.row_of[query]] = number
        return count


def in_width(score: FloatArray, width: int) -> FloatArray:
    """Scores as far as they are distinguished: rounded to 32 bits, or as they are."""
    if width == 64:
        return score
    with np.errstate(over="ignore"):
        return score.astype(np.float32).astype(np.float64)


def _levels(judged: JudgedItems | JudgedLists, chosen: IntArray) -> Ragged:
    """How many items of each of the chosen queries were judged at each grade."""
    if isinstance(judged, JudgedLists):
        row, grade, number = judged.levels
        return Ragged.from_rows(row, len(judged.queries), grade=grade, count=number)
    lengths = np.diff(judged.offsets)[chosen]
    entries = ranges(judged.offsets[chosen], lengths)
    row = np.repeat(np.arange(lengths.size), lengths)
    return count_levels(row, judged.grade[entries], np.ones(entries.size, dtype=np.int64), lengths.size)


def find_judged(keys: ItemKeys, row_of: IntArray, wanted: JudgedItems) -> tuple[IntArray, IntArray]:
    """Rows of the block that hold a wanted item of their query, and which item that is."""
    segments = np.flatnonzero(row_of >= 0)
    lengths = np.diff(wanted.offsets)[row_of[segments]]
    entries = ranges(wanted.offsets[row_of[segments]], lengths)
    segment = np.repeat(segments, lengths)
    items, hashes = wanted.like(keys.item)
    rows, index = keys.find(items.take(entries), keys_of(hashes[entries], segment))
    return rows, entries[index]


def _best_others(part: WholeQueries, scored: ScoredRows, row_of: IntArray, relevant: IntArray) -> dict[str, Any]:
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


def _joined(parts: list[dict[str, Any]], place: IntArray, lists: int, order: str, columns: tuple[str, ...]) -> Ragged:
    """Blocks' findings as so many lists, that of each query at its place, sorted by the order column."""
    if not parts:
        kinds = {name: np.float64 if name in ("score", "grade") else np.int64 for name in columns}
        return Ragged(np.zeros(lists + 1, np.int64), {name: np.empty(0, kind) for name, kind in kinds.items()})
    names = {"row", order, *columns}
    whole = {name: np.concatenate([part[name] for part in parts]) if parts[1:] else parts[0][name] for name in names}
    judged = whole["row"] >= 0
    if not judged.all():
        whole = {name: column[judged] for name, column in whole.items()}
    whole["row"] = place[whole["row"]]
    sorting = np.argsort(whole["row"] * (whole[order].max(initial=0) + 1) + whole[order], kind="stable")
    return Ragged.from_rows(whole["row"][sorting], lists, **{name: whole[name][sorting] for name in columns})


def _wrong_ranks(part: WholeQueries) -> list[tuple[str, str, int]]:
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
        row = int(scored.at(np.array([place]))[0])
        what = f"ranks must run 1, 2, 3, ... without gaps or doubles; expected {expected[place]}, got {rank[place]}"
        problems.append((part.queries[segment], f"{what} ({part.rows.place(row)})", int(part.rows.line[row])))
    return problems
