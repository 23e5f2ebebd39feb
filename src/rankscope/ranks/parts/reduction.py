"""The reduction of a run in parts that run anywhere, in any order, continue where they were stopped, and end as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError, SettingError
from rankscope.core.machine import memory_of, memory_text
from rankscope.core.parts import PartsFolder, Runner, finish_parts, finished_parts, parts_folder
from rankscope.core.runners import runner_of
from rankscope.core.settings import Settings
from rankscope.core.wording import setting_value
from rankscope.inputs.parts import AlikeParts, PartFiles, digest_of_files, read_part, run_of_files, unlike_files
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import Qrels, read_junk
from rankscope.inputs.reading import Reading
from rankscope.inputs.remote import is_remote
from rankscope.inputs.sources import Source
from rankscope.ranks.parts.counting import (
    Counting,
    JudgedHits,
    NumbersForm,
    Totals,
    among_each_other,
    count_rows,
    find_hits,
    without_repetitions,
)
from rankscope.ranks.parts.plan import PartFacts, PartRanks, RanksForm, ReadRun, ReductionPlan, RunPart, parts_of_files
from rankscope.ranks.parts.resources import Size, Where, announcement, rows_within, size_of
from rankscope.ranks.parts.work import BucketFiles, SharedForm, SharedOut, reduce_bucket, reduce_file, share_out
from rankscope.ranks.provenance import JudgementsInShort, reduction_provenance
from rankscope.ranks.query_blocks import Scattered, whole_queries
from rankscope.ranks.reduction import Found, Progress, check_common, nothing_found
from rankscope.ranks.relevant_ranks import RelevantRanks

# The reduction of a run in parts that run anywhere, in any order, and continue where they were stopped.

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
        """All ranks."""
        size = size_of(self.plan.files, self.plan.reading)
        if shuffle == "none":
            return self._by_counting(size)
        if not looks_scattered(self.plan.files, self.plan.reading):
            parts = self._by_file(size)
            if not has_torn_queries(parts):
                return join_parts(self.plan, parts, [part.facts for part in parts])
            parts.clear()
        return self._by_bucket(size)

    def _by_file(self, size: Size) -> list[PartRanks]:
        parts = parts_of_files(self.plan.files, self.plan.reading, self.plan.about("reduce file"))
        self._announce(size, "whole", len(parts))
        kept = PartsFolder(self.folder, RanksForm())
        done = finish_parts(reduce_file, self.plan, parts, self.runner, kept, self._shown(0, 1))
        return [done.pop(part.digest) for part in parts]

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
        return join_counts(plan, end, [*(each.facts for each in read), *totals.facts])

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


# The end of a reduction in parts: the ranks of all parts as one, in the same order every time.


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


def join_counts(plan: ReductionPlan, found: Found, read: Sequence[PartFacts]) -> RelevantRanks:
    """The same where ranks were counted, not joined: all is found, the facts are those of all that was read."""
    facts, whole = _joined_facts(plan, read)
    _check_read(found, facts, plan)
    return found.with_doubts(found.assembled(whole, plan.qrels), run_of_files(plan.files, plan.reading))


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
    return facts, ReadRun(plan.name, plan.place, facts.tag, facts.gives_scores, _digest_of_run(plan, facts))


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
