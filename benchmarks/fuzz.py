"""Hostile files, texts and options, and damage: the counts for docs/explanation/faults.md."""

from __future__ import annotations

import os

from benchmarks.fuzzing.cases import ANSWER, CLEAR, MEANINGS, SHARES, WHOLE
from benchmarks.fuzzing.driver import Tally, by_command, in_process

SEED = 1


def report(cases: int = WHOLE, commands: int = 2000) -> str:
    """The counts in words and as a table; a case that fails raises."""
    workers = os.cpu_count() or 1
    tally = in_process(cases, SEED, workers=workers, progress=True)
    called = by_command(commands, SEED + 1, workers=workers, progress=True)
    failures = [*tally.failures, *called.failures]
    if failures:
        raise AssertionError("\n\n".join(failures[:20]))
    return "\n".join([*_table(tally), "", _words(tally, called), ""])


def _table(tally: Tally) -> list[str]:
    rows = []
    for name in SHARES:
        answers, refused = (tally.came[f"{name}: {word}"] for word in (ANSWER, CLEAR))
        rows.append(f"| {MEANINGS[name]} | {answers + refused:,} | {answers:,} | {refused:,} |")
    return ["| What | Cases | Answers, confirmed | Clear errors |", "|---|---|---|---|", *rows]


def _words(tally: Tally, called: Tally) -> str:
    return (
        f"Seed {SEED}: {tally.total:,} cases in child processes; {called.total:,} more through the command, each "
        "of which ended with 0 or 2. No traceback, no abort, none of more than 5 s, no answer that a plain reader does "
        f"not confirm; the largest process took {tally.peak >> 10:,} MB."
    )
