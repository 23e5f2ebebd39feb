"""The same systems compared twice: cells as independent samples, as Brughi et al. (2014) do, and query by query."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.statistics.table.cells import cell_name, design_of
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.variance.anova import Anova, anova_of
from rankscope.statistics.variance.comparisons import Comparisons
from rankscope.statistics.variance.mixed import Mixed, mixed
from rankscope.statistics.variance.tukey import tukey_of


@dataclass(frozen=True, eq=False)
class PairedAndUnpaired:
    """One-way analysis with Tukey-Kramer next to the mixed model."""

    unpaired: Anova
    pairs: Comparisons
    paired: Mixed

    @property
    def why(self) -> str:
        """Why the two differ, in one sentence with both error variances."""
        cells, rest, query = self.unpaired.mse, self.paired.residual_variance, self.paired.query_variance
        if not cells > 0:
            return self.unpaired.note
        if self.paired.paired:
            return f"{self.paired.paired[0].upper()}{self.paired.paired[1:]}."
        return (
            f"How hard a query is sits in the error of the unpaired test (variance {cells:.3g}); the paired test takes "
            f"it out (variance {query:.3g}) and measures differences by what is left, {rest:.3g}."
        )

    @property
    def note(self) -> str:
        """What must be said of the tests."""
        return self.paired.note or self.unpaired.note

    def rows(self) -> list[dict[str, object]]:
        """One row per class and pair of systems: the difference, then error and p of both.

        The p value of Tukey holds for all pairs of cells together, the others for one pair alone.
        """
        from scipy.special import stdtr

        result: list[dict[str, object]] = []
        adjusted = {(row["first"], row["second"]): row["p"] for row in self.pairs.rows()}
        for each in self.paired.effects or self.paired.overall:
            error = (2 * self.unpaired.mse / each.queries) ** 0.5
            known = error > 0 and self.unpaired.nu > 0
            plain = float(2 * stdtr(self.unpaired.nu, -abs(each.difference) / error)) if known else float("nan")
            names = cell_name(each.first, each.label), cell_name(each.second, each.label)
            result.append(
                {
                    "class": each.label,
                    "first": each.first,
                    "second": each.second,
                    "queries": each.queries,
                    "difference": each.difference,
                    "unpaired error": error,
                    "unpaired p": plain,
                    "unpaired Tukey p": adjusted[names],
                    "paired error": each.error,
                    "paired p": each.p,
                    "paired low": each.low,
                    "paired high": each.high,
                }
            )
        return result


def paired_and_unpaired(table: ScoreTable, level: float = 0.95) -> PairedAndUnpaired:
    """Both ways on the same queries, so that a reader sees what pairing is worth.

    >>> made = paired_and_unpaired(ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.2, 0.3, 0.5, 0.4]}))
    >>> row = made.rows()[0]
    >>> round(row["unpaired p"], 4), round(row["paired p"], 4)
    (0.3153, 0.0917)
    """
    design = design_of(table, systems=2)
    anova = anova_of(design)
    return PairedAndUnpaired(anova, tukey_of(anova, level), mixed(table, level))
