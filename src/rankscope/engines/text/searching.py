"""Searching: all documents that match in order, the first few, or the scores of every document; and many topics at
once, as a run or as the ranks of all judged documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.display import Display, LongTable, Tabular
from rankscope.core.rendering import Rows
from rankscope.core.settings import Settings
from rankscope.core.wording import how_many
from rankscope.engines.text.index_columns import Numbers
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.matching import MatchCache, Matcher, Matches, any_matches, total_scores
from rankscope.engines.text.queries import Boolean, Boost, Node, Term, any_weighted, simplify
from rankscope.engines.text.similarities import Similarity
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import JudgedItems, Qrels
from rankscope.inputs.run import Run
from rankscope.inputs.tables import Table
from rankscope.ranks.kept_scores import lots_of_names
from rankscope.ranks.reduction import Found, check_common, nothing_found
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks
from rankscope.ranks.ties import item_hash

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

    def records(self) -> Rows:
        return [{"rank": rank, "id": name, "score": score} for rank, (name, score) in enumerate(self, 1)]

    def display(self) -> Display:
        title = f"{how_many(self.total, 'document matches', 'documents match')}, the best {len(self):,}"
        columns: dict[str, Any] = {"rank": range(1, len(self) + 1), "id": self.ids, "score": self.scores}
        return Display(title, LongTable.of_columns(columns))


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


# Many topics at once: a run, and the ranks of all judged documents, which are those that the run would have.

TOPICS_AT_ONCE = 20


@dataclass(frozen=True, eq=False)
class TopicLists:
    """How deep rankings of topics go, and what becomes of documents that do not match: of a run, or counted alone."""

    searcher: Searcher
    parse: Callable[[str], Node]
    depth: int | None = None
    unmatched: Unmatched = "missing"

    def run(self, topics: Mapping[str, str], name: str) -> Run:
        """The rankings of topics as a run; it searches whenever the rows are asked for."""

        def read(_: Problems) -> Iterator[Table]:
            waiting = iter(topics.items())
            while some := list(islice(waiting, TOPICS_AT_ONCE)):
                tables = []
                for query, text in some:
                    hits = self._hits(text)
                    columns = {
                        "query": pl.repeat(query, len(hits), eager=True, dtype=pl.String),
                        "item": hits.ids,
                        "score": pl.Series(as_written(hits.scores), dtype=pl.Float64),
                        "rank": np.arange(1, len(hits) + 1),
                    }
                    tables.append(pl.DataFrame(columns))
                yield Table.numbered(pl.concat(tables))

        return Run.from_tables(name, read)

    def _hits(self, text: str) -> Hits:
        query = self.parse(text)
        if self.depth is not None and self.unmatched == "missing":
            hits = self.searcher.search(query, self.depth + 1)
            if len(hits) <= self.depth or hits.scores[-1] != hits.scores[-2]:
                return hits.first(self.depth)
        deleted = self.searcher.reader.deleted
        docs, scores = self.listing(text, None if deleted is None else ~deleted).in_order()
        return Hits(docs, scores, len(docs), self.searcher.reader)

    def listing(self, text: str, there: Numbers | None) -> Listing:
        """What of the documents that are there is listed for a topic."""
        scores, matched = self.searcher.all_scores(self.parse(text))
        return Listing.of(scores, matched, there, self.depth, self.unmatched)


Unmatched = Literal["missing", "last"]


@dataclass(frozen=True, eq=False)
class Listing:
    """Documents that match with their scores, ascending by number, and those that follow behind them as one group."""

    docs: Numbers
    scores: NDArray[np.float32]
    behind: Numbers

    @classmethod
    def of(
        cls,
        scores: NDArray[np.float32],
        matched: Numbers,
        there: Numbers | None,
        depth: int | None = None,
        unmatched: Unmatched = "missing",
    ) -> Listing:
        """From the scores of all documents, which of them match, and which are there at all; None: all are.

        Those that score the same as the last of the first `depth` are listed too, so that every rule for ties can be
        applied to the list.
        >>> scores = np.array([3, 1, 2, 2, 0], dtype=np.float32)
        >>> Listing.of(scores, scores > 0, None, depth=2).docs.tolist()
        [0, 2, 3]
        """
        docs = np.flatnonzero(matched if there is None else matched & there)
        found = scores[docs]
        if depth is not None and depth < len(docs):
            kept = found >= np.partition(found, len(docs) - depth)[len(docs) - depth]
            docs, found = docs[kept], found[kept]
        rest = ~matched if there is None else there & ~matched
        return cls(docs, found, np.flatnonzero(rest) if unmatched == "last" else docs[:0])

    @property
    def last_score(self) -> np.float32:
        """What the documents behind all others score: 0, or less than any match."""
        lowest = self.scores.min(initial=np.float32(np.inf))
        return np.float32(0) if lowest > 0 else np.float32(lowest - 1)

    def __len__(self) -> int:
        return len(self.docs) + len(self.behind)

    def in_order(self, limit: int | None = None) -> tuple[Numbers, NDArray[np.float32]]:
        """The documents, the best first and equal ones in the order of the index, with their scores."""
        places = np.arange(len(self.docs)) if limit is None else best_places(self.scores, limit)
        places = places[best_first(self.scores[places])]
        docs = np.concatenate([self.docs[places], self.behind])
        last = np.full(len(self.behind), self.last_score)
        return docs[:limit], np.concatenate([self.scores[places], last])[:limit]


def as_written(scores: NDArray[np.float32]) -> FloatArray:
    """Scores as a run has them: the shortest decimals of their 32 bits, so that equal ones stay equal.

    >>> as_written(np.array([0.1], dtype=np.float32)).tolist()
    [0.1]
    """
    return pl.Series(scores, dtype=pl.Float32).cast(pl.String).cast(pl.Float64).to_numpy()


# The ranks of judged documents, by counting: no list is made, and equal scores are ordered as in the run.

COUNTED_AT_MOST: Final = 60  # scores, beyond which the list is sorted
ListTopic = Callable[[str, Numbers | None], Listing]  # of a query's text, and of which documents are there for it


def rank_topics(
    reader: IndexReader,
    topics: Mapping[str, str],
    list_topic: ListTopic,
    qrels: Qrels,
    run: Run,
    settings: Settings,
    *,
    junk: Iterable[tuple[str, str]] = (),
    keep_scores: bool = False,
) -> RelevantRanks:
    """The reduction that the run of these topics would have; topics that nobody judged are not searched for."""
    found = nothing_found(qrels, run.place, settings, junk, keep_scores)
    found.not_judged += [query for query in topics if query not in found.judged.row_of]
    counting = _Counting(reader, found)
    for query, text in topics.items():
        if query in found.judged.row_of:
            counting.add(query, list_topic(text, counting.there(query)))
    if len(found.not_judged) == len(topics):
        check_common(found, qrels)
    found.occur = any(len(docs) for docs, _ in counting._judged)
    return found.with_doubts(found.assembled(run, qrels), run)


@dataclass
class _Counting:
    """Counts topic by topic, and leaves what it finds in a reduction."""

    reader: IndexReader
    found: Found

    def add(self, query: str, listing: Listing) -> None:
        """The judged documents of one topic."""
        found, row = self.found, self.found.judged.row_of[query]
        length = len(listing)
        found.returned += length
        if not length:
            return
        found.rows_of_query[row] = length
        docs, entry = self._judged[row]
        ranked = _Ranked.of(listing, docs, self._key(query))
        found.items.append(
            {
                "row": np.full(len(ranked.rank), row),
                "rank": ranked.rank,
                "grade": found.judged.grade[entry[ranked.found]],
                "score": as_written(ranked.score),
            }
        )
        if found.settings.ties != "rank":
            found.groups.append({"row": np.full(len(ranked.start), row), "start": ranked.start, "size": ranked.size})
        if found.keep_scores:
            relevant = found.judged.grade[entry] >= 1
            found.best.append(self._best_others(row, listing, docs[relevant]))

    def there(self, query: str) -> Numbers | None:
        """Which documents are in the collection for a query: neither deleted nor junk to it. None: all."""
        junk = self.found.junk
        if junk is None or query not in junk.row_of:
            return None if self.reader.deleted is None else self._live
        live = self._live.copy()
        live[self._junk[junk.row_of[query]][0]] = False
        return live

    @cached_property
    def _live(self) -> Numbers:
        deleted = self.reader.deleted
        return np.ones(self.reader.count, dtype=np.bool_) if deleted is None else ~deleted

    @cached_property
    def _judged(self) -> list[tuple[IntArray, IntArray]]:
        assert isinstance(self.found.judged, JudgedItems)
        return self._numbers_of(self.found.judged)

    @cached_property
    def _junk(self) -> list[tuple[IntArray, IntArray]]:
        assert self.found.junk is not None
        return self._numbers_of(self.found.junk)

    def _numbers_of(self, items: JudgedItems) -> list[tuple[IntArray, IntArray]]:
        """For each query the numbers of its items in the index, and which entries they are; others are not there."""
        known = pl.DataFrame({"id": self.reader.ids}).with_row_index("doc").filter(pl.Series(self._live))
        asked = pl.DataFrame({"id": pl.Series(items.item.to_list(), dtype=pl.String)}).with_row_index("entry")
        both = asked.join(known, on="id", how="inner").sort("entry")
        doc, entry = (both[name].to_numpy().astype(np.int64) for name in ("doc", "entry"))
        ends = np.searchsorted(entry, items.offsets[1:-1])
        return list(zip(np.split(doc, ends), np.split(entry, ends), strict=True))

    def _key(self, query: str) -> Callable[[Numbers], Numbers]:
        """By what documents of equal score are ordered, the least first."""
        settings = self.found.settings
        if settings.ties in ("given", "rank"):
            return lambda docs: docs
        if settings.ties == "ascending":
            return lambda docs: self._id_place[docs]
        if settings.ties == "hash":
            return lambda docs: self._hash_place(docs, settings.seed, query)
        return lambda docs: -self._id_place[docs]

    @cached_property
    def _id_place(self) -> IntArray:
        """The place of each document in the byte order of ids."""
        place = np.empty(self.reader.count, dtype=np.int64)
        place[self.reader.ids.arg_sort().to_numpy()] = np.arange(self.reader.count)
        return place

    def _hash_place(self, docs: Numbers, seed: int, query: str) -> Numbers:
        hashes = np.array([item_hash(seed, query, each) for each in self.reader.ids.gather(docs)], dtype=np.uint64)
        place = np.empty(len(docs), dtype=np.int64)
        place[np.lexsort((self._id_place[docs], hashes))] = np.arange(len(docs))
        return place

    def _best_others(self, row: int, listing: Listing, relevant: Numbers) -> dict[str, Any]:
        """Scores and lots of the first documents that are not relevant, as the growth forecast needs them."""
        docs, scores = listing.in_order(KEPT_DISTRACTORS + len(relevant))
        other = np.flatnonzero(~np.isin(docs, relevant))[:KEPT_DISTRACTORS]
        docs, score = docs[other], as_written(scores[other])
        lot = lots_of_names(TextIds.of(self.reader.ids.gather(docs).to_list()))
        return {"row": np.full(len(docs), row), "order": np.arange(len(docs)), "score": score, "lot": lot}


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Which of the documents asked for are listed, rank and score of each, and the groups of equals that hold any."""

    found: Numbers
    rank: IntArray
    score: NDArray[np.float32]
    start: IntArray
    size: IntArray

    @classmethod
    def of(cls, listing: Listing, asked: Numbers, key: Callable[[Numbers], Numbers]) -> _Ranked:
        """Better scores are counted; only documents of equal score are looked at."""
        listed, place = _places_among(listing.docs, asked)
        last, _ = _places_among(listing.behind, asked)
        score = np.concatenate([listing.scores[place], np.full(len(last), listing.last_score)])
        docs, rank = asked[np.concatenate([listed, last])], np.zeros(len(score), dtype=np.int64)
        groups = []
        for value, above, members in _score_groups(listing, score[: len(listed)], bool(len(last))):
            mine = np.flatnonzero(score == value)
            rank[mine] = above + 1
            if len(members) > 1:
                groups.append((above + 1, len(members)))
                ordered = np.argsort(np.argsort(key(members), kind="stable"), kind="stable")
                rank[mine] += ordered[np.searchsorted(members, docs[mine])]
        start, size = np.array(sorted(groups), dtype=np.int64).reshape(-1, 2).T
        return cls(found=np.concatenate([listed, last]), rank=rank, score=score, start=start, size=size)


def _places_among(docs: Numbers, asked: Numbers) -> tuple[Numbers, Numbers]:
    """Which of those asked for are among some documents, which ascend, and where."""
    if not len(docs):
        return asked[:0], asked[:0]
    place = np.minimum(np.searchsorted(docs, asked), len(docs) - 1)
    there = np.flatnonzero(docs[place] == asked)
    return there, place[there]


def _score_groups(
    listing: Listing, wanted: NDArray[np.float32], behind: bool
) -> Iterator[tuple[np.float32, int, Numbers]]:
    """Each score asked for, how many documents have a better one, and those that have this one, ascending.

    Few scores are counted in the list as it stands; for many it is sorted first.
    """
    values = np.unique(wanted)
    if len(values) <= COUNTED_AT_MOST:
        for value in values:
            yield value, int(np.count_nonzero(listing.scores > value)), listing.docs[listing.scores == value]
    else:
        order = best_first(listing.scores)
        falling = -listing.scores[order]
        starts = np.searchsorted(falling, -values, side="left").tolist()
        for value, start, stop in zip(values, starts, np.searchsorted(falling, -values, side="right"), strict=True):
            yield value, start, listing.docs[order[start:stop]]
    if behind:
        yield listing.last_score, len(listing.docs), listing.behind
