"""Ranks of the hits of a block of queries, screened where that is quicker; finished blocks in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError
from rankscope.core.parts import PartsFolder, work_folder
from rankscope.core.threads import in_threads, thread_count, with_threads
from rankscope.engines.nearest.products import ProductSpace, Scratch
from rankscope.engines.nearest.query_block import Best, QueryBlock
from rankscope.engines.nearest.relevance import Asked
from rankscope.engines.nearest.space import Space
from rankscope.inputs.array_files import Archive
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.score_tables import ranks_among
from rankscope.ranks.screening import Close, Counted, Ranked, count_block, final_ranks

# Ranks of the hits of a block of queries.

CELL, SCREENED_CELL = 20, 12  # bytes a score takes in a block, all arrays at once
USEFUL = 1 << 25  # larger blocks are not faster
LEAST_ROWS = 64  # of a thread
PROBED = 16  # queries of the first block that say how precise scores must be
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
    def of(cls, block: QueryBlock, found: Ranked, best: Best | None) -> BlockRanks:
        """From final ranks; scores are kept where the best distractors are."""
        shown = block.space.shown
        columns = {"rank": found.rank} | ({} if best is None else {"score": shown(block.hits["score"])})
        kept = None if best is None else best.result()
        return cls(
            queries=block.queries,
            judged=Ragged(block.hits.offsets, columns),
            ties=found.ties,
            left_out=block.left_out.lengths,
            distractors=None if kept is None else kept.with_columns(score=shown(kept["score"])),
        )

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


def cells_within(space: Space, memory: int) -> int:
    """How many scores fit into a block next to the copies of the features, for which a third is set aside."""
    if isinstance(space, ProductSpace):
        space.copies = memory // 3
    screened = space.levels > 1 and not space.exact
    return max(1, min(USEFUL, memory // (3 * (SCREENED_CELL if screened else CELL))))


@dataclass
class Screening:
    """How blocks are screened; remembers whether quick scores left too much in doubt, which changes no result."""

    most_items: ClassVar[int] = 1 << 20  # of a block

    space: Space
    keep_scores: bool = False
    cells: int = 1 << 24  # of a block of scores
    level: int = field(default=0, init=False)
    _scratch: Scratch = field(default_factory=Scratch, init=False)
    _sharing: int = field(default=1, init=False)  # how many threads work on a block

    def narrowed(self, scores: NDArray[Any]) -> NDArray[np.float32]:
        """Scores in float32; in memory that is used again where they are wider."""
        if scores.dtype == np.float32:
            return scores
        result = self._scratch.array((scores.shape[0], scores.shape[1]), np.dtype(np.float32))
        with np.errstate(over="ignore"):
            np.copyto(result, scores, casting="same_kind")
        return result

    def chunks(self, queries: IntArray) -> list[slice]:
        """Ranges of items whose scores fit into a block."""
        step = min(self.most_items, max(1, self.cells // (queries.size * self._sharing)))
        count = len(self.space)
        return [slice(start, min(start + step, count)) for start in range(0, count, step)]


@dataclass
class Ranker(Screening):
    """Ranks block after block of queries that are items."""

    relevance: Asked = field(kw_only=True)
    _is_probed: bool = field(default=False, init=False)
    _pool: ThreadPoolExecutor | None = field(default=None, init=False)

    def stream(self, blocks: list[IntArray]) -> Iterator[BlockRanks]:
        """Block after block."""
        return map(self.ranked, blocks)

    def ranked(self, queries: IntArray) -> BlockRanks:
        """The ranks of a block of at most a few thousand queries, a part of them by each thread."""
        self._find_level(queries)
        threads = self._sharing = min(thread_count(), -(-queries.size // LEAST_ROWS)) if self.space.shared else 1
        if threads < 2:
            return self._ranked(queries)
        if self._pool is None:  # the same threads for all blocks: each has memory that it uses again
            self._pool = ThreadPoolExecutor(thread_count())
        parts = np.array_split(queries, threads)
        return BlockRanks.join(list(self._pool.map(self._ranked_alone, parts)))

    def _find_level(self, queries: IntArray) -> None:
        """Rank a few queries for the level alone, once: a whole block at a level that does not do costs more."""
        several = self.space.levels > 1 and not self.space.exact
        if several and not self._is_probed and queries.size > PROBED**2:
            self._ranked(queries[:: queries.size // PROBED])
        self._is_probed = True

    def _ranked_alone(self, queries: IntArray) -> BlockRanks:
        with with_threads(1):
            return self._ranked(queries)

    def _ranked(self, queries: IntArray) -> BlockRanks:
        work = RowsOfBlock(self, QueryBlock.of(self.space, self.relevance, queries))
        found = work.exactly() if self.space.exact else work.screened()
        return BlockRanks.of(work.block, found, work.best)


class RowsOfBlock:
    """One block on its way, whole rows of scores at once or in a few chunks."""

    def __init__(self, ranker: Screening, block: QueryBlock) -> None:
        self.ranker, self.space, self.block = ranker, ranker.space, block
        self.best: Best | None = None

    def _no_best_yet(self, level: int) -> Best | None:
        return Best(self.block.queries, self.space, level) if self.ranker.keep_scores else None

    def exactly(self) -> Ranked:
        """With whole rows of references."""
        block, everyone = self.block, slice(0, len(self.space))
        rows: FloatArray = np.asarray(self.space.scores(block.queries, everyone))
        block.sort(rows[block.hits.row, block.hits["item"]].astype(np.float64))
        block.clear(rows, self.column(everyone))
        self.best = self._no_best_yet(0)
        if self.best is not None:
            self.best.add(rows, np.arange(len(self.space)))
        return ranks_among(block.hits, rows)

    def screened(self) -> Ranked:
        """With quick scores, and references where these leave a doubt."""
        self.block.sort(self.block.references())
        return final_ranks(self.block.hits, *self.screen())

    def screen(self) -> tuple[IntArray, Close]:
        """Of hits with their references: what stands before each, and what is close to one, with its reference."""
        level = self.ranker.level
        found = self._screen(level)
        while level + 1 < self.space.levels and self._is_dear(found, level):
            level += 1
            self.ranker.level = max(level, self.ranker.level)
            found = self._screen(level)
        names = ("row", "item", "place")
        row, item, place = (np.concatenate([getattr(part, name) for part in found]) for name in names)
        before = np.sum([part.before for part in found], axis=0)
        return before, self.block.settle(row, item, place)

    def _is_dear(self, found: list[Counted], level: int) -> bool:
        """Whether so much is in doubt that more precise scores are cheaper than references."""
        doubts = sum(part.row.size for part in found)
        return doubts > self.space.dear[level] * self.block.queries.size * len(self.space)

    def _screen(self, level: int) -> list[Counted]:
        """Chunk after chunk of the items; those in doubt by their places among all items."""
        queries, limits, found = self.block.queries, self.block.limits(level), []
        self.best = self._no_best_yet(level)
        for items in self.ranker.chunks(queries):
            flat = self.ranker.narrowed(self.space.scores(queries, items, level))
            self.block.clear(flat, self.column(items))
            part = _count(flat, limits)
            found.append(replace(part, item=part.item + items.start))
            if self.best is not None:
                self.best.add(flat, np.arange(items.start, items.stop))
        return found

    def column(self, items: slice) -> IntArray:
        """The column of each item in a table of a range of them; -1 for those outside."""
        column = np.full(len(self.space), -1)
        column[items] = np.arange(items.stop - items.start)
        return column


def _count(scores: NDArray[np.float32], limits: Ragged) -> Counted:
    """Count in parts of a few rows, in several threads."""
    step = max(1, PART_CELLS // scores.shape[1])
    starts = list(range(0, len(scores), step))

    def work(start: int) -> Counted:
        rows = slice(start, min(start + step, len(scores)))
        return count_block(scores[rows], limits.part(rows))

    return Counted.join(in_threads(work, starts), starts, limits.offsets[starts].tolist())


# Finished blocks in files, which name their queries: one of other queries does not fit and is ranked anew.

STORED_LISTS = ("judged", "ties", "distractors")


class BlockForm:
    """A block as arrays in an .npz file."""

    suffix = ".npz"

    def read(self, file: Path) -> BlockRanks | None:
        """The block in a file; None if there is none or it is damaged."""
        try:
            return _read_block(file)
        except (InputError, ValueError, KeyError):
            return None

    def write(self, ranks: BlockRanks, stream: BinaryIO) -> None:
        """Write a block."""
        np.savez(stream, allow_pickle=False, **_arrays_of_block(ranks))


class BlocksFolder(PartsFolder[BlockRanks]):
    """Blocks of one ranking, in a folder named by a digest of all its inputs and settings."""

    def __init__(self, result: str | Path, about: dict[str, Any]) -> None:
        super().__init__(work_folder(result, digest_of(about)[:16]), BlockForm())

    def block(self, number: int, queries: IntArray, ranked: Callable[[IntArray], BlockRanks]) -> BlockRanks:
        """A block of these queries from its file, or ranked now and written."""
        return self.kept(
            f"{number:06}", lambda: ranked(queries), lambda result: np.array_equal(result.queries, queries)
        )


def _arrays_of_block(block: BlockRanks) -> dict[str, Any]:
    result: dict[str, NDArray[Any]] = {"queries": block.queries, "left_out": block.left_out}
    for name in STORED_LISTS:
        lists: Ragged | None = getattr(block, name)
        if lists is not None:
            result[f"{name}.offsets"] = lists.offsets
            result.update({f"{name}.{column}": values for column, values in lists.columns.items()})
    return result


def _read_block(file: Path) -> BlockRanks | None:
    arrays = Archive.of(file).arrays()
    lists = {name: _lists_of_block(arrays, name) for name in STORED_LISTS}
    judged, ties = lists["judged"], lists["ties"]
    if judged is None or ties is None:
        return None
    return BlockRanks(
        queries=arrays["queries"],
        judged=judged,
        ties=ties,
        left_out=arrays["left_out"],
        distractors=lists["distractors"],
    )


def _lists_of_block(arrays: dict[str, NDArray[Any]], name: str) -> Ragged | None:
    if f"{name}.offsets" not in arrays:
        return None
    columns = {key.partition(".")[2]: values for key, values in arrays.items() if key.startswith(f"{name}.")}
    return Ragged(columns.pop("offsets"), columns)
