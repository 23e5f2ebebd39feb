"""Ranks within a domain of each class, its members and the distractors chosen for it: the nearest, or random ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, NamedCatalogue
from rankscope.core.threads import in_threads, with_threads
from rankscope.engines.nearest.blocks import BlockRanker, BlockRanks, RowsOfBlock, Screening
from rankscope.engines.nearest.relevance import QueryBlock, Relevance, SharedRelevance
from rankscope.engines.nearest.space import TABLE, Space
from rankscope.inputs.problems import shorten_value
from rankscope.ranks.ragged import Ragged

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
class DomainRanker(BlockRanker):
    """Ranks the queries of whole classes, each in a domain of its own; `SettingError` where distractors are too few."""

    space: Space
    relevance: Relevance
    distractors: Distractors
    keep_scores: bool
    cells: int

    def __post_init__(self) -> None:
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

    def ranked(self, queries: IntArray) -> BlockRanks:
        """The ranks of the queries of some classes, several of which are worked on at once."""
        groups, classes = self.relevance.groups(queries), []
        for group in groups:
            outside = self.relevance.gallery.copy()
            outside[group.members] = False
            number = int(self.relevance.items.set_number[queries[group.start]])
            classes.append(ClassItems(number, group.members, np.flatnonzero(outside)))
        kept = self.distractors.choose(self.space, classes)
        asked = [
            (queries[group.start : group.stop], group.members, others)
            for group, others in zip(groups, kept, strict=True)
        ]
        if not self.space.shared:
            return BlockRanks.join([self._of_class(each) for each in asked])
        return BlockRanks.join(in_threads(self._of_class, asked))

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
        found = work.exactly() if space.exact else work.screened()
        best = None if work.best is None else work.best.items()
        if best is not None:  # the lots are those that items have in the whole collection
            best = best.with_columns(item=domain.items[best["item"]])
        result = BlockRanks.of(queries, block.hits, block.left_out, found, best, space.shown)
        outside = self._found - int(np.count_nonzero(domain.gallery))
        return replace(result, left_out=result.left_out + outside)

    @cached_property
    def _found(self) -> int:
        """How many items can be found at all."""
        return int(np.count_nonzero(self.relevance.gallery))


# Which distractors stay around a class: those nearest to it, a narrow domain, or random ones, a wide domain.


@dataclass(frozen=True, eq=False)
class ClassItems:
    """A class by its number, its members that can be found, and all other items that can."""

    number: int
    members: IntArray
    others: IntArray


@dataclass(frozen=True)
class Distractors(Named, ABC):
    """So many distractors of each class."""

    unnamed: ClassVar[tuple[str, ...]] = ("number",)
    least: ClassVar[Mapping[str, float]] = {"number": 1}

    number: int

    @abstractmethod
    def choose(self, space: Space, classes: Sequence[ClassItems]) -> Iterator[IntArray]:
        """The items that stay around each of several classes, ascending."""


@dataclass(frozen=True)
class NearestDistractors(Distractors):
    """Those of least mean distance to the members of the class, the earlier of two equals first: a narrow domain."""

    name: ClassVar[str] = "nearest"

    def choose(self, space: Space, classes: Sequence[ClassItems]) -> Iterator[IntArray]:
        """By the scores as people know them, of which cosine and inner product are similarities."""
        step = max(1, TABLE // len(space))
        for start in range(0, len(classes), step):
            some = classes[start : start + step]
            bounds = space.total_bounds([each.members for each in some])
            for each, (low, high) in zip(some, bounds, strict=True):
                yield highest_totals(space, each, self.number, low[each.others], high[each.others])


@dataclass(frozen=True)
class RandomDistractors(Distractors):
    """Drawn at random for each class; a larger number holds the smaller ones: a domain as wide as the collection."""

    name: ClassVar[str] = "random"
    least: ClassVar[Mapping[str, float]] = {"seed": 0}

    seed: int = 0

    def choose(self, space: Space, classes: Sequence[ClassItems]) -> Iterator[IntArray]:
        """The first ones in an order drawn for each class."""
        for each in classes:
            order = np.random.default_rng([self.seed, each.number]).permutation(each.others)
            yield np.sort(order[: self.number])


DISTRACTORS: NamedCatalogue[Distractors] = NamedCatalogue(
    "choice of distractors", (NearestDistractors, RandomDistractors), "nearest(500)"
)


def parse_distractors(given: str | Distractors) -> Distractors:
    """A choice as people write it, or as it is.

    >>> parse_distractors("nearest(500)"), str(parse_distractors("random(500, seed=3)"))
    (NearestDistractors(number=500), 'random(500,seed=3)')
    """
    return given if isinstance(given, Distractors) else DISTRACTORS.parse(given)


def highest_totals(space: Space, own: ClassItems, number: int, low: FloatArray, high: FloatArray) -> IntArray:
    """The other items whose scores with all members have the highest sums, from bounds of these sums.

    Where the bounds do not decide, it is done by the scores that count, added in the order of the members.
    """
    if number >= own.others.size:
        return own.others
    reached = np.partition(low, -number)[-number]  # so many sums are at least this,
    beyond = np.partition(high, -number - 1)[-number - 1]  # and no more than these many are above this
    sure, doubtful = low > beyond, (low <= beyond) & (high >= reached)
    close = own.others[doubtful]
    step = max(1, TABLE // own.members.size)
    parts = [close[start : start + step] for start in range(0, close.size, step)]
    totals = np.concatenate([np.empty(0), *(_totals(space, own.members, part) for part in parts)])
    best = np.argsort(-totals, kind="stable")[: number - int(np.count_nonzero(sure))]
    return np.sort(np.concatenate([own.others[sure], close[best]]))


def _totals(space: Space, members: IntArray, items: IntArray) -> FloatArray:
    """Sums of the scores that count, member by member whatever items are asked together."""
    table = space.shown(space.reference_table(members, items))
    return np.add.accumulate(table, axis=0)[-1]
