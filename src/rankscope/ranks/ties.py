"""Rank within a query when scores may be equal: find the groups of equal scores that matter, and order each by rule."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankscope.arrays import FloatArray, IntArray
from rankscope.ranks.ragged import ranges


@dataclass(frozen=True)
class Ordered:
    """A block of rows in the order of falling score inside each query."""

    score: FloatArray
    segment: IntArray
    starts: IntArray
    order: IntArray | None

    @classmethod
    def of(cls, score: FloatArray, segment: IntArray, starts: IntArray) -> Ordered:
        """Sort only what is not sorted already; most runs are. Equal scores stand in no particular order."""
        falling = (score[1:] <= score[:-1]) | (segment[1:] != segment[:-1])
        if falling.all():
            return cls(score, segment, starts, None)
        by_score = np.argsort(-score)
        narrow = segment.astype(np.uint16) if starts.size <= 1 << 16 else segment
        order = by_score[np.argsort(narrow[by_score], kind="stable")]
        return cls(score[order], segment, starts, order)

    def place(self, rows: IntArray) -> IntArray:
        """Where rows of the block stand in this order."""
        if self.order is None:
            return rows
        inverse = np.empty(self.order.size, dtype=np.int64)
        inverse[self.order] = np.arange(self.order.size)
        return inverse[rows]

    def row(self, places: IntArray) -> IntArray:
        """Which rows of the block stand at these places."""
        return places if self.order is None else self.order[places]


@dataclass(frozen=True)
class Groups:
    """Groups of equal scores: first place in the block, how many rows, and which query."""

    first: IntArray
    size: IntArray
    segment: IntArray


def groups_with(places: IntArray, ordered: Ordered) -> tuple[Groups, IntArray]:
    """The groups of two or more equal scores that hold one of the places, and the group of each place (-1: none)."""
    score, segment = ordered.score, ordered.segment
    group_of = np.full(places.size, -1, dtype=np.int64)
    last = score.size - 1
    before, after = np.maximum(places - 1, 0), np.minimum(places + 1, last)
    tied = ((places > 0) & (score[before] == score[places]) & (segment[before] == segment[places])) | (
        (places < last) & (score[after] == score[places]) & (segment[after] == segment[places])
    )
    if not tied.any():
        nothing = np.empty(0, dtype=np.int64)
        return Groups(nothing, nothing, nothing), group_of
    new = np.ones(score.size + 1, dtype=np.bool_)
    new[1:-1] = (score[1:] != score[:-1]) | (segment[1:] != segment[:-1])
    borders = np.flatnonzero(new)
    group, number = np.unique(np.searchsorted(borders, places[tied], side="right") - 1, return_inverse=True)
    group_of[tied] = number
    return Groups(borders[group], np.diff(borders)[group], segment[borders[group]]), group_of


def ranks_of(
    rows: IntArray, ordered: Ordered, item: pl.Series, queries: Sequence[str], policy: str, seed: int
) -> tuple[IntArray, Groups]:
    """The rank of each of the rows under a tie policy, and the groups of equal scores that hold any of them."""
    places = ordered.place(rows)
    groups, group_of = groups_with(places, ordered)
    if groups.first.size:
        members = ordered.row(ranges(groups.first, groups.size))
        group = np.repeat(np.arange(groups.size.size), groups.size)
        settled = members[_arranged(members, group, groups, item, queries, policy, seed)]
        new_place = np.empty(ordered.score.size, dtype=np.int64)
        new_place[settled] = ranges(groups.first, groups.size)
        tied = group_of >= 0
        places = np.where(tied, new_place[np.where(tied, rows, settled[0])], places)
    return places - ordered.starts[ordered.segment[places]] + 1, groups


def _arranged(
    members: IntArray, group: IntArray, groups: Groups, item: pl.Series, queries: Sequence[str], policy: str, seed: int
) -> IntArray:
    """The order of the members: groups stay apart, inside each the policy rules."""
    if policy == "given":
        return np.lexsort((members, group))
    frame = pl.DataFrame({"group": group, "item": item.gather(members)}).with_row_index()
    keys, descending = ["group", "item"], [False, policy != "ascending"]
    if policy == "hash":
        owner = groups.segment[group].tolist()
        hashes = [item_hash(seed, queries[each], one) for each, one in zip(owner, frame["item"].to_list(), strict=True)]
        frame = frame.with_columns(pl.Series("hash", hashes, dtype=pl.UInt64))
        keys, descending = ["group", "hash", "item"], [False, False, False]
    return frame.sort(keys, descending=descending).get_column("index").to_numpy().astype(np.int64)


def item_hash(seed: int, query: str, item: str) -> int:
    """The first 8 bytes of BLAKE2b of seed, query and item: the same on every machine.

    >>> item_hash(0, "q1", "a") == item_hash(0, "q1", "a") != item_hash(1, "q1", "a")
    True
    """
    text = f"{seed}\0{query}\0{item}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=64).digest()[:8], "big")
