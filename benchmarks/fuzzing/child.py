"""A thousand cases in one process: it notes each before it tries it, so that an abort or a hang has a name."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from benchmarks.fuzzing.cases import format_of, outcome, trial_of

LONGEST = 60  # seconds of one case
SLOWEST = 5.0  # seconds of processor time of one case
ROOM = 1 << 20  # kilobytes that a case may add
FAULTS = (b"Traceback", b"panicked")  # nothing of these may be printed, not even where an answer follows
LIMIT = 8 << 30  # of data: the machine must not suffer; what draws pictures reserves far more addresses


def work(seed: int, first: int, count: int, notes: Path) -> None:
    """Try cases of all kinds in turn; the result is written as JSON, the case at hand next to it."""
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    came: Counter[str] = Counter()
    failures: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder, (notes / "now").open("w") as now, _errors_in(notes / "said") as said:
        for number in range(first, first + count):
            format = format_of(number)
            now.seek(0)
            now.write(f"{format} {seed} {number}\n")
            now.flush()
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            came[f"{format}: {_tried(format, seed, number, Path(folder), failures, said)}"] += 1
            faulthandler.cancel_dump_traceback_later()
    (notes / "result").write_text(json.dumps({"came": came, "failures": failures, "peak": _peak()}))


@contextmanager
def _errors_in(path: Path) -> Iterator[IO[bytes]]:
    """What this process, and libraries that are not Python, print on standard error goes into a file."""
    kept = os.dup(2)
    with path.open("a+b", buffering=0) as said:
        os.dup2(said.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _tried(
    format: str, seed: int, number: int, folder: Path, failures: list[dict[str, object]], said: IO[bytes]
) -> str:
    before, began = _peak(), time.process_time()
    said.truncate(0)
    try:
        word = outcome(trial_of(format, seed, number, folder))
    except Exception:
        failures.append({"case": f"{format} {seed} {number}", "why": traceback.format_exc(limit=-8)})
        return "failure"
    said.seek(0)
    printed = said.read()
    if any(fault in printed for fault in FAULTS):
        failures.append(
            {"case": f"{format} {seed} {number}", "why": f"printed {printed[-500:].decode(errors='replace')}"}
        )
        return "failure"
    if (seconds := time.process_time() - began) > SLOWEST:
        failures.append({"case": f"{format} {seed} {number}", "why": f"took {seconds:.1f} s of processor time"})
        return "failure"
    if _peak() - before > ROOM:
        failures.append({"case": f"{format} {seed} {number}", "why": f"took {(_peak() - before) >> 10} MB"})
        return "failure"
    return word


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    work(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
