"""Ranks without moving rows: the judged items first, then how many rows of each part stand before each of them.

For queries that are larger than memory, and for places where moving data is dear. The rank of an item is one more
than the sum of these counts, so parts can be counted anywhere and in any order. An item that is not judged and is
ranked twice in different parts cannot be seen.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import InputError
from rankscope.inputs.array_files import Archive
from rankscope.inputs.id_columns import join_columns
from rankscope.inputs.qrels import JudgedItems
from rankscope.inputs.run_rows import RunBlock, RunRows, line_numbers
from rankscope.ranks.kept_scores import lots_of_names
from rankscope.ranks.parts.plan import PartFacts, ReductionPlan, RunPart, run_of_part
from rankscope.ranks.parts.work import facts_of
from rankscope.ranks.query_blocks import ItemKeys, QueryNumbers, WholeQueries, gather_rows
from rankscope.ranks.ragged import changes, ranges
from rankscope.ranks.reduction import Found, find_judged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS
from rankscope.ranks.ties import Placement, ScoredRows, ranks_of, standing

COUNTED = ("before", "above", "equal")
ROWS_AT_ONCE = 1 << 21
BEST = ("row", "key", "score", "lot", "line")


@dataclass
class Arrays:
    """Arrays by name, and facts: what a part of the work gives."""

    columns: dict[str, NDArray[Any]]
    facts: PartFacts
    not_judged: list[str]
    word: str = "row"


class NumbersForm:
    """Arrays in files that hold numbers only."""

    suffix = ".npz"

    def read(self, file: Path) -> Arrays | None:
        """The arrays in a file; None where there is none that is whole."""
        try:
            columns = Archive.of(file).arrays()
            about = json.loads(columns.pop("about").tobytes())
            return Arrays(columns, PartFacts.from_data(about["facts"]), about["not_judged"], about["word"])
        except (InputError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def write(self, result: Arrays, stream: BinaryIO) -> None:
        about = {"facts": result.facts.to_data(), "not_judged": result.not_judged, "word": result.word}
        text = np.frombuffer(json.dumps(about, sort_keys=True).encode(), dtype=np.uint8)
        file = io.BytesIO()
        columns: dict[str, Any] = {"about": text, **result.columns}
        np.savez(file, **columns)
        stream.write(file.getvalue())


def find_hits(plan: ReductionPlan, part: RunPart) -> Arrays:
    """The judged items among the rows of a part."""
    run = run_of_part(part, plan.files, plan.name, plan.reading)
    found, word = plan.found(), "row"
    finder, hits = HitFinder(found), []
    for blocks in portions(run.blocks(found.problems), min(plan.rows_in_memory, ROWS_AT_ONCE)):
        block = RunBlock.join(blocks)
        hits.append(finder.of(block))
        found.returned += len(block)
        word = block.rows.word
    columns = {name: getattr(JudgedHits.join(hits), name) for name in HIT_FIELDS}
    return Arrays(columns, facts_of(plan, part, run, found), [], word)


@dataclass(frozen=True)
class Counting:
    """What every part needs for counting: the judged items of the whole run, and where they stand among each other."""

    plan: ReductionPlan
    hits: JudgedHits
    alone: HitOrder


def among_each_other(plan: ReductionPlan, hits: JudgedHits) -> HitOrder:
    """Where the judged items stand among each other."""
    found, judged = plan.nothing, plan.judged
    row = judged.query_row[hits.entry]
    lines = np.argsort(hits.line, kind="stable")
    lengths = np.bincount(row, minlength=len(judged.queries)).astype(np.int64)
    scored = ScoredRows(hits.key[lines], row[lines], lengths)
    place = np.empty(lines.size, dtype=np.int64)
    place[lines] = np.arange(lines.size)
    return order_among(place, scored, judged.item.take(hits.entry[lines]), judged.queries, found)


def count_rows(counting: Counting, part: RunPart) -> Arrays:
    """For each judged item, how many rows of a part that are not judged stand before it, score higher, and the same."""
    plan = counting.plan
    run = run_of_part(part, plan.files, plan.name, plan.reading)
    found = plan.found()
    counts = np.zeros((3, len(counting.hits)), dtype=np.int64)
    depth = np.zeros(len(plan.judged.queries), dtype=np.int64)
    answered = np.zeros(len(plan.judged.queries), dtype=np.bool_)
    best: list[dict[str, NDArray[Any]]] = []
    not_judged: set[str] = set()
    for rows in portions(run.blocks(plan.found().problems), plan.rows_in_memory):
        for whole in gather_rows(rows):
            row_of = np.array([plan.judged.row_of.get(query, -1) for query in whole.queries], dtype=np.int64)
            not_judged.update(query for query, row in zip(whole.queries, row_of.tolist(), strict=True) if row < 0)
            answered[row_of[row_of >= 0]] = True
            # The rows that are not judged, without junk and duplicates.
            assert isinstance(found.judged, JudgedItems)
            judged, _ = find_judged(whole.keys, row_of, found.judged)
            keep = np.ones(len(whole.rows), dtype=np.bool_)
            keep[judged] = False
            left = found.settled(whole.keep(keep))
            np.add.at(depth, row_of[row_of >= 0], left.lengths[row_of >= 0])
            _add_counts(counts, counting, left, row_of)
            if found.keep_scores:
                best.append(_best_of(left, row_of, found))
    columns = {"before": counts[0], "above": counts[1], "equal": counts[2], "depth": depth, "answered": answered}
    columns |= first_of(best) if best else {}
    return Arrays(columns, PartFacts(found.problems), sorted(not_judged))


def portions(blocks: Iterable[RunBlock], most: int) -> Iterator[list[RunBlock]]:
    """Blocks together, until they have so many rows."""
    waiting: list[RunBlock] = []
    for block in blocks:
        waiting.append(block)
        if sum(map(len, waiting)) >= most:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _add_counts(counts: IntArray, counting: Counting, left: WholeQueries, row_of: IntArray) -> None:
    plan, hits = counting.plan, counting.hits
    segment_of = np.full(len(plan.judged.queries), -1)
    there = np.flatnonzero(row_of >= 0)
    segment_of[row_of[there]] = there
    owner = segment_of[plan.judged.query_row[hits.entry]]
    chosen = np.flatnonzero(owner >= 0)
    rows, segment = _with_hits(left, hits.take(chosen), owner[chosen], plan)
    order = np.argsort(line_numbers(rows.line), kind="stable")
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    rows, segment = rows.take(order), segment[order]
    lengths = np.bincount(segment, minlength=len(left.queries)).astype(np.int64)
    asked = place[len(left.rows) :]
    found = plan.nothing
    now = order_among(asked, ScoredRows(rows.score, segment, lengths), rows.item, left.queries, found)
    alone = counting.alone
    counts[0][chosen] += now.rank - alone.rank[chosen]
    counts[1][chosen] += now.above - alone.above[chosen]
    counts[2][chosen] += now.equal - alone.equal[chosen]


def _with_hits(
    left: WholeQueries, hits: JudgedHits, segment: IntArray, plan: ReductionPlan
) -> tuple[RunRows, IntArray]:
    """Rows that are not judged, and behind them all judged items of their queries; scores are what sorts them."""
    items, _ = plan.judged.like(left.rows.item)
    rows = replace(
        left.rows,
        item=join_columns([left.rows.item, items.take(hits.entry)]),
        score=np.concatenate([plan.nothing.sorting_scores(left.rows), hits.key]),
        line=np.concatenate([line_numbers(left.rows.line), hits.line]),
        rank=None,
    )
    return rows, np.concatenate([left.segment, segment])


def _best_of(left: WholeQueries, row_of: IntArray, found: Found) -> dict[str, NDArray[Any]]:
    """The first rows of each judged query that are not judged."""
    segments = np.flatnonzero(row_of >= 0)
    key = found.sorting_scores(left.rows)
    scored = ScoredRows(key, left.segment, left.lengths, stable=True)
    rows = scored.at(ranges(scored.starts[segments], np.minimum(left.lengths[segments], KEPT_DISTRACTORS)))
    return {
        "row": row_of[left.segment[rows]],
        "key": key[rows],
        "score": left.rows.score[rows],
        "lot": lots_of_names(left.rows.item.take(rows)),
        "line": line_numbers(left.rows.line)[rows],
    }


class Totals:
    """The sums of all parts, one part after the other: ranks are known when all are there."""

    def __init__(self, counting: Counting) -> None:
        plan = counting.plan
        self.counting, self.row = counting, plan.judged.query_row[counting.hits.entry]
        self.grade = plan.judged.grade[counting.hits.entry]
        self.counts = {name: np.zeros(len(counting.hits), dtype=np.int64) for name in COUNTED}
        self.depth = np.bincount(self.row, minlength=len(plan.judged.queries)).astype(np.int64)
        self.answered = np.zeros(len(plan.judged.queries), dtype=np.bool_)
        self.not_judged: set[str] = set()
        self.facts: list[PartFacts] = []
        wrong = np.flatnonzero(self.grade < 1)
        lot = lots_of_names(plan.judged.item.take(counting.hits.entry[wrong]))
        hits = counting.hits.take(wrong)
        best = {"row": self.row[wrong], "key": hits.key, "score": hits.score, "lot": lot, "line": hits.line}
        self.best = first_of([best])

    def add(self, part: Arrays) -> None:
        for name in COUNTED:
            self.counts[name] += part.columns[name]
        self.depth += part.columns["depth"]
        self.answered |= part.columns["answered"]
        self.not_judged |= set(part.not_judged)
        self.facts.append(part.facts)
        if "lot" in part.columns:
            self.best = first_of([self.best, _likely(part.columns, self.best, self.answered.size)])

    def collect(self, found: Found) -> None:
        """Ranks, groups of equal scores, depths and best distractors, as a reduction finds them."""
        hits, alone, counts = self.counting.hits, self.counting.alone, self.counts
        rank = alone.rank + counts["before"]
        found.items.append({"row": self.row, "rank": rank, "grade": self.grade, "score": hits.score})
        found.groups.append(_groups(self.row, alone.above + counts["above"] + 1, alone.equal + counts["equal"]))
        there = np.flatnonzero(self.answered)
        found.rows_of_query = dict(zip(there.tolist(), self.depth[there].tolist(), strict=True))
        found.not_judged = sorted(self.not_judged)
        if found.keep_scores:
            best = first_of([self.best])
            own = {name: best[name] for name in ("row", "score", "lot")}
            found.best.append({**own, "order": np.arange(best["row"].size)})


def _groups(row: IntArray, start: IntArray, size: IntArray) -> dict[str, IntArray]:
    """Each group of two or more equal scores once."""
    several = size > 1
    groups = np.unique(np.stack([row[several], start[several], size[several]]), axis=1)
    return {"row": groups[0], "start": groups[1], "size": groups[2]}


def _likely(new: Mapping[str, NDArray[Any]], best: Mapping[str, NDArray[Any]], queries: int) -> dict[str, NDArray[Any]]:
    """Of more distractors those that are not behind all that are kept already."""
    last = np.full(queries, -np.inf)
    count = np.bincount(best["row"], minlength=queries)
    full = np.flatnonzero(count == KEPT_DISTRACTORS)
    last[full] = best["key"][np.cumsum(count)[full] - 1]
    chosen = new["key"] >= last[new["row"]]
    return {name: new[name][chosen] for name in BEST}


def first_of(several: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """The first distractors of each query of all these, by query and in their order."""
    whole = pl.DataFrame({name: np.concatenate([each[name] for each in several]) for name in BEST})
    ordered = whole.sort("row", "key", "line", descending=[False, True, False])
    owner = ordered.get_column("row").to_numpy()
    nth = np.arange(owner.size) - np.maximum.accumulate(np.where(changes(owner), np.arange(owner.size), 0))
    first = ordered.filter(pl.Series(nth < KEPT_DISTRACTORS))
    return {name: first.get_column(name).to_numpy() for name in BEST}


# The judged items that a run holds, gathered from all its parts: what ranks are asked for.


@dataclass(frozen=True)
class JudgedHits:
    """Judged items found: which judgement, score, and line; where they stand among each other, once that is known."""

    entry: IntArray
    score: FloatArray
    key: FloatArray  # what the order is made of
    line: IntArray

    @classmethod
    def none(cls) -> JudgedHits:
        whole, broken = np.empty(0, dtype=np.int64), np.empty(0)
        return cls(whole, broken, broken, whole)

    @classmethod
    def join(cls, parts: Sequence[JudgedHits]) -> JudgedHits:
        return cls(
            **{name: np.concatenate([getattr(each, name) for each in (cls.none(), *parts)]) for name in HIT_FIELDS}
        )

    def take(self, rows: IntArray) -> JudgedHits:
        return JudgedHits(**{name: getattr(self, name)[rows] for name in HIT_FIELDS})

    def __len__(self) -> int:
        return self.entry.size


HIT_FIELDS = ("entry", "score", "key", "line")


class HitFinder:
    """Finds the judged items in blocks of rows, in which queries come in any order."""

    def __init__(self, found: Found) -> None:
        self.found, self.numbers = found, QueryNumbers()
        self.row_of = np.empty(0, dtype=np.int64)

    def of(self, block: RunBlock) -> JudgedHits:
        """The judged items of a block."""
        number = self.numbers.of(block.query)
        new = self.numbers.queries[self.row_of.size :]
        rows = [self.found.judged.row_of.get(query, -1) for query in new]
        self.row_of = np.concatenate([self.row_of, np.array(rows, dtype=np.int64)])
        judged = self.found.judged
        assert isinstance(judged, JudgedItems)
        there, entry = find_judged(ItemKeys.of(block.rows.item, number), self.row_of, judged)
        if not there.size:
            self.found.look_for_ids(block.rows.item)
        return JudgedHits(
            entry=entry,
            score=block.rows.score[there],
            key=self.found.sorting_scores(block.rows)[there],
            line=line_numbers(block.rows.line)[there],
        )


def without_repetitions(hits: JudgedHits, found: Found, files: tuple[str, ...], word: str) -> JudgedHits:
    """Each judged item once, in the order of judgements; those that were ranked twice are settled or are problems."""
    order = np.lexsort((hits.line, hits.entry))
    hits = hits.take(order)
    again = np.flatnonzero(hits.entry[1:] == hits.entry[:-1])
    if not again.size:
        return hits
    policy = found.settings.duplicates
    if policy == "error":
        judged: Any = found.judged
        rows = RunRows(item=judged.item, score=hits.score, line=hits.line, word=word, files=files)
        for one in again.tolist():
            entry = int(hits.entry[one])
            query = judged.queries[int(judged.query_row[entry])]
            found.complain_of_pair(query, judged.item[entry], rows, one, one + 1)
    if policy == "best":
        hits = hits.take(np.lexsort((hits.line, -hits.score, hits.entry)))
    last = policy == "last"
    new = changes(hits.entry)
    return hits.take(np.flatnonzero(np.concatenate([new[1:], [True]]) if last else new))


class HitOrder(NamedTuple):
    """Where hits stand among some rows of their queries: rank, how many score higher, and how many the same."""

    rank: IntArray
    above: IntArray
    equal: IntArray


def order_among(rows: IntArray, scored: ScoredRows, item: Any, queries: Sequence[str], found: Found) -> HitOrder:
    """Where some of these rows stand among all of them."""
    rank, _ = ranks_of(rows, scored, item, queries, found.settings.ties, found.settings.seed)
    place: Placement = standing(rows, scored)
    size = np.concatenate([place.groups.size, [1]])
    return HitOrder(rank, place.above, size[place.group])
