"""How a command ends: one rule from what went wrong to an exit code and one clear line.

0 done; 1 only of the gate, it fails; 2 anything expected (bad input or options, a full disk, no permission, no
memory); 3 only of the gate where it is asked for, it is undecided; 70 a fault of rankscope; 130 Ctrl-C; 141 whoever
read the output has gone; 128 + N ended by signal N. Signals that end a process unwind it first, so that everything is
tidied up on the way out.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import click

from rankscope.core.errors import RankscopeError
from rankscope.core.names import visible

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


EXPECTED, FAULT, INTERRUPTED, CLOSED_PIPE = 2, 70, 130, 141
DEBUG_VARIABLE = "RANKSCOPE_DEBUG"
_traces = False


class ClosedPipe(Exception):  # noqa: N818  (it names what happened)
    """Whoever read the output has gone. No OSError: click would end such a command with 1, as a gate that fails."""


@contextmanager
def report_closed_pipe() -> Iterator[None]:
    """A closed pipe as what it is."""
    try:
        yield
    except BrokenPipeError:
        raise ClosedPipe from None


def show_traces() -> None:
    """From now on a failure shows where in the code it happened."""
    global _traces
    _traces = True


def exit_code(error: BaseException) -> int:
    """Say what went wrong, and the code to leave with."""
    stop_insisting()
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None) * EXPECTED
    if _traces or os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error)
    code, line = _code_and_line(error)
    if isinstance(error, click.ClickException):
        # As click shows it, but with nothing in it that steers the terminal.
        if isinstance(error, click.UsageError) and error.ctx is not None:
            say_last(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help' for help.\n")
        say_last(f"Error: {error.format_message()}")
    elif line:
        say_last(f"rankscope: {line}")
    return code


def _code_and_line(error: BaseException) -> tuple[int, str]:
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return INTERRUPTED, "interrupted"
    if isinstance(error, Ended):
        return 128 + error.number, f"ended by {error}"
    if isinstance(error, BrokenPipeError | ClosedPipe):
        return CLOSED_PIPE, ""  # the reader has gone: say nothing more
    if isinstance(error, RankscopeError | click.ClickException):
        return EXPECTED, str(error)
    if isinstance(error, MemoryError):
        return EXPECTED, "out of memory: give it fewer or smaller files, or run it where there is more"
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename is not None else ""
        return EXPECTED, f"{error.strerror or _first_line(error) or type(error).__name__}{where}"
    return FAULT, (
        f"this is a fault of rankscope, not of your files: {type(error).__name__}: {_first_line(error)}. "
        "Please report it with the command and what it prints with --debug"
    )


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0][:300].rstrip(".")


def say_last(line: str) -> None:
    """A line on standard error, where that can still be had."""
    with suppress(OSError, ValueError):
        click.echo(visible(line), err=True)


def flush_output() -> None:
    """Hand what was printed to the system now, where an error can still be told."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon_output() -> None:
    """What could not be printed is not tried again when Python ends."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def occupy_closed_streams() -> None:
    """Descriptors 0 to 2 that are closed lead nowhere, lest the next file opened become standard output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


ENDING_SIGNALS = ("SIGTERM", "SIGHUP")
AGAIN_S = 0.1


class Ended(BaseException):
    """Somebody asks this process to end: raised where it is."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


def respect_signals() -> None:
    """End by `Ended` from now on; a signal that is ignored (nohup) stays ignored."""
    sys.unraisablehook = _say_unless_ended
    for name in ENDING_SIGNALS:
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
