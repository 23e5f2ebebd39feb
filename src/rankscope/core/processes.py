"""Parts shared by several processes of this machine, which end when the one that started them does."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, connection, get_context, parent_process
from pathlib import Path
from threading import Thread, current_thread, main_thread
from time import perf_counter
from typing import Any, ClassVar, ParamSpec, TypeVar

from rankscope.core.parts import Home, Runner
from rankscope.core.threads import with_threads
from rankscope.core.validation import COUNT, Number, Optional, check_fields

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
    with _one_thread_each(), process_pool(count, _keep_shared, (shared,)) as pool:
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


def _keep_shared(shared: Any) -> None:
    global _shared
    _shared = shared


def _do(work: Callable[[Any, P], R], part: P) -> R:
    with with_threads(1):
        return work(_shared, part)


# Processes that help this one, and end when it does, however it ends.

Params = ParamSpec("Params")
T = TypeVar("T")
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def process_pool(
    count: int, begin: Callable[..., None] | None = None, given: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """So many processes, started anew (a fork would share the locks of other threads); `begin(*given)` in each first.

    When the block ends well, running work is finished and the rest dropped; otherwise the processes are ended at once.
    """
    others = set(active_children())
    pool = _Pool(count, get_context("spawn"), initializer=_begin_process, initargs=(begin, given))
    try:
        yield pool
    except BaseException:
        for each in set(active_children()) - others:
            each.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class _Pool(ProcessPoolExecutor):
    """A pool whose processes are started whole: half a start leaves one that nobody knows, and that complains."""

    def submit(self, fn: Callable[Params, T], /, *args: Params.args, **kwargs: Params.kwargs) -> Future[T]:
        """As usual, and signals wait until the process is there that this may start."""
        with _signals_afterwards():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _signals_afterwards() -> Iterator[None]:
    """What a signal does in Python, it does when the block ends."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    known = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known}
    handled = {number: handler for number, handler in before.items() if callable(handler)}
    for number in handled:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _begin_process(begin: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    """In a new process: whoever started it decides when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin(*given)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


# The script that a user runs, which processes started anew would run once more.


@contextmanager
def script_runs_once() -> Iterator[None]:
    """Processes started inside the block do not run a script that has no `if __name__ == "__main__":`.

    What such a script defines itself they cannot know; what they fail on is done here.
    """
    main = sys.modules["__main__"]
    if not _would_run_again(main):
        yield
        return
    file = main.__file__
    del main.__file__
    try:
        yield
    finally:
        main.__file__ = file


def _would_run_again(main: object) -> bool:
    file = getattr(main, "__file__", None)
    if not file or getattr(main, "__spec__", None) is not None:
        return False
    try:
        return "__name__" not in Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
