"""Processes that help this one, and end when it does, however it ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, connection, get_context, parent_process
from threading import Thread
from typing import Any


@contextmanager
def process_pool(
    count: int, begin: Callable[..., None] | None = None, given: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """So many processes, started anew (a fork would share the locks of other threads); `begin(*given)` in each first.

    When the block ends well, running work is finished and the rest dropped; otherwise the processes are ended at once.
    """
    others = set(active_children())
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin, initargs=(begin, given))
    try:
        yield pool
    except BaseException:
        for each in set(active_children()) - others:
            each.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


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
