"""Ranks within a domain of each class: its members and the distractors chosen for it, whatever else there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankscope.arrays import BoolArray, IntArray
from rankscope.engines.nearest.block import BlockRanks, RowsOfBlock, Screening
from rankscope.engines.nearest.distractors import ClassItems, Distractors
from rankscope.engines.nearest.query_block import QueryBlock
from rankscope.engines.nearest.relevance import Relevance, SharedRelevance
from rankscope.engines.nearest.space import Space
from rankscope.errors import SettingError
from rankscope.inputs.checks import shorten_value
from rankscope.ranks.lots import lots_of_numbers
from rankscope.ranks.ragged import Ragged
from rankscope.running.threads import in_threads, with_threads

QUERIES = 1024  # of a block, which ends with a class


@dataclass(frozen=True, eq=False)
class Domain:
    """The items among which the queries of a class are ranked, ascending, and those of them that can be found."""

    items: IntArray
    gallery: BoolArray

    @classmethod
    def of(cls, members: IntArray, distractors: IntArray, queries: IntArray) -> Domain:
        """A class with its distractors; queries need not be among the items to be found."""
        found = np.union1d(members, distractors)
        items = np.union1d(found, queries)
        return cls(items, np.isin(items, found))

    def local(self, lists: Ragged) -> Ragged:
        """Items of these that are in the domain, by their places in it."""
        place = np.minimum(np.searchsorted(self.items, lists["item"]), self.items.size - 1)
        there = self.items[place] == lists["item"]
        return lists.with_columns(item=place).where(there)


@dataclass(frozen=True, eq=False)
class DomainRanker:
    """Ranks the queries of whole classes, each class in a domain of its own."""

    space: Space
    relevance: Relevance
    distractors: Distractors
    keep_scores: bool
    cells: int

    def check(self) -> None:
        """Raise where a class has fewer distractors than are to be kept."""
        groups = self.relevance.groups(self.relevance.queries)
        left = np.array([self._found - group.members.size for group in groups])
        short = np.flatnonzero(left < self.distractors.number)
        if short.size:
            worst = groups[int(left.argmin())]
            label = self.relevance.items.labels[int(self.relevance.queries[worst.start])]
            raise SettingError(
                f"{self.distractors} wants more distractors than {short.size:,} of {len(groups):,} classes have: "
                f"around {shorten_value(label)} there are {left.min():,}, so give that number at most"
            )

    @cached_property
    def blocks(self) -> list[IntArray]:
        """Queries of whole classes, about as many at a time."""
        queries, ends = self.relevance.queries, [0]
        for group in self.relevance.groups(queries):
            if group.stop - ends[-1] >= QUERIES:
                ends.append(group.stop)
        return [part for part in np.split(queries, ends[1:]) if part.size]

    def stream(self, blocks: Sequence[IntArray]) -> Iterator[BlockRanks]:
        """Block after block."""
        return map(self.ranked, blocks)

    def ranked(self, queries: IntArray) -> BlockRanks:
        """The ranks of the queries of some classes, several of which are worked on at once."""
        groups = self.relevance.groups(queries)
        classes = [self._class(queries[group.start], group.members) for group in groups]
        kept = self.distractors.choose(self.space, classes)
        asked = [
            (queries[group.start : group.stop], group.members, others)
            for group, others in zip(groups, kept, strict=True)
        ]
        if not self.space.shared:
            return BlockRanks.join([self._of_class(each) for each in asked])
        return BlockRanks.join(in_threads(self._of_class, asked))

    def _class(self, query: int, members: IntArray) -> ClassItems:
        """The class of a query."""
        outside = self.relevance.gallery.copy()
        outside[members] = False
        return ClassItems(int(self.relevance.items.set_number[query]), members, np.flatnonzero(outside))

    def _of_class(self, asked: tuple[IntArray, IntArray, IntArray]) -> BlockRanks:
        """The queries of one class: the rows of its domain are a space of their own."""
        queries, members, kept = asked
        with with_threads(1):
            domain = Domain.of(members, kept, queries)
            space = self.space.with_rows(self.space.rows[domain.items])
            step = max(1, self.cells // domain.items.size)
            parts = [queries[start : start + step] for start in range(0, queries.size, step)]
            return BlockRanks.join([self._part(some, members, domain, space) for some in parts])

    def _part(self, queries: IntArray, members: IntArray, domain: Domain, space: Space) -> BlockRanks:
        block = QueryBlock(
            space,
            np.searchsorted(domain.items, queries),
            hits=domain.local(self.relevance.hits(queries)[0]),
            left_out=domain.local(self.relevance.left_out(queries)),
            gallery=domain.gallery,
            groups=[SharedRelevance(0, queries.size, np.searchsorted(domain.items, members))],
        )
        work = RowsOfBlock(Screening(space, self.keep_scores, self.cells), block)
        result = BlockRanks.of(block, work.exactly() if space.exact else work.screened(), work.best)
        outside = self._found - int(np.count_nonzero(domain.gallery))
        lots = _lots_in_whole(work, domain, result)
        return replace(result, queries=queries, left_out=result.left_out + outside, distractors=lots)

    @cached_property
    def _found(self) -> int:
        """How many items can be found at all."""
        return int(np.count_nonzero(self.relevance.gallery))


def _lots_in_whole(work: RowsOfBlock, domain: Domain, result: BlockRanks) -> Ragged | None:
    """The best distractors with the lots that their items have in the whole collection."""
    if work.best is None or result.distractors is None:
        return None
    items = work.best.items()["item"]
    return result.distractors.with_columns(lot=lots_of_numbers(domain.items[items]))
