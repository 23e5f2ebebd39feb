"""The quadruple (d, c, s, v): what one query at one scope comes down to, and all that follows from it.

d items in the collection, c of them relevant, s looked at (the scope), v relevant ones among those (the hits). What
a random order of the collection scores on average is the level below which a system has learnt nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from rankscope.core.errors import MeasureError
from rankscope.core.validation import Number, OneOf, check

BASELINES = ("general", "g")


@dataclass(frozen=True)
class Contingency:
    """What was looked at and what is relevant, crossed; the four numbers add up to the collection."""

    true_positives: int  # relevant and looked at
    false_positives: int  # looked at for nothing
    false_negatives: int  # relevant and missed
    true_negatives: int  # rightly left alone

    def rows(self) -> list[dict[str, object]]:
        """The table with its row and column totals, relevant items first.

        >>> [list(row.values()) for row in Contingency(6, 10, 2, 19982).rows()]
        [['relevant', 6, 2, 8], ['irrelevant', 10, 19982, 19992], ['sum', 16, 19984, 20000]]
        """
        wanted, unwanted = (self.true_positives, self.false_negatives), (self.false_positives, self.true_negatives)
        total = (wanted[0] + unwanted[0], wanted[1] + unwanted[1])
        lines = {"relevant": wanted, "irrelevant": unwanted, "sum": total}
        return [
            {"": name, "retrieved": there, "not retrieved": left, "sum": there + left}
            for name, (there, left) in lines.items()
        ]


@dataclass(frozen=True)
class Quadruple:
    """Collection size d, relevant items c, scope s and hits v; a value outside its bounds is refused.

    Without relevant items (c = 0) precision and generality are 0 and everything that divides by c is NaN.
    >>> query = Quadruple(collection=20000, relevant=8, scope=16, hits=6)
    >>> query.precision, query.recall, query.relevant_scope
    (0.375, 0.75, 2.0)
    """

    collection: int
    relevant: int
    scope: int
    hits: int

    def __post_init__(self) -> None:
        d, c, s, v = self.collection, self.relevant, self.scope, self.hits
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise MeasureError(f"{each.name} must be a whole number, got {value!r}")
        bounds = (
            (c >= 0, "relevant >= 0", c),
            (c <= d, f"relevant <= collection ({d})", c),
            (s >= 1, "scope >= 1", s),
            (s <= d, f"scope <= collection ({d})", s),
            (v >= 0, "hits >= 0", v),
            (v >= s - (d - c), f"hits >= scope - distractors ({s} - {d - c})", v),
            (v <= s, f"hits <= scope ({s})", v),
            (v <= c, f"hits <= relevant ({c})", v),
        )
        for holds, bound, value in bounds:
            if not holds:
                raise MeasureError(f"{bound} is needed, got {value}")

    @classmethod
    def ideal(cls, collection: int, relevant: int, scope: int) -> Quadruple:
        """The Total Recall Ideal System (TRIS): min(s, c) hits at every scope, regardless of the generality."""
        return cls(collection, relevant, scope, min(scope, relevant))

    @property
    def distractors(self) -> int:
        """Items that are not relevant, e = d - c (the papers' embedding)."""
        return self.collection - self.relevant

    @property
    def contingency(self) -> Contingency:
        d, c, s, v = self.collection, self.relevant, self.scope, self.hits
        return Contingency(v, s - v, c - v, d + v - c - s)

    def decision_rows(self) -> list[dict[str, object]]:
        """The contingency table with recall, precision and generality next to and below (Huijsmans & Sebe, figure 3).

        >>> Quadruple(20000, 8, 16, 6).decision_rows()[-1]["retrieved"]
        'p = 0.3750'
        """
        relevant, *others = self.contingency.rows()
        ratios = {"": "ratio", "retrieved": f"p = {self.precision:.4f}", "sum": f"g = {self.generality:.3g}"}
        return [relevant | {"ratio": f"r = {self.recall:.4f}"}, *others, {**ratios}]

    @property
    def precision(self) -> float:
        return self.hits / self.scope

    @property
    def recall(self) -> float:
        return _divided(self.hits, self.relevant)

    @property
    def generality(self) -> float:
        """g = c/d, the precision to expect of a random order."""
        return self.relevant / self.collection

    @property
    def generality_index(self) -> float:
        """G = log2(d/c), at least 0, larger for a harder query."""
        return math.log2(self.collection / self.relevant) if self.relevant else math.nan

    @property
    def relevant_scope(self) -> float:
        """a = s/c, which is r/p where there are hits: all (r, p) of one scope lie on the line p = r/a."""
        return _divided(self.scope, self.relevant)

    def error(self, alpha: float = 0.5) -> float:
        """Van Rijsbergen's E = 1 - 1/(alpha/p + (1 - alpha)/r), alpha the weight of precision; 1 without hits."""
        alpha = check(locals(), alpha=Number(least=0, most=1))["alpha"]
        if not self.relevant:
            return math.nan
        return 1.0 - self.hits / (alpha * self.scope + (1.0 - alpha) * self.relevant)

    def f(self, b: float = 1.0) -> float:
        """F_b = (1 + b^2)/(b^2/r + 1/p): precision at b = 0, the harmonic mean at 1, recall as b goes to infinity."""
        b = check(locals(), b=Number(least=0, finite=False))["b"]
        if not self.relevant or math.isinf(b):
            return self.recall
        return (1.0 + b * b) * self.hits / (b * b * self.relevant + self.scope)

    @property
    def effectiveness(self) -> float:
        """2v/(s + c), which is F_1; at s = c it equals precision, recall and R-precision."""
        return 2.0 * self.hits / (self.scope + self.relevant) if self.relevant else math.nan

    @property
    def random_hits(self) -> float:
        """E[v] = s c/d in a random order."""
        return self.scope * self.relevant / self.collection

    @property
    def random_precision(self) -> float:
        """E[p] = g, at every scope."""
        return self.generality

    @property
    def random_recall(self) -> float:
        return self.scope / self.collection if self.relevant else math.nan

    @property
    def random_effectiveness(self) -> float:
        """E[Effectiveness] = 2 a g/(1 + a)."""
        return 2.0 * self.random_hits / (self.scope + self.relevant) if self.relevant else math.nan

    def gain_over_random(self, baseline: str = "general") -> float:
        """E*: effectiveness minus its random level; `baseline` g subtracts g instead, exact at s = c only (eq. 15)."""
        chosen = check(locals(), baseline=OneOf(BASELINES))["baseline"]
        return self.effectiveness - (self.generality if chosen == "g" else self.random_effectiveness)

    @property
    def normalised_gain(self) -> float:
        """E_norm = (p - g)/(1 - g) at s = c: 0 random, 1 ideal, may be negative; NaN where everything is relevant."""
        if not self.relevant:
            return math.nan
        if self.scope != self.relevant:
            raise MeasureError(f"E_norm is defined at scope = relevant ({self.relevant}) only, got {self.scope}")
        return _divided(self.hits * self.collection - self.relevant**2, self.relevant * self.distractors)

    def marginal_cost(self, deeper: Quadruple) -> float:
        """Items to look at for each further hit when the scope grows to `deeper`'s; infinite where none comes."""
        if (self.collection, self.relevant) != (deeper.collection, deeper.relevant):
            raise MeasureError(
                "marginal cost is between two scopes of one query: collection and relevant must be equal"
            )
        items, hits = deeper.scope - self.scope, deeper.hits - self.hits
        if not 0 <= hits <= items:
            raise MeasureError(
                f"a deeper scope with 0 <= further hits <= further items is needed, got {hits} in {items}"
            )
        return items / hits if hits else (math.inf if items else math.nan)

    def scope_to_expect(self, hits: float) -> float:
        """How many items to look at, at this precision, until so many hits are to be expected: k/p."""
        if not 0 <= hits <= self.relevant:
            raise MeasureError(f"0 <= hits <= relevant ({self.relevant}) is needed, got {hits!r}")
        return 0.0 if hits == 0 else hits / self.precision if self.hits else math.inf


def _divided(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else math.nan


EULER = 0.57721566490153286
SUMMED = 256  # from here on the series below is exact to double precision


def harmonic(number: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n.

    >>> round(harmonic(4), 6)
    2.083333
    """
    if number <= SUMMED:
        return math.fsum(1.0 / k for k in range(1, number + 1))
    square = float(number) ** -2
    return math.log(number) + EULER + 0.5 / number - square / 12 + square * square / 120


def random_precision(collection: int, relevant: int) -> float:
    """E[P@k] = g at every scope, and so E[Rprec]: the share of the collection that is relevant.

    >>> random_precision(collection=1000, relevant=20)
    0.02
    """
    _check_sizes(collection, relevant)
    return relevant / collection


def random_average_precision(collection: int, relevant: int) -> float:
    """E[AP] = g + (d - c)(H_d - 1)/(d(d - 1)), above g; 1 for the only item, NaN where nothing is relevant.

    >>> round(random_average_precision(collection=20, relevant=4), 6)
    0.309379
    """
    _check_sizes(collection, relevant)
    if relevant == 0:
        return math.nan
    if collection == 1:
        return 1.0
    excess = (collection - relevant) * (harmonic(collection) - 1.0) / (collection * (collection - 1.0))
    return relevant / collection + excess


def _check_sizes(collection: int, relevant: int) -> None:
    if not 0 <= relevant <= collection or collection < 1:
        bound = "0 <= relevant <= collection and collection >= 1"
        raise MeasureError(f"{bound} is needed, got relevant {relevant} and collection {collection}")
