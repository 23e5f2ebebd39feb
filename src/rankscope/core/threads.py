"""Work shared by several threads of this process, and parts that have one core each; no result depends on it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from importlib import import_module
from threading import Lock
from typing import Any, TypeVar

# Work shared by several threads of this process; how many there are changes no result.

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 8  # parts under way for each thread, where results are wanted one by one
_thread_number: ContextVar[int] = ContextVar("threads", default=os.cpu_count() or 1)


@contextmanager
def with_threads(number: int | None) -> Iterator[None]:
    """So many threads inside the block; None: as many as there are cores."""
    token = _thread_number.set(number or os.cpu_count() or 1)
    try:
        yield
    finally:
        _thread_number.reset(token)


def thread_count() -> int:
    """How many threads work is shared by here."""
    return _thread_number.get()


def in_threads(work: Callable[[T], R], parts: Sequence[T]) -> list[R]:
    """The result of each part, in order.

    >>> in_threads(abs, [-1, 2])
    [1, 2]
    """
    if _thread_number.get() == 1 or len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(_thread_number.get()) as pool:
        return list(pool.map(work, parts))


def stream_in_threads(work: Callable[[T], R], parts: Iterable[T], threads: int | None = None) -> Iterator[R]:
    """The same one by one, a few parts ahead of whoever takes them: neither parts nor results pile up.

    >>> list(stream_in_threads(abs, iter([-1, 2]), threads=2))
    [1, 2]
    """
    count = threads or os.cpu_count() or 1
    pool = ThreadPoolExecutor(count)
    waiting: deque[Future[R]] = deque()
    try:
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > AHEAD * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


# Parts worked on by threads with one core each: small matrices suffer when each is given several cores.


class _OneCore:
    """The limit of a process, which is set by the first of several threads and lifted by the last one."""

    def __init__(self) -> None:
        self.lock, self.users, self.limit = Lock(), 0, ExitStack()

    def enter(self) -> None:
        with self.lock:
            self.users += 1
            if self.users == 1:
                _take_control()
                self.limit.enter_context(import_module("threadpoolctl").threadpool_limits(limits=1))

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                _take_control()
                self.limit.close()


def _take_control() -> None:
    """Newer versions of threadpoolctl ignore all threads but the one that set a limit first; here, any may be it."""
    controller: Any = getattr(import_module("threadpoolctl"), "OpenBLASController", None)
    if hasattr(controller, "clear_controlling_thread"):
        controller.clear_controlling_thread(force=True)


_one_core = _OneCore()


@contextmanager
def one_core_each() -> Iterator[None]:
    """Matrix products and solutions use one core inside the block; threads may be in such blocks at the same time.

    Only libraries that are loaded can be told so: numpy's, and scipy's, which is loaded for it.
    """
    import_module("scipy.linalg")
    _one_core.enter()
    try:
        yield
    finally:
        _one_core.leave()


def in_threads_of_one_core(work: Callable[[T], R], parts: Sequence[T], threads: int | None = None) -> list[R]:
    """The result of each part, in order; as many threads as cores unless told. How many changes no result.

    >>> in_threads_of_one_core(abs, [-1, 2])
    [1, 2]
    """

    def alone(part: T) -> R:
        with with_threads(1):
            return work(part)

    count = min(threads or os.cpu_count() or 1, len(parts))
    with one_core_each():
        if count < 2:
            return [work(part) for part in parts]
        with with_threads(count):
            return in_threads(alone, parts)
