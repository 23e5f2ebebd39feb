"""What a measure is: a named value, written as `P@10`, `P(rel=2)@10`, `nDCG(gain=exp)@20`, `Rprec(a=2)`.

With what items are worth to it by standing higher among equal scores: sorting them by worth gives one extreme of a
measure and the reverse order the other, if exchanging two neighbours so that the one of higher worth stands first
never lowers the value (or never raises it). Grades are as judged, below 0 for items in the pool that were not
judged, NaN for all others.
"""

from __future__ import annotations

import re
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import MeasureError, RankscopeError
from rankscope.core.notation import Named, is_required, short
from rankscope.core.settings import Settings
from rankscope.ranks.ragged import in_order_sum
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks

M = TypeVar("M", bound="Measure")
GEOMETRIC_FLOOR = 1e-5  # of the values in a geometric mean


class MeasureClass(ABCMeta):
    """What the class of a measure can do by itself: `P@10` is `P(scope=10)`."""

    def __matmul__(cls: type[M], scope: float) -> M:  # type: ignore[misc]  # a metaclass may say so
        """The measure with its usual options and this cut-off."""
        return cls() @ scope


@dataclass(frozen=True)
class Measure(Named, metaclass=MeasureClass):
    """A number for each query. Subclasses are values: two measures with equal parameters are equal.

    A cut-off may be written as people write it: `P@10`, `nDCG(gain="exp")@20`.

    `of` gives one float per query; NaN means undefined for that query. `scope` is written behind an @.
    """

    formula: ClassVar[str]
    source: ClassVar[str]
    trec: ClassVar[str | None] = None  # what trec_eval calls it
    trec_cut: ClassVar[str | None] = None  # and with a cut-off
    habits: ClassVar[frozenset[str]] = frozenset()  # parameters a release of trec_eval sets; the name stays
    summary: ClassVar[Literal["mean", "sum", "geometric", "none"]] = "mean"
    needs: ClassVar[frozenset[str]] = frozenset()
    ordered: ClassVar[bool] = True  # whether the order of the returned items matters
    lower_is_better: ClassVar[bool] = False
    worst: ClassVar[float] = 0.0  # the value of a query without relevant items where such queries count
    counts: ClassVar[bool] = False  # whole numbers, printed as such
    behind_at: ClassVar[str] = "scope"
    least: ClassVar[Mapping[str, float]] = {"scope": 1}
    error: ClassVar[type[RankscopeError]] = MeasureError

    @abstractmethod
    def of(self, queries: RelevantRanks) -> FloatArray:
        """The measure's value for each query."""

    def __matmul__(self, scope: float) -> Self:
        if not any(each.name == self.behind_at for each in fields(self)):
            raise self.error(f"'{self}@{short(scope)}': {self.name} takes no cut-off")
        return replace(self, **{self.behind_at: scope})

    @property
    def needs_cut(self) -> bool:
        """Whether the cut-off that it cannot do without has not been given yet."""
        return any(getattr(self, each.name) is None for each in fields(self) if is_required(each))

    def bounds(self) -> tuple[float, float]:
        """The lowest and highest value there can be, of any query and list; infinite where nothing bounds it."""
        return 0.0, 1.0

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """The mean over all orders of equal scores, where there is a closed form."""
        return None if self.ordered else self.of(queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """What items of these grades are worth by standing higher among equal scores.

        NaN where no order is proven to give an extreme. `settings` tell whether lists are cut and what is left out.
        """
        return not_known(grade) if self.ordered or settings.depth is not None else np.zeros(grade.shape)

    def unproven(self, queries: RelevantRanks, settings: Settings) -> BoolArray:
        """For which queries the orders by worth may miss an extreme, for reasons that no single item shows."""
        return np.zeros(len(queries), dtype=np.bool_)

    def extremes(self, queries: RelevantRanks, settings: Settings) -> tuple[FloatArray, FloatArray] | None:
        """Lowest and highest value of each query over all orders, where they come from no order by worth; else NaN."""
        return None

    def reach(self, queries: RelevantRanks) -> IntArray | None:
        """How far down the list of each query it looks; None: to the end, wherever that is."""
        scope = getattr(self, "scope", None)
        return np.full(len(queries), scope, dtype=np.int64) if isinstance(scope, int) else None

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray] | None:
        """Numerator and denominator, for measures whose micro mean is the ratio of two sums."""
        return None

    def defined(self, queries: RelevantRanks) -> Any:
        """Which queries have what the measure needs to be worth averaging: a relevant item."""
        return queries.at(rel=self.level).relevant > 0

    @property
    def level(self) -> float:
        """The lowest grade that counts as relevant."""
        return float(getattr(self, "rel", 1.0))

    @property
    def last_rank(self) -> float:
        """The last rank that counts; infinite without a cut-off."""
        scope = getattr(self, "scope", None)
        return np.inf if scope is None else scope

    def summarize(self, values: FloatArray, mean: str) -> float:
        """One number from the values of the queries that count; NaN where none does."""
        if self.summary == "sum":
            return in_order_sum(values)
        if values.size == 0:
            return float("nan")
        if self.summary == "geometric" or mean == "geometric":
            return float(np.exp(in_order_sum(np.log(np.maximum(values, GEOMETRIC_FLOOR))) / values.size))
        return in_order_sum(values) / values.size

    def words(self, queries: RelevantRanks) -> list[str] | None:
        """A word per query, for the few values that are not numbers."""
        return None

    def word(self, queries: RelevantRanks) -> str | None:
        """A word for the whole run, likewise."""
        return None

    def bind(self, queries: RelevantRanks) -> Self:
        """The same measure with what it takes from the data written into its parameters."""
        return self

    def trec_name(self) -> str | None:
        """What trec_eval calls it; None for a variant that trec_eval does not have."""
        template = self.trec if getattr(self, "scope", None) is None else self.trec_cut
        if template is None:
            return None
        free = {"rel", "scope", *self.habits, *re.findall(r"{(\w+)", template)}
        if any(getattr(self, each.name) != each.default for each in fields(self) if each.name not in free):
            return None
        return template.format_map({each.name: getattr(self, each.name) for each in fields(self)})


def with_level(measure: Measure, rel: float, said: Iterable[str] = ()) -> Measure:
    """The measure at another lowest relevant grade, unless it has none or says its own."""
    if "rel" in said or rel == 1 or not any(each.name == "rel" for each in fields(measure)):
        return measure
    return replace(measure, rel=float(rel))  # type: ignore[call-arg]


def need_collection(measure: Measure, queries: RelevantRanks) -> None:
    """Refuse to guess the size of the collection, and a size that the judgements or the scope contradict."""
    if (queries.collection == UNKNOWN).any():
        raise MeasureError(
            f"{measure} needs the size of the collection, which a run file does not tell: give --collection-size D "
            "(collection_size=D in Python)"
        )
    scope = getattr(measure, "scope", None) or 0
    for what, least in (("relevant items", queries.at(rel=measure.level).relevant), ("scope", scope)):
        short = np.flatnonzero(queries.collection < least)
        if short.size:
            row = int(short[0])
            found = int(np.broadcast_to(least, len(queries))[row])
            raise MeasureError(
                f"{measure}: {what} <= collection size is needed, but query {queries.queries[row]} has {found} "
                f"and the collection {int(queries.collection[row])}"
            )


SLIGHT = float(np.nextafter(0.0, -1.0))  # below an item that is not judged, above any real loss


def hits_first(grade: FloatArray, rel: float) -> FloatArray:
    """Relevant items, then what is not judged, then what is judged and not relevant: that takes places from hits.

    >>> hits_first(np.array([2.0, 0.0, -1.0, np.nan]), rel=1)
    array([ 1., -1.,  0.,  0.])
    """
    judged = grade >= 0
    return np.where(judged & (grade >= rel), 1.0, np.where(judged, -1.0, 0.0))


def gains_first(grade: FloatArray) -> FloatArray:
    """Items of grade above 0 by their grade, then what is not judged, then grade 0.

    >>> gains_first(np.array([2.0, 0.0, -1.0, np.nan])).tolist() == [2.0, SLIGHT, 0.0, 0.0]
    True
    """
    return np.where(grade > 0, grade, np.where(grade == 0, SLIGHT, 0.0))


def judged_first(grade: FloatArray, pooled: bool = False) -> FloatArray:
    """Judged items first, regardless of their grade; `pooled` with those of grade below 0.

    >>> judged_first(np.array([2.0, 0.0, -1.0, np.nan]))
    array([1., 1., 0., 0.])
    """
    return np.where((grade >= 0) | (pooled & (grade < 0)), 1.0, 0.0)


def not_known(grade: FloatArray) -> FloatArray:
    """No order is proven to be extreme."""
    return np.full(grade.shape, np.nan)


class HitsFirst(Measure):
    """A measure that is best, or worst, where the relevant items of every group of equal scores stand first."""

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return hits_first(grade, self.level)


class JudgedFirst(Measure):
    """A measure that is best, or worst, where the judged items of every group of equal scores stand first."""

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return judged_first(grade)


# The levels of recall at which precision is interpolated.

RECALL_LEVELS = tuple(level / 10 for level in range(11))
