"""Which items are queries, which are relevant to each, which are left out; and a block of queries with its hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.validation import OneOf, check
from rankscope.engines.nearest.space import Space
from rankscope.inputs.features import LabelledItems
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.ranks.ragged import Ragged, ranges
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS
from rankscope.ranks.score_tables import best_first, highest
from rankscope.ranks.screening import Close, float32_limits, moved_on

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


# What is known of a block of queries before any other item is looked at: hits with the scores that count, limits.

DENSE_PAIRS = 2048  # groups with at least so many pairs have their references made feature by feature


class QueryBlock:
    """Queries with their hits, best first, the earlier of two equals first; and what else is no distractor."""

    def __init__(
        self,
        space: Space,
        queries: IntArray,
        *,
        hits: Ragged,
        left_out: Ragged,
        gallery: BoolArray,
        groups: Sequence[SharedRelevance] = (),
    ) -> None:
        self.space, self.queries, self.gallery = space, queries, gallery
        self.hits, self.left_out, self.groups = hits, left_out, groups

    @classmethod
    def of(cls, space: Space, relevance: Asked, queries: IntArray) -> QueryBlock:
        """Some queries among the items of a space."""
        hits, groups = relevance.hits(queries)
        left_out, gallery = relevance.left_out(queries), relevance.gallery
        return cls(space, queries, hits=hits, left_out=left_out, gallery=gallery, groups=groups)

    def sort(self, scores: FloatArray) -> None:
        """Give the hits their scores, and sort them."""
        self.hits = best_first(self.hits.with_columns(score=scores))

    def references(self) -> FloatArray:
        scores = np.empty(self.hits.size)
        small = np.ones(len(self.hits), dtype=np.bool_)
        for group in self.groups:
            if (group.stop - group.start) * group.members.size >= DENSE_PAIRS:
                small[group.start : group.stop] = False
                there = slice(self.hits.offsets[group.start], self.hits.offsets[group.stop])
                # Of hits of queries that share them, from a table of all pairs.
                table = self.space.reference_table(self.queries[group.start : group.stop], group.members)
                column = np.searchsorted(group.members, self.hits["item"][there])
                scores[there] = table[self.hits.row[there] - group.start, column]
        chosen = small[self.hits.row]
        row, item = self.hits.row[chosen], self.hits["item"][chosen]
        scores[chosen] = self.space.reference(self.queries[row], item)
        return scores

    def limits(self, level: int) -> Ragged:
        """Between which screened scores an item is too close to each hit, in float32."""
        low, high = self.space.limits(self.queries[self.hits.row], self.hits["score"], level)
        below, above = float32_limits(low, high)
        return Ragged(self.hits.offsets, {"low": below, "high": above})

    def settle(self, row: IntArray, item: IntArray, place: IntArray) -> Close:
        """Items in doubt with scores that have the order of the references: these, where an estimate is near a hit."""
        score, room = self.space.estimate(self.queries[row], item)
        end = self.hits.offsets[row + 1]
        reached = moved_on(place, end, lambda at, who: self.hits["score"][at] > score[who] + room[who])
        near = np.flatnonzero(reached < end)
        near = near[self.hits["score"][reached[near]] >= score[near] - room[near]]
        score[near] = self.space.reference(self.queries[row[near]], item[near])
        return Close(row=row, item=item, score=score, place=place)

    def not_distractors(self) -> Sequence[Ragged]:
        """Items of the space that are relevant to a query, or not in its collection."""
        return self.hits, self.left_out

    def clear(self, scores: NDArray[Any], column: IntArray) -> None:
        """Take out of a table whatever is no distractor; `column` says where each item stands in it, -1 for nowhere."""
        for lists in self.not_distractors():
            at = column[lists["item"]]
            there = at >= 0
            scores[lists.row[there], at[there]] = -np.inf
        if not self.gallery.all():
            scores[:, column[(column >= 0) & ~self.gallery]] = -np.inf


# The best distractors of each query of a block, with the scores that count and the lots of the items.

BEST_ROOM = 2  # times as many as are wanted are gathered before those that are no longer among the best are dropped


class Best:
    """Gathers what may belong to the best, table by table of items, and in the end keeps the best references."""

    def __init__(self, queries: IntArray, space: Space, level: int = 0, number: int = KEPT_DISTRACTORS) -> None:
        self.queries, self.space, self.level, self.number = queries, space, level, number
        self.least = np.full(queries.size, -np.inf)  # what screens below this is not among the best of a query
        self.found: list[Ragged] = []

    def add(self, scores: NDArray[Any], items: IntArray) -> None:
        """A table of scores of some items, which ascend; -inf stands for what is no distractor."""
        if self.space.exact:
            hopeful = highest(scores, self.number) & (scores >= self.least[:, None])
        else:
            if scores.shape[1] >= self.number:
                at = scores.shape[1] - self.number
                self._raise_least(np.partition(scores, at, axis=1)[:, at])
            hopeful = (scores >= self.least[:, None]) & (scores > -np.inf)
        row, column = np.nonzero(hopeful)
        score = scores[row, column].astype(np.float64)
        self.found.append(Ragged.from_rows(row, self.queries.size, item=items[column], score=score))
        if sum(part.size for part in self.found) > BEST_ROOM * self.number * self.queries.size:
            self.found = [self._still_hopeful()]

    def _still_hopeful(self) -> Ragged:
        """What may be among the best, of all that was gathered."""
        best = best_first(self._gathered())
        last = best.position == self.number
        least = np.full(self.queries.size, -np.inf)
        least[best.row[last]] = best["score"][last]
        self._raise_least(least)
        return best.where(best.position <= self.number if self.space.exact else best["score"] >= self.least[best.row])

    def _raise_least(self, least: NDArray[Any]) -> None:
        """As many others as are kept screen at least so high, and have higher references than what is far below."""
        known = least > -np.inf
        reached = least[known].astype(np.float64)
        lowered = reached if self.space.exact else self.space.lowered(self.queries[known], reached, self.level)
        self.least[known] = np.maximum(self.least[known], lowered)

    def _gathered(self) -> Ragged:
        row, item, score = (
            np.concatenate(column)
            for column in zip(*((part.row, part["item"], part["score"]) for part in self.found), strict=True)
        )
        order = np.lexsort((item, row))
        return Ragged.from_rows(row[order], self.queries.size, item=item[order], score=score[order])

    def items(self) -> Ragged:
        """The best of each query with their references, falling, the earlier of two equals first."""
        lists = self._still_hopeful() if len(self.found) > 1 else self._gathered()
        if not self.space.exact:
            lists = lists.sorted_by(lists["item"])
            lists = lists.with_columns(score=self.space.reference(self.queries[lists.row], lists["item"]))
        best = best_first(lists)
        return best.where(best.position <= self.number)
