"""A gate in words: its result for a terminal, a job's summary and programs, and its history build by build."""

from __future__ import annotations

import math
from dataclasses import asdict

from rankscope.analysis.comparison.gate import GateResult, power_sentence
from rankscope.analysis.comparison.gate_history import CheckRecord, GateHistory
from rankscope.core.names import one_line, visible
from rankscope.core.rendering import Cell, Grid, as_json, grid_markdown
from rankscope.core.wording import decimal_text, how_many, join_words, signed_text, span_text
from rankscope.measures.direction import side_of

# A gate's result as text for a terminal, Markdown for a job's summary, JSON for programs.

GATE_FORMATS = ("text", "json", "markdown")
GATE_SUFFIXES = {".json": "json", ".md": "markdown", ".txt": "text"}
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


def render_gate(result: GateResult, format: str = "text", remarks: bool = True) -> str:
    """The result in one of the formats; for people with remarks or without them, JSON always has them."""
    if format == "json":
        return gate_json(result)
    return {"text": gate_text, "markdown": gate_markdown}[format](result, remarks)


def gate_text(result: GateResult, remarks: bool = True) -> str:
    """The verdict in one line, then each check where there are several, then what else must be said."""
    lines = [result.sentence]
    if len(result.checks) > 1:
        lines += [f"  {check.verdict}: {check.sentence}" for check in result.checks]
    lines += [f"  {power_sentence(check)}" for check in result.checks]
    if result.self_test is not None:
        lines.append(f"  {result.self_test.sentence}")
    return visible("\n".join([*lines, *(f"  ! {line}" for line in result.remarks if remarks)]) + "\n")


def gate_markdown(result: GateResult, remarks: bool = True) -> str:
    """A heading with the verdict, a table of the checks, and notes; made for a job's summary page."""
    notes = [power_sentence(check) for check in result.checks]
    if result.self_test is not None:
        notes.append(result.self_test.sentence)
    listed = "".join(f"- {line}\n" for line in [*notes, *(result.remarks if remarks else ()), gate_rule(result)])
    heading = f"### Gate: {result.verdict}, `{_code(result.candidate)}` against `{_code(result.baseline)}`"
    return visible(f"{heading}\n\n{grid_markdown(gate_grid(result))}\n{listed}")


def gate_rule(result: GateResult) -> str:
    """When a gate of this rule fails and passes."""
    return f"{HOW[result.rule]}; {PASSES} of sign flips and skew t."


def _code(name: str) -> str:
    return one_line(name.replace("\n", " ")).replace("`", "'")


def gate_grid(result: GateResult) -> Grid:
    """One row for each check."""
    with_class = any(check.label for check in result.checks)
    rows = []
    for check in result.checks:
        cells = {"measure": Cell(check.measure, number=False)}
        cells |= {"class": Cell(check.label or "all", number=False)} if with_class else {}
        cells |= {
            "baseline": Cell(f"{check.baseline:.{check.places}f}"),
            "candidate": Cell(f"{check.candidate:.{check.places}f}"),
            "change": Cell(check.changed),
            "limits": Cell(check.limits(" to "), number=False),
            "queries": Cell(f"{check.queries:,}"),
            "smallest effect": Cell(f"{check.min_effect:g}"),
            "verdict": Cell(check.verdict, number=False, best=check.failed),
            "finding": Cell(check.finding, number=False),
        }
        rows.append(cells)
    return Grid(tuple(rows[0]), tuple(tuple(cells.values()) for cells in rows))


def gate_json(result: GateResult) -> str:
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


# The history of a gate in words: the last build, how many passed, and which check moved when.

NAMED = 4  # builds of one kind that a sentence names
SAID = {"pass": "passes the gate", "fail": "fails the gate", "undecided": "is undecided by the gate"}


def history_headline(history: GateHistory) -> str:
    last = history.builds[-1]
    return f"Build {last.build} of {last.day} {SAID[last.verdict]}."


def history_sentences(history: GateHistory) -> list[str]:
    """How many builds passed, then each check of the last build: how far it went, and where it moved."""
    return [builds_sentence(history), *(check_sentence(history, name) for name in history.names)]


def builds_sentence(history: GateHistory) -> str:
    """How many builds failed, the last ones by name."""
    builds = history.builds
    failed, passed, open_ = (
        [each for each in builds if each.verdict == what] for what in ("fail", "pass", "undecided")
    )
    days = sorted(each.day for each in builds)
    when = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
    count = f"{len(builds):,} build{'' if len(builds) == 1 else 's'} {when}"
    if len(builds) == 1:
        return f"{count}."
    if len(passed) == len(builds):
        return f"{count}: all passed."
    undecided = f", {len(open_):,} undecided" if open_ else ""
    named = ("the last of them " if len(failed) > NAMED else "") + join_words([each.build for each in failed[-NAMED:]])
    lost = f"{len(failed):,} failed ({named})" if failed else "none failed"
    return f"{count}: {len(passed):,} passed{undecided}, {lost}."


def check_sentence(history: GateHistory, name: str) -> str:
    """From the first value to the last, and the builds at which a gain or a loss is shown."""
    found = history.checks(name)
    last = found[-1][1]
    if len(found) == 1:
        return f"{name} is {_value(last)}; {_changed(last)} against its baseline."
    first, build = found[0][1], history.builds[found[0][0]].build
    start = f"{name} went from {_value(first)} at build {build} to {_value(last)} at build {_build(history, found[-1])}"
    gains, losses = ([each for each in found if each[1].moved == side] for side in (1, -1))
    if not gains and not losses:
        return f"{start}; at none of {how_many(len(found), 'builds')} is a change from the baseline shown."
    parts = []
    for word, moves in (("a gain", gains), ("a loss", losses)):
        shown = join_words([f"{_build(history, each)} ({_with_side(each[1])})" for each in moves[-NAMED:]])
        count = f"{how_many(len(moves), 'builds')}, lately " if len(moves) > NAMED else ""
        parts += [f"{word} at {count}{shown}"] if moves else []
    return f"{start}; against the baseline of the time it shows {join_words(parts)}."


def _build(history: GateHistory, found: tuple[int, CheckRecord]) -> str:
    return history.builds[found[0]].build


def _value(check: CheckRecord) -> str:
    return f"{decimal_text(check.value)}{span_text(check.value_low, check.value_high)}"


def _changed(check: CheckRecord) -> str:
    if math.isnan(check.low):
        return "no query changed"
    limits = [signed_text(each) if math.isfinite(each) else "unbounded" for each in (check.low, check.high)]
    return f"it changed by {_with_side(check)} [{limits[0]}, {limits[1]}]"


def _with_side(check: CheckRecord) -> str:
    """The change, and in a word whether it is for the better or the worse."""
    text = signed_text(check.change)
    return f"{text}, {side_of(check.change, check.lower_is_better)}" if text != signed_text(0.0) else text


def chance_note(history: GateHistory) -> str:
    """How many moves chance alone would show: each limit is one-sided, and a build is tested by itself."""
    every = [check for build in history.builds for check in build.checks]
    expected = sum(2 * (1 - check.level) for check in every)
    moved = sum(check.moved != 0 for check in every)
    return (
        f"Each build is tested by itself: if nothing had ever changed, about {expected:.1f} of these {len(every):,} "
        f"checks would show a gain or a loss by chance; {moved:,} do. Whether intervals of two builds overlap decides "
        "nothing."
    )


def history_warnings(history: GateHistory) -> list[str]:
    """Lines that could not be read, and builds that were checked again."""
    said = [f"{problem.place}: {problem.what}" for problem in history.damaged]
    if history.repeated:
        said.append(
            f"{history.repeated:,} earlier record{'' if history.repeated == 1 else 's'} of builds that were checked "
            "again: the last one of each counts"
        )
    return said


def check_tile(check: CheckRecord) -> dict[str, str]:
    """What a tile of the last build says of one check."""
    return {
        "name": check.name,
        "value": decimal_text(check.value),
        "interval": "" if math.isnan(check.value_low) else _value(check).partition(" ")[2],
        "change": _changed(check),
        "verdict": check.verdict,
        "moved": {1: "a significant gain", -1: "a significant loss", 0: "no significant change"}[check.moved],
    }


def history_rows(history: GateHistory) -> list[dict[str, object]]:
    """One row for each build, the last first: its verdict, and of each check the value and the change."""
    rows = []
    for build in reversed(history.builds):
        row: dict[str, object] = {"build": build.build, "date": build.day, "gate": build.verdict}
        checks = {check.name: check for check in build.checks}
        for name in history.names:
            check = checks.get(name)
            row |= {name: None if check is None else check.value}
            row |= {f"{name} change": "-" if check is None else _with_side(check)}
        rows.append(row | {"against": build.baseline})
    return rows
