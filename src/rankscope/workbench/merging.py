"""From the marks of a project to one grade for each query and item, and how each grade came about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from rankscope.statistics.agreement.merging import MergeRule, decide_open
from rankscope.workbench.store.events import Event
from rankscope.workbench.store.state import Pair

if TYPE_CHECKING:
    from rankscope.workbench.project import Project

NEVER_ENTER: Final = ("machine", "project")  # kinds of assessors whose marks count only where they are named
ADJUDICATED, ONLY, EQUAL, LEFT_OPEN = "adjudicated", "only mark", "all equal", "open"


class MergedPair(NamedTuple):
    """One grade, or None where the pair is open; `by` says how it came about, `marks` are those it comes from."""

    grade: int | None
    by: str
    marks: tuple[Event, ...]
    between: tuple[int, ...] = ()


def merged_pairs(
    project: Project, rule: MergeRule, open_pairs: str | None = None, chosen: int | None = None
) -> dict[Pair, MergedPair]:
    """Every pair that somebody judged: adjudicated, else the only mark, else by the rule; or one assessor's own grades.

    Marks of a machine enter where a weight names it, or where it is the one that is chosen.
    """
    state = project.state
    found: dict[Pair, MergedPair] = {}
    for pair in dict.fromkeys([*state.answers, *state.rulings]):
        marks = [each for each in state.counted(pair) if _enters(project, each, rule, chosen)]
        ruling = state.ruling(pair) if chosen is None else None
        if ruling is not None:
            found[pair] = MergedPair(ruling.grade, ADJUDICATED, (*marks, ruling))
        elif marks:
            found[pair] = _merged(project, marks, rule, open_pairs)
    return found


def _merged(project: Project, marks: Sequence[Event], rule: MergeRule, open_pairs: str | None) -> MergedPair:
    grades = {project.assessors[each.assessor].name: float(each.grade or 0) for each in marks}
    merged = rule.merge(grades)
    between = tuple(map(int, merged.between))
    if merged.grade is not None:
        by = ONLY if len(marks) == 1 else EQUAL if len(set(grades.values())) == 1 else rule.name
        return MergedPair(int(merged.grade), by, tuple(marks))
    decided = decide_open(merged, open_pairs)
    if decided is None:
        return MergedPair(None, LEFT_OPEN, tuple(marks), between)
    return MergedPair(int(decided), f"{rule.name}, the {open_pairs} one", tuple(marks), between)


def _enters(project: Project, mark: Event, rule: MergeRule, chosen: int | None) -> bool:
    if chosen is not None:
        return mark.assessor == chosen
    one = project.assessors[mark.assessor]
    return one.kind not in NEVER_ENTER or (one.kind == "machine" and one.name in rule.weights)


def check_weights(project: Project, rule: MergeRule) -> None:
    """A `SettingError` where a rule weighs somebody who is not there."""
    for name in rule.weights:
        project.assessor_named(name)
