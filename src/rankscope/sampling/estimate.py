"""What can be said without complete ground truth: certain bounds, and estimates from a random sample judged."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankscope.displayed import Tabular
from rankscope.errors import SettingError
from rankscope.sampling.shares import INTERVALS, LARGEST
from rankscope.validation import SHARE, OneOf, Rule, WholeNumber, check

COUNTS: dict[str, Rule] = {
    "collection": WholeNumber(least=1, most=LARGEST),
    **dict.fromkeys(("scope", "hits", "judged", "found"), WholeNumber(least=0)),
}


@dataclass(frozen=True)
class EstimatedRange:
    """An estimate and an interval; NaN where there is none."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Estimated(Tabular):
    """Class size c, recall r and generality g: what the judgements make certain, and what the sample says.

    Precision is exact. What is judged below the scope is certain too: of 20,000 items of which 500 were drawn and 3 of
    these are relevant, from 3 to 19,503 are.
    """

    collection: int
    scope: int
    hits: int
    judged: int
    found: int
    level: float
    method: str
    precision: float
    certain_relevant: EstimatedRange  # value NaN: bounds alone
    certain_recall: EstimatedRange
    certain_generality: EstimatedRange
    relevant: EstimatedRange
    recall: EstimatedRange
    generality: EstimatedRange

    def rows(self) -> list[dict[str, object]]:
        """One row per quantity: estimate, interval, certain bounds."""
        pairs = (
            ("relevant", self.relevant, self.certain_relevant),
            ("recall", self.recall, self.certain_recall),
            ("generality", self.generality, self.certain_generality),
        )
        rows: list[dict[str, object]] = [
            {
                "quantity": name,
                "estimate": said.value,
                "low": said.low,
                "high": said.high,
                "certain low": sure.low,
                "certain high": sure.high,
            }
            for name, said, sure in pairs
        ]
        below, sure = self.inspected, self.certain_inspected
        inspected: dict[str, object] = {
            "quantity": "items per hit, below",
            "estimate": below.value,
            "low": below.low,
            "high": below.high,
            "certain low": sure.low,
            "certain high": sure.high,
        }
        so_far = _exact_row("items per hit, scope", self.scope / self.hits if self.hits else math.nan)
        return [_exact_row("precision", self.precision), *rows, so_far, inspected]

    @property
    def inspected(self) -> EstimatedRange:
        """How many items below the scope, taken at random, must be inspected for one more hit."""
        return _items_per_hit(self.collection - self.scope, self.hits, self.relevant)

    @property
    def certain_inspected(self) -> EstimatedRange:
        """The same by what is certain."""
        return _items_per_hit(self.collection - self.scope, self.hits, self.certain_relevant)


def _exact_row(quantity: str, value: float) -> dict[str, object]:
    ends = ("estimate", "low", "high", "certain low", "certain high")
    return {"quantity": quantity, **dict.fromkeys(ends, value)}


def _items_per_hit(below: int, hits: int, relevant: EstimatedRange) -> EstimatedRange:
    """Infinite where there may be none."""
    ends = (relevant.value - hits, relevant.high - hits, relevant.low - hits)
    value, low, high = (below / each if each > 0 else math.nan if math.isnan(each) else math.inf for each in ends)
    return EstimatedRange(value, low, high)


def estimate(
    collection: int,
    scope: int,
    hits: int,
    judged: int,
    found: int,
    level: float = 0.95,
    method: str = "hypergeometric",
) -> Estimated:
    """Class size, recall and generality when `hits` of the first `scope` items are relevant and `judged` items drawn at
    random from those below hold `found` relevant ones.

    c_hat = v + N x / n with N = d - s. Scope 0 samples the whole collection; without a sample (judged 0) only the
    certain bounds are known and the rest is NaN. Recall has no interval where nothing was found within the scope.
    >>> said = estimate(collection=20000, scope=100, hits=6, judged=500, found=3)
    >>> said.relevant.value, round(said.relevant.low), round(said.relevant.high)
    (125.4, 32, 350)
    """
    rules = {**COUNTS, "level": SHARE, "method": OneOf(INTERVALS.names())}
    collection, scope, hits, judged, found, level, method = check(locals(), **rules).values()
    _check_bounds(collection, scope, hits, judged, found)
    below = collection - scope
    certain = EstimatedRange(math.nan, float(hits + found), float(hits + below - (judged - found)))
    relevant = _relevant(below, hits, judged, found, level, method)
    return Estimated(
        collection=collection,
        scope=scope,
        hits=hits,
        judged=judged,
        found=found,
        level=level,
        method=method,
        precision=hits / scope if scope else math.nan,
        certain_relevant=certain,
        certain_recall=_recall(hits, certain),
        certain_generality=_over(certain, collection),
        relevant=relevant,
        recall=_recall(hits, relevant),
        generality=_over(relevant, collection),
    )


def _relevant(below: int, hits: int, judged: int, found: int, level: float, method: str) -> EstimatedRange:
    if below == 0:
        return EstimatedRange(float(hits), float(hits), float(hits))
    if judged == 0:
        return EstimatedRange(math.nan, math.nan, math.nan)
    low, high = INTERVALS.find(method)(below, judged, found, level)
    return EstimatedRange(hits + below * found / judged, hits + below * low, hits + below * high)


def _recall(hits: int, relevant: EstimatedRange) -> EstimatedRange:
    """Recall falls as the number of relevant items rises."""
    value = hits / relevant.value if relevant.value else math.nan
    if hits == 0:
        return EstimatedRange(value, math.nan, math.nan)
    return EstimatedRange(value, hits / relevant.high, hits / relevant.low)


def _over(relevant: EstimatedRange, collection: int) -> EstimatedRange:
    return EstimatedRange(relevant.value / collection, relevant.low / collection, relevant.high / collection)


def _check_bounds(collection: int, scope: int, hits: int, judged: int, found: int) -> None:
    """Name what each number may be next to the others."""
    below = collection - scope
    bounds = (
        (scope <= collection, f"scope <= collection is needed, got {scope} and {collection}"),
        (hits <= scope, f"hits <= scope is needed, got {hits} and {scope}"),
        (judged <= below, f"judged <= collection - scope is needed, got {judged} and {below}"),
        (found <= judged, f"found <= judged is needed, got {found} and {judged}"),
    )
    problems = [text for holds, text in bounds if not holds]
    if problems:
        raise SettingError.of(problems)
