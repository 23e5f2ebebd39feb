"""Groups of equal generality: which queries may share a precision-recall curve, and which group is shown first.

Queries of one class size in one collection share a lattice of points and need no interpolation: groups are exact
where such groups exist. Otherwise queries are binned by their generality index G, and their curve is interpolated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.analysis.curves.averaging import By, generality_groups
from rankscope.analysis.curves.curve import known_sizes
from rankscope.analysis.statistics.sampling_units import FEW_UNITS, unit_classes
from rankscope.core.arrays import IntArray
from rankscope.core.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.systems import size_known

EVERY_QUERY = "all"
ONE_SIZE, ONE_INDEX = "one class size", "one generality index, rounded"
MOST_OFFERED = 8  # exact groups that a page offers
ENOUGH = 10  # sampling units that make an exact group worth a curve of its own


@dataclass(frozen=True, eq=False)
class QueryGroup:
    """Some queries of all, and the words for them; their rankings are taken when they are asked for."""

    name: str  # c = 8, or G = 7
    index: float
    everything: RelevantRanks
    rows: IntArray

    def __len__(self) -> int:
        return self.rows.size

    @cached_property
    def queries(self) -> RelevantRanks:
        """The rankings of these queries."""
        return self.everything.take(self.rows)

    @cached_property
    def units(self) -> int:
        """How many sampling units it holds."""
        classes = unit_classes(self.everything)
        return len(self) if classes is None else len({classes[row] for row in self.rows.tolist()})

    @property
    def exact(self) -> bool:
        """Whether all queries have one class size in one collection, so that nothing is interpolated."""
        whole = self.everything
        return bool(np.ptp(whole.relevant[self.rows]) == 0 and np.ptp(whole.collection[self.rows]) == 0)


def query_groups(queries: RelevantRanks, group: str | None = None) -> list[QueryGroup]:
    """The groups, easiest first: `group` is exact, bins or all, or the name of the one wanted; None takes what fits.

    Exact groups fit where half of the sampling units are in groups of enough of them, and where there is only one.
    >>> five = RelevantRanks.from_ranks([[1, 2]] * 12 + [[1, 2, 3]] * 12, collection=64)
    >>> [(each.name, len(each.queries)) for each in query_groups(five)]
    [('c = 3', 12), ('c = 2', 12)]
    >>> [each.name for each in query_groups(five, "bins")]
    ['G = 4', 'G = 5']
    """
    known_sizes(queries, "radial averaging")
    if group == "bins":
        return _members(queries, "bins")
    if group not in (None, "exact"):
        return [group_named(queries, group)]
    exact = _members(queries, "exact")
    units = [each.units for each in exact]
    fits = 2 * sum(each for each in units if each >= ENOUGH) >= sum(units)
    return exact if group or len(exact) == 1 or fits else _members(queries, "bins")


def every_query(queries: RelevantRanks) -> QueryGroup:
    """All queries as one group, of whatever generality."""
    return QueryGroup(EVERY_QUERY, 0.0, queries, np.arange(len(queries)))


def usual(groups: Sequence[QueryGroup]) -> QueryGroup:
    """The group to show first: of those of enough units the one nearest to the query in the middle by generality."""
    index = np.repeat([each.index for each in groups], [len(each) for each in groups])
    middle = float(np.median(index))
    return min(solid(groups), key=lambda each: (abs(each.index - middle), -len(each)))


def spread_out(groups: Sequence[QueryGroup], most: int) -> list[QueryGroup]:
    """So many groups of enough units at most, evenly from the easiest to the hardest."""
    enough = solid(groups)
    places = np.unique(np.linspace(0, len(enough) - 1, min(most, len(enough))).round().astype(np.int64))
    return [enough[place] for place in places.tolist()]


def solid(groups: Sequence[QueryGroup]) -> list[QueryGroup]:
    """The groups of enough units; where there are none, those that do not rest on few, else all."""
    for least in (ENOUGH, FEW_UNITS, 0):
        some = [each for each in groups if each.units >= least]
        if some:
            break
    return some


def group_choices(queries: RelevantRanks) -> list[tuple[str, list[QueryGroup]]]:
    """What a page offers, under headings: the kind that fits first; bins hold every query, exact groups may be many."""
    shown, bins = query_groups(queries), _members(queries, "bins")
    exact = [each for each in _members(queries, "exact") if each.units >= FEW_UNITS]
    largest = sorted(exact, key=lambda each: -len(each))[:MOST_OFFERED]
    there = {each.rows.tobytes() for each in largest}
    one_size = (ONE_SIZE, [each for each in exact if each in largest])
    several = (ONE_INDEX, [each for each in bins if each.rows.tobytes() not in there])
    ordered = [several, one_size] if shown[0].name.startswith("G") else [one_size, several]
    return [(heading, groups) for heading, groups in ordered if groups]


def group_named(queries: RelevantRanks, name: str) -> QueryGroup:
    """The group of this name, as c=8 (or c=8,d=1000) or G=7, or all; c=8 needs no collection size."""
    if name == EVERY_QUERY:
        return every_query(queries)
    if not size_known([queries]) and (size := re.fullmatch(r"c=([1-9]\d*)", _plain(name))):
        return QueryGroup(f"c = {size[1]}", 0.0, queries, rows_of_size(queries, int(size[1])))
    by: By = "bins" if name.strip().upper().startswith("G") else "exact"
    groups = _members(queries, by)
    wanted = _plain(name)
    for each in groups:
        first = int(each.rows[0])
        full_name = f"c = {each.everything.relevant[first]}, d = {each.everything.collection[first]}"
        if wanted in (_plain(each.name), _plain(full_name)):
            return each
    of_size = [each for each in groups if _plain(each.name).partition(",")[0] == wanted]
    if len(of_size) == 1:  # classes of one size are all in collections of one size
        return of_size[0]
    there = ", ".join(f"{_plain(each.name)} ({len(each):,})" for each in _members(queries, "bins"))
    sizes = sorted(_members(queries, "exact"), key=lambda each: -len(each))[:8]
    most = ", ".join(f"{_plain(each.name)} ({len(each):,})" for each in sizes)
    raise SettingError(
        f"{queries.system} has no group {name!r}. By generality index, with their queries: {there}. Largest groups of "
        f"one class size: {most}. Or exact or bins for all groups of a kind, or all for every query in one"
    )


def rows_of_size(queries: RelevantRanks, relevant: int) -> IntArray:
    """The queries with so many relevant items; refuses a number that none has."""
    rows = np.flatnonzero(queries.relevant == relevant)
    if not rows.size:
        sizes, count = np.unique(queries.relevant, return_counts=True)
        most = ", ".join(str(each) for each in sizes[np.argsort(-count, kind="stable")][:5])
        raise SettingError(f"{queries.system} has no query with {relevant} relevant items. Most have: {most}")
    return rows


def _members(queries: RelevantRanks, by: By) -> list[QueryGroup]:
    groups = generality_groups(queries, by)
    one_size = np.ptp(queries.collection) == 0
    return [
        QueryGroup(group.name.partition(", d")[0] if one_size else group.name, group.index, queries, group.rows)
        for group in groups
    ]


def _plain(name: str) -> str:
    """Without spaces, in the case that letters have here.

    >>> _plain("g = 7.0"), _plain("C=8")
    ('G=7', 'c=8')
    """
    text = re.sub(r"\.0+$", "", name.replace(" ", "").lower())
    return text.replace("g=", "G=")
