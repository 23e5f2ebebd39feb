"""Judged items of dictionaries, found by look-up, and where they stand: by their scores alone, without any ids.

How many items of its query score higher than a judged one is found by halving in the sorted scores. Only where another
item has the same score must it be known which row a judged item is, and what the others are called.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.judged_lists import JudgedLists
from rankscope.inputs.plain_nested import Answer, PlainNested
from rankscope.ranks.ties import Groups, ScoredRows, ranks_of

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
        """Some of them."""
        return FoundJudgements(self.entry[chosen], self.segment[chosen], self.score[chosen])


def find_hits(answers: PlainNested, judged: JudgedLists) -> FoundJudgements:
    """Look up every judged item in the list of its query.

    >>> from rankscope.inputs.plain_nested import plain_nested
    >>> answers = plain_nested({"q": {"x": 3.0, "a": 1.5}}, "score")
    >>> find_hits(answers, JudgedLists.of(plain_nested({"p": {"x": 1}, "q": {"a": 1, "b": 1}}, "grade")))
    FoundJudgements(entry=array([1]), segment=array([0]), score=array([1.5]))
    """
    number = dict(zip(answers.queries, range(len(answers.queries)), strict=True))
    segments = [number.get(query, -1) for query in judged.given.queries]
    lists = (*answers.lists, NO_ITEMS)  # which is that of number -1
    pairs = zip(segments, judged.given.lists, strict=True)
    found = [map(lists[each].get, items, repeat(NOT_THERE)) for each, items in pairs]
    score = np.fromiter(chain.from_iterable(found), np.float64, judged.grade.size)
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
    above, tied = _standing(hits, answers, width)
    rank = above + 1
    if not tied.any():
        return rank, None
    rank[tied], groups = _ranks_by_names(hits.where(tied), answers, judged, policy, seed)
    return rank, groups


def _standing(hits: FoundJudgements, answers: PlainNested, width: int) -> tuple[IntArray, BoolArray]:
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
    rows = _rows_of(hits.entry, segment, chosen, judged)
    scored = ScoredRows(chosen.values, np.repeat(np.arange(segments.size), chosen.lengths), chosen.lengths)
    rank, groups = ranks_of(rows, scored, TextIds.of(chosen.items()), chosen.queries, policy, seed)
    return rank, replace(groups, segment=segments[groups.segment])


def _rows_of(entry: IntArray, segment: IntArray, answers: PlainNested, judged: JudgedLists) -> IntArray:
    """Which rows of the answers these judged items are, each of one query."""
    starts = (answers.lengths.cumsum() - answers.lengths).tolist()
    row_of = [
        dict(zip(answer, range(start, start + len(answer)), strict=True))
        for answer, start in zip(answers.lists, starts, strict=True)
    ]
    names = map(judged.names.__getitem__, entry.tolist())
    rows = [row_of[number][name] for number, name in zip(segment.tolist(), names, strict=True)]
    return np.array(rows, dtype=np.int64)
