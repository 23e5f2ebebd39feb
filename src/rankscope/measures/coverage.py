"""How much of what was returned has been judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.measures.measure import Measure
from rankscope.measures.worth import judged_first
from rankscope.notation import given_behind_at
from rankscope.ranks.expectation import expected_within
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


@dataclass(frozen=True)
class Judged(Measure):
    """Share of the first `scope` places that hold a judged item (of this query). A short list is not forgiven.

    `divisor` returned forgives it: the divisor is the smaller of scope and items returned, as in ir_measures.
    `negative` judged counts grades below 0 as judgements, as it does too.
    """

    name = "Judged"
    aliases = ("judged",)
    formula = "judged among the first k / k"
    source = "ir_measures Judged"
    choices = {"divisor": ("k", "returned"), "negative": ("unjudged", "judged")}

    scope: int = given_behind_at()
    divisor: str = "k"
    negative: str = "unjudged"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Judged items within the scope."""
        judged = queries.judged_within(self.scope)
        if self.negative == "judged":
            judged = judged + queries.pooled.count(queries.pooled["rank"] <= self.scope)
        return self._share(judged.astype(np.float64), queries)

    def _share(self, judged: FloatArray, queries: RelevantRanks) -> FloatArray:
        if self.divisor == "k":
            return judged / self.scope
        return divide(judged, np.minimum(queries.depth, self.scope), nothing=0.0)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        judged = expected_within(queries, queries.judged, self.scope)
        if self.negative == "judged":
            judged = judged + expected_within(queries, queries.pooled, self.scope)
        return self._share(judged, queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Judged items first."""
        return judged_first(grade, pooled=self.negative == "judged")


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

    scope: int = given_behind_at()

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The complement of Judged."""
        return 1.0 - Judged(self.scope).of(queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """The complement of Judged."""
        return 1.0 - np.asarray(Judged(self.scope).expected(queries))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Judged items first."""
        return judged_first(grade)


@dataclass(frozen=True)
class Unjudged(Measure):
    """Unjudged items returned within the scope, over the scope: places behind the end of the list are not counted."""

    name = "unj"
    aliases = ("unjudged",)
    formula = "unjudged among the first k / k"
    source = "trec_eval 10 unj"
    trec_cut = "unj_{scope}"
    lower_is_better = True

    scope: int = given_behind_at()

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Returned minus judged."""
        returned = np.minimum(queries.depth, self.scope)
        return (returned - queries.judged_within(self.scope)) / self.scope

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        returned = np.minimum(queries.depth, self.scope)
        return (returned - expected_within(queries, queries.judged, self.scope)) / self.scope

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Judged items first."""
        return judged_first(grade)
