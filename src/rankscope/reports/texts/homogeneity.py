"""The test of homogeneity in words and as a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.number_texts import percent_text
from rankscope.reports.formats.rows import table
from rankscope.statistics.intervals.bootstrap import ENOUGH
from rankscope.wording import setting_value

if TYPE_CHECKING:
    from rankscope.statistics.intervals.homogeneity import Homogeneity


def homogeneity_rows(result: Homogeneity) -> list[dict[str, object]]:
    """One row for each generality index at which both are known."""
    units = {} if result.unit == "queries" else {result.unit: result.units.tolist()}
    columns: dict[str, list[object]] = {
        "G": result.index.tolist(),
        "thinned": result.thinned.tolist(),
        "thinned interval": [*map(_interval, result.thinned_low.tolist(), result.thinned_high.tolist())],
        "class size": result.bins.tolist(),
        "class size interval": [*map(_interval, result.bins_low.tolist(), result.bins_high.tolist())],
        "gap": result.gap.tolist(),
        "differs": ["yes" if each else "no" for each in result.differs.tolist()],
        "queries": result.queries.tolist(),
        **units,
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _interval(low: float, high: float) -> str:
    """Both ends; one unit has no interval.

    >>> _interval(0.25, 0.5), _interval(float("nan"), float("nan"))
    ('0.250 to 0.500', 'none')
    """
    return "none" if math.isnan(low) or math.isnan(high) else f"{low:.3f} to {high:.3f}"


def homogeneity_verdict(result: Homogeneity) -> str:
    """What the gaps say, and what they do not."""
    there = result.index.size
    if not there:
        return "No generality index has both a thinned collection and classes of that size: nothing can be compared."
    apart = int(result.differs.sum())
    if not apart:
        return (
            f"At none of {there} generality indices do the two lie apart beyond both {percent_text(result.level)} "
            "intervals: no dependence on class size in addition to d/c is shown, which is no proof that there is none."
        )
    signs = {bool(gap > 0) for gap in result.gap[result.differs].tolist()}
    side = "differ from" if len(signs) > 1 else ("do better than" if signs == {True} else "do worse than")
    return (
        f"At {apart} of {there} generality indices classes of that size {side} the queries that are followed through "
        "thinned collections, beyond both intervals: hits do not depend on d/c alone, or large and small classes are "
        f"not equally hard. Curves by class size ({setting_value('way', 'bins')}) say nothing about a growing "
        "collection here."
    )


def homogeneity_text(system: str, result: Homogeneity) -> str:
    """The table of one system and its verdict."""
    head = (
        f"{system}: precision = recall at equal generality, {percent_text(result.level)} intervals over {result.unit} "
        f"(bounded below {ENOUGH}, BCa from {ENOUGH} on)\n"
    )
    rows = homogeneity_rows(result)
    return "\n".join([head, *([table(rows, places=3)] if rows else []), homogeneity_verdict(result) + "\n"])
