"""Parts shared by several processes of this machine; they end when the one that started them does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar, TypeVar

from rankscope.running.home import Home
from rankscope.running.process_pool import process_pool
from rankscope.running.runner import Runner
from rankscope.running.script import script_runs_once
from rankscope.running.threads import with_threads
from rankscope.validation import COUNT, Number, Optional, check_fields

P = TypeVar("P")
R = TypeVar("R")
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
PATIENCE = 3.0  # seconds of work after which more processes are worth their start
_shared: Any = None


@dataclass(frozen=True)
class Processes(Runner):
    """So many processes, each with one core; None: as many as there are cores.

    Work begins here, and processes are started when it has taken `patience` seconds: their start has its price. What a
    broken process took with it is done here.
    """

    name: ClassVar[str] = "processes"
    summary: ClassVar[str] = "several processes of this machine, as processes:4"

    count: int | None = None
    patience: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, count=Optional(COUNT), patience=Number(least=0))

    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        """As each part is done."""
        left, most = list(parts), self.count or os.cpu_count() or 1
        began = perf_counter()
        while left and (most == 1 or len(left) == 1 or perf_counter() - began < self.patience):
            yield from Home().map(work, shared, [left.pop(0)])
        if left:
            yield from _shared_out(work, shared, left, min(most, len(left)))


def _shared_out(work: Callable[[Any, P], R], shared: Any, parts: Sequence[P], count: int) -> Iterator[tuple[P, R]]:
    left = dict.fromkeys(range(len(parts)))
    with _one_thread_each(), process_pool(count, _begin, (shared,)) as pool:
        with script_runs_once():
            running = {pool.submit(_do, work, part): number for number, part in enumerate(parts)}
        try:
            for done in as_completed(running):
                number = running[done]
                result = done.result()
                del left[number]
                yield parts[number], result
        except BrokenProcessPool:
            pass
    for number in left:
        yield parts[number], work(shared, parts[number])


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """What processes started inside the block read when they import numpy: each has a core to itself."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _begin(shared: Any) -> None:
    global _shared
    _shared = shared


def _do(work: Callable[[Any, P], R], part: P) -> R:
    with with_threads(1):
        return work(_shared, part)
