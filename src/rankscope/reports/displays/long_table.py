"""A table of which only the first and the last rows are ever made, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankscope.reports.formats.grid import Cell, Grid
from rankscope.reports.formats.rows import Rows, cell_of
from rankscope.wording import plain_scalar


@dataclass(frozen=True)
class LongTable:
    """A header, how many rows there are, and what gives one of them.

    >>> table = LongTable(("n",), 1_000_000, lambda row: (Cell(str(row)),))
    >>> [cell.text for row in table.ends(4).rows for cell in row], table.left_out(4)
    (['0', '1', '999998', '999999'], 999996)
    """

    header: tuple[str, ...]
    count: int
    row: Callable[[int], Sequence[Cell]]

    @classmethod
    def of_grid(cls, grid: Grid) -> LongTable:
        """All rows that are there."""
        return cls(grid.header, len(grid.rows), lambda row: grid.rows[row])

    @classmethod
    def of_rows(cls, rows: Rows, places: int = 4) -> LongTable:
        """Rows as dictionaries; only those that are shown become cells."""
        header = tuple(dict.fromkeys(name for row in rows for name in row))
        return cls(header, len(rows), lambda row: [cell_of(name, rows[row].get(name), places) for name in header])

    @classmethod
    def of_columns(cls, columns: Mapping[str, Sequence[object]], places: int = 4) -> LongTable:
        """Columns of one length by their names; arrays give their values one by one."""
        count = min(map(len, columns.values()), default=0)

        def row(number: int) -> list[Cell]:
            return [cell_of(name, plain_scalar(column[number]), places) for name, column in columns.items()]

        return cls(tuple(columns), count, row)

    def ends(self, most: int) -> Grid:
        """All rows, or where there are more than so many the first and the last ones."""
        head = self.count if self.count <= most else (most + 1) // 2
        tail = 0 if self.count <= most else most - head
        return Grid(self.header, tuple(tuple(self.row(number)) for number in [*range(head), *self._last(tail)]))

    def left_out(self, most: int) -> int:
        """How many rows are left out where so many are shown."""
        return max(0, self.count - most)

    def whole(self) -> Grid:
        """Every row."""
        return self.ends(self.count)

    def _last(self, count: int) -> Iterable[int]:
        return range(self.count - count, self.count)
