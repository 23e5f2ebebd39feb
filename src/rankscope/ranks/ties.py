"""Rank within a query when scores may be equal: find the groups of equal scores that matter, and order each by rule.

Only few rows of a run are judged, so what is asked is: how many rows of its query score higher than this one, and
which score the same? Rows that come in order answer by their place, others are counted, or sorted where many are
asked for. Judged items of dictionaries are looked up, and stand by their scores alone: only where another item has
the same score must it be known which row a judged item is, and what the others are called.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.inputs.id_columns import IdColumn, TextIds
from rankscope.inputs.plain_objects import Answer, PlainNested
from rankscope.inputs.qrels import JudgedLists
from rankscope.ranks.ragged import changes, ranges

ROWS_AT_ONCE = 1 << 19  # as many as processor caches hold
COUNTED_AT_MOST = 12  # rows asked for in one query, beyond which sorting everything is quicker than counting


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows with a score, each of one query (`segment`); rows of a query need not stand together.

    `stable`: equal scores are sorted in the order of the rows; otherwise in none, which is quicker.
    """

    score: FloatArray
    segment: IntArray
    lengths: IntArray
    stable: bool = False

    @cached_property
    def starts(self) -> IntArray:
        """Where each query begins once rows are sorted by query."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def in_order(self) -> bool:
        """Whether queries stand together and scores fall inside each, as in most runs."""
        later, same = self.segment[1:] > self.segment[:-1], self.segment[1:] == self.segment[:-1]
        return bool((later | (same & (self.score[1:] <= self.score[:-1]))).all())

    @cached_property
    def order(self) -> IntArray | None:
        """Rows by query and falling score; None if they stand so already."""
        if self.in_order:
            return None
        by_score = np.argsort(-self.score, kind="stable" if self.stable else None)
        narrow = self.segment.astype(np.uint16) if self.lengths.size <= 1 << 16 else self.segment
        return by_score[np.argsort(narrow[by_score], kind="stable")]

    def at(self, places: IntArray) -> IntArray:
        return places if self.order is None else self.order[places]

    def place(self, rows: IntArray) -> IntArray:
        if self.order is None:
            return rows
        inverse = np.empty(self.order.size, dtype=np.int64)
        inverse[self.order] = np.arange(self.order.size)
        return inverse[rows]


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of two or more equal scores: query, rows of the query that score higher, size, and the rows themselves."""

    segment: IntArray
    above: IntArray
    size: IntArray
    members: IntArray  # group after group


@dataclass(frozen=True, eq=False)
class Placement:
    """For each row asked for: how many rows of its query score higher, and its group of equal scores (-1: none)."""

    above: IntArray
    group: IntArray
    groups: Groups


def standing(rows: IntArray, scored: ScoredRows) -> Placement:
    most = int(np.bincount(scored.segment[rows]).max(initial=0))
    if scored.in_order or most > COUNTED_AT_MOST:
        return _by_place(rows, scored)
    return _by_counting(rows, scored)


def _by_place(rows: IntArray, scored: ScoredRows) -> Placement:
    score = scored.score if scored.order is None else scored.score[scored.order]
    segment = np.repeat(np.arange(scored.lengths.size), scored.lengths)
    places = scored.place(rows)
    above = places - scored.starts[segment[places]]
    # Tied are places with an equal score of the same query right before or behind them.
    last = score.size - 1
    before, after = np.maximum(places - 1, 0), np.minimum(places + 1, last)
    tied = ((places > 0) & (score[before] == score[places]) & (segment[before] == segment[places])) | (
        (places < last) & (score[after] == score[places]) & (segment[after] == segment[places])
    )
    new = np.ones(score.size + 1, dtype=np.bool_)
    if tied.any():
        new[1:-1] = (score[1:] != score[:-1]) | (segment[1:] != segment[:-1])
    borders = np.flatnonzero(new) if tied.any() else np.empty(0, dtype=np.int64)
    chosen, number = np.unique(np.searchsorted(borders, places[tied], side="right") - 1, return_inverse=True)
    first, size = borders[chosen], np.diff(borders)[chosen] if tied.any() else np.empty(0, dtype=np.int64)
    owner = segment[first]
    group = np.full(rows.size, -1, dtype=np.int64)
    group[tied] = number
    groups = Groups(owner, first - scored.starts[owner], size, scored.at(ranges(first, size)))
    return Placement(np.where(tied, groups.above[group] if first.size else 0, above), group, groups)


def _by_counting(rows: IntArray, scored: ScoredRows) -> Placement:
    """Compare every row with the first row asked for of its query, then with the second, and so on."""
    count = scored.lengths.size
    owner = scored.segment[rows]
    order = np.argsort(owner, kind="stable")
    nth = np.empty(rows.size, dtype=np.int64)
    nth[order] = np.arange(rows.size) - np.searchsorted(owner[order], owner[order])
    limit = np.full((int(nth.max(initial=-1)) + 1, count), np.nan)
    limit[nth, owner] = scored.score[rows]
    higher = np.zeros(limit.shape, dtype=np.int64)
    equal: list[IntArray] = [rows[:0]]
    for start in range(0, scored.score.size, ROWS_AT_ONCE):
        score, segment = scored.score[start : start + ROWS_AT_ONCE], scored.segment[start : start + ROWS_AT_ONCE]
        for turn, limits in enumerate(limit):
            each = limits[segment]
            higher[turn] += np.bincount(segment[score > each], minlength=count)
            equal.append(start + np.flatnonzero(score == each))
    return _with_groups(rows, higher[nth, owner], np.unique(np.concatenate(equal)), scored)


def _with_groups(rows: IntArray, above: IntArray, equal: IntArray, scored: ScoredRows) -> Placement:
    """Groups from all rows that score the same as one asked for."""
    order = np.lexsort((-scored.score[equal], scored.segment[equal]))
    members = equal[order]
    score, segment = scored.score[members], scored.segment[members]
    new = changes(score, segment)
    number = np.cumsum(new) - 1
    size = np.bincount(number, minlength=0).astype(np.int64)
    of_row = number[np.argsort(members)][np.searchsorted(equal, rows)]
    first_above = np.zeros(size.size, dtype=np.int64)
    first_above[of_row] = above
    several = size > 1
    renumbered = np.where(several, np.cumsum(several) - 1, -1)
    groups = Groups(segment[new][several], first_above[several], size[several], members[several[number]])
    return Placement(above, renumbered[of_row], groups)


def ranks_of(
    rows: IntArray, scored: ScoredRows, item: IdColumn, queries: Sequence[str], policy: str, seed: int
) -> tuple[IntArray, Groups]:
    """The rank of each of the rows under a tie policy, and the groups of equal scores that hold any of them."""
    found = standing(rows, scored)
    groups, rank = found.groups, found.above + 1
    if groups.size.size:
        number = np.repeat(np.arange(groups.size.size), groups.size)
        settled = groups.members[_arranged(groups.members, number, groups, item, queries, policy, seed)]
        nth = np.arange(settled.size) - (np.cumsum(groups.size) - groups.size)[number]
        by_row = np.argsort(settled)
        tied = found.group >= 0
        rank[tied] += nth[by_row][np.searchsorted(settled[by_row], rows[tied])]
    return rank, groups


def _arranged(
    members: IntArray, group: IntArray, groups: Groups, item: IdColumn, queries: Sequence[str], policy: str, seed: int
) -> IntArray:
    """The order of the members: groups stay apart, inside each the policy rules."""
    if policy == "given":
        return np.lexsort((members, group))
    tied = item.take(members)
    if policy == "hash":
        owner = groups.segment[group].tolist()
        hashes = [item_hash(seed, queries[each], one) for each, one in zip(owner, tied.to_list(), strict=True)]
        return tied.order(group, np.array(hashes, dtype=np.uint64))
    if policy == "ascending":
        return tied.order(group)
    return tied.order(-group)[::-1]


def item_hash(seed: int, query: str, item: str) -> int:
    """The first 8 bytes of BLAKE2b of seed, query and item: the same on every machine.

    >>> item_hash(0, "q1", "a") == item_hash(0, "q1", "a") != item_hash(1, "q1", "a")
    True
    """
    text = f"{seed}\0{query}\0{item}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=64).digest()[:8], "big")


# Judged items of dictionaries, found by look-up, and where they stand: by their scores alone, without any ids.

NOT_THERE = float("nan")
NO_ITEMS: Answer = {}
MOST_PADDED = 8  # times as many cells as rows, up to which lists of different length are sorted as one table
FEW_CELLS = 1 << 14  # up to which looking at every score is quicker than sorting


class FoundJudgements(NamedTuple):
    """Judged items that a run has: which judgement each is, the number of the query in the run, and the score."""

    entry: IntArray
    segment: IntArray
    score: FloatArray

    def where(self, chosen: BoolArray) -> FoundJudgements:
        return FoundJudgements(self.entry[chosen], self.segment[chosen], self.score[chosen])


def find_hits(answers: PlainNested, judged: JudgedLists) -> FoundJudgements:
    """Look up every judged item in the list of its query.

    >>> from rankscope.inputs.plain_objects import plain_nested
    >>> answers = plain_nested({"q": {"x": 3.0, "a": 1.5}}, "score")
    >>> find_hits(answers, JudgedLists.of(plain_nested({"p": {"x": 1}, "q": {"a": 1, "b": 1}}, "grade")))
    FoundJudgements(entry=array([1]), segment=array([0]), score=array([1.5]))
    """
    number = dict(zip(answers.queries, range(len(answers.queries)), strict=True))
    segments = [number.get(query, -1) for query in judged.given.queries]
    lists = (*answers.lists, NO_ITEMS)  # which is that of number -1
    pairs = zip(segments, judged.given.lists, strict=True)
    found = [map(lists[each].get, items, repeat(NOT_THERE)) for each, items in pairs]
    score = np.fromiter(chain.from_iterable(found), np.float64, judged.given.values.size)
    entry = (score == score).nonzero()[0]
    return FoundJudgements(entry, np.array(segments, dtype=np.int64).repeat(judged.given.lengths)[entry], score[entry])


def ranks_of_hits(
    hits: FoundJudgements, answers: PlainNested, judged: JudgedLists, policy: str, seed: int
) -> tuple[IntArray, Groups | None]:
    """The rank of each hit under a tie policy, and the groups of equal scores that hold any of them, if there are any.

    What decides are `answers.values` and the scores of hits in the same width.
    """
    width = int(answers.lengths.max(initial=0))
    if len(answers.lists) << width.bit_length() > MOST_PADDED * answers.values.size + FEW_CELLS:
        return _ranks_by_names(hits, answers, judged, policy, seed)
    above, tied = _standing_by_score(hits, answers, width)
    rank = above + 1
    if not tied.any():
        return rank, None
    rank[tied], groups = _ranks_by_names(hits.where(tied), answers, judged, policy, seed)
    return rank, groups


def _standing_by_score(hits: FoundJudgements, answers: PlainNested, width: int) -> tuple[IntArray, BoolArray]:
    """How many items of its query score higher than each hit, and which hits have an equal."""
    bits = width.bit_length()
    if hits.entry.size * width <= FEW_CELLS and answers.values.size == len(answers.lists) * width:
        beside = answers.values.reshape(len(answers.lists), width).T.take(hits.segment, axis=1)
        return (beside > hits.score).sum(axis=0), (beside == hits.score).sum(axis=0) > 1
    key, first, limit = _rising(answers, width), hits.segment << bits, -hits.score
    place = first.copy()
    for power in reversed(range(bits)):
        place += (key[place + ((1 << power) - 1)] < limit) << power
    above = place - first
    goes_on = above + 1 < answers.lengths[hits.segment]
    return above, goes_on & (key[place + goes_on] == limit)


def _rising(answers: PlainNested, width: int) -> FloatArray:
    """Negated scores, rising within each query; infinite ones fill each list up to a power of two above its length."""
    lists, lengths = len(answers.lists), answers.lengths
    table = np.full((lists, 1 << width.bit_length()), np.inf)
    here = table[:, :width]
    if lists * width == answers.values.size:
        np.negative(answers.values.reshape(lists, width), out=here)
    else:
        here[np.arange(width) < lengths[:, None]] = -answers.values
    here.sort(axis=1)
    return table.ravel()


def _ranks_by_names(
    hits: FoundJudgements, answers: PlainNested, judged: JudgedLists, policy: str, seed: int
) -> tuple[IntArray, Groups]:
    """The same from all rows of the hits' queries with their ids, whatever they are."""
    segments, segment = np.unique(hits.segment, return_inverse=True)
    chosen = answers.take(segments.tolist())
    rows = _rows_of_judgements(hits.entry, segment, chosen, judged)
    scored = ScoredRows(chosen.values, np.repeat(np.arange(segments.size), chosen.lengths), chosen.lengths)
    rank, groups = ranks_of(rows, scored, TextIds.of(chosen.items()), chosen.queries, policy, seed)
    return rank, replace(groups, segment=segments[groups.segment])


def _rows_of_judgements(entry: IntArray, segment: IntArray, answers: PlainNested, judged: JudgedLists) -> IntArray:
    """Which rows of the answers these judged items are, each of one query."""
    starts = (answers.lengths.cumsum() - answers.lengths).tolist()
    row_of = [
        dict(zip(answer, range(start, start + len(answer)), strict=True))
        for answer, start in zip(answers.lists, starts, strict=True)
    ]
    names = map(judged.names.__getitem__, entry.tolist())
    rows = [row_of[number][name] for number, name in zip(segment.tolist(), names, strict=True)]
    return np.array(rows, dtype=np.int64)
