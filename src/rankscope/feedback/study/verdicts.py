"""What decides between feedback methods, and the comparisons made by it, which are those of `compare`.

Whole sessions decide: by the first measure of the scored list, which alone is primary, and by cumulative recall, which
is secondary. The residual list lacks what a method has found, so that it favours the one that found less: two methods
are compared on what neither has shown, and of more methods it decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.feedback.study.results import Results, shared_name
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.verdicts.compare import compare
from rankscope.statistics.verdicts.compared import Compared

NO_FEEDBACK = "no-feedback"
SEEN = "cumulative recall"


def compared_methods(results: Results) -> tuple[str, ...]:
    """The methods asked for, but those that failed in every session, and of those that rank alike only the first."""
    again = {name for group in results.alike() for name in group[1:]}
    return tuple(name for name in results.asked if name not in again | set(results.failed_throughout()))


def shares_list(results: Results) -> bool:
    """Whether two methods are compared on the residual list of what neither has shown."""
    shared = shared_name(results.measures[0])
    if shared not in results.quantities or len(compared_methods(results)) != 2:
        return False
    return len(results.table(shared, methods=compared_methods(results)).complete()) > 0


def deciding_table(results: Results, methods: Sequence[str]) -> ScoreTable | None:
    """The primary measure in the last round, sessions x methods; None where lists cannot be compared."""
    measure = results.measures[0]
    if results.about["protocol"]["scored"] != "residual":
        return results.table(measure, methods=methods)
    if shares_list(results) and NO_FEEDBACK not in methods:
        return replace(results.table(shared_name(measure), methods=methods), measure=measure)
    return None


def compare_methods(results: Results, level: float = 0.95) -> Compared | None:
    """All pairs of methods in the last round; None where there is no pair, or nothing to find."""
    names = compared_methods(results)
    return _compared(results, names, level, None) if len(names) > 1 else None


def against_none(results: Results, level: float = 0.95) -> Compared | None:
    """Each method against the start ranking left alone, a family of its own."""
    names = (NO_FEEDBACK, *compared_methods(results))
    if NO_FEEDBACK not in results.methods or len(names) < 2:
        return None
    return _compared(results, names, level, NO_FEEDBACK)


def _compared(results: Results, names: Sequence[str], level: float, baseline: str | None) -> Compared | None:
    first = deciding_table(results, names)
    tables = [each for each in (first, results.table(SEEN, methods=names)) if each is not None]
    if not all(len(each.complete()) for each in tables):
        return None  # topics of one item, which is the query: nothing can be found
    return compare(
        tables,
        baseline=baseline,
        every_pair=baseline is None,
        by_unit=True,
        level=level,
        seed=int(results.about.get("seed", 0)),
    )


def unmoved_measures(results: Results) -> tuple[str, ...]:
    """Measures of the scored list that no round changes: precision within the first display of a frozen list."""
    if not results.last:
        return ()
    return tuple(
        measure
        for measure in results.measures
        if all(_constant(results, measure, name) for name in results.asked or results.methods)
    )


def _constant(results: Results, measure: str, method: str) -> bool:
    values = results.values(measure, method)
    return bool(np.array_equal(values, np.broadcast_to(values[:, :1], values.shape), equal_nan=True))
