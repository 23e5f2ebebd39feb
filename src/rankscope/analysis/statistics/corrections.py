"""Multiple testing: of one family of tests, declared before, some would be found by chance alone; corrections for that.

Each works along the last axis, so that many families can be corrected at once. A test that could not be made (NaN)
stays undefined, spoils no other, and still counts in the size of the family, because the family was declared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import FloatArray
from rankscope.core.catalogue import Catalogue, unknown_name
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many


def bonferroni(p: ArrayLike) -> FloatArray:
    """Each p times the number of tests.

    >>> bonferroni([0.01, 0.4, np.nan]).tolist()
    [0.03, 1.0, nan]
    """
    values = _checked(p)
    return np.minimum(values * values.shape[-1], 1.0)


def holm(p: ArrayLike) -> FloatArray:
    """Step-down: the smallest p times m, the next times m - 1, ..., never falling (Holm 1979).

    Controls the chance of any false finding as Bonferroni does, and finds more.
    >>> holm([0.010305, 0.014992, 0.883130]).round(6).tolist()
    [0.030915, 0.030915, 0.88313]
    """
    values = _checked(p)
    size = values.shape[-1]
    return _stepped(values, np.arange(size, 0, -1.0), from_smallest=True)


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Step-up: the share of false findings among the findings is held, for screening only.

    >>> benjamini_hochberg([0.01, 0.02, 0.9]).round(6).tolist()
    [0.03, 0.03, 0.9]
    """
    values = _checked(p)
    size = values.shape[-1]
    return _stepped(values, size / np.arange(1.0, size + 1), from_smallest=False)


CORRECTIONS: Catalogue[Callable[[ArrayLike], FloatArray]] = Catalogue(  # a new correction adds its name here
    "correction",
    {"holm": holm, "bonferroni": bonferroni, "benjamini-hochberg": benjamini_hochberg, "none": lambda p: _checked(p)},
)


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Adjusted p-values in the order given, and how many tests had none."""

    p: FloatArray
    correction: str
    size: int
    undefined: int


def adjust(p: ArrayLike, correction: str = "holm") -> Adjusted:
    """Correct the p-values of one family: holm, bonferroni, benjamini-hochberg or none.

    >>> made = adjust([0.01, np.nan, 0.02])
    >>> made.p.tolist(), made.size, made.undefined
    ([0.03, nan, 0.04], 3, 1)
    """
    result = CORRECTIONS.find(correction)(p)
    return Adjusted(result, CORRECTIONS.spell(correction), result.shape[-1], int(np.isnan(result).sum()))


def tested_levels(p: ArrayLike, correction: str, alpha: float) -> FloatArray:
    """The level at which each test of a family was held against its p-value, so that limits at it say the same.

    Holm: alpha/m for the smallest p, then alpha/(m - 1), ..., up to the first that is not significant, which is the
    level of all later ones too. Benjamini and Hochberg: alpha x findings/m for all.
    >>> tested_levels([0.01, 0.5, 0.03, np.nan], "holm", 0.05).round(6).tolist()
    [0.0125, 0.016667, 0.016667, 0.016667]
    """
    values = _checked(p)
    adjusted = CORRECTIONS.find(correction)(values)
    shown, size, name = int((adjusted <= alpha).sum()), values.size, CORRECTIONS.spell(correction)
    if name == "none":
        return np.full(size, alpha)
    if name == "holm":
        place = np.empty(size)
        place[np.argsort(np.where(np.isnan(values), 1.0, values), kind="stable")] = np.arange(size)
        return np.asarray(alpha / (size - np.minimum(place, min(shown, size - 1))))
    return np.full(size, alpha * (max(shown, 1) if name == "benjamini-hochberg" else 1) / max(size, 1))


def _checked(p: ArrayLike) -> FloatArray:
    values = np.atleast_1d(np.asarray(p, dtype=np.float64))
    if ((values < 0) | (values > 1)).any():
        raise SettingError("p-values lie between 0 and 1, or are NaN where a test could not be made")
    return values


def _stepped(values: FloatArray, factor: FloatArray, from_smallest: bool) -> FloatArray:
    """Multiply in the order of size, make the result monotone, and put it back in place."""
    filled = np.where(np.isnan(values), 1.0, values)
    order = np.argsort(filled, axis=-1, kind="stable")
    raised = np.take_along_axis(filled, order, axis=-1) * factor
    if from_smallest:
        raised = np.maximum.accumulate(raised, axis=-1)
    else:
        raised = np.minimum.accumulate(raised[..., ::-1], axis=-1)[..., ::-1]
    result = np.empty_like(raised)
    np.put_along_axis(result, order, np.minimum(raised, 1.0), axis=-1)
    return np.where(np.isnan(values), np.nan, result)


# The family of tests: which comparisons are made, said before any of them is looked at.

ALL_QUERIES = ""


@dataclass(frozen=True)
class Family:
    """Pairs of systems x measures x classes of queries; the correction is for all of them together.

    The class "" stands for all queries.
    >>> family = Family.of(["A", "B", "C"], ["AP", "nDCG@10"])
    >>> print(family)
    family of 6 tests: 3 pairs of systems x 2 measures, Holm
    >>> next(iter(family))
    ('A', 'B', 'AP', '')
    >>> Family.of(["A", "B"], classes=["", "x"]).factors
    '1 pair of systems x (all queries + 1 class)'
    """

    pairs: tuple[tuple[str, str], ...]
    measures: tuple[str, ...] = ("AP",)
    classes: tuple[str, ...] = (ALL_QUERIES,)
    correction: str = "holm"

    @classmethod
    def of(
        cls,
        systems: Sequence[str],
        measures: Sequence[str] = ("AP",),
        classes: Sequence[str] = (ALL_QUERIES,),
        correction: str = "holm",
        baseline: str | None = None,
    ) -> Family:
        """All pairs of some systems, or each system with the baseline."""
        if baseline is not None and baseline not in systems:
            raise SettingError(unknown_name("system", baseline, systems))
        pairs = (
            tuple(combinations(systems, 2))
            if baseline is None
            else tuple((baseline, each) for each in systems if each != baseline)
        )
        return cls(pairs, tuple(measures), tuple(classes), correction)

    def __post_init__(self) -> None:
        object.__setattr__(self, "correction", CORRECTIONS.spell(self.correction))  # unknown: an error before all tests
        if not self.size:
            raise SettingError("a family needs two systems, a measure and a class at least")

    @property
    def size(self) -> int:
        return len(self.pairs) * len(self.measures) * len(self.classes)

    def __iter__(self) -> Iterator[tuple[str, str, str, str]]:
        """First system, second system, measure, class."""
        for measure in self.measures:
            for label in self.classes:
                for first, second in self.pairs:
                    yield first, second, measure, label

    @property
    def factors(self) -> str:
        """What is multiplied, in words."""
        parts = [how_many(len(self.pairs), "pair of systems", "pairs of systems")]
        if len(self.measures) > 1:
            parts.append(how_many(len(self.measures), "measures"))
        labels = [label for label in self.classes if label != ALL_QUERIES]
        if labels:
            classes = how_many(len(labels), "classes")
            parts.append(classes if len(labels) == len(self.classes) else f"(all queries + {classes})")
        return " x ".join(parts)

    def __str__(self) -> str:
        return families_in_words([self])


@dataclass(frozen=True)
class Families:
    """The two families of a comparison, declared before any test: the primary measure decides alone.

    Everything else, other measures and classes of queries, is secondary and corrected together.
    >>> made = Families(Family.of("AB"), (Family.of("AB", ["P@10", "RR"]), Family.of("AB", classes=["x", "y"])))
    >>> print(made)
    primary family of 1 test: 1 pair of systems, Holm
    secondary family of 4 tests: 1 pair of systems x 2 measures + 1 pair of systems x 2 classes, Holm
    """

    primary: Family
    secondary: tuple[Family, ...] = ()

    @property
    def correction(self) -> str:
        return self.primary.correction

    def is_primary(self, measure: str) -> bool:
        return measure in self.primary.measures

    def of(self, measure: str) -> str:
        """In words, the family over which the pairs of a measure are corrected."""
        return str(self).splitlines()[0 if self.is_primary(measure) else 1]

    def size_of(self, measure: str) -> int:
        return self.primary.size if self.is_primary(measure) else sum(each.size for each in self.secondary)

    def __str__(self) -> str:
        lines = [f"primary {self.primary}"]
        return "\n".join([*lines, f"secondary {families_in_words(self.secondary)}"] if self.secondary else lines)


def families_in_words(families: Sequence[Family]) -> str:
    """Families that are corrected together, as one."""
    names = {"holm": "Holm", "bonferroni": "Bonferroni", "benjamini-hochberg": "Benjamini-Hochberg"}
    correction = names.get(families[0].correction, "not corrected")
    tests = how_many(sum(each.size for each in families), "tests")
    merged: list[Family] = []
    for each in families:  # those that differ in their measures alone are one
        if merged and (merged[-1].pairs, merged[-1].classes) == (each.pairs, each.classes):
            merged[-1] = replace(merged[-1], measures=(*merged[-1].measures, *each.measures))
        else:
            merged.append(each)
    return f"family of {tests}: {' + '.join(each.factors for each in merged)}, {correction}"
