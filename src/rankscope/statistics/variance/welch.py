"""Welch's analysis of variance: the means of cells whose spreads differ (Welch 1951)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.errors import SettingError
from rankscope.statistics.table.cells import Cells, design_of
from rankscope.statistics.table.score_table import ScoreTable


@dataclass(frozen=True, eq=False)
class Welch:
    """F on `freedom` and `nu` degrees; NaN where a cell has no spread, as the note says."""

    measure: str
    cells: Cells
    f: float
    freedom: int
    nu: float
    p: float
    note: str = ""

    def rows(self) -> list[dict[str, object]]:
        """One row, in plain numbers."""
        return [{"source": "cells", "freedom": self.freedom, "nu": self.nu, "F": self.f, "p": self.p}]


def welch(table: ScoreTable, by_class: bool = True) -> Welch:
    """Do the means of the cells differ, each with its own variance? Use it where Levene's test says p < .05.

    Every cell needs two queries and some spread.
    >>> made = welch(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> round(made.f, 6), round(made.nu, 6)
    (6.0, 4.0)
    """
    design = design_of(table, by_class)
    cells = Cells.of(design)
    count = len(cells)
    if count < 2:
        raise SettingError("Welch's analysis compares two groups at least: give two systems, or classes")
    flat = flat_cells(cells)
    if flat:
        note = design.note(f"no spread in {', '.join(flat)}: there is no test that weighs each cell by its own")
        return Welch(
            measure=design.table.measure,
            cells=cells,
            f=float("nan"),
            freedom=count - 1,
            nu=float("nan"),
            p=float("nan"),
            note=note,
        )
    from scipy.special import fdtrc

    weight = cells.n / cells.sd**2
    share = weight / weight.sum()
    centre = float(share @ cells.mean)
    uneven = float(((1 - share) ** 2 / (cells.n - 1)).sum())
    top = float(weight @ (cells.mean - centre) ** 2) / (count - 1)
    f = top / (1 + 2 * (count - 2) / (count**2 - 1) * uneven)
    nu = (count**2 - 1) / (3 * uneven)
    p = float(fdtrc(count - 1, nu, f))
    return Welch(measure=design.table.measure, cells=cells, f=f, freedom=count - 1, nu=nu, p=p, note=design.note())


def flat_cells(cells: Cells) -> list[str]:
    """Cells of a single query, or of equal values."""
    sd = np.nan_to_num(cells.sd)
    level = 1e-14 * (1 + np.abs(cells.mean))
    return [name for name, small in zip(cells.names, (sd <= level).tolist(), strict=True) if small]
