"""The judged items that a run holds, gathered from all its parts: what ranks are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.inputs.blocks import RunBlock, RunRows, numbers_of
from rankscope.inputs.judged_items import JudgedItems
from rankscope.ranks.found import Found, find_judged
from rankscope.ranks.matching import ItemKeys
from rankscope.ranks.query_numbers import QueryNumbers
from rankscope.ranks.ties import Placement, ScoredRows, ranks_of, standing


@dataclass(frozen=True)
class JudgedHits:
    """Judged items found: which judgement, score, and line; where they stand among each other, once that is known."""

    entry: IntArray
    score: FloatArray
    key: FloatArray  # what the order is made of
    line: IntArray

    @classmethod
    def none(cls) -> JudgedHits:
        """No items."""
        whole, broken = np.empty(0, dtype=np.int64), np.empty(0)
        return cls(whole, broken, broken, whole)

    @classmethod
    def join(cls, parts: Sequence[JudgedHits]) -> JudgedHits:
        """Those of several parts."""
        return cls(**{name: np.concatenate([getattr(each, name) for each in (cls.none(), *parts)]) for name in FIELDS})

    def take(self, rows: IntArray) -> JudgedHits:
        """Some of them."""
        return JudgedHits(**{name: getattr(self, name)[rows] for name in FIELDS})

    def __len__(self) -> int:
        return self.entry.size


FIELDS = ("entry", "score", "key", "line")


class HitFinder:
    """Finds the judged items in blocks of rows, in which queries come in any order."""

    def __init__(self, found: Found) -> None:
        self.found, self.numbers = found, QueryNumbers()
        self.row_of = np.empty(0, dtype=np.int64)

    def of(self, block: RunBlock) -> JudgedHits:
        """The judged items of a block."""
        number = self.numbers.of(block.query)
        new = self.numbers.queries[self.row_of.size :]
        rows = [self.found.judged.row_of.get(query, -1) for query in new]
        self.row_of = np.concatenate([self.row_of, np.array(rows, dtype=np.int64)])
        judged = self.found.judged
        assert isinstance(judged, JudgedItems)
        there, entry = find_judged(ItemKeys.of(block.rows.item, number), self.row_of, judged)
        if not there.size:
            self.found.look_for_ids(block.rows.item)
        return JudgedHits(
            entry=entry,
            score=block.rows.score[there],
            key=self.found.sorting_scores(block.rows)[there],
            line=numbers_of(block.rows.line)[there],
        )


def without_repetitions(hits: JudgedHits, found: Found, files: tuple[str, ...], word: str) -> JudgedHits:
    """Each judged item once, in the order of judgements; those that were ranked twice are settled or are problems."""
    order = np.lexsort((hits.line, hits.entry))
    hits = hits.take(order)
    again = np.flatnonzero(hits.entry[1:] == hits.entry[:-1])
    if not again.size:
        return hits
    policy = found.settings.duplicates
    if policy == "error":
        _complain(hits, again, found, files, word)
    if policy == "best":
        hits = hits.take(np.lexsort((hits.line, -hits.score, hits.entry)))
    last = policy == "last"
    new = np.concatenate([[True], hits.entry[1:] != hits.entry[:-1]])
    return hits.take(np.flatnonzero(np.concatenate([new[1:], [True]]) if last else new))


def _complain(hits: JudgedHits, again: IntArray, found: Found, files: tuple[str, ...], word: str) -> None:
    judged: Any = found.judged
    rows = RunRows(item=judged.item, score=hits.score, line=hits.line, word=word, files=files)
    for one in again.tolist():
        entry = int(hits.entry[one])
        query = judged.queries[int(judged.query_row[entry])]
        found.complain_of_pair(query, judged.item[entry], rows, one, one + 1)


@dataclass(frozen=True)
class HitOrder:
    """Where hits stand among some rows of their queries: rank, how many score higher, and how many the same."""

    rank: IntArray
    above: IntArray
    equal: IntArray


def order_among(rows: IntArray, scored: ScoredRows, item: Any, queries: Sequence[str], found: Found) -> HitOrder:
    """Where some of these rows stand among all of them."""
    rank, _ = ranks_of(rows, scored, item, queries, found.settings.ties, found.settings.seed)
    place: Placement = standing(rows, scored)
    size = np.concatenate([place.groups.size, [1]])
    return HitOrder(rank, place.above, size[place.group])
