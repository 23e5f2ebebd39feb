"""What the kinds of graph share: the systems asked for, what the legend says of them, bands, and facts to point at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.curve import Curve
from rankscope.curves.sizes import with_relevant_items
from rankscope.errors import SettingError
from rankscope.evaluation.scores import Scores, SystemScores
from rankscope.graphs.marks import Facts
from rankscope.graphs.system_count import SEVERAL, SystemCount
from rankscope.number_texts import how_many
from rankscope.ranks.provenance import chosen_distractors
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.statistics.table.units import unit_classes

Systems: TypeAlias = RelevantRanks | Scores | Sequence[RelevantRanks] | Mapping[str, RelevantRanks]
MOST_BANDS = 2  # more than two bands over each other cannot be read


def ranks_of_systems(systems: Any, kind: str = "") -> list[RelevantRanks]:
    """The ranks of each system: of ranks, of scores, of several of them, or of a dictionary by name.

    >>> ranks = RelevantRanks.from_ranks([[1, 3]])
    >>> [each.system for each in ranks_of_systems({"mine": ranks, "yours": ranks})]
    ['mine', 'yours']
    """
    return list(_each(systems, kind))


def _each(systems: Any, kind: str) -> Iterator[RelevantRanks]:
    if isinstance(systems, RelevantRanks):
        yield systems
    elif isinstance(systems, Scores):
        yield from systems.ranks
    elif isinstance(systems, SystemScores):
        yield systems.ranks
    elif isinstance(systems, Mapping) and all(isinstance(each, RelevantRanks) for each in systems.values()):
        yield from (replace(ranks, system=str(name)) for name, ranks in systems.items())
    elif isinstance(systems, list | tuple):
        yield from (ranks for each in systems for ranks in _each(each, kind))
    else:
        raise SettingError(
            f"a graph shows scores or ranks, got {type(systems).__name__}. Of judgements and runs: "
            f"rankscope.graph({kind or 'precision-recall'!r}, qrels, runs)"
        )


def counted_systems(systems: Systems, what: str, count: SystemCount = SEVERAL) -> list[RelevantRanks]:
    """The systems with the queries that count, each under a name of its own."""
    given = ranks_of_systems(systems)
    count.check(len(given), what)
    empty = [each.system for each in given if not (each.relevant > 0).any()]
    if empty:
        raise SettingError(f"{what}: no query of {', '.join(empty)} has a relevant item at grade {given[0].rel:g}")
    return _named_apart([with_relevant_items(each) for each in given])


def _named_apart(systems: list[RelevantRanks]) -> list[RelevantRanks]:
    seen: dict[str, int] = {}
    result = []
    for each in systems:
        seen[each.system] = seen.get(each.system, 0) + 1
        again = seen[each.system]
        result.append(each if again == 1 else replace(each, system=f"{each.system} ({again})"))
    return result


def number(value: float) -> str:
    """A number for a legend: three digits, no exponent for what is not tiny.

    >>> number(0.012345), number(3979), number(0.00004)
    ('0.0123', '3,979', '4e-05')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def size_note(queries: RelevantRanks) -> str:
    """How many queries, of how many classes where these are the sampling unit, their relevant items and others.

    >>> size_note(RelevantRanks.from_ranks([[1, 3], [2]], collection=5_345)), size_note(RelevantRanks.from_ranks([[1]]))
    ('2 queries, c = 1 to 2 of d = 5,345', '1 query, c = 1')
    """
    known = bool((queries.collection != UNKNOWN).all())
    return f"{unit_note(queries)}, c = {from_to(queries.relevant)}" + known * f" of d = {from_to(queries.collection)}"


def from_to(values: IntArray | FloatArray) -> str:
    """One value, or the least and the largest, as far as they differ: of counts all digits, else three.

    >>> from_to(np.array([1200, 1201])), from_to(np.array([4.0, 5.25]))
    ('1,200 to 1,201', '4 to 5.25')
    """
    whole = np.issubdtype(values.dtype, np.integer)
    low, high = (f"{end:,}" if whole else number(float(end)) for end in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def unit_note(queries: RelevantRanks) -> str:
    """How many queries, and of how many classes where the class is the sampling unit."""
    classes = unit_classes(queries)
    count = how_many(len(queries))
    return count if classes is None else f"{count} of {how_many(len(set(classes)), 'class', 'classes')}"


def domain_note(queries: RelevantRanks, *more: str) -> str:
    """The distractors among which each class was ranked, where these were chosen, and what else is to be said.

    >>> narrow = replace(RelevantRanks.from_ranks([[1]]), provenance={"settings": {"distractors": "nearest(9)"}})
    >>> domain_note(narrow, "1 query"), domain_note(RelevantRanks.from_ranks([[1]]))
    ('1 query, among nearest(9)', '')
    """
    chosen = chosen_distractors(queries.provenance)
    return ", ".join(filter(None, (*more, f"among {chosen}" if chosen else "")))


def shown_of(shown: RelevantRanks, everyone: int) -> str:
    """Which queries of how many are shown, and of how many classes where these are the sampling unit.

    >>> shown_of(RelevantRanks.from_ranks([[1], [2]]), 3), shown_of(RelevantRanks.from_ranks([[1], [2]]), 2)
    ('the 2 of 3 queries', 'all 2 queries')
    """
    classes = unit_classes(shown)
    units = "" if classes is None else f" ({how_many(len(set(classes)), 'class', 'classes')})"
    if len(shown) < everyone:
        return f"the {len(shown):,} of {how_many(everyone, 'queries')}{units}"
    return f"{'all ' if everyone > 1 else ''}{how_many(everyone)}{units}"


def size_known(systems: Iterable[RelevantRanks]) -> bool:
    """Whether every query of every system knows the size of its collection."""
    return all(bool((each.collection != UNKNOWN).all()) for each in systems)


def facts_of(curve: Curve) -> Facts:
    """What to tell of each point of a curve: queries, scope and the like."""
    facts: dict[str, Sequence[object]] = {}
    if curve.queries is not None:
        facts["queries"] = curve.queries.tolist()
    for name, column in curve.more.items():
        facts[name] = column.tolist()
    if curve.lower_bound is not None and curve.lower_bound.any():
        facts["lower bound"] = ["yes" if each else "no" for each in curve.lower_bound.tolist()]
    return facts


def chosen_scopes(longest: int, each_octave: int = 8) -> IntArray:
    """Scopes that are dense enough for the eye on a log2 axis: every one at first, then so many between doublings."""
    steps = max(1, int(np.log2(max(longest, 1)) * each_octave))
    return np.unique(np.concatenate([np.rint(np.geomspace(1, longest, steps + 1)), [1, longest]]).astype(np.int64))
