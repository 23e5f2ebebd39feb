"""The reduction of a run in parts that run anywhere, in any order, continue where they were stopped, and end as one.

Ranks are counted without moving rows where queries are larger than memory, or where moving data is dear: the judged
items first, then how many rows of each part stand before each of them. The rank of an item is one more than the sum
of these counts, so parts can be counted anywhere and in any order. An item that is not judged and is ranked twice in
different parts cannot be seen.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, SettingError
from rankscope.core.machine import memory_of, memory_text
from rankscope.core.parts import PartsFolder, Runner, finish_parts, finished_parts, parts_folder
from rankscope.core.runners import runner_of
from rankscope.core.settings import Settings
from rankscope.core.wording import setting_value
from rankscope.inputs.array_files import Archive
from rankscope.inputs.id_columns import join_columns
from rankscope.inputs.parts import AlikeParts, PartFiles, digest_of_files, read_part, run_of_files, unlike_files
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import JudgedItems, Qrels, read_junk
from rankscope.inputs.reading import Reading
from rankscope.inputs.remote import is_remote
from rankscope.inputs.run_rows import RunBlock, RunRows, line_numbers
from rankscope.inputs.sources import Source
from rankscope.ranks.kept_scores import lots_of_names
from rankscope.ranks.parts.resources import Size, Where, announcement, rows_within, size_of
from rankscope.ranks.parts.work import (
    BucketFiles,
    PartFacts,
    PartRanks,
    RanksForm,
    ReadRun,
    ReductionPlan,
    RunPart,
    SharedForm,
    SharedOut,
    facts_of,
    parts_of_files,
    reduce_bucket,
    reduce_file,
    run_of_part,
    share_out,
)
from rankscope.ranks.query_blocks import ItemKeys, QueryNumbers, Scattered, WholeQueries, gather_rows, whole_queries
from rankscope.ranks.ragged import changes, ranges
from rankscope.ranks.reduction import Found, Progress, check_common, find_judged, nothing_found
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, JudgementsInShort, RelevantRanks, reduction_provenance
from rankscope.ranks.ties import Placement, ScoredRows, ranks_of, standing

ROWS_A_BUCKET = 1 << 20  # where memory allows more, it does not make it faster
ROWS_A_PART = 1 << 23  # of a file whose rows are shared out
MOST_BUCKETS = 4096
UNSEEN = "an item that is not judged and ranked twice in different parts cannot be seen when rows are counted in place"
FIRST_STAGE = 0.4  # of the time, when rows are shared out first


def reduce_in_parts(
    qrels: Any,
    name: str,
    files: PartFiles,
    settings: Settings,
    *,
    junk: Any,
    keep_scores: bool,
    reading: Reading,
    progress: Progress | None,
    where: Where,
    result: str | Path | None,
) -> RelevantRanks:
    """The ranks of the run in these files; what `scale.where.reduce_where` gives where it does not fit."""
    unlike_files(files, reading).raise_if_any()
    judged = Qrels.of(qrels, reading)
    unwanted = [] if junk == () else read_junk(junk, reading)
    memory = memory_of(where.memory)
    # The same files by paths that other processes find too.
    parts = [
        each if is_remote(files.path) else Source(os.path.abspath(each.path), max_ratio=each.max_ratio)
        for each in files.parts
    ]
    absolute = replace(files, parts=tuple(parts))
    plan = ReductionPlan(
        files=absolute,
        name=name,
        reading=reading,
        nothing=nothing_found(judged, files.name, settings, unwanted, keep_scores),
        qrels=JudgementsInShort.of(judged),
        rows_in_memory=rows_within(memory),
        with_digest=where.digest,
    )
    runner = runner_of(where.on) if isinstance(where.on, str) else where.on
    with parts_folder(where.work, result) as folder:
        return PartsReduction(
            plan=plan, runner=runner, folder=folder, memory=memory, say=where.say, progress=progress
        ).ranks(where.shuffle)


@dataclass(frozen=True)
class PartsReduction:
    """One reduction in parts: file by file where every query is whole in one, else shared out to buckets first."""

    plan: ReductionPlan
    runner: Runner
    folder: Path
    memory: int
    say: Callable[[str], None]
    progress: Progress | None

    def ranks(self, shuffle: str) -> RelevantRanks:
        size = size_of(self.plan.files, self.plan.reading)
        if shuffle == "none":
            return self._by_counting(size)
        if not looks_scattered(self.plan.files, self.plan.reading):
            files = parts_of_files(self.plan.files, self.plan.reading, self.plan.about("reduce file"))
            self._announce(size, "whole", len(files))
            kept = PartsFolder(self.folder, RanksForm())
            done = finish_parts(reduce_file, self.plan, files, self.runner, kept, self._shown(0, 1))
            parts = [done.pop(part.digest) for part in files]
            if not has_torn_queries(parts):
                return join_parts(self.plan, parts, [part.facts for part in parts])
            parts.clear()
        return self._by_bucket(size)

    def _by_bucket(self, size: Size) -> RelevantRanks:
        most = min(self.plan.rows_in_memory, ROWS_A_BUCKET)
        plan = replace(self.plan, folder=self.folder, buckets=max(1, min(MOST_BUCKETS, -(-size.rows // most))))
        parts = parts_of_files(plan.files, plan.reading, plan.about("share out"), ROWS_A_PART)
        self._announce(size, "scattered", plan.buckets)
        kept = PartsFolder(self.folder, SharedForm())
        shared = finish_parts(share_out, plan, parts, self.runner, kept, self._shown(0, FIRST_STAGE))
        in_order = [(part, shared[part.digest]) for part in parts]
        largest = max(map(sum, zip(*(each.rows for _, each in in_order), strict=True)), default=0)
        if largest > max(plan.rows_in_memory, ROWS_A_BUCKET):
            self.say(
                f"{plan.name}: one query has most rows of a part, {largest:,}, "
                f"more than {memory_text(self.memory)} hold"
            )
            if plan.nothing.settings.ties != "rank":
                return self._by_counting(size)
        buckets = buckets_of(plan, in_order)
        shown = self._shown(FIRST_STAGE, 1 - FIRST_STAGE)
        done = finish_parts(reduce_bucket, plan, buckets, self.runner, PartsFolder(self.folder, RanksForm()), shown)
        ranks = [done.pop(bucket.digest) for bucket in buckets]
        read = [each.facts for _, each in in_order]
        # Rows of a bucket were counted when they were read: only its problems are new.
        read += [PartFacts(part.facts.problems, occur=part.facts.occur) for part in ranks]
        return join_parts(plan, ranks, read)

    def _by_counting(self, size: Size) -> RelevantRanks:
        """Two passes over the files where they lie: the judged items, then what stands before them."""
        plan = self.plan
        if plan.nothing.settings.ties == "rank":
            wanted = setting_value("ties", "rank")
            raise SettingError(f"{wanted} needs all ranks of a query at once, which counting in parts does not have")
        parts = parts_of_files(plan.files, plan.reading, plan.about("find hits"), plan.rows_in_memory)
        self._announce(size, "counted", len(parts))
        self.say(f"{plan.name}: {UNSEEN}")
        kept = PartsFolder(self.folder, NumbersForm())
        found = finish_parts(find_hits, plan, parts, self.runner, kept, self._shown(0, FIRST_STAGE))
        read = [found[part.digest] for part in parts]
        end = plan.found()
        hits = JudgedHits.join([JudgedHits(**each.columns) for each in read])
        hits = without_repetitions(hits, end, plan.files.labels, read[0].word if read else "row")
        counting = Counting(plan, hits, among_each_other(plan, hits))
        about = {**plan.about("count rows"), "parts": [part.digest for part in parts]}
        again = parts_of_files(plan.files, plan.reading, about, plan.rows_in_memory)
        shown = self._shown(FIRST_STAGE, 1 - FIRST_STAGE)
        totals = Totals(counting)
        for _, counted in finished_parts(count_rows, counting, again, self.runner, kept, shown):
            totals.add(counted)
        totals.collect(end)
        facts, whole = _joined_facts(plan, [*(each.facts for each in read), *totals.facts])
        _check_read(end, facts, plan)
        return end.with_doubts(end.assembled(whole, plan.qrels), run_of_files(plan.files, plan.reading))

    def _announce(self, size: Size, layout: str, parts: int) -> None:
        cores = getattr(self.runner, "count", None) or 1
        self.say(announcement(self.plan.name, size, layout, parts, self.memory, size.seconds(layout, cores)))

    def _shown(self, first: float, share: float) -> Callable[[float], None] | None:
        progress = self.progress
        return None if progress is None else lambda done: progress(self.plan.name, first + done * share)


def buckets_of(plan: ReductionPlan, shared: Sequence[tuple[RunPart, SharedOut]]) -> list[BucketFiles]:
    """The buckets that hold anything, each with its files in the order of the parts."""
    result = []
    about = {**plan.about("reduce bucket"), "parts": [part.digest for part, _ in shared]}
    for number in range(plan.buckets):
        files = tuple(plan.folder / part.digest / name for part, each in shared for name in each.files[number])
        if files:
            result.append(BucketFiles(number, digest_of({**about, "number": number}), files, shared[0][1].word))
    return result


def join_parts(plan: ReductionPlan, parts: list[PartRanks], read: Sequence[PartFacts]) -> RelevantRanks:
    """One reduction from those of the parts, and the facts of all that was read; raises everything that is wrong.

    The list of parts is emptied, so that nothing is held twice for longer than it must.
    """
    facts, whole = _joined_facts(plan, read)
    there = [part.ranks for part in parts if part.ranks is not None and len(part.ranks)]
    end = plan.found()
    end.not_judged = [query for part in parts if part.ranks is not None for query in part.ranks.not_judged]
    row_of = plan.nothing.judged.row_of
    rows = np.array([row_of[query] for ranks in there for query in ranks.queries], dtype=np.int64)
    end.rows_of_query = dict.fromkeys(rows.tolist(), 0)
    _check_read(end, facts, plan)
    end.rows_of_query = {}
    missing = np.setdiff1d(np.arange(len(plan.nothing.judged.queries)), rows)
    rest = end.assembled(whole, plan.qrels, missing)
    parts.clear()
    joined = RelevantRanks.join([_alike(each, whole.gives_scores) for each in (*there, rest)])
    there.clear()
    joined = replace(
        joined.take(np.argsort(np.concatenate([rows, missing]))),
        system=whole.name,
        tag=whole.tag,
        not_judged=tuple(sorted(end.not_judged)),
        provenance=reduction_provenance(whole, plan.qrels, plan.nothing.settings, facts.rows),
    )
    return end.with_doubts(joined, run_of_files(plan.files, plan.reading))


def _check_read(found: Found, facts: PartFacts, plan: ReductionPlan) -> None:
    """Take over what is known of all that was read, and raise everything that is wrong with it."""
    found.problems.take_over(facts.problems)
    found.returned, found.occur = facts.rows, facts.occur
    if not facts.rows and not found.problems.any:
        found.problems.add("", "holds no rankings")
    check_common(found, plan.qrels)


def _joined_facts(plan: ReductionPlan, read: Sequence[PartFacts]) -> tuple[PartFacts, ReadRun]:
    facts = PartFacts.join(read, plan.place)
    # Files with scores and files with an order only cannot be compared.
    alike = AlikeParts()
    for part in read:
        if part.file is not None and part.rows:
            number, name = part.file
            own = Problems(name)
            alike.refuse("has", "scores" if part.gives_scores else "an order only", own)
            facts.problems.take_over(own, name, number)
    return facts, ReadRun(
        name=plan.name,
        place=plan.place,
        tag=facts.tag,
        gives_scores=facts.gives_scores,
        digest=_digest_of_run(plan, facts),
    )


def _alike(ranks: RelevantRanks, gives_scores: bool) -> RelevantRanks:
    """With the columns that the whole has: a part without rows cannot tell whether there are scores."""
    if gives_scores or ranks.distractors is None:
        return ranks
    lists = {name: getattr(ranks, name).without("score") for name in ("judged", "pooled", "distractors")}
    return replace(ranks, **lists)


def _digest_of_run(plan: ReductionPlan, facts: PartFacts) -> str:
    if not plan.with_digest:
        return ""
    if plan.files.alone:
        return next(iter(facts.digests.values()))[1] if facts.digests else plan.files.parts[0].digest
    read = [(name, size, digest) for name, (size, digest) in facts.digests.items()]
    files = zip(plan.files.names, plan.files.parts, strict=True)
    return digest_of_files([*read, *((name, 0, source.digest) for name, source in files if not source.size)])


def has_torn_queries(parts: Sequence[PartRanks]) -> bool:
    """Whether a query lies in several parts, so that none of them has all its rows."""
    seen: set[str] = set()
    for part in parts:
        if part.ranks is None:
            return True
        own = {*part.ranks.queries, *part.ranks.not_judged}
        if not seen.isdisjoint(own):
            return True
        seen |= own
    return False


# How the rows of a run lie in its files: every query in one place, or scattered; told before all is read.

BLOCKS_LOOKED_AT = 4  # of the first file, and of the second, that are looked at


def looks_scattered(files: PartFiles, reading: Reading) -> bool:
    """Whether a query comes back in the first rows of the first file, or the second file has one of the first."""
    seen: set[str] = set()
    for source in [each for each in files.parts if each.size][:2]:
        part = read_part(source, reading)
        try:
            for whole in whole_queries(islice(part.blocks(Problems(source.name)), BLOCKS_LOOKED_AT)):
                if not seen.isdisjoint(whole.queries):
                    return True
                seen.update(whole.queries)
        except Scattered:
            return True
        except InputError:
            return False
    return False


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
    found, word, judged = plan.found(), "row", plan.judged
    hits: list[JudgedHits] = []
    numbers, row_of = QueryNumbers(), np.empty(0, dtype=np.int64)  # queries come in any order
    for blocks in portions(run.blocks(found.problems), min(plan.rows_in_memory, ROWS_AT_ONCE)):
        block = RunBlock.join(blocks)
        number = numbers.of(block.query)
        new = [judged.row_of.get(query, -1) for query in numbers.queries[row_of.size :]]
        row_of = np.concatenate([row_of, np.array(new, dtype=np.int64)])
        there, entry = find_judged(ItemKeys.of(block.rows.item, number), row_of, judged)
        if not there.size:
            found.look_for_ids(block.rows.item)
        key = found.sorting_scores(block.rows)[there]
        hits.append(JudgedHits(entry, block.rows.score[there], key, line_numbers(block.rows.line)[there]))
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
        start, size = alone.above + counts["above"] + 1, alone.equal + counts["equal"]
        several = size > 1
        row, start, size = np.unique(np.stack([self.row[several], start[several], size[several]]), axis=1)
        found.groups.append({"row": row, "start": start, "size": size})
        there = np.flatnonzero(self.answered)
        found.rows_of_query = dict(zip(there.tolist(), self.depth[there].tolist(), strict=True))
        found.not_judged = sorted(self.not_judged)
        if found.keep_scores:
            best = first_of([self.best])
            own = {name: best[name] for name in ("row", "score", "lot")}
            found.best.append({**own, "order": np.arange(best["row"].size)})


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


@dataclass(frozen=True)
class JudgedHits:
    """Judged items found: which judgement, score, and line; where they stand among each other, once that is known."""

    entry: IntArray
    score: FloatArray
    key: FloatArray  # what the order is made of
    line: IntArray

    @classmethod
    def join(cls, parts: Sequence[JudgedHits]) -> JudgedHits:
        whole, broken = np.empty(0, dtype=np.int64), np.empty(0)
        several = (cls(whole, broken, broken, whole), *parts)
        return cls(**{name: np.concatenate([getattr(each, name) for each in several]) for name in HIT_FIELDS})

    def take(self, rows: IntArray) -> JudgedHits:
        return JudgedHits(**{name: getattr(self, name)[rows] for name in HIT_FIELDS})

    def __len__(self) -> int:
        return self.entry.size


HIT_FIELDS = ("entry", "score", "key", "line")


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
    rank, _ = ranks_of(rows, scored, item, queries, found.settings.ties, found.settings.seed)
    place: Placement = standing(rows, scored)
    size = np.concatenate([place.groups.size, [1]])
    return HitOrder(rank, place.above, size[place.group])
