"""How results of one class show themselves: at a prompt, in a notebook, as a frame, on a page and in a paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rankscope.names import visible
from rankscope.reports.displays.display import Display
from rankscope.reports.formats.rows import Rows


@dataclass(frozen=True)
class Presentation:
    """`display` says what is shown; where a class has its own tables for pages and papers, these are written.

    `rows` are for programs: plain numbers under short names. Without them a frame holds what the display shows.
    """

    display: Callable[[Any], Display]
    rows: Callable[[Any], Rows] | None = None
    own_markdown: Callable[..., str] | None = None
    own_latex: Callable[..., str] | None = None
    write_up: Callable[..., str] | None = None  # one paragraph for a paper

    def frame(self, result: object) -> Any:
        """All rows as a polars frame; null where there is none."""
        import polars as pl

        rows = [] if self.rows is None else list(self.rows(result))
        return pl.DataFrame(rows, infer_schema_length=None, nan_to_null=True) if rows else pl.DataFrame()

    def markdown(self, result: object, **options: Any) -> str:
        """The whole table, below the sentence and above the notes."""
        if self.own_markdown is not None:
            return self.own_markdown(result, **options)
        from rankscope.reports.formats.markdown import table_of

        display = self.display(result)
        table = [] if display.table is None else [table_of(display.table.whole())]
        notes = ["".join(f"- {line}\n" for line in display.notes)] if display.notes else []
        return visible("\n".join([f"**{display.title}**\n", *table, *notes]))

    def latex(self, result: object, **options: Any) -> str:
        r"""The whole table to \input, below sentence and notes as comments."""
        if self.own_latex is not None:
            return self.own_latex(result, **options)
        from rankscope.reports.formats.latex import comments, table_of

        display = self.display(result)
        table = "" if display.table is None else table_of(display.table.whole())
        return comments([display.title, *display.notes]) + table
