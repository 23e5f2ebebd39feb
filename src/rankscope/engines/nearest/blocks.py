"""Ranks of the hits of a block of queries, screened where that is quicker; finished blocks in files."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.digests import digest_of
from rankscope.core.errors import InputError
from rankscope.core.parts import PartsFolder, work_folder
from rankscope.core.threads import in_threads, thread_count, with_threads
from rankscope.engines.nearest.products import ProductSpace, Scratch
from rankscope.engines.nearest.relevance import Asked, Best, QueryBlock
from rankscope.engines.nearest.space import Space
from rankscope.inputs.array_files import Archive
from rankscope.ranks.kept_scores import lots_of_numbers
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.score_tables import ranks_among
from rankscope.ranks.screening import Close, Counted, Ranked, count_block, final_ranks

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
    def of(
        cls,
        queries: IntArray,
        hits: Ragged,
        left_out: Ragged,
        found: Ranked,
        best: Ragged | None,
        shown: Callable[[FloatArray], FloatArray],
    ) -> BlockRanks:
        """From final ranks; scores are kept, as people know them, where the best distractors are."""
        columns, lists = dict[str, NDArray[Any]](rank=found.rank), None
        if best is not None:
            columns["score"] = shown(hits["score"])
            lists = Ragged(best.offsets, {"score": shown(best["score"]), "lot": lots_of_numbers(best["item"])})
        return cls(
            queries=queries,
            judged=Ragged(hits.offsets, columns),
            ties=found.ties,
            left_out=left_out.lengths,
            distractors=lists,
        )

    @classmethod
    def join(cls, parts: Sequence[BlockRanks]) -> BlockRanks:
        best = [part.distractors for part in parts if part.distractors is not None]
        return cls(
            queries=np.concatenate([part.queries for part in parts]),
            judged=Ragged.join([part.judged for part in parts]),
            ties=Ragged.join([part.ties for part in parts]),
            left_out=np.concatenate([part.left_out for part in parts]),
            distractors=Ragged.join(best) if best else None,
        )

    def to_arrays(self) -> Arrays:
        plain = {"queries": self.queries, "left_out": self.left_out}
        more = {} if self.distractors is None else lists_to_arrays("distractors", self.distractors)
        return plain | lists_to_arrays("judged", self.judged) | lists_to_arrays("ties", self.ties) | more

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> BlockRanks:
        return cls(
            queries=arrays["queries"],
            judged=lists_from_arrays("judged", arrays),
            ties=lists_from_arrays("ties", arrays),
            left_out=arrays["left_out"],
            distractors=lists_from_arrays("distractors", arrays) if "distractors.offsets" in arrays else None,
        )


class BlockRanker(ABC):
    """Ranks block after block of queries."""

    @abstractmethod
    def ranked(self, queries: IntArray) -> BlockRanks:
        """The ranks of a block."""

    def stream(self, blocks: list[IntArray]) -> Iterator[BlockRanks]:
        return map(self.ranked, blocks)


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
class Ranker(Screening, BlockRanker):
    """Ranks queries that are items, the queries of a block by several threads."""

    relevance: Asked = field(kw_only=True)
    _is_probed: bool = field(default=False, init=False)
    _pool: ThreadPoolExecutor | None = field(default=None, init=False)

    def ranked(self, queries: IntArray) -> BlockRanks:
        """The ranks of a block of at most a few thousand queries, a part of them by each thread."""
        # Rank a few queries for the level alone, once: a whole block at a level that does not do costs more.
        several = self.space.levels > 1 and not self.space.exact
        if several and not self._is_probed and queries.size > PROBED**2:
            self._ranked(queries[:: queries.size // PROBED])
        self._is_probed = True
        threads = self._sharing = min(thread_count(), -(-queries.size // LEAST_ROWS)) if self.space.shared else 1
        if threads < 2:
            return self._ranked(queries)
        if self._pool is None:  # the same threads for all blocks: each has memory that it uses again
            self._pool = ThreadPoolExecutor(thread_count())

        def ranked_alone(part: IntArray) -> BlockRanks:
            with with_threads(1):
                return self._ranked(part)

        return BlockRanks.join(list(self._pool.map(ranked_alone, np.array_split(queries, threads))))

    def _ranked(self, queries: IntArray) -> BlockRanks:
        work = RowsOfBlock(self, QueryBlock.of(self.space, self.relevance, queries))
        found = work.exactly() if self.space.exact else work.screened()
        return work.result(found)


class RowsOfBlock:
    """One block on its way, whole rows of scores at once or in a few chunks."""

    def __init__(self, ranker: Screening, block: QueryBlock) -> None:
        self.ranker, self.space, self.block = ranker, ranker.space, block
        self.best: Best | None = None

    def result(self, found: Ranked) -> BlockRanks:
        best, block = None if self.best is None else self.best.items(), self.block
        return BlockRanks.of(block.queries, block.hits, block.left_out, found, best, self.space.shown)

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
        level, pairs = self.ranker.level, self.block.queries.size * len(self.space)
        found = self._screen(level)
        # Where so much is in doubt, more precise scores are cheaper than references.
        while level + 1 < self.space.levels and sum(part.row.size for part in found) > self.space.dear[level] * pairs:
            level += 1
            self.ranker.level = max(level, self.ranker.level)
            found = self._screen(level)
        names = ("row", "item", "place")
        row, item, place = (np.concatenate([getattr(part, name) for part in found]) for name in names)
        before = np.sum([part.before for part in found], axis=0)
        return before, self.block.settle(row, item, place)

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


# Finished work in files that hold arrays only: blocks of a ranking, and what its parts give.

Arrays = dict[str, NDArray[Any]]


class OfArrays(Protocol):
    """What can be told by arrays alone."""

    def to_arrays(self) -> Arrays:
        """Arrays by name."""

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The same again; a `KeyError` where arrays are missing."""


T = TypeVar("T", bound=OfArrays)


class ArraysForm(Generic[T]):
    """Such results as .npz files."""

    suffix = ".npz"

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind

    def read(self, file: Path) -> T | None:
        """The result in a file; None where there is none that is whole."""
        try:
            return self.kind.from_arrays(Archive.of(file).arrays())
        except (InputError, ValueError, KeyError):
            return None

    def write(self, result: T, stream: BinaryIO) -> None:
        file = io.BytesIO()
        arrays: dict[str, Any] = result.to_arrays()
        np.savez(file, **arrays)
        stream.write(file.getvalue())


def lists_to_arrays(name: str, lists: Ragged) -> Arrays:
    """Lists as arrays, all under names that begin with this.

    >>> sorted(lists_to_arrays("hits", Ragged.of([[1], []], "item")))
    ['hits.item', 'hits.offsets']
    """
    return {f"{name}.offsets": lists.offsets} | {f"{name}.{each}": values for each, values in lists.columns.items()}


def lists_from_arrays(name: str, arrays: Arrays) -> Ragged:
    columns = {each.partition(".")[2]: values for each, values in arrays.items() if each.startswith(f"{name}.")}
    return Ragged(columns.pop("offsets"), columns)


class BlocksFolder(PartsFolder[BlockRanks]):
    """Blocks of one ranking, in a folder named by a digest of all its inputs and settings.

    They name their queries: one of other queries does not fit and is ranked anew.
    """

    def __init__(self, result: str | Path, about: dict[str, Any]) -> None:
        super().__init__(work_folder(result, digest_of(about)[:16]), ArraysForm(BlockRanks))

    def block(self, number: int, queries: IntArray, ranked: Callable[[IntArray], BlockRanks]) -> BlockRanks:
        """A block of these queries from its file, or ranked now and written."""
        return self.kept(
            f"{number:06}", lambda: ranked(queries), lambda result: np.array_equal(result.queries, queries)
        )
