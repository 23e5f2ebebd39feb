"""Hostile files and options: the counts for the performance page."""

from __future__ import annotations

import os

from benchmarks.fuzzing.cases import ANSWER, CLEAR, FORMATS
from benchmarks.fuzzing.driver import Tally, by_command, in_process

SEED = 1


def report(cases: int, commands: int = 2000) -> str:
    """The counts in words and as a table; a case that fails raises."""
    workers = os.cpu_count() or 1
    tally = in_process(cases, SEED, workers=workers, progress=True)
    called = by_command(commands, SEED + 1, workers=workers, progress=True)
    failures = [*tally.failures, *called.failures]
    if failures:
        raise AssertionError("\n\n".join(failures[:20]))
    return "\n".join([*_table(tally), "", _words(tally, called), ""])


def _table(tally: Tally) -> list[str]:
    rows = [
        f"| {each} | {tally.came[f'{each}: {ANSWER}']:,} | {tally.came[f'{each}: {CLEAR}']:,} |" for each in FORMATS
    ]
    return ["| Format | Answers, confirmed | Clear errors |", "|---|---|---|", *rows]


def _words(tally: Tally, called: Tally) -> str:
    return (
        f"{tally.total:,} cases in child processes of 1,000; {called.total:,} more through the command, each of which "
        f"ended with 0 or 2. No traceback, abort or hang; the largest process took {tally.peak >> 10:,} MB."
    )
