"""A gate's result as text for a terminal, Markdown for a job's summary, JSON for programs."""

from __future__ import annotations

from dataclasses import asdict

from rankscope.names import one_line, visible
from rankscope.reports.formats.grid import Cell, Grid
from rankscope.reports.formats.markdown import table_of
from rankscope.reports.formats.rows import as_json
from rankscope.statistics.verdicts.gate_result import GateCheck, GateResult, power_sentence

FORMATS = ("text", "json", "markdown")
SUFFIXES = {".json": "json", ".md": "markdown", ".txt": "text"}
VERSION = 2  # 1 had changes turned so that more is better
HOW = {
    "mean": "The gate fails if a loss is shown (the limit of the change, one-sided at 95%, excludes 0) and its "
    "mean is beyond the smallest effect that matters",
    "beyond": "The gate fails if a loss beyond the smallest effect that matters is shown (the limit of the change, "
    "one-sided at 95%, is beyond it)",
}
PASSES = (
    "it passes if such a loss is ruled out (by the other limit); else it is undecided. The limits are the outer ones"
)


def render(result: GateResult, format: str = "text", remarks: bool = True) -> str:
    """The result in one of the formats; for people with remarks or without them, JSON always has them."""
    return json(result) if format == "json" else {"text": text, "markdown": markdown}[format](result, remarks)


def text(result: GateResult, remarks: bool = True) -> str:
    """The verdict in one line, then each check where there are several, then what else must be said."""
    lines = [result.sentence]
    if len(result.checks) > 1:
        lines += [f"  {check.verdict}: {check.sentence}" for check in result.checks]
    lines += [f"  {power_sentence(check)}" for check in result.checks]
    if result.self_test is not None:
        lines.append(f"  {result.self_test.sentence}")
    return visible("\n".join([*lines, *(f"  ! {line}" for line in result.remarks if remarks)]) + "\n")


def markdown(result: GateResult, remarks: bool = True) -> str:
    """A heading with the verdict, a table of the checks, and notes; made for a job's summary page."""
    notes = [*(power_sentence(check) for check in result.checks)]
    if result.self_test is not None:
        notes.append(result.self_test.sentence)
    listed = "".join(f"- {line}\n" for line in [*notes, *(result.remarks if remarks else ()), how(result)])
    heading = f"### Gate: {result.verdict}, `{_code(result.candidate)}` against `{_code(result.baseline)}`"
    return visible(f"{heading}\n\n{table_of(check_grid(result))}\n{listed}")


def how(result: GateResult) -> str:
    """When a gate of this rule fails and passes."""
    return f"{HOW[result.rule]}; {PASSES} of sign flips and skew t."


def _code(name: str) -> str:
    return one_line(name.replace("\n", " ")).replace("`", "'")


def check_grid(result: GateResult) -> Grid:
    """One row for each check."""
    with_class = any(check.label for check in result.checks)
    header = [
        "measure",
        *(["class"] if with_class else []),
        "baseline",
        "candidate",
        "change",
        "limits",
        "queries",
        "smallest effect",
        "verdict",
        "finding",
    ]
    return Grid(tuple(header), tuple(_cells(check, with_class) for check in result.checks))


def _cells(check: GateCheck, with_class: bool) -> tuple[Cell, ...]:
    places = check.places
    numbers = (f"{check.baseline:.{places}f}", f"{check.candidate:.{places}f}", check.changed)
    named = [check.measure, *([check.label or "all"] if with_class else [])]
    return (
        *(Cell(each, number=False) for each in named),
        *(Cell(each) for each in numbers),
        Cell(check.limits(" to "), number=False),
        Cell(f"{check.queries:,}"),
        Cell(f"{check.min_effect:g}"),
        Cell(check.verdict, number=False, best=check.failed),
        Cell(check.finding, number=False),
    )


def json(result: GateResult) -> str:
    """One object; what is undefined or infinite is null."""
    whole = {
        "format": "rankscope.gate",
        "version": VERSION,
        "verdict": result.verdict,
        "rule": result.rule,
        "reason": result.sentence,
        "baseline": result.baseline,
        "candidate": result.candidate,
        "alpha": result.alpha,
        "seed": result.seed,
        "unit": result.unit,
        "family": str(result.family),
        "checks": result.rows(),
        "self_test": None if result.self_test is None else asdict(result.self_test) | {"rate": result.self_test.rate},
        "remarks": list(result.remarks),
    }
    return as_json(whole)
