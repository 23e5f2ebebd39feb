"""A second process that works while this one does."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from types import TracebackType
from typing import ParamSpec, TypeVar

from rankscope.running.process_pool import process_pool

P = ParamSpec("P")
T = TypeVar("T")


class Helper:
    """Used in a `with` block; where no second process can be had, the work is done here when its result is asked for.

    >>> with Helper(wanted=False) as helper:
    ...     later = helper.start(max, 2, 3)
    ...     later()
    3
    """

    def __init__(self, wanted: bool = True) -> None:
        self._open = ExitStack()
        self._pool = self._started() if wanted else None

    def __enter__(self) -> Helper:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def _started(self) -> ProcessPoolExecutor | None:
        try:
            return self._open.enter_context(process_pool(1))
        except (OSError, ImportError):
            return None

    def start(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
        """Begin; calling what comes back waits for the result and gives it, or raises what the work raised."""
        try:
            running = None if self._pool is None else self._pool.submit(work, *args, **kwargs)
        except (OSError, RuntimeError):
            running = None
        return lambda: _result(running, lambda: work(*args, **kwargs))


def _result(running: Future[T] | None, here: Callable[[], T]) -> T:
    try:
        return here() if running is None else running.result()
    except BrokenProcessPool:
        return here()
