"""How much of what was returned has been judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.measure import Measure
from rankscope.ranks.relevant_ranks import RelevantRanks


@dataclass(frozen=True)
class Judged(Measure):
    """Share of the first `scope` places that hold a judged item (of this query). A short list is not forgiven."""

    name = "Judged"
    aliases = ("judged",)
    formula = "judged among the first k / k"
    source = "ir_measures Judged"

    scope: int

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Judged items within the scope."""
        return queries.judged_within(self.scope) / self.scope


@dataclass(frozen=True)
class Hole(Measure):
    """Share of the first `scope` places that hold no judged item of this query; BEIR counts items that any query
    judged, which hides holes.
    """

    name = "hole"
    aliases = ("Hole",)
    formula = "1 - Judged@k"
    source = "BEIR hole, per query"
    lower_is_better = True

    scope: int

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The complement of Judged."""
        return 1.0 - Judged(self.scope).of(queries)


@dataclass(frozen=True)
class Unjudged(Measure):
    """Unjudged items returned within the scope, over the scope: places behind the end of the list are not counted."""

    name = "unj"
    aliases = ("unjudged",)
    formula = "unjudged among the first k / k"
    source = "trec_eval 10 unj"
    trec_cut = "unj_{scope}"
    lower_is_better = True

    scope: int

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Returned less judged."""
        returned = np.minimum(queries.depth, self.scope)
        return (returned - queries.judged_within(self.scope)) / self.scope
