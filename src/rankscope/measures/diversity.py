"""Measures of lists that should serve every subtopic of a query, not one of them again and again."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.core.notation import given_behind_at
from rankscope.measures.gains import GAIN_RULE, GAINS, discount, gain_of
from rankscope.measures.measure import Measure
from rankscope.ranks.ragged import Ragged, changes, divide, ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks, ranks_of_pairs
from rankscope.ranks.tie_orders import group_of

# What measures of subtopics share: which item serves which subtopic, how often before, and the greedy ideal order.


class SubtopicMeasure(Measure):
    """A number from judgements of subtopics; a subtopic that no item serves does not count."""

    needs = frozenset({"subtopics"})
    rel: float

    def relevant(self, queries: RelevantRanks) -> Ragged:
        """All judgements that say an item serves a subtopic: item, subtopic and rank, infinite where not found."""
        if queries.subtopics is None:
            raise MeasureError(
                f"{self} needs judgements of subtopics, from the files and not from saved ranks: give --subtopics FILE "
                "(subtopics=... in Python) with lines `query subtopic item grade`"
            )
        pairs = queries.subtopics.with_columns(rank=ranks_of_pairs(queries))
        return pairs.where(pairs["grade"] >= self.rel)

    def found(self, queries: RelevantRanks) -> Ragged:
        """Those of items found, by rank."""
        pairs = self.relevant(queries)
        found = pairs.where(np.isfinite(pairs["rank"]))
        return found.sorted_by(found["rank"], found["subtopic"])

    def subtopics(self, queries: RelevantRanks) -> FloatArray:
        """How many subtopics any judged item serves (S)."""
        pairs = self.relevant(queries)
        number, count = _numbered(pairs.row, pairs["subtopic"])
        rows = np.arange(pairs.row.size)
        first = np.full(count, pairs.row.size)
        np.minimum.at(first, number, rows)
        return pairs.where(first[number] == rows).lengths.astype(np.float64)

    def items_of_subtopic(self, queries: RelevantRanks, found: Ragged) -> FloatArray:
        """For each item found: how many items serve this subtopic."""
        pairs = self.relevant(queries)
        number, count = _numbered(
            np.concatenate([pairs.row, found.row]), np.concatenate([pairs["subtopic"], found["subtopic"]])
        )
        return np.bincount(number[: pairs.size], minlength=count)[number[pairs.size :]].astype(np.float64)

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with an item for any subtopic."""
        return self.relevant(queries).lengths > 0


def _numbered(row: IntArray, subtopic: IntArray) -> tuple[IntArray, int]:
    """A number for each subtopic of each query, in the order of both."""
    keys = row * (int(subtopic.max(initial=0)) + 1) + subtopic
    distinct, number = np.unique(keys, return_inverse=True)
    return number, distinct.size


def seen_before(found: Ragged) -> FloatArray:
    """How many items above serve the same subtopic; rows come by rank.

    >>> found = Ragged.of([[1, 1, 4]], "rank").with_columns(subtopic=np.array([0, 1, 0]))
    >>> seen_before(found)
    array([0., 0., 1.])
    """
    number, _ = _numbered(found.row, found["subtopic"])
    order = np.argsort(number, kind="stable")
    nth = np.empty(found.size)
    nth[order] = np.arange(found.size) - np.searchsorted(number[order], number[order])
    return nth


def greedy_gains(pairs: Ragged, alpha: float, depth: int | None) -> Ragged:
    """Gain and rank of the ideal order: each next item is the one that gains most; of equals the one of the highest id.

    The best order is hard to find; like ndeval, this takes the greedy one.
    >>> pairs = Ragged.of([[0, 1, 1]], "item").with_columns(subtopic=np.array([0, 0, 1]))
    >>> greedy_gains(pairs, 0.5, None)["gain"]
    array([2. , 0.5])
    """
    order = np.lexsort((pairs["subtopic"], pairs["item"], pairs.row))
    row, item = pairs.row[order], pairs["item"][order]
    new = changes(row, item)
    owner = np.cumsum(new) - 1
    subtopic, subtopics = _numbered(row, pairs["subtopic"][order])
    items = Ragged.from_rows(row[new], len(pairs))
    steps = int(min(items.lengths.max(initial=0), np.inf if depth is None else depth))
    worth, left, gains = np.ones(subtopics), np.ones(items.size, dtype=np.bool_), []
    some = np.flatnonzero(items.lengths)
    for rank in range(1, steps + 1):
        gain = np.where(left, sums_by(owner, worth[subtopic], items.size), -1.0)
        best = np.maximum.reduceat(gain, items.offsets[some])
        of_equals = np.where(gain == np.repeat(best, items.lengths[some]), np.arange(items.size), -1)
        last = np.maximum.reduceat(of_equals, items.offsets[some])
        taken = last[best >= 0]
        gains.append((some[best >= 0], np.full(taken.size, rank), best[best >= 0]))
        left[taken] = False
        chosen = np.zeros(items.size, dtype=np.bool_)
        chosen[taken] = True
        worth[subtopic[chosen[owner]]] *= 1.0 - alpha
    nothing = np.empty(0, dtype=np.int64)
    rows, ranks = (np.concatenate([nothing, *(each[part] for each in gains)]) for part in (0, 1))
    gain = np.concatenate([np.empty(0), *(each[2] for each in gains)])
    order = np.lexsort((ranks, rows))
    return Ragged.from_rows(rows[order], len(pairs), rank=ranks[order], gain=gain[order])


class _Novelty(SubtopicMeasure):
    """Each subtopic gains less with each item that serves it again: 1, 1 - alpha, (1 - alpha)^2, ..."""

    least = {"scope": 1, "alpha": 0.0}
    most = {"alpha": 1.0}

    alpha: float
    scope: int | None = None

    @abstractmethod
    def weight(self, rank: FloatArray) -> FloatArray:
        """What a rank weighs."""

    def whole(self, queries: RelevantRanks) -> FloatArray:
        """What the sum is divided by: that of a list in which every item serves every subtopic."""
        ranks = np.arange(1.0, (self.scope or 0) + 1.0)
        return self.subtopics(queries) * float(((1.0 - self.alpha) ** (ranks - 1.0) * self.weight(ranks)).sum())

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The sum over items and the subtopics they serve."""
        found = self.found(queries)
        gain = (1.0 - self.alpha) ** seen_before(found)
        value = found.total(np.where(found["rank"] <= self.last_rank, gain * self.weight(found["rank"]), 0.0))
        return divide(value, self.whole(queries))


class _OverGreedy(_Novelty):
    """The same over that of the judged items in the best order, found greedily."""

    def bounds(self) -> tuple[float, float]:
        """The greedy order may not be the best, but its first k items gain at least 1 - 1/e of the most.

        So at each rank (Nemhauser, Wolsey & Fisher 1978), and so in a sum whose weights fall. Where a subtopic is worth
        the same each time the greedy order is the best.
        """
        return 0.0, 1.0 if self.alpha == 0 else math.e / (math.e - 1.0)

    def whole(self, queries: RelevantRanks) -> FloatArray:
        """The sum of the judged items, each next one the best that is left."""
        gains = greedy_gains(self.relevant(queries), self.alpha, self.scope)
        return gains.total(gains["gain"] * self.weight(gains["rank"].astype(np.float64)))


class _ByLogarithm(_Novelty):
    def weight(self, rank: FloatArray) -> FloatArray:
        return 1.0 / np.log2(rank + 1.0)


class _ByRank(_Novelty):
    def weight(self, rank: FloatArray) -> FloatArray:
        return 1.0 / rank


@dataclass(frozen=True)
class alpha_DCG(_ByLogarithm):
    """Alpha-DCG: DCG over subtopics that are worth less each time; 1 if every item served every subtopic.

    `alpha` is how much of a subtopic's worth an item uses up. An item serves a subtopic from grade `rel` on.
    """

    name = "alpha_DCG"
    aliases = ("α_DCG",)
    formula = "sum over j <= k, subtopics s of item j of (1 - alpha)^(items for s above) / log2(j + 1), over the most"
    source = "Clarke et al. 2008; ndeval alpha-DCG"

    scope: int = given_behind_at()
    alpha: float = 0.5
    rel: float = 1.0


@dataclass(frozen=True)
class alpha_nDCG(_OverGreedy, _ByLogarithm):
    """Alpha-nDCG: alpha-DCG over that of the judged items in the best order, found greedily; ties go to the higher id.

    `alpha` is how much of a subtopic's worth an item uses up. An item serves a subtopic from grade `rel` on.
    """

    name = "alpha_nDCG"
    aliases = ("α_nDCG",)
    formula = "alpha-DCG over that of the greedy ideal order"
    source = "Clarke et al. 2008; ndeval alpha-nDCG"

    alpha: float = 0.5
    rel: float = 1.0
    scope: int | None = None


@dataclass(frozen=True)
class ERR_IA(_ByRank):
    """Intent-aware ERR: users of each subtopic stop at an item that serves it with chance `alpha`; 1 if all could.

    Subtopics are equally likely. An item serves a subtopic from grade `rel` on.
    """

    name = "ERR_IA"
    formula = "sum over j <= k, subtopics s of item j of (1 - alpha)^(items for s above) / j, over the most"
    source = "Chapelle et al. 2009; ndeval ERR-IA"

    scope: int = given_behind_at()
    alpha: float = 0.5
    rel: float = 1.0


@dataclass(frozen=True)
class nERR_IA(_OverGreedy, _ByRank):
    """Intent-aware ERR over that of the judged items in the best order, found greedily.

    `alpha` and `rel` as for ERR_IA.
    """

    name = "nERR_IA"
    formula = "ERR-IA over that of the greedy ideal order"
    source = "Chapelle et al. 2009; ndeval nERR-IA"

    alpha: float = 0.5
    rel: float = 1.0
    scope: int | None = None


@dataclass(frozen=True)
class NRBP(_Novelty):
    """Novelty- and rank-biased precision: RBP with patience `beta` over subtopics that are worth less each time.

    `alpha` is how much of a subtopic's worth an item uses up. An item serves a subtopic from grade `rel` on.
    """

    name = "NRBP"
    formula = "(1 - (1 - alpha) beta)/S sum over k, subtopics s of item k of (1 - alpha)^(items for s above) beta^(k-1)"
    source = "Clarke, Kolla & Vechtomova 2009; ndeval NRBP"
    least = {"beta": 0.0}
    most = {"beta": 1.0}

    alpha: float = 0.5
    beta: float = 0.5
    rel: float = 1.0

    def weight(self, rank: FloatArray) -> FloatArray:
        return np.asarray(self.beta ** (rank - 1.0))

    def whole(self, queries: RelevantRanks) -> FloatArray:
        """Every item would serve every subtopic."""
        return divide(self.subtopics(queries), 1.0 - (1.0 - self.alpha) * self.beta)


@dataclass(frozen=True)
class nNRBP(_OverGreedy, NRBP):
    """Novelty- and rank-biased precision over that of the judged items in the best order, found greedily.

    `alpha`, `beta` and `rel` as for NRBP.
    """

    name = "nNRBP"
    formula = "NRBP over that of the greedy ideal order"
    source = "Clarke, Kolla & Vechtomova 2009; ndeval nNRBP"


@dataclass(frozen=True)
class AP_IA(SubtopicMeasure):
    """Intent-aware average precision: the mean of AP over the subtopics that any item serves."""

    name = "AP_IA"
    aliases = ("MAP_IA",)
    formula = "(1/S) sum over subtopics of their AP"
    source = "Agrawal et al. 2009; ndeval MAP-IA"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Precision of each subtopic at each of its items."""
        found = self.found(queries)
        precision = (seen_before(found) + 1.0) / found["rank"]
        return divide(found.total(precision / self.items_of_subtopic(queries, found)), self.subtopics(queries))


@dataclass(frozen=True)
class P_IA(SubtopicMeasure):
    """Intent-aware precision: the mean of P@k over the subtopics that any item serves."""

    name = "P_IA"
    formula = "(1/S) sum over subtopics of their P@k"
    source = "Agrawal et al. 2009; ndeval P-IA"

    scope: int = given_behind_at()
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Items within the scope, each once for every subtopic it serves."""
        found = self.found(queries)
        return divide(found.count(found["rank"] <= self.scope), self.scope * self.subtopics(queries))


@dataclass(frozen=True)
class StRecall(SubtopicMeasure):
    """Subtopic recall (I-rec): the share of the subtopics that the list, or its first k items, serves at least once."""

    name = "StRecall"
    aliases = ("strec", "SRecall", "I_rec")
    formula = "subtopics served / S"
    source = "Zhai, Cohen & Lafferty 2003; ndeval strec; NTCIREVAL I-rec"

    rel: float = 1.0
    scope: int | None = None

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Subtopics whose first item lies within the scope."""
        found = self.found(queries)
        within = found["rank"] <= self.last_rank
        return divide(found.count(within & (seen_before(found) == 0)), self.subtopics(queries))


@dataclass(frozen=True)
class D_nDCG(SubtopicMeasure):
    """D-nDCG: nDCG of the gains that an item has for all subtopics together, which are equally likely.

    The ideal order puts the highest of these global gains first. `gain` is what a grade is worth to a subtopic, as for
    nDCG; grades below `rel` gain nothing.
    """

    name = "D_nDCG"
    formula = (
        "sum over j <= k of GG_j / log2(j + 1), over the same for the ideal order; GG_j = (1/S) sum over s of gain_sj"
    )
    source = "Sakai & Song 2011; NTCIREVAL D-nDCG (MSnDCG with global gains)"
    choices = {"gain": GAINS}
    own_rules = {"gain": GAIN_RULE}

    gain: str = "linear"
    rel: float = 1.0
    scope: int | None = None

    def of(self, queries: RelevantRanks) -> FloatArray:
        """A sum over judgements, since a global gain is one; 1/S stands in both sums and goes out."""
        found = self.found(queries)
        rank = found["rank"].astype(np.int64)
        return divide(found.total(gain_of(found["grade"], self.gain) * self._weight(rank)), self._ideal(queries))

    def _weight(self, rank: IntArray) -> FloatArray:
        return np.where(rank <= self.last_rank, 1.0 / discount(rank), 0.0)

    def _ideal(self, queries: RelevantRanks) -> FloatArray:
        pairs = self.relevant(queries)
        new = changes(pairs.row, pairs["item"])
        gains = sums_by(np.cumsum(new) - 1, gain_of(pairs["grade"], self.gain), int(new.sum()))
        items = Ragged.from_rows(pairs.row[new], len(pairs), gain=gains)
        best = items.sorted_by(-items["gain"])
        return best.total(best["gain"] * self._weight(best.position))

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        found = self.found(queries)
        found = found.with_columns(rank=found["rank"].astype(np.int64))
        group, gain = group_of(queries, found), gain_of(found["grade"], self.gain)
        tied = np.flatnonzero(group >= 0)
        size = queries.ties["size"][group[tied]]
        value = found.total(np.where(group < 0, gain * self._weight(found["rank"]), 0.0))
        places, owner = ranges(queries.ties["start"][group[tied]], size), np.repeat(tied, size)
        shares = gain[owner] * self._weight(places) / np.repeat(size, size)
        return divide(value + sums_by(found.row[owner], shares, len(queries)), self._ideal(queries))

    def defined(self, queries: RelevantRanks) -> Any:
        return self._ideal(queries) > 0


@dataclass(frozen=True)
class Dsharp_nDCG(SubtopicMeasure):
    """D#-nDCG: I-rec (StRecall) and D-nDCG, weighed by `gamma` and 1 - `gamma`.

    `gain` and `rel` as for D_nDCG.
    """

    name = "Dsharp_nDCG"
    aliases = ("D#_nDCG", "D♯_nDCG")
    formula = "gamma I-rec@k + (1 - gamma) D-nDCG@k"
    source = "Sakai & Song 2011; NTCIREVAL D#-nDCG"
    least = {"scope": 1, "gamma": 0.0}
    most = {"gamma": 1.0}
    choices = {"gain": GAINS}
    own_rules = {"gain": GAIN_RULE}

    gamma: float = 0.5
    gain: str = "linear"
    rel: float = 1.0
    scope: int | None = None

    def of(self, queries: RelevantRanks) -> FloatArray:
        """How much is served, and how well."""
        served = StRecall(rel=self.rel, scope=self.scope).of(queries)
        return self.gamma * served + (1.0 - self.gamma) * self._graded.of(queries)

    @property
    def _graded(self) -> D_nDCG:
        return D_nDCG(gain=self.gain, rel=self.rel, scope=self.scope)

    def defined(self, queries: RelevantRanks) -> Any:
        return self._graded.defined(queries)
