"""Ranks of the hits of a block of queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.relevance import Relevance, SharedRelevance
from rankscope.engines.nearest.scratch import Scratch
from rankscope.engines.nearest.space import Space
from rankscope.engines.nearest.top import Best
from rankscope.ranks.counting import Counted, count_block, float32_limits
from rankscope.ranks.dense import best_first, ranks_among
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.settling import Close, Ranked, final_ranks, moved_on
from rankscope.running.threads import in_threads, thread_count, with_threads

DENSE = 2048  # groups with at least so many pairs have their references made feature by feature
LEAST_ROWS = 64  # of a thread
PART_CELLS = 1 << 20  # scores counted by one thread at a time


@dataclass(frozen=True)
class BlockRanks:
    """What is known of a block of queries: all that a result needs."""

    queries: IntArray
    judged: Ragged  # rank, and score where kept
    ties: Ragged  # start and size
    left_out: IntArray
    distractors: Ragged | None

    @classmethod
    def join(cls, parts: Sequence[BlockRanks]) -> BlockRanks:
        """Several blocks as one."""
        best = [part.distractors for part in parts if part.distractors is not None]
        return cls(
            queries=np.concatenate([part.queries for part in parts]),
            judged=Ragged.join([part.judged for part in parts]),
            ties=Ragged.join([part.ties for part in parts]),
            left_out=np.concatenate([part.left_out for part in parts]),
            distractors=Ragged.join(best) if best else None,
        )


@dataclass
class Ranker:
    """Ranks block after block; remembers whether quick scores left too much in doubt, which changes no result."""

    space: Space
    relevance: Relevance
    keep_scores: bool = False
    cells: int = 1 << 24  # of a block of scores
    most_items: int = 1 << 20  # of a block
    level: int = field(default=0, init=False)
    _scratch: Scratch = field(default_factory=Scratch, init=False)
    _pool: ThreadPoolExecutor | None = field(default=None, init=False)
    _sharing: int = field(default=1, init=False)  # how many threads work on a block

    def narrowed(self, scores: NDArray[Any]) -> NDArray[np.float32]:
        """Scores in float32; in memory that is used again where they are wider."""
        if scores.dtype == np.float32:
            return scores
        result = self._scratch.array((scores.shape[0], scores.shape[1]), np.dtype(np.float32))
        with np.errstate(over="ignore"):
            np.copyto(result, scores, casting="same_kind")
        return result

    def stream(self, blocks: list[IntArray]) -> Iterator[BlockRanks]:
        """Block after block."""
        return map(self.ranked, blocks)

    def chunks(self, queries: IntArray) -> list[slice]:
        """Ranges of items whose scores fit into a block."""
        step = min(self.most_items, max(1, self.cells // (queries.size * self._sharing)))
        count = len(self.space)
        return [slice(start, min(start + step, count)) for start in range(0, count, step)]

    def ranked(self, queries: IntArray) -> BlockRanks:
        """The ranks of a block of at most a few thousand queries, a part of them by each thread."""
        threads = self._sharing = min(thread_count(), -(-queries.size // LEAST_ROWS)) if self.space.shared else 1
        if threads < 2:
            return self._ranked(queries)
        if self._pool is None:  # the same threads for all blocks: each has memory that it uses again
            self._pool = ThreadPoolExecutor(thread_count())
        parts = np.array_split(queries, threads)
        return BlockRanks.join(list(self._pool.map(self._ranked_alone, parts)))

    def _ranked_alone(self, queries: IntArray) -> BlockRanks:
        with with_threads(1):
            return self._ranked(queries)

    def _ranked(self, queries: IntArray) -> BlockRanks:
        hits, groups = self.relevance.hits(queries)
        left_out = self.relevance.left_out(queries)
        block = _QueryBlock(self, queries, hits, groups, left_out)
        found = block.exactly() if self.space.exact else block.screened()
        judged = block.hits.with_columns(rank=found.rank)
        shown = self.space.shown
        columns = {"rank": judged["rank"]} | ({"score": shown(judged["score"])} if self.keep_scores else {})
        best = block.best.result() if block.best is not None else None
        distractors = None if best is None else best.with_columns(score=shown(best["score"]))
        return BlockRanks(
            queries=queries,
            judged=Ragged(judged.offsets, columns),
            ties=found.ties,
            left_out=left_out.lengths,
            distractors=distractors,
        )


class _QueryBlock:
    """One block on its way."""

    def __init__(
        self,
        ranker: Ranker,
        queries: IntArray,
        hits: Ragged,
        groups: list[SharedRelevance],
        left_out: Ragged,
    ) -> None:
        self.ranker, self.queries, self.hits, self.groups = ranker, queries, hits, groups
        self.space = ranker.space
        # no distractors: the hits, and what is not in the collection of the query
        row = np.concatenate([hits.row, left_out.row])
        item = np.concatenate([hits["item"], left_out["item"]])
        order = np.argsort(item, kind="stable")
        self.out_row, self.out_item = row[order], item[order]
        self.best: Best | None = Best(queries, self.space) if ranker.keep_scores else None

    def exactly(self) -> Ranked:
        """With whole rows of references."""
        rows: FloatArray = np.asarray(self.space.scores(self.queries, slice(0, len(self.space))))
        self._sort(rows[self.hits.row, self.hits["item"]])
        self._clear(rows, 0)
        if self.best is not None:
            self.best.add_exact(rows)
        return ranks_among(self.hits, rows)

    def screened(self) -> Ranked:
        """With quick scores, and references where these leave a doubt."""
        self._sort(self._references())
        level = self.ranker.level
        found = self._screen(level)
        while level + 1 < self.space.levels and self._is_dear(found, level):
            level += 1
            self.ranker.level = max(level, self.ranker.level)
            if self.best is not None:
                self.best = Best(self.queries, self.space)
            found = self._screen(level)
        names = ("row", "item", "place")
        row, item, place = (np.concatenate([getattr(part, name) for part in found]) for name in names)
        before = np.sum([part.before for part in found], axis=0)
        return final_ranks(self.hits, before, self._settle(row, item, place))

    def _settle(self, row: IntArray, item: IntArray, place: IntArray) -> Close:
        """Items in doubt with scores that have the order of the references: these, where an estimate is near a hit."""
        score, room = self.space.estimate(self.queries[row], item)
        end = self.hits.offsets[row + 1]
        reached = moved_on(place, end, lambda at, who: self.hits["score"][at] > score[who] + room[who])
        near = np.flatnonzero(reached < end)
        near = near[self.hits["score"][reached[near]] >= score[near] - room[near]]
        score[near] = self.space.reference(self.queries[row[near]], item[near])
        return Close(row=row, item=item, score=score, place=place)

    def _is_dear(self, found: list[Counted], level: int) -> bool:
        """Whether so much is in doubt that more precise scores are cheaper than references."""
        return sum(part.row.size for part in found) > self.space.dear[level] * self.queries.size * len(self.space)

    def _screen(self, level: int) -> list[Counted]:
        """Chunk after chunk of the items; those in doubt by their places among all items."""
        low, high = self.space.limits(self.queries[self.hits.row], self.hits["score"], level)
        below, above = float32_limits(low, high)
        limits, found = Ragged(self.hits.offsets, {"low": below, "high": above}), []
        for items in self.ranker.chunks(self.queries):
            flat = self.ranker.narrowed(self.space.scores(self.queries, items, level))
            self._clear(flat, items.start)
            part = _count(flat, limits)
            found.append(replace(part, item=part.item + items.start))
            if self.best is not None:
                self.best.add(flat, items.start, level)
        return found

    def _references(self) -> FloatArray:
        """The references of all hits."""
        scores = np.empty(self.hits.size)
        small = np.ones(len(self.hits), dtype=np.bool_)
        for group in self.groups:
            if (group.stop - group.start) * group.members.size >= DENSE:
                small[group.start : group.stop] = False
                table = self.space.reference_table(self.queries[group.start : group.stop], group.members)
                there = slice(self.hits.offsets[group.start], self.hits.offsets[group.stop])
                column = np.searchsorted(group.members, self.hits["item"][there])
                scores[there] = table[self.hits.row[there] - group.start, column]
        chosen = small[self.hits.row]
        row, item = self.hits.row[chosen], self.hits["item"][chosen]
        scores[chosen] = self.space.reference(self.queries[row], item)
        return scores

    def _sort(self, scores: FloatArray) -> None:
        """Hits best first, the earlier of two equals first."""
        self.hits = best_first(self.hits.with_columns(score=scores))

    def _clear(self, scores: NDArray[Any], first: int) -> None:
        """Take out of a block whatever is no distractor."""
        last = first + scores.shape[1]
        gallery = self.ranker.relevance.gallery[first:last]
        if not gallery.all():
            scores[:, ~gallery] = -np.inf
        here = slice(*np.searchsorted(self.out_item, [first, last]))
        scores[self.out_row[here], self.out_item[here] - first] = -np.inf


def _count(scores: NDArray[np.float32], limits: Ragged) -> Counted:
    """Count in parts of a few rows, in several threads."""
    step = max(1, PART_CELLS // scores.shape[1])
    starts = list(range(0, len(scores), step))

    def work(start: int) -> Counted:
        rows = np.arange(start, min(start + step, len(scores)))
        return count_block(scores[start : start + step], limits.take(rows))

    return Counted.join(in_threads(work, starts), starts, limits.offsets[starts].tolist())
