"""A forked process has none of polars' threads, but waits for them: we say so where it would hang for ever.

`os.fork`, and with it `multiprocessing` where it forks (its habit on Linux before Python 3.14), copies one thread
only.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rankscope.core.errors import ForkError

TASKS = Path("/proc/self/task")
ADVICE = "Start processes by spawn or forkserver: multiprocessing.get_context('spawn')."


class _State:
    """What is known of this process: whether its parent ran polars when it was forked."""

    used = False  # by us, where threads have no names to look at
    running = False  # just before a fork
    forked = False


def check() -> None:
    """Raise `ForkError` in a process that was forked from one in which polars had run; to be asked before polars is."""
    if _State.forked:
        raise ForkError(f"polars ran before this process was forked, and would wait for ever here. {ADVICE}")
    _State.used = True


def _look() -> None:
    _State.running = "polars" in sys.modules and _polars_runs()


def _polars_runs() -> bool:
    """Whether one of polars' threads is there; where the system does not name threads, whether we have used it."""
    try:
        return any(each.joinpath("comm").read_text().startswith("polars-") for each in TASKS.iterdir())
    except OSError:
        return _State.used


def _mark() -> None:
    _State.forked = _State.forked or _State.running


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_look, after_in_child=_mark)
