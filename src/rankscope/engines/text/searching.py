"""Searching: all documents that match in order, the first few of them, or the scores of every document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from rankscope.core.display import Tabular
from rankscope.engines.text.index_columns import Numbers
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.matching import MatchCache, Matcher, Matches, any_matches, total_scores
from rankscope.engines.text.queries import Boolean, Boost, Node, Term, any_weighted, simplify
from rankscope.engines.text.similarity import Similarity

if TYPE_CHECKING:
    import polars as pl

ROUNDING = 2.0**-22  # of a sum of few numbers in 32 bits, with much to spare


class Searcher:
    """Searches an index under one similarity."""

    def __init__(
        self, reader: IndexReader, similarity: Similarity, default_field: str, cache: MatchCache | None = None
    ) -> None:
        self.reader = reader
        self.matcher = Matcher(reader, similarity, default_field, cache)

    def search(self, query: Node, limit: int | None = None) -> Hits:
        """The documents that match a query, the best first; `limit` is how many of them are wanted."""
        simple = simplify(query)
        bag = bag_of_words(simple)
        if bag is not None and limit is not None and self.reader.count:
            return self._first(bag, limit)
        scores, mask = self.all_scores(simple)
        docs = np.flatnonzero(mask)
        return self._hits(docs, scores[docs], limit)

    def all_scores(self, query: Node) -> tuple[NDArray[np.float32], Numbers]:
        """The score of every document, and whether it matches; deleted documents match nothing."""
        simple = simplify(query)
        bag = bag_of_words(simple)
        parts = [self.matcher.matches(simple)] if bag is None else self._parts(bag)
        total = total_scores(parts, self.reader.count)
        mask = any_matches(parts, self.reader.count, total)
        if self.reader.deleted is not None:
            mask = mask & ~self.reader.deleted
        return total.astype(np.float32), mask

    def weighted_scores(self, weights: Mapping[Term, float]) -> tuple[NDArray[np.float32], Numbers]:
        """As `all_scores`, for a bag of words with weights."""
        return self.all_scores(any_weighted(weights))

    def _parts(self, bag: Mapping[Term, float]) -> list[Matches]:
        return [self.matcher.term_matches(term, boost) for term, boost in bag.items()]

    def _first(self, bag: Mapping[Term, float], limit: int) -> Hits:
        """The best of a bag of words: found with sums in 32 bits, then scored as always."""
        parts = self._parts(bag)
        if not all(part.positive for part in parts):
            scores, mask = self.all_scores(any_weighted(bag))
            docs = np.flatnonzero(mask)
            return self._hits(docs, scores[docs], limit)
        rough = total_scores(parts, self.reader.count, np.dtype(np.float32))
        if self.reader.deleted is not None:
            rough[self.reader.deleted] = 0
        highest = sum(part.highest for part in parts)
        docs = best_places(rough, limit, highest * ROUNDING * len(parts))
        docs = docs[rough[docs] > 0]
        exact = np.zeros(len(docs))
        for part in parts:
            exact += part.at(docs)
        return self._hits(docs, exact.astype(np.float32), limit, int(np.count_nonzero(rough)))

    def _hits(self, docs: Numbers, scores: NDArray[np.float32], limit: int | None, total: int | None = None) -> Hits:
        order = best_first(scores)[:limit]
        return Hits(docs[order], scores[order], len(docs) if total is None else total, self.reader)


def bag_of_words(query: Node) -> dict[Term, float] | None:
    """The terms of a query with their boosts, where it is nothing but optional terms; None for all other queries.

    >>> bag_of_words(any_weighted({Term("body", "fox"): 2.0, Term("body", "dog"): 1.0}))
    {Term(field='body', text='fox'): 2.0, Term(field='body', text='dog'): 1.0}
    """
    if isinstance(query, Term):
        return {query: 1.0}
    if isinstance(query, Boost):
        return {query.query: query.factor} if isinstance(query.query, Term) else None
    if not isinstance(query, Boolean) or query.required or query.prohibited or query.minimum > 1:
        return None
    found: dict[Term, float] = {}
    for each in query.optional:
        inner, boost = (each.query, each.factor) if isinstance(each, Boost) else (each, 1.0)
        if not isinstance(inner, Term) or inner in found:
            return None
        found[inner] = boost
    return found


# What a search gives: documents in their order, with scores, and ids where they are asked for.


@dataclass(frozen=True, eq=False, repr=False)
class Hits(Tabular):
    """Documents that match, the best first; of equal scores the one that stands first in the index.

    `docs` are their numbers in the index, and `total` is how many match in all.
    """

    docs: Numbers
    scores: NDArray[np.float32]
    total: int
    reader: IndexReader

    @cached_property
    def ids(self) -> pl.Series:
        """The ids of the documents, in the same order."""
        return self.reader.ids.gather(self.docs)

    def rank_of(self, document: int) -> int:
        """The place of a document, by its number in the index, from 1 on; 0 where it is not among them."""
        places = np.flatnonzero(self.docs == document)
        return int(places[0]) + 1 if places.size else 0

    def first(self, count: int) -> Hits:
        """The first of them."""
        return Hits(self.docs[:count], self.scores[:count], self.total, self.reader)

    def __len__(self) -> int:
        return len(self.docs)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self.ids.to_list(), self.scores.tolist(), strict=True)

    def __str__(self) -> str:
        return "\n".join(f"{score:.6g}  {name}" for name, score in self)


# The order of scores: the best first, equal ones as they stand.

FEW: Final = 2_000  # fewer are sorted by comparing them
SIGN: Final = np.uint32(1 << 31)


def best_first(scores: NDArray[np.float32]) -> Numbers:
    """The places of scores in descending order; of equal scores the first comes first.

    >>> best_first(np.array([1.0, 3.0, 1.0, 2.0], dtype=np.float32)).tolist()
    [1, 3, 0, 2]
    """
    if len(scores) < FEW:
        return np.argsort(-scores, kind="stable")
    # Whole numbers in the opposite order of the scores; 0 and -0 are one.
    bits = (scores + np.float32(0)).view(np.uint32)
    keys = ~bits if not (bits & SIGN).any() else ~np.where(bits & SIGN, ~bits, bits | SIGN)
    keys -= keys.min()
    half = (int(keys.max()).bit_length() + 1) // 2
    order = _by_counting(keys & np.uint32((1 << half) - 1))
    return order[_by_counting((keys >> np.uint32(half))[order])]


def best_places(scores: NDArray[np.float32], limit: int, margin: float = 0.0) -> Numbers:
    """Places of at least the `limit` best scores, ascending, and of all within `margin` of the last of them.

    >>> {997, 998, 999} <= set(best_places(np.arange(1000, dtype=np.float32), limit=3).tolist())
    True


    The best of each of many groups are looked at first: the last of the best groups is a lower bound.
    """
    groups = max(len(scores) // 128, 4 * limit)
    if groups * 4 > len(scores):
        return np.arange(len(scores))
    even = groups * (len(scores) // groups)
    tops = scores[:even].reshape(-1, groups).max(axis=0)
    bound = np.partition(tops, groups - limit)[groups - limit] - margin
    columns = np.flatnonzero(tops >= bound)
    places = (columns + groups * np.arange(even // groups)[:, None]).ravel()
    places = np.concatenate([places, np.arange(even, len(scores))])
    return np.sort(places[scores[places] >= bound])


def _by_counting(keys: Numbers) -> Numbers:
    """The places of whole numbers in ascending order, equal ones as they stand."""
    from scipy.sparse import csr_matrix

    count = len(keys)
    row = csr_matrix(
        (np.arange(count, dtype=np.int32), keys.astype(np.int32), np.array([0, count], dtype=np.int32)),
        shape=(1, int(keys.max()) + 1),
    )
    order: Numbers = row.tocsc().data
    return order
