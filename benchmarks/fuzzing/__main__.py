"""`python -m benchmarks.fuzzing FORMAT SEED NUMBER` repeats a case; `... all COUNT SEED [FIRST]` tries many,
`... command COUNT SEED` the same through the command."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.fuzzing.cases import outcome, trial_of
from benchmarks.fuzzing.driver import by_command, in_process


def main(words: list[str]) -> None:
    """Repeat one case here, or try many in child processes."""
    if words[0] in ("all", "command"):
        count, seed, first, *_ = [*map(int, words[1:]), 0]
        if words[0] == "all":
            tally = in_process(count, seed, first, workers=os.cpu_count() or 1, progress=True)
        else:
            tally = by_command(count, seed, workers=os.cpu_count() or 1, progress=True)
        print(*tally.failures, sep="\n\n")
        print(*sorted(tally.came.items()), f"peak {tally.peak >> 10} MB", sep="\n")
        return
    format, seed, number = words[0], int(words[1]), int(words[2])
    with tempfile.TemporaryDirectory() as folder:
        trial = trial_of(format, seed, number, Path(folder))
        for path in sorted(Path(folder).iterdir()):
            print(path.name, path.read_bytes()[:2000])
        print(outcome(trial))


main(sys.argv[1:])
