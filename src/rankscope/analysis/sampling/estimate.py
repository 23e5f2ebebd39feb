"""Estimates from a random sample judged: class size, recall and generality, and how many items must be judged."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankscope.analysis.statistics.proportions import LARGEST_POPULATION, PROPORTION_INTERVALS, normal_quantile
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.validation import COUNT, SHARE, Number, OneOf, Rule, WholeNumber, check
from rankscope.core.wording import how_many, percent_text

COUNTS: dict[str, Rule] = {
    "collection": WholeNumber(least=1, most=LARGEST_POPULATION),
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
            ("items per hit, below", self.inspected, self._items_per_hit(self.certain_relevant)),
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
        so_far = _exact_row("items per hit, scope", self.scope / self.hits if self.hits else math.nan)
        return [_exact_row("precision", self.precision), *rows[:3], so_far, *rows[3:]]

    @property
    def inspected(self) -> EstimatedRange:
        """How many items below the scope, taken at random, must be inspected for one more hit."""
        return self._items_per_hit(self.relevant)

    def _items_per_hit(self, relevant: EstimatedRange) -> EstimatedRange:
        further = (relevant.value - self.hits, relevant.low - self.hits, relevant.high - self.hits)
        return per_hit(self.collection - self.scope, EstimatedRange(*further))

    def display(self) -> Display:
        words = (
            f"{how_many(self.hits, 'hit', 'hits')} among the first {self.scope:,} of "
            f"{how_many(self.collection, 'items')}, {self.found:,} relevant among {self.judged:,} drawn below; "
            f"{percent_text(self.level)} intervals, {self.method}"
        )
        return Display.of([words], self.rows())


def _exact_row(quantity: str, value: float) -> dict[str, object]:
    ends = ("estimate", "low", "high", "certain low", "certain high")
    return {"quantity": quantity, **dict.fromkeys(ends, value)}


def per_hit(items: float, hits: EstimatedRange) -> EstimatedRange:
    """Items over hits; infinite where there may be no hit at all.

    >>> per_hit(10.0, EstimatedRange(2.0, 0.0, 5.0))
    EstimatedRange(value=5.0, low=2.0, high=inf)
    """
    counts = (hits.value, hits.high, hits.low)
    return EstimatedRange(
        *(items / each if each > 0 else math.nan if math.isnan(each) else math.inf for each in counts)
    )


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
    rules = {**COUNTS, "level": SHARE, "method": OneOf(PROPORTION_INTERVALS.names())}
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
    low, high = PROPORTION_INTERVALS.find(method)(below, judged, found, level)
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


# How many items must be judged at random to know how many are relevant.

SAMPLE_SIZE_RULES: dict[str, Rule] = {
    "collection": WholeNumber(least=1, most=LARGEST_POPULATION),
    "relevant": COUNT,
    "error": Number(above=0, finite=False),
    "level": SHARE,
}


@dataclass(frozen=True, repr=False)
class SampleSize(Tabular):
    """Items to judge for a relative error of the number of relevant items, and how many of them will be relevant."""

    collection: int
    relevant: int
    error: float
    level: float
    judged: int
    expected_hits: float

    def rows(self) -> list[dict[str, object]]:
        """One row."""
        return [
            {
                "relevant": self.relevant,
                "relative error": self.error,
                "level": self.level,
                "judge": self.judged,
                "of": self.collection,
                "expected hits": self.expected_hits,
            }
        ]

    def display(self) -> Display:
        return Display(
            f"Judge {self.judged:,} of {how_many(self.collection, 'items')} drawn at random to know {self.relevant:,} "
            f"relevant ones to {self.error:.3g} of their number at level {self.level:g}; {self.expected_hits:.1f} of "
            "those judged will be relevant"
        )


@strict_keywords
def needed_sample(collection: int, relevant: int, error: float, level: float = 0.95) -> SampleSize:
    """n0 = z^2 (1 - g) / (error^2 g), and n0 / (1 + (n0 - 1) / d) in a collection of d, rounded up.

    Rare classes need nearly all of the collection: the expected hits next to it say why.
    >>> needed_sample(20000, 308, 0.5).judged, needed_sample(20000, 8, 0.2).judged
    (937, 18462)
    """
    collection, relevant, error, level = check(locals(), **SAMPLE_SIZE_RULES).values()
    if relevant > collection:
        raise SettingError(f"relevant <= collection is needed, got {relevant} and {collection}")
    share = relevant / collection
    spread = normal_quantile(level) ** 2 * (1 - share)
    inverse = min(error * error * share / spread, 1.0) if spread else 1.0  # 1 / n0: no error is too small for it
    judged = min(collection, max(1, math.ceil(collection / (1 + (collection - 1) * inverse) - 1e-9)))
    return SampleSize(
        collection=collection, relevant=relevant, error=error, level=level, judged=judged, expected_hits=judged * share
    )


def relative_deviation(collection: int, relevant: int, judged: int) -> float:
    """Standard deviation of the estimated number of relevant items over that number: sampling without replacement.

    >>> round(relative_deviation(20000, 308, 500), 3), round(relative_deviation(20000, 8, 500), 2)
    (0.353, 2.21)
    """
    share = relevant / collection
    return math.sqrt((1 - share) / (judged * share) * (collection - judged) / (collection - 1))
