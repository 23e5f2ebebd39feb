"""Run a command and see how long it takes and how much memory it needs at most."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PYTHON = sys.executable


@dataclass(frozen=True)
class Measured:
    seconds: float
    processor: float  # seconds of user and system time
    megabytes: float
    output: str


def run(command: Sequence[str], repeat: int = 1) -> Measured:
    """The fastest of several runs, start of the process included; memory is the most that any of them took."""
    runs = [_once(command) for _ in range(repeat)]
    best = min(runs, key=lambda each: each.seconds)
    processor = min(each.processor for each in runs)
    return Measured(best.seconds, processor, max(each.megabytes for each in runs), best.output)


def _once(command: Sequence[str]) -> Measured:
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_environment())
    assert process.stdout is not None
    output = process.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{output[-2000:]}")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def _environment() -> dict[str, str]:
    """With compiled modules kept, as an installed package has them."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(".bench/compiled").resolve())}


def machine() -> str:
    """The machine in words: cores, memory, Python."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
    return f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB, Python {sys.version.split()[0]}"
