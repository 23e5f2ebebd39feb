"""Users who go down a list, from each rank to the next with some chance: the C/W/L framework of Moffat and others.

The weight of a rank is the chance to see it over the expected number of items seen, so that the value is the gain
per item seen. Beyond `horizon` nobody looks. Steady users tire at a fixed pace; adaptive ones decide by what they
found.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.notation import given_behind_at
from rankscope.core.settings import Settings
from rankscope.measures.gains import TopGraded, need_top
from rankscope.measures.measure import gains_first
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import expected_additive

HORIZON = 1000  # how far cwl_eval looks
CELLS_AT_ONCE = 1 << 22


class Browsing(TopGraded):
    """Gains between 0 and 1, which grades become between `low` and `top`."""

    needs = frozenset({"grades"})
    least = {"top": 0.0, "horizon": 1}

    low: float
    horizon: int

    def gains(self, grade: FloatArray, queries: RelevantRanks) -> FloatArray:
        """The share of the way from the lowest to the highest grade."""
        top = self.bind(queries).top or 0.0
        need_top(self, top, queries)
        return np.asarray(np.clip((grade - self.low) / max(top - self.low, 1e-300), 0.0, 1.0))

    @property
    def reach_of_users(self) -> int:
        """The last rank that anybody sees."""
        scope: int | None = getattr(self, "scope", None)
        return self.horizon if scope is None else min(scope, self.horizon)

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with a gain to win."""
        return queries.count_judged(least=np.nextafter(max(self.low, 0.0), np.inf)) > 0


class Steady(Browsing):
    """Users whose chance to go on depends on the rank alone."""

    @abstractmethod
    def seen(self, rank: FloatArray) -> FloatArray:
        """What each of the ranks 1, 2, ... weighs, before all are divided by their sum."""

    def _weights(self) -> FloatArray:
        weights = self.seen(np.arange(1.0, self.reach_of_users + 1.0))
        return np.asarray(weights / weights.sum())

    def of(self, queries: RelevantRanks) -> FloatArray:
        found, weigh = queries.gaining, self._weigh()
        value = found.total(self.gains(found["grade"], queries) * weigh(found["rank"]))
        return np.where(self.defined(queries), value, np.nan)

    def _weigh(self) -> Any:
        weights = np.append(self._weights(), 0.0)
        return lambda rank: weights[np.minimum(rank, weights.size) - 1]

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        weigh = self._weigh()
        value = expected_additive(queries, lambda rank, grade: self.gains(grade, queries) * weigh(rank))
        return np.where(self.defined(queries), value, np.nan)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return gains_first(np.where(grade <= self.low, np.minimum(grade, 0.0), grade))


class Adaptive(Browsing):
    """Users whose chance to go on depends on what they have found so far."""

    @abstractmethod
    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        """The chance to go on from each rank, a row for each query: from the gain there, and the gain up to there."""

    def of(self, queries: RelevantRanks) -> FloatArray:
        """A table of ranks for some queries at a time."""
        found = queries.gaining
        gain, value = self.gains(found["grade"], queries), np.zeros(len(queries))
        rank = np.arange(1.0, self.reach_of_users + 1.0)
        for rows, table in gain_tables(found, gain, self.reach_of_users):
            chance = np.ones(table.shape)
            chance[:, 1:] = np.cumprod(self.going_on(rank, table, np.cumsum(table, axis=1))[:, :-1], axis=1)
            value[rows] = (chance * table).sum(axis=1) / chance.sum(axis=1)
        return np.where(self.defined(queries), value, np.nan)


def gain_tables(found: Ragged, gain: FloatArray, width: int) -> Iterator[tuple[IntArray, FloatArray]]:
    """The gains of the first ranks as tables of some queries each, 0 where nothing was found.

    >>> found = Ragged.of([[1, 4], [2]], "rank")
    >>> [table.tolist() for _, table in gain_tables(found, np.array([1.0, 0.5, 1.0]), 3)]
    [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    """
    step = max(1, CELLS_AT_ONCE // width)
    for start in range(0, len(found), step):
        rows = np.arange(start, min(start + step, len(found)))
        here = slice(found.offsets[rows[0]], found.offsets[rows[-1] + 1])
        inside = found["rank"][here] <= width
        table = np.zeros((rows.size, width))
        table[found.row[here][inside] - start, found["rank"][here][inside] - 1] = gain[here][inside]
        yield rows, table


# Users who grow tired at a fixed pace: scaled DCG, INSQ, time-biased gain, U-measure, and an economic model.


@dataclass(frozen=True)
class SDCG(Steady):
    """Scaled DCG: DCG over that of a list of nothing but best items, whether there are that many or not.

    Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements unless said.
    """

    name = "SDCG"
    aliases = ("sDCG",)
    formula = "sum over j <= k of gain_j / log2(j + 1), over the sum of 1 / log2(j + 1)"
    source = "Azzopardi et al. 2019 (cwl_eval NDCG-k); ir_measures SDCG"
    least = {"scope": 1}

    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON
    scope: int = given_behind_at()

    def seen(self, rank: FloatArray) -> FloatArray:
        return 1.0 / np.log2(rank + 1.0)


@dataclass(frozen=True)
class INSQ(Steady):
    """INSQ: users who want `T` items' worth of gain go on with ever higher chance; what they find does not matter.

    Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements unless said.
    """

    name = "INSQ"
    formula = "sum over k of gain_k / (k + 2T - 1)^2, over the same for gains of 1"
    source = "Moffat, Scholer & Thomas 2012; cwl_eval; ir_measures"
    least = {"T": 0.5}

    T: float = 1.0
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON

    def seen(self, rank: FloatArray) -> FloatArray:
        """The product of ((k + 2T - 1) / (k + 2T))^2 over the ranks above."""
        return (2.0 * self.T / (rank + 2.0 * self.T - 1.0)) ** 2


@dataclass(frozen=True)
class TBG(Steady):
    """Time-biased gain with items that cost 1 each: the chance to see an item halves every `halflife` items.

    Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements unless said.
    """

    name = "TBG"
    formula = "sum over k of gain_k 2^(-(k - 1)/h), over the same for gains of 1"
    source = "Smucker & Clarke 2012; cwl_eval"
    above = {"halflife": 0.0}

    halflife: float = 224.0
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON

    def seen(self, rank: FloatArray) -> FloatArray:
        return np.asarray(2.0 ** ((1.0 - rank) / self.halflife))


@dataclass(frozen=True)
class Umeasure(Steady):
    """U-measure with items of length 1: the chance to see an item falls evenly to 0 at `length`.

    The last rank of the horizon weighs nothing, as in cwl_eval. Grades become gains from 0 at `low` to 1 at `top`, the
    highest grade of the judgements unless said.
    """

    name = "Umeasure"
    aliases = ("U_measure", "U")
    formula = "sum over k of gain_k max(0, 1 - (k - 1)/length), over the same for gains of 1"
    source = "Sakai & Dou 2013; cwl_eval"
    least = {"horizon": 2}
    above = {"length": 0.0}

    length: float = 1000.0
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON

    def seen(self, rank: FloatArray) -> FloatArray:
        return np.where(rank < self.horizon, np.maximum(0.0, 1.0 - (rank - 1.0) / self.length), 0.0)


@dataclass(frozen=True)
class SET(Steady):
    """Search economics: each further item of the first k is worth less, as k^beta grows; beta 1 is graded precision.

    Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements unless said.
    """

    name = "SET"
    formula = "sum over j <= k of gain_j ((j + 1)^beta - j^beta), over the same for gains of 1"
    source = "Azzopardi 2014; cwl_eval"
    least = {"scope": 1}
    above = {"beta": 0.0}
    most = {"beta": 1.0}

    beta: float = 0.5
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON
    scope: int = given_behind_at()

    def seen(self, rank: FloatArray) -> FloatArray:
        return np.asarray((rank + 1.0) ** self.beta - rank**self.beta)


# Users who decide by what they have found: INST, the Bejeweled player, nearly ERR, information foraging.


@dataclass(frozen=True)
class INST(Adaptive):
    """INST: users who want `T` items' worth of gain go on with less chance the more of it they have found.

    Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements unless said.
    """

    name = "INST"
    formula = "gain per item seen, going on from k with chance ((k + 2T - cg(k) - 1) / (k + 2T - cg(k)))^2"
    source = "Moffat et al. 2015; cwl_eval; ir_measures"
    least = {"T": 0.5}

    T: float = 1.0
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON

    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        """By what is still wanted."""
        wanted = rank + 2.0 * self.T - cumulated
        return ((wanted - 1.0) / wanted) ** 2


@dataclass(frozen=True)
class BPM(Adaptive):
    """Bejeweled player model: the gain per item of a user who stops after `T` items' worth of gain, or after k items.

    `hb` and `hc` make the player dynamic: a gain above `median` raises the wanted gain and the patience by that much
    times the difference, one below lowers them. Grades become gains from 0 at `low` to 1 at `top`, the highest grade of
    the judgements unless said.
    """

    name = "BPM"
    formula = "cg(m)/m, m = the first rank with cg(m) >= T, at most k"
    source = "Zhang et al. 2017; cwl_eval; ir_measures"
    least = {"scope": 1, "hb": 0.0, "hc": 0.0, "median": 0.0}
    above = {"T": 0.0}

    T: float = 1.0
    hb: float = 0.0
    hc: float = 0.0
    median: float = 0.5
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON
    scope: int = given_behind_at()

    @property
    def reach_of_users(self) -> int:
        """The patience, which may grow."""
        return min(self.scope, self.horizon) if self.hc == 0 else self.horizon

    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        """While neither is used up."""
        surplus = cumulated - gain - self.median * (rank - 1.0)
        hungry = cumulated < self.T + self.hb * surplus
        return np.where(hungry & (rank < self.scope + self.hc * surplus), 1.0, 0.0)


@dataclass(frozen=True)
class NERR8(Adaptive):
    """Nearly ERR, equation 8: users go on unless an item satisfies, which it does with the chance of its gain.

    Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements unless said.
    """

    name = "NERR8"
    formula = "gain per item seen, going on from j < k with chance 1 - gain_j"
    source = "Azzopardi, Mackenzie & Moffat 2021; cwl_eval; ir_measures"
    least = {"scope": 1}

    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON
    scope: int = given_behind_at()

    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        return 1.0 - gain


@dataclass(frozen=True)
class NERR9(NERR8):
    """Nearly ERR, equation 9: as equation 8, and users tire as those of reciprocal rank do."""

    name = "NERR9"
    formula = "gain per item seen, going on from j < k with chance (1 - gain_j) j / (j + 1)"

    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        return rank / (rank + 1.0) * (1.0 - gain)


@dataclass(frozen=True)
class NERR10(Adaptive):
    """Nearly ERR, equation 10: users go on with the chance `p` of RBP, unless an item satisfies.

    Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements unless said.
    """

    name = "NERR10"
    formula = "gain per item seen, going on from k with chance p (1 - gain_k)"
    source = "Azzopardi, Mackenzie & Moffat 2021; cwl_eval; ir_measures"
    least = {"p": 0.0}
    most = {"p": 1.0}

    p: float = 0.9
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON

    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        return self.p * (1.0 - gain)


@dataclass(frozen=True)
class NERR11(Adaptive):
    """Nearly ERR, equation 11: users go on as those of INSQ, unless an item satisfies.

    Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements unless said.
    """

    name = "NERR11"
    formula = "gain per item seen, going on from k with chance (1 - gain_k) ((k + 2T - 1) / (k + 2T))^2"
    source = "Azzopardi, Mackenzie & Moffat 2021; cwl_eval; ir_measures"
    least = {"T": 0.5}

    T: float = 1.0
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON

    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        return ((rank + 2.0 * self.T - 1.0) / (rank + 2.0 * self.T)) ** 2 * (1.0 - gain)


@dataclass(frozen=True)
class IFT(Adaptive):
    """Information foraging: users stop when they have what they came for (`T`), or when it comes too slowly (`A`).

    `by` goal, rate or both. The larger `R1` (`R2`), the more sharply the goal (the rate) decides; `b1` and `b2` are
    what is left to chance. Grades become gains from 0 at `low` to 1 at `top`, the highest grade of the judgements
    unless said.
    """

    name = "IFT"
    formula = (
        "gain per item seen, going on from k with chance (1 - 1/(1 + b1 e^(R1 (T - cg(k))))) / "
        "(1 + b2 e^(R2 (A - cg(k)/k)))"
    )
    source = "Azzopardi, Thomas & Craswell 2018; cwl_eval"
    choices = {"by": ("both", "goal", "rate")}
    least = {"b1": 0.0, "b2": 0.0, "R1": 0.0, "R2": 0.0}
    most = {"R1": 100.0, "R2": 100.0}
    above = {"T": 0.0}

    by: str = "both"
    T: float = 2.0
    b1: float = 0.9
    R1: float = 10.0
    A: float = 0.2
    b2: float = 0.9
    R2: float = 10.0
    top: float | None = None
    low: float = 0.0
    horizon: int = HORIZON

    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        """By the goal, by the rate, or by both."""
        goal = 1.0 - 1.0 / (1.0 + self.b1 * np.exp((self.T - cumulated) * self.R1))
        rate = 1.0 / (1.0 + self.b2 * np.exp((self.A - cumulated / rank) * self.R2))
        return {"goal": goal, "rate": rate, "both": goal * rate}[self.by]
