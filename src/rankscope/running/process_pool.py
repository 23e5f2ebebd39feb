"""Processes that help this one, and end when it does, however it ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, connection, get_context, parent_process
from threading import Thread, current_thread, main_thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
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
    pool = _Pool(count, get_context("spawn"), initializer=_begin, initargs=(begin, given))
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

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
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


def _begin(begin: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
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
