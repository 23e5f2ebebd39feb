"""Which items are queries, which are relevant to each, and which are left out of its collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np

from rankscope.core.arrays import BoolArray, IntArray
from rankscope.core.validation import OneOf, check
from rankscope.inputs.features import LabelledItems
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.ranks.ragged import Ragged, ranges

POLICIES = ("removed", "kept", "kept_ignored")


@dataclass(frozen=True)
class SharedRelevance:
    """Queries of a block, from row `start` up to `stop`, that share all their relevant items."""

    start: int
    stop: int
    members: IntArray


class Asked(Protocol):
    """What a ranker must be told of the queries and items of a collection."""

    @property
    def queries(self) -> IntArray:
        """The items that are queries."""

    @property
    def gallery(self) -> BoolArray:
        """Whether each item can be found."""

    def hits(self, queries: IntArray) -> tuple[Ragged, list[SharedRelevance]]:
        """The relevant items of each query in its collection, ascending; and the groups that share theirs."""

    def left_out(self, queries: IntArray) -> Ragged:
        """Items that could be found but are not in the collection of a query."""


@dataclass(frozen=True, eq=False)
class Relevance:
    """An item is relevant to a query if they share a label.

    `removed` takes the query itself out of its collection, `kept` leaves it in as a relevant item, `kept_ignored`
    leaves it in but counts no rank for it, which gives the numbers of `removed`.
    """

    items: LabelledItems
    policy: str
    junk: IntArray  # query * number of items + item, ascending

    @classmethod
    def of(cls, items: LabelledItems, policy: str = "removed", junk: Iterable[tuple[str, str]] = ()) -> Relevance:
        """Checked; raises `SettingError` for an unknown policy, `InputError` for junk that is no item."""
        plain = check({"query_item": policy}, query_item=OneOf(POLICIES))["query_item"]
        return cls(items, plain, _junk_keys(items, junk))

    @cached_property
    def gallery(self) -> BoolArray:
        """Whether each item can be found."""
        everyone = np.ones(len(self.items), dtype=np.bool_)
        return everyone if self.items.gallery is None else self.items.gallery

    @cached_property
    def _members(self) -> Ragged:
        """The items of each label that can be found, in the order of the items."""
        item, label = self.items.item_labels
        kept = self.gallery[item]
        item, label = item[kept], label[kept]
        order = np.argsort(label, kind="stable")
        return Ragged.from_rows(label[order], self.items.label_count, item=item[order])

    def _relevant(self, labels: tuple[int, ...]) -> IntArray:
        offsets, item = self._members.offsets, self._members["item"]
        found = [item[offsets[label] : offsets[label + 1]] for label in labels]
        return found[0] if len(found) == 1 else np.unique(np.concatenate(found))

    @cached_property
    def asked(self) -> IntArray:
        """Items with a label that are to be queries, whether they have a relevant item or not, set by set of labels."""
        chosen = self.items.set_number >= 0
        if self.items.queries is not None:
            chosen &= self.items.queries
        queries = np.flatnonzero(chosen)
        return queries[np.argsort(self.items.set_number[queries], kind="stable")]

    @cached_property
    def _relevant_counts(self) -> IntArray:
        """How many relevant items each of these has in its collection."""
        some = np.array_split(self.asked, max(1, self.asked.size // 4096))
        return np.concatenate([self.hits(part)[0].lengths for part in some])

    @cached_property
    def queries(self) -> IntArray:
        """Those that have a relevant item."""
        return self.asked[self._relevant_counts > 0] if self.asked.size else self.asked

    @property
    def hit_count(self) -> int:
        """How many relevant items all queries have together."""
        return int(self._relevant_counts.sum())

    def hits(self, queries: IntArray) -> tuple[Ragged, list[SharedRelevance]]:
        """The relevant items of each query in its collection, ascending; and the groups that share theirs."""
        groups = self.groups(queries)
        there = shared_items(groups, queries.size)
        query, item = queries[there.row], there["item"]
        out: BoolArray = np.zeros(item.size, dtype=np.bool_) if self.policy == "kept" else query == item
        if self.junk.size:
            out |= np.isin(query * len(self.items) + item, self.junk)
        return there.where(~out), groups

    def left_out(self, queries: IntArray) -> Ragged:
        """Items that could be found but are not in the collection of a query: junk, and the query unless kept."""
        low, high = (np.searchsorted(self.junk, key * len(self.items)) for key in (queries, queries + 1))
        row = np.repeat(np.arange(queries.size), high - low)
        item = self.junk[ranges(low, high - low)] % len(self.items)
        if self.policy != "kept":
            row, item = np.concatenate([row, np.arange(queries.size)]), np.concatenate([item, queries])
        row, item = row[self.gallery[item]], item[self.gallery[item]]
        keys = np.unique(row * len(self.items) + item)
        return Ragged.from_rows(keys // len(self.items), queries.size, item=keys % len(self.items))

    def groups(self, queries: IntArray) -> list[SharedRelevance]:
        """Queries one behind the other that share a set of labels."""
        number = self.items.set_number[queries]
        changes = np.flatnonzero(number[1:] != number[:-1]) + 1
        edges = [0, *changes.tolist(), queries.size] if queries.size else []
        sets = self.items.sets
        return [SharedRelevance(start, stop, self._relevant(sets[number[start]])) for start, stop in pairwise(edges)]


def shared_items(groups: Sequence[SharedRelevance], queries: int) -> Ragged:
    """What the groups share, for each of so many queries.

    >>> shared_items([SharedRelevance(0, 2, np.array([4, 7]))], queries=2).lists("item")
    [[4, 7], [4, 7]]
    """
    members = [np.tile(group.members, group.stop - group.start) for group in groups]
    lengths = [np.full(group.stop - group.start, group.members.size) for group in groups]
    item = np.concatenate([np.empty(0, dtype=np.int64), *members])
    row = np.repeat(np.arange(queries), np.concatenate([np.empty(0, dtype=np.int64), *lengths]))
    return Ragged.from_rows(row, queries, item=item)


def _junk_keys(items: LabelledItems, junk: Iterable[tuple[str, str]]) -> IntArray:
    place = {name: position for position, name in enumerate(items.ids)}
    problems, keys = Problems("junk"), []
    for query, item in junk:
        unknown = [each for each in (query, item) if str(each) not in place]
        for each in unknown:
            problems.add("", f"{shorten_value(str(each))} is no item of the features")
        if not unknown:
            keys.append(place[str(query)] * len(items) + place[str(item)])
    problems.raise_if_any()
    return np.unique(np.array(keys, dtype=np.int64))
