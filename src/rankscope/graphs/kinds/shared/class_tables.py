"""One measure of some systems by class, as the graphs of classes show it: the largest classes, best ones first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np

from rankscope.errors import SettingError
from rankscope.graphs.kinds.shared.describing import Systems, counted_systems
from rankscope.graphs.kinds.shared.score_values import score_values
from rankscope.graphs.option import Option
from rankscope.number_texts import how_many
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.table.units import drawn_by_class

ALL_QUERIES = "all queries"
LargestOption: TypeAlias = Annotated[int, Option("how many classes, the largest ones", least=1)]


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The queries shown, their classes from the best to the worst, and how many classes there are."""

    table: ScoreTable
    labels: tuple[str, ...]
    classes: int
    left_out: int  # queries that some system does not have, or of no class
    by_unit: bool = False  # whether the class is the sampling unit

    @property
    def shown(self) -> str:
        """What is shown, in words."""
        count = how_many(len(self.table))
        if self.table.classes is None:
            words = count
        elif len(self.labels) == self.classes:
            words = f"{count} in {how_many(self.classes, 'class', 'classes')}"
        else:
            words = f"{count} in the {len(self.labels)} largest of {how_many(self.classes, 'classes')}"
        return words + (f", {self.left_out:,} left out" if self.left_out else "")

    def size(self, label: str) -> int:
        """How many queries a class has."""
        return len(self.table) if self.table.classes is None else self.table.classes.count(label)


def class_table(systems: Systems, measure: str, largest: int, what: str, fewest: int = 1) -> ClassTable:
    """The measure for the queries that all systems have, in their largest classes; without classes, of all queries.

    Classes of one size come by name. Classes must be known to all systems to count.
    """
    chosen_systems = counted_systems(systems, what)
    table = score_values(chosen_systems, measure, what)
    by_class = drawn_by_class(chosen_systems)
    whole = table.complete()
    if whole.classes is None:
        return _checked(
            ClassTable(table=whole, labels=("",), classes=1, left_out=len(table) - len(whole), by_unit=by_class),
            what,
            fewest,
        )
    names = whole.class_names
    size = {label: whole.classes.count(label) for label in names}
    chosen = sorted(names, key=lambda label: -size[label])[:largest]
    place = np.isin(np.array(whole.classes, dtype=object), np.array(chosen, dtype=object))
    shown = whole.take(np.flatnonzero(place))
    others = sum(size.values()) - len(shown)
    mean = {label: float(shown.where(label).gains.mean()) for label in chosen}
    best = tuple(sorted(chosen, key=lambda label: -mean[label]))
    return _checked(
        ClassTable(
            table=shown, labels=best, classes=len(names), left_out=len(table) - len(shown) - others, by_unit=by_class
        ),
        what,
        fewest,
    )


def _checked(table: ClassTable, what: str, fewest: int) -> ClassTable:
    if len(table.table) < fewest:
        raise SettingError(f"{what}: the systems share no query with a value and a class")
    return table


def class_label(label: str, count: int) -> str:
    """A class with its number of queries.

    >>> class_label("birds", 12), class_label("", 40)
    ('birds (12)', 'all queries (40)')
    """
    return f"{label or ALL_QUERIES} ({count:,})"
