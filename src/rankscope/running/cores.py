"""Parts worked on by threads with one core each: small matrices suffer when each is given several cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Lock
from typing import Any, TypeVar

from rankscope.running.threads import in_threads, with_threads

T = TypeVar("T")
R = TypeVar("R")


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
