"""The ranks of judged documents, by counting: no list is made, and equal scores are ordered as in the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import IntArray
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.listing import Listing
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

ListTopic = Callable[[str, Numbers], Listing]  # of a query's text, and of which documents are there for it


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
    return found.assembled(run, qrels)


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
        inside = listing.listed[docs] if listing.behind is None else (listing.listed | listing.behind)[docs]
        docs, entry = docs[inside], entry[inside]
        ranked = _Ranked.of(listing, docs, self._key(query))
        score = listing.scores_at(docs)
        grade = found.judged.grade[entry]
        found.items.append({"row": np.full(len(docs), row), "rank": ranked.rank, "grade": grade, "score": score})
        if found.settings.ties != "rank":
            found.groups.append({"row": np.full(len(ranked.start), row), "start": ranked.start, "size": ranked.size})
        if found.keep_scores:
            found.best.append(self._best_others(row, listing, docs[grade >= 1]))

    def there(self, query: str) -> Numbers:
        """Which documents are in the collection for a query: neither deleted nor junk to it."""
        live = self._live
        junk = self.found.junk
        if junk is None or query not in junk.row_of:
            return live
        live = live.copy()
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
        docs, _ = listing.in_order()
        docs = docs[: KEPT_DISTRACTORS + len(relevant)]
        docs = docs[~np.isin(docs, relevant)][:KEPT_DISTRACTORS]
        score = listing.scores_at(docs)
        lot = lots_of_names(self._names(docs))
        return {"row": np.full(len(docs), row), "order": np.arange(len(docs)), "score": score, "lot": lot}

    def _names(self, docs: Numbers) -> IdColumn:
        from rankscope.inputs.id_columns import TextIds

        return TextIds.of(self.reader.ids.gather(docs).to_list())


@dataclass(frozen=True, eq=False)
class _Ranked:
    """The rank of each document asked for, and the groups of two or more equal scores that hold any of them."""

    rank: IntArray
    start: IntArray
    size: IntArray

    @classmethod
    def of(cls, listing: Listing, docs: Numbers, key: Callable[[Numbers], Numbers]) -> _Ranked:
        """Documents with better scores are counted in the sorted scores; only equal ones are looked at."""
        ordered = np.sort(listing.scores[listing.listed])
        values = listing.scores[docs]
        last = np.searchsorted(ordered, values, side="right")
        above, size = len(ordered) - last, last - np.searchsorted(ordered, values, side="left")
        if listing.behind is not None:
            behind = listing.behind[docs]
            above[behind], size[behind] = len(ordered), np.count_nonzero(listing.behind)
        rank = above + 1
        starts, first = np.unique(above[size > 1], return_index=True)
        for start, equal in zip(starts.tolist(), np.flatnonzero(size > 1)[first].tolist(), strict=True):
            mine = np.flatnonzero(above == start)
            members = _members(listing, int(docs[equal]))
            places = np.argsort(np.argsort(key(members), kind="stable"), kind="stable")
            rank[mine] += places[np.searchsorted(members, docs[mine])]
        return cls(rank, starts + 1, size[size > 1][first])


def _members(listing: Listing, doc: int) -> Numbers:
    """All documents that score the same as one, ascending."""
    if listing.behind is not None and listing.behind[doc]:
        return np.flatnonzero(listing.behind)
    return np.flatnonzero(listing.listed & (listing.scores == listing.scores[doc]))
