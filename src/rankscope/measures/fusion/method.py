"""What a fusion method is: from the lists of several systems to one score an item; and all of them by name.

>>> FUSIONS.parse("rrf(k=20)"), str(FUSIONS.parse("RRF"))
(ReciprocalRanks(k=20.0), 'rrf')
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import Later, later
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, NamedCatalogue
from rankscope.core.wording import setting_usage
from rankscope.measures.fusion.candidates import Candidates, Training


@dataclass(frozen=True)
class FusionMethod(Named):
    """How the lists of several systems become one; options are the fields of subclasses."""

    formula: ClassVar[str]
    source: ClassVar[str]
    weighted: ClassVar[bool] = False  # whether systems have weights
    learns: ClassVar[bool] = False  # whether it needs judgements of other queries
    trials: ClassVar[Mapping[str, Sequence[float]]] = {}  # values of options that are tried when it is tuned

    @abstractmethod
    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """The score of each row; `weights`, one a system, matter to those that have them."""

    def learn(self, training: Training) -> FusionMethod:
        """The method with what it learns from judged queries; itself where it learns nothing."""
        return self

    def weights_of(self, given: Sequence[float] | None, systems: int) -> FloatArray:
        """Weights as they are given, or the same for all.

        >>> from rankscope.measures.fusion.method import FUSIONS
        >>> FUSIONS.parse("wsum").weights_of(None, 4).tolist()
        [0.25, 0.25, 0.25, 0.25]
        """
        if given is None:
            return np.full(systems, 1 / systems)
        weights = np.asarray(given, dtype=np.float64)
        problems = []
        if not self.weighted:
            problems.append(f"{setting_usage('weights')}: {self.name} has none. Take wsum, wmnz, mixed or w_bordafuse")
        if weights.shape != (systems,):
            problems.append(f"{setting_usage('weights')}: one for each of {systems} systems, got {weights.size}")
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            problems.append(f"{setting_usage('weights')}: numbers from 0 on, not all of them 0")
        if problems:
            raise SettingError.of(problems)
        return weights


def sum_found(values: FloatArray, lists: Candidates, absent: float = 0.0) -> FloatArray:
    """The sum over systems, those that did not find an item counting `absent`."""
    return np.where(lists.found, values, absent).sum(axis=1)


# Several rankings made one. `ALL` in the order people read them.

METHODS: dict[str, Later] = later(  # a new method adds its line here
    "rankscope.measures.fusion",
    {
        "rrf": "place_methods:ReciprocalRanks",
        "wsum": "score_methods:WeightedSum",
        "sum": "score_methods:CombSum",
        "mnz": "score_methods:CombMnz",
        "anz": "score_methods:CombAnz",
        "min": "score_methods:CombMin",
        "max": "score_methods:CombMax",
        "med": "score_methods:CombMed",
        "gmnz": "score_methods:CombGmnz",
        "wmnz": "score_methods:WeightedMnz",
        "mixed": "score_methods:MixedSum",
        "isr": "place_methods:InverseSquares",
        "log_isr": "place_methods:LogInverseSquares",
        "logn_isr": "place_methods:LognInverseSquares",
        "rbc": "place_methods:RankBiasedCentroids",
        "bordafuse": "place_methods:BordaFuse",
        "w_bordafuse": "place_methods:WeightedBordaFuse",
        "condorcet": "place_methods:Condorcet",
        "w_condorcet": "place_methods:WeightedCondorcet",
        "posfuse": "learned_methods:PosFuse",
        "slidefuse": "learned_methods:SlideFuse",
        "mapfuse": "learned_methods:MAPFuse",
        "bayesfuse": "learned_methods:BayesFuse",
        "probfuse": "learned_methods:ProbFuse",
        "segfuse": "learned_methods:SegFuse",
    },
)
FUSION_GROUP = "rankscope.fusions"  # entry points of other packages
FUSIONS: NamedCatalogue[FusionMethod] = NamedCatalogue(
    "fusion method", METHODS, "rrf(k=60)", FUSION_GROUP, aliased=True
)
