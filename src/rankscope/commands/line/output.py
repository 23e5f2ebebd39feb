"""Where results go: standard output or a file written whole or not at all; and progress for those who wait."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rankscope.core.errors import SettingError
from rankscope.core.names import RANKS_SUFFIX, one_line, visible

if TYPE_CHECKING:
    from rankscope.reports.output_formats import OutputFormat


COLOURS = re.compile("(\x1b\\[(?:0|1|33)m)")  # those of reports.formats.table
Progress = Callable[[str, float], None]


def colourful(stream: Any) -> bool:
    """Whether a stream shows colours: a terminal, unless NO_COLOR is set."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR")


@dataclass(frozen=True, eq=False)
class Output:
    """A place and a format."""

    path: str | None
    report: OutputFormat
    columns: str = "1"  # of a page, in LaTeX
    marks: str = "auto"

    @classmethod
    def chosen(cls, path: str | None, format: str | None, columns: str = "1", marks: str = "auto") -> Output:
        """The format asked for, else the one that the file's suffix says, else a table."""
        from rankscope.reports.output_formats import OUTPUT_FORMATS

        path = None if path == "-" else path
        asked = [] if format or path is None else list(OUTPUT_FORMATS)
        suffixes = {suffix: each.name for each in asked for suffix in each.suffixes}
        wanted = chosen_format(path, format, suffixes, "table")
        return cls(path, OUTPUT_FORMATS.find(wanted), columns, marks)

    @property
    def saves_ranks(self) -> bool:
        """Whether the reduction itself is to be saved."""
        return self.path is not None and self.path.endswith(RANKS_SUFFIX)

    @property
    def tells_warnings(self) -> bool:
        """Whether the format carries the warnings with it."""
        return self.report.name in ("table", "json", "markdown", "latex")

    def write(self, scores: Any, per_query: bool, quiet: bool = False, verbose: bool = False) -> None:
        """Render everything first, then write it in one go; quietly without warnings, but for JSON's field of them."""
        from dataclasses import replace

        scores = replace(scores, quiet=quiet and self.report.name != "json", verbose=verbose)
        data = self._render(scores, per_query)
        if self.path is None:
            _to_standard_output(data)
            return
        from rankscope.core.files import atomic

        with atomic(self.path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def _render(self, scores: Any, per_query: bool) -> str | bytes:
        if self.report.name != "latex":
            colour = self.path is None and colourful(_standard_output())
            return self.report.render(scores, per_query, colour)
        from rankscope.analysis.comparison.paper_tables import scores_table
        from rankscope.core.latex import width_of_columns

        return scores_table(scores, width_of_columns(self.columns), self.marks, per_query)


def chosen_format(path: str | None, wanted: str | None, suffixes: Mapping[str, str], plain: str) -> str:
    """The format asked for, else the one that the file's suffix says, `plain` where it has none.

    A suffix that says something else is refused: x.pdf must not hold plain text.
    >>> chosen_format("a.b/x.md", None, {".md": "markdown"}, "text"), chosen_format("result", None, {}, "text")
    ('markdown', 'text')
    """
    if wanted is not None or path is None or path == "-":
        return wanted or plain
    by_suffix = [suffix for suffix in suffixes if path.lower().endswith(suffix)]
    suffix = os.path.splitext(path)[1]
    if suffix and not by_suffix:
        known = ", ".join(suffixes)
        raise SettingError(f"{path}: this command writes no {suffix} file. Name it {known}, or give --format")
    return suffixes[max(by_suffix, key=len)] if by_suffix else plain


def is_no_run(path: str) -> bool:
    """Whether the name of a file says that people read it, which a run is not for; runs have many names.

    >>> is_no_run("bm25.html"), is_no_run("bm25.res"), is_no_run("bm25.jsonl")
    (True, False, False)
    """
    return path.lower().endswith((".html", ".htm", ".md", ".tex", ".pdf", ".svg", ".png", ".xlsx"))


def print_result(text: str) -> None:
    """Print a result; nothing in it but our own colours may steer a terminal."""
    ours = colourful(_standard_output())
    parts = COLOURS.split(text) if ours else [text]
    click.echo("".join(part if ours and COLOURS.fullmatch(part) else visible(part) for part in parts), nl=False)


def write_text(text: str, path: str | None, told: str = "") -> None:
    """Print a result, or write it into a file whole; what is `told` of it is printed then."""
    if path is None or path == "-":
        print_result(text)
        return
    from rankscope.core.files import atomic

    with atomic(path) as file:
        file.write(text)
    if told:
        print_result(f"{told}\n")


def _to_standard_output(data: str | bytes) -> None:
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
    if sys.stdout is None:
        raise SettingError("standard output is closed, so nothing can be printed")
    return sys.stdout


@contextmanager
def progress_line(quiet: bool) -> Iterator[Progress | None]:
    """A line on the terminal that says which run is being read and how far; nothing where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True, console=Console(stderr=True)) as bar:
        tasks: dict[str, Any] = {}

        def show(name: str, share: float) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(one_line(name), total=1.0)
            bar.update(tasks[name], completed=share)

        yield show


def say_warnings(scores: Any, verbose: bool = False) -> None:
    """What to read next to the numbers: a line each, or a line a kind where many systems have it."""
    from rankscope.measures.evaluation.warning_kinds import warning_lines

    for line in warning_lines(scores, verbose):
        say(f"! {line}")


def say(text: str) -> None:
    """A word to the person at the terminal, next to the result."""
    click.echo(visible(text), err=True)
