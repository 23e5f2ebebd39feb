"""How a command ends: one rule from what went wrong to an exit code and one clear line.

0 done; 1 only of the gate, it fails; 2 anything expected (bad input or options, a full disk, no permission, no
memory); 3 only of the gate where it is asked for, it is undecided; 70 a fault of rankscope; 130
Ctrl-C; 141 whoever read the output has gone; 128 + N ended by signal N.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from rankscope.cli.ending import Ended, stop_insisting
from rankscope.errors import RankscopeError
from rankscope.names import visible

EXPECTED, FAULT, INTERRUPTED, CLOSED_PIPE = 2, 70, 130, 141
VARIABLE = "RANKSCOPE_DEBUG"
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
    if _traces or os.environ.get(VARIABLE):
        traceback.print_exception(error)
    code, line = _told(error)
    if isinstance(error, click.ClickException):
        _show_usage(error)
    elif line:
        say_last(f"rankscope: {line}")
    return code


def _told(error: BaseException) -> tuple[int, str]:
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
        return EXPECTED, _system_error(error)
    return FAULT, (
        f"this is a fault of rankscope, not of your files: {type(error).__name__}: {_first_line(error)}. "
        "Please report it with the command and what it prints with --debug"
    )


def _system_error(error: OSError) -> str:
    """What the system says, and of which file."""
    where = f": {error.filename}" if error.filename is not None else ""
    return f"{error.strerror or _first_line(error) or type(error).__name__}{where}"


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0][:300].rstrip(".")


def _show_usage(error: click.ClickException) -> None:
    """As click shows it, but with nothing in it that steers the terminal."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        help_ = f"Try '{error.ctx.command_path} --help' for help.\n"
        say_last(f"{error.ctx.get_usage()}\n{help_}")
    say_last(f"Error: {error.format_message()}")


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
