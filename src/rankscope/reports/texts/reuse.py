"""Whether judgements can be used for a system outside the pool, in words and numbers."""

from __future__ import annotations

from rankscope.reports.formats.rows import table
from rankscope.sampling.reuse import Reuse


def reuse_text(done: Reuse) -> str:
    """The table, then what it says."""
    return table([each.row() for each in done.systems]) + "\n" + "".join(f"{line}\n" for line in reuse_lines(done))


def reuse_lines(done: Reuse) -> list[str]:
    """What follows for a new system: nothing beyond the numbers above."""
    worst = done.worst
    change = worst.outside - worst.pooled
    lines = [
        f"{done.measure}, pool of the first {done.depth:,} items of {len(done.systems)} runs. Outside: without the "
        "judgements that only this run (or its team) has brought in.",
        f"In the mean a run outside the pool has {abs(done.mean_change):.1%} "
        f"{'less' if done.mean_change <= 0 else 'more'}; the largest loss is that of {worst.system}, {change:+.4f}.",
        f"{_count(done.moved)} of {len(done.systems)} would stand at another place; Kendall's tau of the values in the "
        f"pool and outside is {done.tau:.3f}.",
    ]
    if all(each.unique == 0 for each in done.systems):
        lines.append(
            "! every judged item is in the pool of at least two runs: nothing is left out, and nothing can be learnt"
        )
    return lines


def _count(number: int) -> str:
    return "None" if number == 0 else str(number)
