"""What a look found, in numbers and in sentences: decided better or worse, or not yet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rankscope.analysis.comparison.gate import FEWEST_PLACES, signed_text, size_text, with_side
from rankscope.core.display import Display, Tabular
from rankscope.core.names import visible
from rankscope.core.rendering import Cell, Grid, Rows, as_json, grid_markdown
from rankscope.core.wording import how_many
from rankscope.measures.direction import direction_of

Decision = Literal["worse", "better", "not worse", "not yet"]


@dataclass(frozen=True)
class SequentialCheck:
    """One pair of systems by one measure; the change is the second minus the first, with the measure's own sign."""

    measure: str
    first: str
    second: str
    values: tuple[float, float]  # the means of both
    change: float
    low: float  # limits of the change, each one-sided at `level`, which hold at all looks together
    high: float
    level: float
    min_effect: float
    units: int
    decision: Decision
    needed: float  # how many more units would decide in half of all cases; infinite: none
    unit: str = "query"  # of chance: query or class
    lower_is_better: bool = False
    contradicted: bool = False  # what this look alone allows, and what the looks before it allow, exclude each other

    @property
    def places(self) -> int:
        """So many decimals that the smallest effect shows."""
        text = f"{self.min_effect:.10f}".rstrip("0").partition(".")[2]
        return max(FEWEST_PLACES, len(text) + 1)

    @property
    def is_decided(self) -> bool:
        """Whether more queries would change nothing of the decision."""
        return self.decision != "not yet"

    @property
    def verdict(self) -> str:
        """The decision in words.

        >>> made = SequentialCheck("AP", "A", "B", (0.5, 0.5), 0.0, -0.005, 0.01, 0.95, 0.01, 90, "not worse", 0.0)
        >>> made.verdict
        'decided: no loss beyond .01'
        """
        if self.decision == "not worse":
            return f"decided: no loss beyond {size_text(self.min_effect)}"
        return "not yet" if self.decision == "not yet" else f"decided {self.decision}"

    @property
    def outlook(self) -> str:
        """What more queries would do."""
        if self.is_decided:
            return "it stays decided, whatever comes"
        if math.isinf(self.needed):
            return f"more {self._units} that differ as little as these would never decide"
        return f"at the present effect about {self.needed:,.0f} more {self._units} decide in half of all cases"

    @property
    def _units(self) -> str:
        return "classes" if self.unit == "class" else "queries"

    @property
    def interval(self) -> str:
        """The change, whether it is for the better or the worse, and its limits."""
        low, high = (signed_text(each, self.places) for each in (self.low, self.high))
        return f"{self.changed} [{low}, {high}]"

    @property
    def changed(self) -> str:
        """The change, and whether it is for the better or the worse."""
        return with_side(self.change, self.lower_is_better, self.places)

    def row(self) -> dict[str, object]:
        return {
            "measure": self.measure,
            "first": self.first,
            "second": self.second,
            "value_first": self.values[0],
            "value_second": self.values[1],
            "change": self.change,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "min_effect": self.min_effect,
            "units": self.units,
            "decision": self.decision,
            "verdict": self.verdict,
            "unit": self.unit,
            "units_needed": self.needed,
            "better": direction_of(self.lower_is_better),
        }


@dataclass(frozen=True, repr=False)
class SequentialResult(Tabular):
    """All checks of one look, and what the look counted."""

    kind: Literal["gate", "compare"]
    systems: tuple[str, ...]
    checks: tuple[SequentialCheck, ...]
    looks: int
    queries: int  # counted at all looks
    new: int  # of them counted at this one
    again: int  # given again, and ignored
    late: int  # new queries of a class that was counted at an earlier look, and ignored
    left_out: int  # a system has no value
    unit: str = "query"
    alpha: float = 0.05
    started_anew: str = ""  # why earlier looks do not count
    notes: tuple[str, ...] = ()

    @property
    def decision(self) -> Decision:
        """Of all checks together: worse if one is; not yet as long as one is not decided."""
        found = {check.decision for check in self.checks}
        for each in ("worse", "not yet", "not worse"):
            if each in found:
                return each
        return "better"

    @property
    def failed(self) -> bool:
        """Whether the gate must say no: a loss that matters is decided."""
        return self.kind == "gate" and self.decision == "worse"

    @property
    def is_decided(self) -> bool:
        """Whether nothing is left to be decided: a gate at the first loss, a comparison when all pairs are."""
        return self.failed or all(check.is_decided for check in self.checks)

    @property
    def sentence(self) -> str:
        """The decision and its reason, in one line."""
        if len(self.checks) == 1:
            return self._line(self.checks[0])
        decided = sum(check.is_decided for check in self.checks)
        if self.kind == "compare":
            return f"{decided} of {how_many(len(self.checks), 'pairs')} decided on {how_many(self.queries)}"
        shown = next((check for check in self.checks if check.decision == self.decision), self.checks[0])
        counted = how_many(self.queries)
        return f"{shown.verdict}: {decided} of {how_many(len(self.checks), 'checks')} decided on {counted}"

    def _line(self, check: SequentialCheck) -> str:
        if self.kind == "gate":
            return (
                f"{check.verdict}: {check.measure} changed by {check.interval} on {how_many(self.queries)}; "
                f"{check.outlook}"
            )
        pair = f"{check.second} minus {check.first} {check.measure}"
        word = f"decided: {check.second} is {check.decision}" if check.is_decided else "not yet"
        return f"{word}: {pair} {check.interval} on {how_many(self.queries)}; {check.outlook}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentence, and one for each check where there are several."""
        return (self.sentence, *(self._line(check) for check in self.checks if len(self.checks) > 1))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What must be said with the decision."""
        lines = [self.started_anew] if self.started_anew else []
        counted = f"{how_many(self.new)} counted now" if self.new else "nothing new since"
        lines.append(f"look {self.looks:,}: {counted}; the limits hold at all looks together")
        if self.again:
            lines.append(f"{how_many(self.again)} given again; each counts once")
        if self.late:
            lines.append(f"{how_many(self.late)} of classes that were counted before: a class counts once")
        if self.left_out:
            lines.append(f"{how_many(self.left_out)} without a value of each system: not counted")
        if self.unit == "class":
            lines.append(
                "queries of one class depend on each other: "
                f"{how_many(self.checks[0].units, 'class counts', 'classes count')}, each with its mean"
            )
        if len(self.checks) > 1:
            lines.append(f"one family of {len(self.checks)}: each has its part of the {self.alpha:.0%} (Bonferroni)")
        if any(check.contradicted for check in self.checks):
            lines.append(
                "the queries of this look contradict those before: they are hardly drawn from the same kind of "
                "queries, and the limits of the earlier looks are kept"
            )
        return (*lines, *self.notes)

    def rows(self) -> list[dict[str, object]]:
        return [check.row() for check in self.checks]

    def records(self) -> Rows:
        return [{name: getattr(each, name) for name in LOOK_COLUMNS} for each in self.checks]

    def display(self) -> Display:
        return Display.of([self.sentence, *self.remarks], sequential_grid(self), ".remarks")

    def to_markdown(self) -> str:
        return sequential_markdown(self)


# What a look found, as text for a terminal, Markdown for a job's summary, JSON for programs.

LOOK_VERSION = 2  # 1 had changes turned so that more is better
LOOK_COLUMNS = ("measure", "first", "second", "change", "low", "high", "units", "decision", "needed")
HEADER = ("measure", "systems", "change", "limits", "units", "decision", "units to go")


def render_sequential(result: SequentialResult, format: str = "text") -> str:
    """The result in one of the formats."""
    return {"text": sequential_text, "json": sequential_json, "markdown": sequential_markdown}[format](result)


def sequential_text(result: SequentialResult) -> str:
    """The decision in one line, then each check where there are several, then what else must be said."""
    first, *others = result.lines
    lines = [first, *(f"  {line}" for line in others), *(f"  ! {line}" for line in result.remarks)]
    return visible("\n".join(lines) + "\n")


def sequential_markdown(result: SequentialResult) -> str:
    """A heading with the decision, a table of the checks, and notes."""
    grid = sequential_grid(result)
    listed = "".join(f"- {line}\n" for line in result.remarks)
    return visible(f"### {result.sentence}\n\n{grid_markdown(grid)}\n{listed}")


def sequential_grid(result: SequentialResult) -> Grid:
    """One row for each check."""
    rows = []
    for check in result.checks:
        low, high = (signed_text(each, check.places) for each in (check.low, check.high))
        needed = "" if check.is_decided else "never" if math.isinf(check.needed) else f"{check.needed:,.0f}"
        rows.append(
            (
                Cell(check.measure, number=False),
                Cell(f"{check.second} minus {check.first}", number=False),
                Cell(check.changed),
                Cell(f"{low} to {high}", number=False),
                Cell(f"{check.units:,}"),
                Cell(check.verdict, number=False, best=check.is_decided),
                Cell(needed),
            )
        )
    return Grid(HEADER, tuple(rows))


def sequential_json(result: SequentialResult) -> str:
    """One object; what is undefined or infinite is null."""
    whole = {
        "format": "rankscope.sequential-look",
        "version": LOOK_VERSION,
        "kind": result.kind,
        "decision": result.decision,
        "is_decided": result.is_decided,
        "reason": result.sentence,
        "systems": list(result.systems),
        "alpha": result.alpha,
        "unit": result.unit,
        "looks": result.looks,
        "queries": result.queries,
        "new": result.new,
        "again": result.again,
        "late": result.late,
        "left_out": result.left_out,
        "checks": result.rows(),
        "remarks": list(result.remarks),
    }
    return as_json(whole)
