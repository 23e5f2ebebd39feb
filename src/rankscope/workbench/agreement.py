"""How far the assessors of a project agree, what they dispute, and how their marks become one grade for each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from rankscope.analysis.assessors.agreement import Agreed, Agreement, agreement
from rankscope.analysis.assessors.grades import AssessorGrades, MergeRule, decide_open
from rankscope.core.digests import stable_random
from rankscope.workbench.judging import AssessorProgress, assessor_progress
from rankscope.workbench.store.events import Event, Pair

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


PEOPLE: Final = "people together"
Grades = dict[str, dict[str, float]]


@dataclass(frozen=True, eq=False)
class ProjectAgreement:
    """Everybody with everybody else; each machine with what people say together; everybody asked again."""

    found: Agreement | None  # None: no two have judged anything in common
    said: tuple[AssessorProgress, ...]
    machines: tuple[Agreed, ...] = ()
    again: tuple[Agreed, ...] = ()


def agreement_of_project(project: Project, *, level: float = 0.95, names: bool = True) -> ProjectAgreement:
    """From the marks that count: surplus ones, and second answers to the same question, are left out."""
    with project.lock:
        grades = grades_by_assessor(project)
        again: dict[int, Grades] = {}  # everybody's second answers to the same question
        for pair, answers in project.state.repeats.items():
            for who, mark in answers.items():
                first = project.state.answer(who, pair)
                if mark.kind == "grade" and first is not None and first.kind == "grade":
                    again.setdefault(who, {}).setdefault(pair[0], {})[pair[1]] = float(mark.grade or 0)
        said = tuple(assessor_progress(project, who) for who in grades)
        people: Grades = {}  # what they say where they are of one mind, by their majority, or by an adjudicator
        for pair, each in merged_pairs(project, MergeRule.parse("majority")).items():
            if each.grade is not None:
                people.setdefault(pair[0], {})[pair[1]] = float(each.grade)
    shown = {who: project.assessors[who].name if names else f"assessor {who}" for who in grades}
    marks = marks_of(project, {shown[who]: found for who, found in grades.items()})
    whole = None if marks is None or not marks.pairs else agreement(marks, relevant=project.file.relevant, level=level)
    machines = [who for who in grades if project.assessors[who].kind == "machine"]
    return ProjectAgreement(
        found=whole,
        said=said,
        machines=_compared(project, {shown[who]: (grades[who], people) for who in machines}, PEOPLE),
        again=_compared(project, {shown[who]: (grades[who], found) for who, found in again.items()}, "asked again"),
    )


def marks_of(project: Project, grades: Mapping[str, Grades]) -> AssessorGrades | None:
    """The grades of some assessors side by side, with the classes of the queries; None for fewer than two."""
    classes = {each.id: each.class_ for each in project.queries.values() if each.class_}
    return AssessorGrades.of(grades, classes or None) if len(grades) > 1 else None


def grades_by_assessor(project: Project) -> dict[int, Grades]:
    """The grades of everybody that count, people before machines."""
    found: dict[int, Grades] = {}
    for pair in project.state.answers:
        for mark in project.state.counted(pair):
            found.setdefault(mark.assessor, {}).setdefault(pair[0], {})[pair[1]] = float(mark.grade or 0)
    return dict(sorted(found.items(), key=lambda each: (project.assessors[each[0]].kind != "human", each[0])))


def _compared(project: Project, grades: Mapping[str, tuple[Grades, Grades]], other: str) -> tuple[Agreed, ...]:
    found = []
    for name, (own, others) in grades.items():
        marks = AssessorGrades.of({name: own, f"{name}, {other}" if other != PEOPLE else other: others})
        found += list(agreement(marks, relevant=project.file.relevant).two)
    return tuple(found)


def disputed_pairs(project: Project, adjudicator: int) -> list[Pair]:
    """What people grade differently and nobody has decided: what decides over relevance first, then by lot."""
    relevant, seed = project.file.relevant, project.file.seed

    def order(pair: Pair) -> tuple[bool, float]:
        grades = different_grades(project, pair)
        return not min(grades) < relevant <= max(grades), stable_random(seed, "adjudicate", adjudicator, *pair)

    several = (pair for pair, said in project.state.answers.items() if len(said) > 1)
    found = (pair for pair in several if len(different_grades(project, pair)) > 1)
    return sorted((pair for pair in found if project.state.ruling(pair) is None), key=order)


def different_grades(project: Project, pair: Pair) -> set[int]:
    return {mark.grade or 0 for mark in project.assignment.counted(pair)}


# From the marks of a project to one grade for each query and item, and how each grade came about.

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
    state, people = project.state, project.assessors
    heard = {who for who, one in people.items() if one.kind not in NEVER_ENTER} if chosen is None else {chosen}
    if chosen is None:
        heard |= {who for who, one in people.items() if one.kind == "machine" and one.name in rule.weights}
    found: dict[Pair, MergedPair] = {}
    for pair in dict.fromkeys([*state.answers, *state.rulings]):
        marks = [each for each in state.counted(pair) if each.assessor in heard]
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
