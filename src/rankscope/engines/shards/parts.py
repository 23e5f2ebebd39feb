"""What the parts of a ranking need to know, and what they carry: rows in files, shards, known values, the hits of a
block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, IntArray
from rankscope.core.errors import InputError
from rankscope.core.names import name_of
from rankscope.engines.nearest.blocks import Arrays, lists_from_arrays, lists_to_arrays
from rankscope.engines.nearest.metrics import Mixture, space_of, values_of
from rankscope.engines.nearest.relevance import QueryBlock, Relevance, SharedRelevance, shared_items
from rankscope.engines.nearest.space import Values
from rankscope.inputs.array_files import read_npy
from rankscope.ranks.ragged import Ragged, offsets_of
from rankscope.ranks.score_tables import best_first


@dataclass(frozen=True, eq=False)
class Shard:
    """A range of the items of a collection; `found` are the bits of those that can be found, None for all."""

    number: int
    first: int
    stop: int
    digest: str = ""
    found: bytes | None = None

    @classmethod
    def of(cls, number: int, first: int, stop: int, gallery: BoolArray, digest: str = "") -> Shard:
        """A range, and what of it is in the gallery of the whole collection."""
        mine = gallery[first:stop]
        bits = None if mine.all() else np.packbits(mine).tobytes()
        return cls(number=number, first=first, stop=stop, digest=digest, found=bits)

    def __len__(self) -> int:
        return self.stop - self.first

    @property
    def gallery(self) -> BoolArray:
        """Whether each of its items can be found."""
        if self.found is None:
            return np.ones(len(self), dtype=np.bool_)
        return np.unpackbits(np.frombuffer(self.found, dtype=np.uint8), count=len(self)).astype(np.bool_)

    def rows(self, collection: StoredRows) -> NDArray[Any]:
        return collection.rows(self.first, self.stop)


@dataclass(frozen=True, eq=False)
class ShardPlan:
    """The same for all parts; it travels to wherever they are worked on. Features do not: their files are named."""

    collection: StoredRows
    metric: str | Mixture
    keep_scores: bool
    memory: int
    device: str
    shards: tuple[Shard, ...]
    values: tuple[Values, ...] = ()  # of the whole collection, once they are known
    digest: str = ""  # of all that a shard in hand depends on


# The rows of a collection that lies in several files, read where they are needed: a path travels, not the numbers.

FEATURES_ADVICE = "Features go to workers as files: all workers must reach them, and nobody may change them meanwhile."


@dataclass(frozen=True, eq=False)
class RowFile:
    """Some rows, in an .npy file or in the memory of this process; `stamp` tells whether the file was changed."""

    rows: int
    path: Path | None = None
    array: NDArray[Any] | None = None
    stamp: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, array: NDArray[Any], path: Path | None = None) -> RowFile:
        """An array, which is mapped from the file where one is named."""
        if path is None:
            return cls(rows=len(array), array=array)
        return cls(rows=len(array), path=path, stamp=_file_stamp(path))

    @property
    def name(self) -> str:
        return name_of(self.path) if self.path is not None else "features"

    def table(self, width: int, kind: np.dtype[Any]) -> NDArray[Any]:
        """The rows, mapped; an `InputError` where others are there."""
        if self.array is not None:
            return self.array
        assert self.path is not None
        found = read_npy(self.path)
        if found.shape != (self.rows, width) or found.dtype != kind:
            raise InputError.of(self.name, ["holds other features than before"], FEATURES_ADVICE)
        return found


def _file_stamp(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError:
        return -1, -1
    return about.st_size, about.st_mtime_ns


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Rows of several files, one file behind the other.

    >>> halves = (RowFile.of(np.array([[0], [1]])), RowFile.of(np.array([[2], [3], [4]])))
    >>> whole = StoredRows(halves, width=1, kind=np.dtype(np.int64))
    >>> whole.rows(1, 3).ravel(), whole.rows_at(np.array([4, 0])).ravel()
    (array([1, 2]), array([4, 0]))
    """

    files: tuple[RowFile, ...]
    width: int
    kind: np.dtype[Any]

    @cached_property
    def offsets(self) -> IntArray:
        """Where each file begins, and where the last one ends."""
        return offsets_of(np.array([each.rows for each in self.files], dtype=np.int64))

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def rows(self, first: int, stop: int) -> NDArray[Any]:
        """A range of rows; mapped where it lies in one file."""
        tables = [
            file.table(self.width, self.kind)[max(0, first - begin) : stop - begin]
            for file, begin in zip(self.files, self.offsets[:-1].tolist(), strict=True)
            if begin < stop and begin + file.rows > first
        ]
        if not tables:
            return np.empty((0, self.width), dtype=self.kind)
        return tables[0] if len(tables) == 1 else np.concatenate(tables)

    def rows_at(self, numbers: IntArray) -> NDArray[Any]:
        result = np.empty((numbers.size, self.width), dtype=self.kind)
        owner = np.searchsorted(self.offsets, numbers, side="right") - 1
        for number in np.unique(owner).tolist():
            mine = owner == number
            result[mine] = self.files[number].table(self.width, self.kind)[numbers[mine] - self.offsets[number]]
        return result

    def changed(self) -> Sequence[str]:
        """The names of the files that are no longer those that were there when the work began."""
        return [each.name for each in self.files if each.path is not None and _file_stamp(each.path) != each.stamp]


# Before all stages: what a metric must know of the features of the whole collection, shard by shard.


@dataclass(frozen=True)
class KnownValues:
    """What is known of a shard; nothing of one without items."""

    values: tuple[Values, ...]

    def to_arrays(self) -> Arrays:
        return {"values": np.array([astuple(each) for each in self.values]).reshape(-1, 3)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> KnownValues:
        rows = arrays["values"].tolist()
        return cls(tuple(Values(least=least, most=most, whole=bool(whole)) for least, most, whole in rows))


def look_at_values(plan: ShardPlan, shard: Shard) -> KnownValues:
    return KnownValues(values_of(plan.metric, shard.rows(plan.collection)) if len(shard) else ())


# The first stage: the relevant items of a block of queries, with the scores that count.


@dataclass(frozen=True, eq=False)
class HitsPart:
    """A block of queries, what they share, and what is not in the collection of each."""

    digest: str
    queries: IntArray
    groups: tuple[SharedRelevance, ...]
    left_out: Ragged

    @classmethod
    def of(cls, relevance: Relevance, queries: IntArray, digest: str) -> HitsPart:
        """A block as the whole collection knows it."""
        return cls(
            digest=digest,
            queries=queries,
            groups=tuple(relevance.groups(queries)),
            left_out=relevance.left_out(queries),
        )

    def hits(self, items: int) -> Ragged:
        """The relevant items of each query in its collection, ascending, of a collection of so many."""
        there, out = shared_items(self.groups, self.queries.size), self.left_out
        return there.where(~np.isin(there.row * items + there["item"], out.row * items + out["item"]))


@dataclass(frozen=True, eq=False)
class BlockHits:
    """A block of queries with their features; their hits, best first, by number and reference; and what is left out."""

    queries: IntArray
    vectors: NDArray[Any]
    hits: Ragged
    left_out: Ragged

    def to_arrays(self) -> Arrays:
        plain = {"queries": self.queries, "vectors": self.vectors}
        return plain | lists_to_arrays("hits", self.hits) | lists_to_arrays("left_out", self.left_out)

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> BlockHits:
        return cls(
            queries=arrays["queries"],
            vectors=arrays["vectors"],
            hits=lists_from_arrays("hits", arrays),
            left_out=lists_from_arrays("left_out", arrays),
        )


def find_hits(plan: ShardPlan, part: HitsPart) -> BlockHits:
    """The hits of a block with their references."""
    hits = part.hits(len(plan.collection))
    needed = np.unique(np.concatenate([part.queries, *(group.members for group in part.groups)]))
    space = space_of(plan.metric, plan.collection.rows_at(needed), plan.values)
    queries, local = (np.searchsorted(needed, each) for each in (part.queries, hits["item"]))
    block = QueryBlock(
        space,
        queries,
        hits=hits.with_columns(item=local),
        left_out=Ragged.empty(queries.size, "item"),
        gallery=np.ones(needed.size, dtype=np.bool_),
        groups=[replace(group, members=np.searchsorted(needed, group.members)) for group in part.groups],
    )
    return BlockHits(
        queries=part.queries,
        vectors=plan.collection.rows_at(part.queries),
        hits=best_first(hits.with_columns(score=block.references())),
        left_out=part.left_out,
    )
