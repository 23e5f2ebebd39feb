"""Many cases in child processes of a thousand, and some of them through the real command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fuzzing.cases import ANSWER, BY_COMMAND, outcome, trial_of

PART = 1000
LONGEST = 1800  # seconds of a child
ROOT = Path(__file__).parents[2]


@dataclass
class Tally:
    """What came of the cases, by format; and each that failed, with why."""

    came: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    peak: int = 0  # kilobytes of the largest child

    def add(self, other: Tally) -> None:
        """Another part."""
        self.came.update(other.came)
        self.failures += other.failures
        self.peak = max(self.peak, other.peak)

    @property
    def total(self) -> int:
        """How many cases there were."""
        return self.came.total()


def in_process(count: int, seed: int, first: int = 0, workers: int = 1, progress: bool = False) -> Tally:
    """So many cases, a thousand in each process."""
    tally, began = Tally(), time.monotonic()
    parts = [(first + start, min(PART, count - start)) for start in range(0, count, PART)]
    with ThreadPoolExecutor(workers) as pool:
        for part in pool.map(lambda each: _child(seed, *each), parts):
            tally.add(part)
            if progress:
                rate = tally.total / (time.monotonic() - began)
                line = f"{tally.total:,} of {count:,} cases, {rate:.0f} a second, {len(tally.failures)} failures"
                print(f"\r{line}", end="", file=sys.stderr, flush=True)
    if progress:
        print(file=sys.stderr)
    return tally


def _child(seed: int, first: int, count: int) -> Tally:
    """One process; where it ends early, the case at hand is the failure and the rest is tried in another."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder)
        arguments = [sys.executable, "-m", "benchmarks.fuzzing.child", str(seed), str(first), str(count), folder]
        try:
            done = subprocess.run(arguments, cwd=ROOT, env=_environment(), capture_output=True, timeout=LONGEST)
            ended = f"ended with {done.returncode}: {done.stderr[-500:].decode(errors='replace')}"
        except subprocess.TimeoutExpired:
            ended = f"did not end in {LONGEST} seconds"
        if (notes / "result").exists():
            return _result(notes / "result")
        if (notes / "said").exists():
            ended += (notes / "said").read_text(errors="replace")[-500:]
        return _after_end(seed, first, count, (notes / "now").read_text() if (notes / "now").exists() else "", ended)


def _after_end(seed: int, first: int, count: int, now: str, ended: str) -> Tally:
    case = next(iter(now.splitlines()), "")
    if not case:
        raise RuntimeError(f"a child process {ended}")
    format, _, number = case.split()
    tally = Tally(Counter({f"{format}: failure": 1}), [f"{case} {ended}"])
    before = int(number) - first
    if before:
        tally.add(_child(seed, first, before))
    if before + 1 < count:
        tally.add(_child(seed, int(number) + 1, count - before - 1))
    return tally


def _result(path: Path) -> Tally:
    read = json.loads(path.read_text())
    failures = [f"{each['case']}\n{each['why']}" for each in read["failures"]]
    return Tally(Counter(read["came"]), failures, read["peak"])


def _environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "RUST_BACKTRACE": "0", "POLARS_MAX_THREADS": "1"}


def by_command(count: int, seed: int, workers: int = 1, progress: bool = False) -> Tally:
    """So many cases through the real command: exit code 0 or 2, as in process, and no traceback."""
    tally = Tally()
    with ThreadPoolExecutor(workers) as pool:
        for done, part in enumerate(pool.map(lambda case: _commanded(*case), _with_commands(count, seed)), 1):
            tally.add(part)
            if progress and done % 20 == 0:
                print(f"\r{done:,} of {count:,} commands, {len(tally.failures)} failures", end="", file=sys.stderr)
    if progress:
        print(file=sys.stderr)
    return tally


def _with_commands(count: int, seed: int) -> Iterable[tuple[str, int, int]]:
    """Cases of the kinds that have commands, in turn."""
    return ((BY_COMMAND[number % len(BY_COMMAND)], seed, number) for number in range(count))


def _commanded(format: str, seed: int, number: int) -> Tally:
    case = f"{format} {seed} {number}"
    with tempfile.TemporaryDirectory() as folder:
        trial = trial_of(format, seed, number, Path(folder))
        arguments = [sys.executable, "-m", "rankscope", *(trial.command or _described(Path(folder)))]
        try:
            done = subprocess.run(arguments, env=_environment(), capture_output=True, timeout=120, errors="replace")
        except (subprocess.TimeoutExpired, ValueError) as error:
            return Tally(Counter({f"{format}: failure": 1}), [f"{case} {error}"])
        word = {0: ANSWER, 2: "clear error"}.get(done.returncode, "failure")
        wrong = word == "failure" or "Traceback" in done.stderr
        wrong = wrong or (trial.agrees and bool(trial.command) and word != outcome(trial))
        failures = [f"{case} {' '.join(arguments[1:])}: {done.returncode}\n{done.stderr[-800:]}"] if wrong else []
        return Tally(Counter({f"{format}: {'failure' if wrong else word}": 1}), failures)


def _described(folder: Path) -> Iterator[str]:
    """A case without a command of its own: its files, as a folder of pictures."""
    yield from ("describe", str(folder), "-d", "rgb-histogram", "--quiet", "-o", str(folder / "described.npz"))
