"""The family of tests: which comparisons are made, said before any of them is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from rankscope.catalogue import unknown_name
from rankscope.errors import SettingError
from rankscope.number_texts import how_many
from rankscope.statistics.pairs.corrections import CORRECTIONS

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
        """How many tests there are."""
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

    def with_measures_of(self, other: Family) -> Family | None:
        """Both as one where they differ in their measures only, else None."""
        if (self.pairs, self.classes) != (other.pairs, other.classes):
            return None
        return replace(self, measures=(*self.measures, *other.measures))

    def __str__(self) -> str:
        return in_words([self])


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
        """How p-values are corrected, in both."""
        return self.primary.correction

    def is_primary(self, measure: str) -> bool:
        """Whether this measure decides."""
        return measure in self.primary.measures

    def of(self, measure: str) -> str:
        """In words, the family over which the pairs of a measure are corrected."""
        return str(self).splitlines()[0 if self.is_primary(measure) else 1]

    def size_of(self, measure: str) -> int:
        """How many tests that family has."""
        return self.primary.size if self.is_primary(measure) else sum(each.size for each in self.secondary)

    def __str__(self) -> str:
        lines = [f"primary {self.primary}"]
        return "\n".join([*lines, f"secondary {in_words(self.secondary)}"] if self.secondary else lines)


def in_words(families: Sequence[Family]) -> str:
    """Families that are corrected together, as one."""
    names = {"holm": "Holm", "bonferroni": "Bonferroni", "benjamini-hochberg": "Benjamini-Hochberg"}
    correction = names.get(families[0].correction, "not corrected")
    tests = how_many(sum(each.size for each in families), "tests")
    merged: list[Family] = []
    for each in families:
        both = merged[-1].with_measures_of(each) if merged else None
        merged = [*merged[:-1], both] if both is not None else [*merged, each]
    return f"family of {tests}: {' + '.join(each.factors for each in merged)}, {correction}"
