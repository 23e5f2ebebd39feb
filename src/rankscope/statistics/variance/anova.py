"""One-way analysis of variance of cells, system by class (Brughi et al. 2014): does any mean differ from the others?

Every value counts as independent. Where the same queries ran under every system they are not: `two_way` and `mixed`
take that into account.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.errors import SettingError
from rankscope.statistics.table.cells import Cells, Design, clean, design_of
from rankscope.statistics.table.score_table import ScoreTable

SINGLE = "each cell has one query: there is no spread within cells, and no test"
CONSTANT = "all values within each cell are equal: there is no spread to measure differences by, and no test"


@dataclass(frozen=True, eq=False)
class Anova:
    """F with its p value, sums of squares and degrees of freedom; `mse` is the residual mean square on `nu`.

    F, p and mse are NaN where there is nothing to compute them from; `note` says why.
    """

    measure: str
    cells: Cells
    between: float  # sum of squares
    within: float
    freedom: int  # of the groups
    nu: int  # of the residuals
    note: str = ""

    @property
    def mse(self) -> float:
        """Residual mean square: the variance of a value around the mean of its cell."""
        return self.within / self.nu if self.nu else float("nan")

    @property
    def f(self) -> float:
        """Mean square between cells over the residual one."""
        return self.between / self.freedom / self.mse if self.nu and self.within > 0 else float("nan")

    @property
    def p(self) -> float:
        """How often chance alone gives such an F."""
        from scipy.special import fdtrc

        return float(fdtrc(self.freedom, self.nu, self.f)) if np.isfinite(self.f) else float("nan")

    @property
    def explained(self) -> float:
        """Share of all squares that lies between cells (eta squared)."""
        total = self.between + self.within
        return self.between / total if total > 0 else float("nan")

    def rows(self) -> list[dict[str, object]]:
        """The table of an analysis of variance: groups, then residuals."""
        groups = {
            "source": "cells",
            "squares": self.between,
            "freedom": self.freedom,
            "mean square": self.between / self.freedom,
            "F": self.f,
            "p": self.p,
        }
        rest = {
            "source": "residual",
            "squares": self.within,
            "freedom": self.nu,
            "mean square": self.mse,
            "F": float("nan"),
            "p": float("nan"),
        }
        return [groups, rest]


def anova(table: ScoreTable, by_class: bool = True) -> Anova:
    """One-way analysis over the cells system by class, or over systems where there are no classes.

    >>> made = anova(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> round(made.f, 6), round(made.p, 6), made.nu
    (6.0, 0.070484, 4)
    """
    return anova_of(design_of(table, by_class))


def anova_of(design: Design) -> Anova:
    """The same of a design made before."""
    cells = Cells.of(design)
    if len(cells) < 2:
        raise SettingError("an analysis of variance compares two groups at least: give two systems, or classes")
    values = np.concatenate(cells.samples)
    deviation = cells.mean - values.mean()
    between = clean(float(cells.n @ deviation**2), values)
    nu = values.size - len(cells)
    within = cells.within if nu else 0.0
    words = SINGLE if nu == 0 else CONSTANT if within == 0 else ""
    return Anova(
        measure=design.table.measure,
        cells=cells,
        between=between,
        within=within,
        freedom=len(cells) - 1,
        nu=nu,
        note=design.note(words),
    )
