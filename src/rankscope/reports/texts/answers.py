"""What a question about feedback methods is answered with: tables, each with what must be said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankscope.displayed import Tabular
from rankscope.reports.formats.rows import Rows, as_json, markdown_table, table

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 1


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """A table under its heading."""

    heading: str
    rows: Rows
    note: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Tabular):
    """The answer to a question: what it was computed from, tables, warnings, and the result itself for Python."""

    question: str
    facts: str
    tables: tuple[AnswerTable, ...]
    result: Any
    warnings: tuple[str, ...] = ()

    def text(self) -> str:
        """For a terminal."""
        parts = [f"{self.facts}\n"]
        for each in self.tables:
            parts += [f"{each.heading}\n", table(each.rows) + (f"{each.note}\n" if each.note else "")]
        return "\n".join([*parts, *([_lines(f"! {line}" for line in self.warnings)] if self.warnings else [])])

    def markdown(self) -> str:
        """For a page of text."""
        parts = [f"{self.facts}\n"]
        for each in self.tables:
            parts += [f"## {each.heading}\n", markdown_table(each.rows), *([f"{each.note}\n"] if each.note else [])]
        return "\n".join([*parts, *([_lines(f"- {line}" for line in self.warnings)] if self.warnings else [])])

    def json(self) -> str:
        """For a program."""
        tables = [{"heading": each.heading, "rows": list(each.rows), "note": each.note} for each in self.tables]
        whole = {"format": "rankscope.feedback", "version": VERSION, "question": self.question, "facts": self.facts}
        return as_json({**whole, "tables": tables, "warnings": list(self.warnings)})


def _lines(lines: Any) -> str:
    return "".join(f"{line}\n" for line in lines)


def count(number: int, one: str, many: str) -> str:
    """A number with its word.

    >>> count(1, "topic", "topics"), count(1200, "item", "items")
    ('1 topic', '1,200 items')
    """
    return f"{number:,} {one if number == 1 else many}"


def sizes_of(items: int, topics: Sequence[str], methods: Sequence[str], more: str = "") -> str:
    """What was tried, in a line."""
    several = [count(len(topics), "topic", "topics"), count(len(methods), "method", "methods")]
    return ", ".join([*several, count(items, "item", "items"), *filter(None, [more])])
