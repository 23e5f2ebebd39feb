"""Users who decide by what they have found: INST, the Bejeweled player, nearly ERR, information foraging."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.browsing import HORIZON, Adaptive
from rankscope.notation import given_behind_at


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
        """Unless satisfied."""
        return 1.0 - gain


@dataclass(frozen=True)
class NERR9(NERR8):
    """Nearly ERR, equation 9: as equation 8, and users tire as those of reciprocal rank do."""

    name = "NERR9"
    formula = "gain per item seen, going on from j < k with chance (1 - gain_j) j / (j + 1)"

    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        """Unless satisfied or tired."""
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
        """Unless satisfied or tired."""
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
        """Unless satisfied or tired."""
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
