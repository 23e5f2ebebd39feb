"""Where results go: standard output or a file written whole or not at all; and progress for those who wait."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import click

from rankscope.names import one_line, visible

COLOURS = re.compile("(\x1b\\[(?:0|1|33)m)")  # those of reports.formats.table
Progress = Callable[[str, float], None]


def colourful(stream: Any) -> bool:
    """Whether a stream shows colours: a terminal, unless NO_COLOR is set."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR")


@dataclass(frozen=True, eq=False)
class Output:
    """A place and a format."""

    path: str | None
    report: ModuleType

    @classmethod
    def chosen(cls, path: str | None, format: str | None) -> Output:
        """The format asked for, else the one that the file's suffix tells, else a table."""
        from rankscope.reports.formats import OUTPUT_FORMATS, format_of_suffix

        if path == "-":
            path = None
        by_suffix = format_of_suffix(path) if path else None
        return cls(path, OUTPUT_FORMATS.find(format) if format else by_suffix or OUTPUT_FORMATS.find("table"))

    @property
    def saves_ranks(self) -> bool:
        """Whether the reduction itself is to be saved."""
        return self.path is not None and self.path.endswith(".ranks.parquet")

    @property
    def tells_warnings(self) -> bool:
        """Whether the format carries the warnings with it."""
        return self.report.name in ("table", "json", "markdown", "latex")

    def write(self, scores: Any, per_query: bool, quiet: bool = False) -> None:
        """Render everything first, then write it in one go; quietly without warnings, but for JSON's field of them."""
        from dataclasses import replace

        scores = replace(scores, quiet=quiet and self.report.name != "json")
        if self.path is None:
            data = self.report.render(scores, per_query, colour=colourful(_standard_output()))
            _to_standard_output(data)
            return
        from rankscope.files import atomic

        data = self.report.render(scores, per_query)
        with atomic(self.path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())


def print_result(text: str) -> None:
    """Print a result; nothing in it but our own colours may steer a terminal."""
    ours = colourful(_standard_output())
    parts = COLOURS.split(text) if ours else [text]
    click.echo("".join(part if ours and COLOURS.fullmatch(part) else visible(part) for part in parts), nl=False)


def _to_standard_output(data: str | bytes) -> None:
    from rankscope.errors import SettingError

    stream = _standard_output()
    if isinstance(data, str) and stream.isatty():
        print_result(data)
        return
    if stream.isatty():
        raise SettingError("this format is binary: write it to a file with -o FILE")
    stream.buffer.write(data if isinstance(data, bytes) else data.encode())
    stream.flush()


def _standard_output() -> Any:
    """The stream; an error where it was closed before we began."""
    from rankscope.errors import SettingError

    if sys.stdout is None:
        raise SettingError("standard output is closed, so nothing can be printed")
    return sys.stdout


@contextmanager
def progress_line(quiet: bool) -> Iterator[Progress | None]:
    """A line on the terminal that says which run is being read and how far; nothing where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True, console=_error_console()) as bar:
        tasks: dict[str, Any] = {}

        def show(name: str, share: float) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(one_line(name), total=1.0)
            bar.update(tasks[name], completed=share)

        yield show


def _error_console() -> Any:
    from rich.console import Console

    return Console(stderr=True)


def say(text: str) -> None:
    """A word to the person at the terminal, beside the result."""
    click.echo(visible(text), err=True)
