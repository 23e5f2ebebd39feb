"""Whether judgements can be used for a system outside the pool, in words and numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.number_texts import how_many
from rankscope.reports.formats.rows import table

if TYPE_CHECKING:
    from rankscope.sampling.reuse import Reuse


def reuse_text(done: Reuse) -> str:
    """The table, then what it says."""
    return table([each.row() for each in done.systems]) + "\n" + "".join(f"{line}\n" for line in reuse_lines(done))


def reuse_lines(done: Reuse) -> list[str]:
    """What follows for a new system: nothing beyond the numbers above."""
    lines = [
        f"{done.measure}, pool of the first {how_many(done.depth, 'items')} of "
        f"{how_many(len(done.systems), 'runs')}. Outside: without the "
        "judgements that only this run (or its team) has brought in.",
        f"In the mean a run outside the pool has {_mean_change(done.mean_change)}; {_largest_loss(done)}.",
        f"{_count(done.moved)} of {len(done.systems)} would stand at another place; {_agreement(done.tau)}.",
    ]
    if all(each.unique == 0 for each in done.systems):
        lines.append(
            "! every judged item is in the pool of at least two runs: nothing is left out, and nothing can be learnt"
        )
    return lines


def _mean_change(share: float) -> str:
    if not abs(share) >= 0.0005:  # none, too
        return "as much as in it"
    return f"{abs(share):.1%} {'less' if share < 0 else 'more'}"


def _largest_loss(done: Reuse) -> str:
    worst = done.worst
    if done.loss(worst) <= 0:
        return "none loses"
    return f"the largest loss is that of {worst.system}, {worst.outside - worst.pooled:+.4f}"


def _agreement(tau: float) -> str:
    if math.isnan(tau):
        return "all values are equal, so that there is no order to compare"
    return f"Kendall's tau of the values in the pool and outside is {tau:.3f}"


def _count(number: int) -> str:
    return "None" if number == 0 else str(number)
