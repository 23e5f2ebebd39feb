"""Many topics at once: a run, and the ranks of all judged documents, which are those that the run would have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.settings import Settings
from rankscope.engines.text.index_columns import Numbers
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.queries import Node
from rankscope.engines.text.searching import Hits, Searcher, best_first, best_places
from rankscope.inputs.qrels import JudgedItems, Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.kept_scores import lots_of_names
from rankscope.ranks.reduction import Found, check_common, nothing_found
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks
from rankscope.ranks.ties import item_hash

if TYPE_CHECKING:
    from rankscope.inputs.problems import Problems
    from rankscope.inputs.tables import Table

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
            import polars as pl

            from rankscope.inputs.tables import Table

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
        """The ranking of a topic."""
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


# Which documents a ranking lists: those that match, perhaps only the best of them, perhaps all others behind them.

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
    import polars as pl

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
        import polars as pl

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
        from rankscope.inputs.id_columns import TextIds

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
