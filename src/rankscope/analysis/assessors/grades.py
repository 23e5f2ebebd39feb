"""Grades of several assessors side by side, and the rules by which they become one grade."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import SettingError

Judged = Mapping[str, Mapping[str, float]]  # grades by query and item


@dataclass(frozen=True, eq=False)
class AssessorGrades:
    """What each assessor says of each pair of query and item; NaN where nothing is said.

    >>> marks = AssessorGrades.of({"ann": {"q1": {"a": 2, "b": 0}}, "bob": {"q1": {"a": 1}}})
    >>> marks.grades.tolist(), marks.levels.tolist(), marks.both("ann", "bob").tolist()
    ([[2.0, 1.0], [0.0, nan]], [0.0, 1.0, 2.0], [True, False])
    """

    assessors: tuple[str, ...]
    queries: tuple[str, ...]
    query: IntArray  # of each row, as a place among the queries
    items: tuple[str, ...]  # of each row
    grades: FloatArray  # rows x assessors
    classes: tuple[str, ...] | None = None  # of each query

    @classmethod
    def of(cls, judged: Mapping[str, Judged], classes: Mapping[str, str] | None = None) -> AssessorGrades:
        """From the grades of each assessor; a grade below 0 says that nobody judged, and is left out."""
        if len(judged) < 2:
            raise SettingError(f"agreement needs two assessors at least, got {', '.join(judged) or 'none'}")
        found: dict[str, dict[str, list[float]]] = {}
        for place, each in enumerate(judged.values()):
            for query, items in each.items():
                rows = found.setdefault(query, {})
                for item, grade in items.items():
                    if grade >= 0:
                        rows.setdefault(item, [np.nan] * len(judged))[place] = grade
        queries = tuple(query for query, rows in found.items() if rows)
        sizes = [len(found[query]) for query in queries]
        grades = [row for query in queries for row in found[query].values()]
        return cls(
            assessors=tuple(judged),
            queries=queries,
            query=np.repeat(np.arange(len(queries)), sizes),
            items=tuple(item for query in queries for item in found[query]),
            grades=np.array(grades, dtype=np.float64).reshape(-1, len(judged)),
            classes=None if classes is None else tuple(classes.get(query, "") for query in queries),
        )

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def levels(self) -> FloatArray:
        """The grades that anybody gave, ascending."""
        return np.unique(self.grades[~np.isnan(self.grades)])

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes of queries, sorted; a query of the empty class has none."""
        return tuple(sorted({label for label in self.classes or () if label}))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two assessors who have judged something in common."""
        return [(one, other) for one, other in combinations(self.assessors, 2) if self.both(one, other).any()]

    def of_assessor(self, name: str) -> FloatArray:
        return self.grades[:, self.assessors.index(name)]

    def both(self, one: str, other: str) -> BoolArray:
        return ~np.isnan(self.of_assessor(one)) & ~np.isnan(self.of_assessor(other))

    def places(self, name: str) -> IntArray:
        """The grades of one assessor as places among the levels; -1 where nothing is said."""
        grades = self.of_assessor(name)
        return np.where(np.isnan(grades), -1, np.searchsorted(self.levels, np.nan_to_num(grades)))

    def take(self, rows: BoolArray) -> AssessorGrades:
        """Some rows; queries stay, with or without rows."""
        items = tuple(self.items[row] for row in np.flatnonzero(rows).tolist())
        return replace(self, query=self.query[rows], items=items, grades=self.grades[rows])

    def select(self, assessors: Sequence[str]) -> AssessorGrades:
        columns = [self.assessors.index(name) for name in assessors]
        return replace(self, assessors=tuple(assessors), grades=self.grades[:, columns])

    def where(self, label: str) -> AssessorGrades:
        labels = np.array(self.classes or [""] * len(self.queries), dtype=object)
        return self.take(np.asarray(labels[self.query] == label, dtype=np.bool_))

    def binary(self, least: float) -> AssessorGrades:
        """Relevant or not: 1 from the grade `least` on, else 0."""
        grades = np.where(np.isnan(self.grades), np.nan, (self.grades >= least).astype(np.float64))
        return replace(self, grades=grades)

    def judgements(self, name: str) -> dict[str, dict[str, float]]:
        """The grades of one assessor by query and item."""
        found: dict[str, dict[str, float]] = {}
        grades = self.of_assessor(name).tolist()
        for query, item, grade in zip(self.query.tolist(), self.items, grades, strict=True):
            if grade == grade:
                found.setdefault(self.queries[query], {})[item] = grade
        return found


# One grade from several: the rules by which the judgements of several assessors become one set of judgements.

MERGE_RULES: Final = {
    "majority": "the grade that most assessors give; a tie stays open",
    "median": "the grade in the middle; open where two different grades share it",
    "any": "the highest grade that anybody gives: the most lenient",
    "all": "the lowest grade that anybody gives: the strictest",
    "equal": "the grade that all give; open where they differ",
    "weighted": "the grade with the most votes, weighted as weighted(ann=2, bob=1); others have 1; a tie stays open",
}
MERGE_ALIASES: Final = {"lenient": "any", "strictest": "all"}
OPEN_PAIRS: Final = ("lower", "higher", "leave-out")
WEIGHTED: Final = re.compile(r"weighted\((.*)\)", re.DOTALL)


class Merged(NamedTuple):
    """What a rule gives: a grade, or None where the pair stays open between the grades of `between`."""

    grade: float | None
    between: tuple[float, ...] = ()


@dataclass(frozen=True)
class MergeRule:
    """How the grades of several assessors become one.

    >>> MergeRule.parse("majority").merge({"ann": 1, "bob": 0, "eve": 1})
    Merged(grade=1, between=())
    >>> MergeRule.parse("majority").merge({"ann": 1, "bob": 0})
    Merged(grade=None, between=(0, 1))
    >>> MergeRule.parse("weighted(ann=2)").merge({"ann": 1, "bob": 0}).grade
    1
    """

    name: str
    weights: Mapping[str, float]

    @classmethod
    def parse(cls, text: str) -> MergeRule:
        """From how it is written; a `SettingError` says what can be written."""
        wanted = MERGE_ALIASES.get(text.strip(), text.strip())
        if found := WEIGHTED.fullmatch(wanted):
            return cls("weighted", _weights(found[1]))
        if wanted == "weighted":
            raise SettingError("merge=weighted: say how much whose grades weigh, as 'weighted(ann=2, bob=1)'")
        if wanted not in MERGE_RULES:
            raise SettingError(
                f"no rule '{text}' to merge grades by{did_you_mean(wanted, MERGE_RULES)} "
                f"There are: {', '.join(MERGE_RULES)}"
            )
        return cls(wanted, {})

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={weight:g}" for name, weight in self.weights.items())
        return f"weighted({inside})" if self.name == "weighted" else self.name

    def merge(self, grades: Mapping[str, float]) -> Merged:
        """One grade from those of each assessor, of whom there is one at least."""
        found = sorted(grades.values())
        if found[0] == found[-1]:
            return Merged(found[0])
        if self.name in ("any", "all"):
            return Merged(found[-1] if self.name == "any" else found[0])
        if self.name == "equal":
            return Merged(None, tuple(sorted(set(found))))
        if self.name == "median":
            candidates = {found[(len(found) - 1) // 2], found[len(found) // 2]}
        else:
            votes: dict[float, float] = {}
            for name, grade in grades.items():
                votes[grade] = votes.get(grade, 0.0) + self.weights.get(name, 1.0)
            candidates = {grade for grade, count in votes.items() if count >= max(votes.values()) - 1e-9}
        between = tuple(sorted(candidates))
        return Merged(between[0]) if len(between) == 1 else Merged(None, between)


def decide_open(merged: Merged, open_pairs: str | None) -> float | None:
    """The grade where a pair stays open: the lower or the higher one in question; None leaves it out."""
    if merged.grade is not None or open_pairs not in ("lower", "higher"):
        return merged.grade
    return merged.between[0] if open_pairs == "lower" else merged.between[-1]


def _weights(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    problems = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, sign, number = (each.strip() for each in part.rpartition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not sign or not name or name in found or not 0 < weight < float("inf"):
            problems.append(f"merge: '{part}' must read NAME=WEIGHT, with a weight above 0 and each name once")
        found[name] = weight
    if problems or not found:
        raise SettingError.of(problems or ["merge: weighted(...) names nobody; write it as 'weighted(ann=2, bob=1)'"])
    return found
