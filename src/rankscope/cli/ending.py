"""Signals that end a process unwind it first, so that everything is tidied up on the way out.

An exception that a signal raises can get lost: Python drops what is raised in a destructor or in some callbacks from
compiled code. So the wish to end is repeated until it is being obeyed.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

ENDING = ("SIGTERM", "SIGHUP")
AGAIN_S = 0.1


class Ended(BaseException):
    """Somebody asks this process to end: raised where it is."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


def heed_signals() -> None:
    """End by `Ended` from now on; a signal that is ignored (nohup) stays ignored."""
    sys.unraisablehook = _say_unless_ended
    for name in ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)


def stop_insisting() -> None:
    """The process is about to leave."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: nothing may interrupt the tidying up
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, lambda *_: _insist(number))
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
    raise Ended(number)


def _say_unless_ended(dropped: UnraisableHookArgs) -> None:
    """An `Ended` that Python dropped comes again, so it is not reported."""
    if not isinstance(dropped.exc_value, Ended):
        sys.__unraisablehook__(dropped)


def _insist(number: int) -> None:
    """Raise it again unless it is being handled here, which is while `finally` and `with` tidy up."""
    handled = sys.exc_info()[1]
    while handled is not None and not isinstance(handled, Ended):
        handled = handled.__context__
    if handled is None:
        raise Ended(number)
