"""Several rankings made one. `ALL` in the order people read them.

>>> FUSIONS.parse("rrf(k=20)"), str(FUSIONS.parse("RRF"))
(ReciprocalRanks(k=20.0), 'rrf')
"""

from __future__ import annotations

from typing import Any

from rankscope.catalogue import Later, later, load_attribute
from rankscope.fusion.candidates import Candidates
from rankscope.fusion.method import FusionMethod
from rankscope.notation import NamedCatalogue

ALL: dict[str, Later] = later(  # a new method adds its line here
    "rankscope.fusion",
    {
        "rrf": "by_places:ReciprocalRanks",
        "wsum": "by_scores:WeightedSum",
        "sum": "by_scores:CombSum",
        "mnz": "by_scores:CombMnz",
        "anz": "by_scores:CombAnz",
        "min": "by_scores:CombMin",
        "max": "by_scores:CombMax",
        "med": "by_scores:CombMed",
        "gmnz": "by_scores:CombGmnz",
        "wmnz": "by_scores:WeightedMnz",
        "mixed": "by_scores:Mixed",
        "isr": "by_places:InverseSquares",
        "log_isr": "by_places:LogInverseSquares",
        "logn_isr": "by_places:LognInverseSquares",
        "rbc": "by_places:RankBiasedCentroids",
        "bordafuse": "by_places:BordaFuse",
        "w_bordafuse": "by_places:WeightedBordaFuse",
        "condorcet": "condorcet:Condorcet",
        "w_condorcet": "condorcet:WeightedCondorcet",
        "posfuse": "learnt:PosFuse",
        "slidefuse": "learnt:SlideFuse",
        "mapfuse": "learnt:MAPFuse",
        "bayesfuse": "learnt:BayesFuse",
        "probfuse": "learnt:ProbFuse",
        "segfuse": "learnt:SegFuse",
    },
)
GROUP = "rankscope.fusions"  # entry points of other packages
FUSIONS: NamedCatalogue[FusionMethod] = NamedCatalogue("fusion method", ALL, "rrf(k=60)", GROUP, aliased=True)


def __getattr__(name: str) -> Any:
    """The class of a method by its name."""
    return load_attribute(ALL, name)


__all__ = ["ALL", "FUSIONS", "GROUP", "Candidates", "FusionMethod"]
