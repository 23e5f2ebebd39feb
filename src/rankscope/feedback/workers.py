"""Several processes that share the parts of a study; they end when the one that started them does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from rankscope.processes import process_pool

T = TypeVar("T")
R = TypeVar("R")
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
_shared: Any = None


def together(work: Callable[[Any, T], R], shared: Any, parts: Sequence[T], processes: int) -> Iterator[tuple[T, R]]:
    """`work(shared, part)` of each part, as each is done; what a broken process took with it is done here."""
    left = dict.fromkeys(range(len(parts)))
    with _one_thread_each(), process_pool(processes, _begin, (shared,)) as pool:
        running = {pool.submit(_do, work, part): number for number, part in enumerate(parts)}
        try:
            for done in as_completed(running):
                number = running[done]
                made = done.result()
                del left[number]
                yield parts[number], made
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


def _do(work: Callable[[Any, T], R], part: T) -> R:
    from rankscope.engines.nearest.threads import with_threads

    with with_threads(1):
        return work(_shared, part)
