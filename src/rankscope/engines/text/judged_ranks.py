"""The ranks of judged documents, by counting: no list is made, and equal scores are ordered as in the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.listing import Listing, as_written
from rankscope.engines.text.ordering import best_first
from rankscope.inputs.judged_items import JudgedItems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.found import Found
from rankscope.ranks.lots import lots_of_names
from rankscope.ranks.reduce import check_common, nothing_found
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks
from rankscope.ranks.ties import item_hash
from rankscope.settings import Settings

if TYPE_CHECKING:
    from rankscope.inputs.id_columns import IdColumn

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
        docs, scores = listing.in_order(KEPT_DISTRACTORS + len(relevant))
        other = np.flatnonzero(~np.isin(docs, relevant))[:KEPT_DISTRACTORS]
        docs, score = docs[other], as_written(scores[other])
        lot = lots_of_names(self._names(docs))
        return {"row": np.full(len(docs), row), "order": np.arange(len(docs)), "score": score, "lot": lot}

    def _names(self, docs: Numbers) -> IdColumn:
        from rankscope.inputs.id_columns import TextIds

        return TextIds.of(self.reader.ids.gather(docs).to_list())


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
        listed, place = _places(listing.docs, asked)
        last, _ = _places(listing.behind, asked)
        score = np.concatenate([listing.scores[place], np.full(len(last), listing.last_score)])
        docs, rank = asked[np.concatenate([listed, last])], np.zeros(len(score), dtype=np.int64)
        groups = []
        for value, above, members in _groups(listing, score[: len(listed)], bool(len(last))):
            mine = np.flatnonzero(score == value)
            rank[mine] = above + 1
            if len(members) > 1:
                groups.append((above + 1, len(members)))
                ordered = np.argsort(np.argsort(key(members), kind="stable"), kind="stable")
                rank[mine] += ordered[np.searchsorted(members, docs[mine])]
        start, size = np.array(sorted(groups), dtype=np.int64).reshape(-1, 2).T
        return cls(found=np.concatenate([listed, last]), rank=rank, score=score, start=start, size=size)


def _places(docs: Numbers, asked: Numbers) -> tuple[Numbers, Numbers]:
    """Which of those asked for are among some documents, which ascend, and where."""
    if not len(docs):
        return asked[:0], asked[:0]
    place = np.minimum(np.searchsorted(docs, asked), len(docs) - 1)
    there = np.flatnonzero(docs[place] == asked)
    return there, place[there]


def _groups(listing: Listing, wanted: NDArray[np.float32], behind: bool) -> Iterator[tuple[np.float32, int, Numbers]]:
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
