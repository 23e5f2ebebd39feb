"""The reduction of a run in parts that run anywhere, in any order, and continue where they were stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankscope.digests import digest_of
from rankscope.errors import SettingError
from rankscope.inputs.junk import read_junk
from rankscope.inputs.part_files import PartFiles
from rankscope.inputs.part_runs import unlike_files
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.remote import is_remote
from rankscope.inputs.sources import Source
from rankscope.ranks.provenance import JudgementsInShort
from rankscope.ranks.reduce import Progress, nothing_found
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.running.memory import in_words, memory_of
from rankscope.running.parts import PartsFolder, finish_parts, finished_parts
from rankscope.running.runner import Runner
from rankscope.running.runners import runner_of
from rankscope.running.work_folders import parts_folder
from rankscope.scale.counting import (
    Counting,
    NumbersForm,
    Totals,
    among_each_other,
    count_rows,
    find_hits,
)
from rankscope.scale.estimate import Size, announcement, rows_within, size_of
from rankscope.scale.hits import JudgedHits, without_repetitions
from rankscope.scale.layout import looks_scattered
from rankscope.scale.part_ranks import PartFacts, PartRanks, RanksForm
from rankscope.scale.plan import ReductionPlan
from rankscope.scale.putting_together import has_torn_queries, put_together, put_together_counts
from rankscope.scale.run_parts import RunPart, parts_of_files
from rankscope.scale.where import Where
from rankscope.scale.work import BucketFiles, SharedForm, SharedOut, reduce_bucket, reduce_file, share_out
from rankscope.settings import Settings
from rankscope.wording import setting_value

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
    plan = ReductionPlan(
        files=_absolute(files),
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


def _absolute(files: PartFiles) -> PartFiles:
    """The same files by paths that other processes find too."""
    parts = [
        each if is_remote(files.path) else Source(os.path.abspath(each.path), max_ratio=each.max_ratio)
        for each in files.parts
    ]
    return replace(files, parts=tuple(parts))


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
                return put_together(self.plan, parts, [part.facts for part in parts])
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
        plan = self.plan.in_buckets(self.folder, max(1, min(MOST_BUCKETS, -(-size.rows // most))))
        parts = parts_of_files(plan.files, plan.reading, plan.about("share out"), ROWS_A_PART)
        self._announce(size, "scattered", plan.buckets)
        kept = PartsFolder(self.folder, SharedForm())
        shared = finish_parts(share_out, plan, parts, self.runner, kept, self._shown(0, FIRST_STAGE))
        in_order = [(part, shared[part.digest]) for part in parts]
        largest = max(map(sum, zip(*(each.rows for _, each in in_order), strict=True)), default=0)
        if largest > max(plan.rows_in_memory, ROWS_A_BUCKET):
            self.say(
                f"{plan.name}: one query has most rows of a part, {largest:,}, more than {in_words(self.memory)} hold"
            )
            if plan.nothing.settings.ties != "rank":
                return self._by_counting(size)
        buckets = buckets_of(plan, in_order)
        shown = self._shown(FIRST_STAGE, 1 - FIRST_STAGE)
        done = finish_parts(reduce_bucket, plan, buckets, self.runner, PartsFolder(self.folder, RanksForm()), shown)
        ranks = [done.pop(bucket.digest) for bucket in buckets]
        read = [each.facts for _, each in in_order]
        return put_together(plan, ranks, [*read, *(_without_rows(part.facts) for part in ranks)])

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
        return put_together_counts(plan, end, [*(each.facts for each in read), *totals.facts])

    def _announce(self, size: Size, layout: str, parts: int) -> None:
        cores = getattr(self.runner, "count", None) or 1
        self.say(announcement(self.plan.name, size, layout, parts, self.memory, size.seconds(layout, cores)))

    def _shown(self, first: float, share: float) -> Callable[[float], None] | None:
        progress = self.progress
        return None if progress is None else lambda done: progress(self.plan.name, first + done * share)


def _without_rows(facts: PartFacts) -> PartFacts:
    """Problems of a bucket; its rows were counted when they were read."""
    return PartFacts(facts.problems, occur=facts.occur)


def buckets_of(plan: ReductionPlan, shared: Sequence[tuple[RunPart, SharedOut]]) -> list[BucketFiles]:
    """The buckets that hold anything, each with its files in the order of the parts."""
    result = []
    about = {**plan.about("reduce bucket"), "parts": [part.digest for part, _ in shared]}
    for number in range(plan.buckets):
        files = tuple(plan.folder / part.digest / name for part, each in shared for name in each.files[number])
        if files:
            result.append(BucketFiles(number, digest_of({**about, "number": number}), files, shared[0][1].word))
    return result
