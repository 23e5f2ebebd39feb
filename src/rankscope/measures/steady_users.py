"""Users who grow tired at a fixed pace: scaled DCG, INSQ, time-biased gain, U-measure, and an economic model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.browsing import HORIZON, Steady
from rankscope.notation import given_behind_at


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
        """The discount of DCG."""
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
        """Exponential decay."""
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
        """Linear decay."""
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
        """What the next item adds."""
        return np.asarray((rank + 1.0) ** self.beta - rank**self.beta)
