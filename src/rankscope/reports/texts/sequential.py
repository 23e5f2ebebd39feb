"""What a look found, as text for a terminal, Markdown for a job's summary, JSON for programs."""

from __future__ import annotations

import math

from rankscope.names import visible
from rankscope.reports.formats.grid import Cell, Grid
from rankscope.reports.formats.markdown import table_of
from rankscope.reports.formats.rows import as_json
from rankscope.statistics.sequential.sequential_result import SequentialCheck, SequentialResult
from rankscope.statistics.verdicts.gate_result import signed_text

VERSION = 2  # 1 had changes turned so that more is better
HEADER = ("measure", "systems", "change", "limits", "units", "decision", "units to go")


def render(result: SequentialResult, format: str = "text") -> str:
    """The result in one of the formats."""
    return {"text": text, "json": json, "markdown": markdown}[format](result)


def text(result: SequentialResult) -> str:
    """The decision in one line, then each check where there are several, then what else must be said."""
    first, *others = result.lines
    lines = [first, *(f"  {line}" for line in others), *(f"  ! {line}" for line in result.remarks)]
    return visible("\n".join(lines) + "\n")


def markdown(result: SequentialResult) -> str:
    """A heading with the decision, a table of the checks, and notes."""
    grid = check_grid(result)
    listed = "".join(f"- {line}\n" for line in result.remarks)
    return visible(f"### {result.sentence}\n\n{table_of(grid)}\n{listed}")


def check_grid(result: SequentialResult) -> Grid:
    """One row for each check."""
    return Grid(HEADER, tuple(_cells(check) for check in result.checks))


def _cells(check: SequentialCheck) -> tuple[Cell, ...]:
    low, high = (signed_text(each, check.places) for each in (check.low, check.high))
    needed = "" if check.is_decided else "never" if math.isinf(check.needed) else f"{check.needed:,.0f}"
    return (
        Cell(check.measure, number=False),
        Cell(f"{check.second} minus {check.first}", number=False),
        Cell(check.changed),
        Cell(f"{low} to {high}", number=False),
        Cell(f"{check.units:,}"),
        Cell(check.verdict, number=False, best=check.is_decided),
        Cell(needed),
    )


def json(result: SequentialResult) -> str:
    """One object; what is undefined or infinite is null."""
    whole = {
        "format": "rankscope.sequential-look",
        "version": VERSION,
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
