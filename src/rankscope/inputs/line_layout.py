"""What lines of fields are made of, and what comes out of reading them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.arrays import FloatArray, Lines
from rankscope.inputs.id_columns import IdColumn


@dataclass(frozen=True)
class LineLayout:
    """Which fields a line has, which are wanted, which of them are numbers, and whether more fields may follow."""

    kind: str
    fields: tuple[str, ...]
    wanted: tuple[str, ...]
    numbers: tuple[str, ...]
    more_allowed: bool
    last: str = ""  # a field of which the last row alone is wanted

    @property
    def reads(self) -> str:
        """The rule, for messages."""
        return f"A {self.kind} line reads: {' '.join(self.fields)}."

    def want(self, *names: str) -> LineLayout:
        """The same layout with more fields read."""
        wanted = tuple(name for name in self.fields if name in self.wanted or name in names)
        return LineLayout(
            kind=self.kind,
            fields=self.fields,
            wanted=wanted,
            numbers=self.numbers,
            more_allowed=self.more_allowed,
            last=self.last,
        )


@dataclass(frozen=True)
class LineRows:
    """Wanted fields of a block of lines, all present and all numbers numbers, with the line each row came from."""

    texts: Mapping[str, IdColumn]
    numbers: Mapping[str, FloatArray]
    line: Lines
    last: str = ""

    def __len__(self) -> int:
        return len(self.line)

    def head(self, count: int) -> LineRows:
        """The first rows."""
        texts = {name: column.slice(0, count) for name, column in self.texts.items()}
        numbers = {name: column[:count] for name, column in self.numbers.items()}
        return LineRows(texts, numbers, self.line[:count], self.last)
