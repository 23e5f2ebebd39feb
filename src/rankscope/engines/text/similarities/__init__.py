"""Similarities, one family per file; `ALL` in the order people read them. Each is loaded when it is named.

>>> SIMILARITIES.parse("bm25(k1=0.9, b=0.4)"), str(SIMILARITIES.parse("dfr(I(ne),B,Z)"))
(BM25(k1=0.9, b=0.4), 'dfr(I(ne),B,Z)')
"""

from __future__ import annotations

from typing import Any

from rankscope.catalogue import Later, later, load_attribute
from rankscope.engines.text.similarities.similarity import Similarity
from rankscope.notation import NamedCatalogue

ALL: dict[str, Later] = later(  # a new similarity adds its line here
    "rankscope.engines.text.similarities",
    {
        "bm25": "bm25:BM25",
        "bm25f": "bm25f:BM25F",
        "classic": "classic:Classic",
        "lm-dirichlet": "language_models:LMDirichlet",
        "lm-jelinek-mercer": "language_models:LMJelinekMercer",
        "dfr": "dfr:DFR",
        "ib": "information_based:InformationBased",
        "dfi": "dfi:DFI",
        "axiomatic-f2exp": "axiomatic:AxiomaticF2Exp",
        "axiomatic-f2log": "axiomatic:AxiomaticF2Log",
        "boolean": "coordination:Coordination",
    },
)
GROUP = "rankscope.similarities"  # entry points of other packages
EXAMPLE = "bm25(k1=0.9, b=0.4)"
SIMILARITIES: NamedCatalogue[Similarity] = NamedCatalogue("similarity", ALL, EXAMPLE, GROUP)


def __getattr__(name: str) -> Any:
    """The class of a similarity by its name."""
    return load_attribute(ALL, name)


__all__ = ["ALL", "EXAMPLE", "GROUP", "SIMILARITIES", "Similarity"]
