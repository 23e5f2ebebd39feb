"""One measure of some systems by class, as the graphs of classes show it: the largest classes, best ones first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.errors import SettingError
from rankscope.graphs.describing import Systems, counted_systems, how_many
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.score_table import ScoreTable

ALL_QUERIES = "all queries"


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The queries shown, their classes from the best to the worst, and how many classes there are."""

    table: ScoreTable
    labels: tuple[str, ...]
    classes: int
    left_out: int  # queries that some system does not have, or of no class

    @property
    def shown(self) -> str:
        """What is shown, in words."""
        count = how_many(len(self.table))
        if self.table.classes is None:
            words = count
        elif len(self.labels) == self.classes:
            words = f"{count} in {how_many(self.classes, 'class', 'classes')}"
        else:
            words = f"{count} in the {len(self.labels)} largest of {self.classes:,} classes"
        return words + (f", {self.left_out:,} left out" if self.left_out else "")

    def size(self, label: str) -> int:
        """How many queries a class has."""
        return len(self.table) if self.table.classes is None else self.table.classes.count(label)


def class_table(systems: Systems, measure: str, largest: int, what: str, fewest: int = 1) -> ClassTable:
    """The measure for the queries that all systems have, in their largest classes; without classes, of all queries.

    Classes of one size come by name. Classes must be known to all systems to count.
    """
    if largest < 1:
        raise SettingError(f"{what} shows one class at least, got {largest}")
    table = score_table(systems, measure, what)
    whole = table.complete()
    if whole.classes is None:
        return _checked(ClassTable(whole, ("",), 1, len(table) - len(whole)), what, fewest)
    names = whole.class_names
    size = {label: whole.classes.count(label) for label in names}
    chosen = sorted(names, key=lambda label: -size[label])[:largest]
    place = np.isin(np.array(whole.classes, dtype=object), np.array(chosen, dtype=object))
    shown = whole.take(np.flatnonzero(place))
    others = sum(size.values()) - len(shown)
    mean = {label: float(shown.where(label).gains.mean()) for label in chosen}
    best = tuple(sorted(chosen, key=lambda label: -mean[label]))
    return _checked(ClassTable(shown, best, len(names), len(table) - len(shown) - others), what, fewest)


def score_table(systems: Systems, measure: str, what: str) -> ScoreTable:
    """One measure of all queries and systems."""
    chosen = counted_systems(systems, what)
    kinds = parse_measures([measure], chosen[0].rel)
    if len(kinds) != 1:
        raise SettingError(f"{what} shows one measure, got {measure}")
    names = sorted({query for each in chosen for query in each.queries}, key=str.encode)
    place = {query: row for row, query in enumerate(names)}
    values = np.full((len(names), len(chosen)), np.nan)
    for column, each in enumerate(chosen):
        values[[place[query] for query in each.queries], column] = kinds[0].bind(each).of(each)
    classes = _classes(chosen, place)
    systems_named = tuple(each.system for each in chosen)
    return ScoreTable(measure, systems_named, tuple(names), values, classes, kinds[0].lower_is_better)


def _classes(systems: list[RelevantRanks], place: dict[str, int]) -> tuple[str, ...] | None:
    labels = [""] * len(place)
    for each in systems:
        if each.classes is None:
            return None
        for query, label in zip(each.queries, each.classes, strict=True):
            labels[place[query]] = label
    return tuple(labels)


def _checked(made: ClassTable, what: str, fewest: int) -> ClassTable:
    if len(made.table) < fewest:
        raise SettingError(f"{what}: the systems share no query with a value and a class")
    return made


def named(label: str, count: int) -> str:
    """A class with its number of queries.

    >>> named("birds", 12), named("", 40)
    ('birds (12)', 'all queries (40)')
    """
    return f"{label or ALL_QUERIES} ({count:,})"
