"""What a project asks of a mark before it may enter the journal, and what it adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankscope.workbench.preferring import problem_of_preference
from rankscope.workbench.store.events import ANSWERS, RESERVED, Event, MarkEvent
from rankscope.workbench.store.failures import Refused
from rankscope.workbench.store.writer import Rules
from rankscope.workbench.usability.replies import check_survey

if TYPE_CHECKING:
    from rankscope.workbench.project import Project
    from rankscope.workbench.store.journal import Journal

LONGEST_COMMENT = 2000  # signs


@dataclass(eq=False)
class JudgingRules(Rules):
    """The rules of one project; asked by its writer, mark by mark, in the order of the journal."""

    project: Project

    def complete(self, mark: MarkEvent) -> MarkEvent:
        """With pool and guideline of the day, and flagged where it is one too many or the second of the same."""
        self._check_assessor(mark)
        if mark.kind == "undo":
            return mark
        if mark.kind == "draw":
            return self._draw(mark)
        self._check_about(mark)
        if mark.kind == "survey":
            check_survey(mark.detail or {})
        if mark.at_us is not None and mark.is_copy:
            return mark  # of another journal, whole as it is
        pool = self.project.pool
        pair = (mark.query or "", mark.item or "")
        inside = pool is not None and pool.row(pair) is not None
        return replace(
            mark,
            detail={**_own_details(mark), **self._flags(mark)} or None,
            at_us=None,
            pool=mark.pool if mark.pool is not None or not inside or pool is None else pool.design.version,
            guideline=self.project.guideline_version if mark.guideline is None else mark.guideline,
        )

    def read_again(self, journal: Journal) -> bool:
        """People, queries, guidelines and pools as they are now."""
        return self.project.read_tables(journal)

    def applied(self, events: Sequence[Event]) -> None:
        """A loan ends with the answer."""
        self.project.assignment.applied(events)

    def _check_assessor(self, mark: MarkEvent) -> None:
        assessor = self.project.assessors.get(mark.assessor)
        if assessor is None:
            raise Refused(f"there is no assessor {mark.assessor} in this project")
        if not assessor.active and not mark.is_copy:
            raise Refused(f"{assessor.name} was taken out of this project, so no mark of theirs is saved any more")

    def _check_about(self, mark: MarkEvent) -> None:
        """Query, item and grade are ones of this project."""
        if mark.query is not None and mark.query not in self.project.queries:
            raise Refused(f"there is no query '{mark.query}' in this project")
        if mark.item is not None and mark.item not in self.project.places:
            raise Refused(f"there is no item '{mark.item}' in this project")
        if mark.kind in {*ANSWERS, "adjudicate"} and (mark.query is None or mark.item is None):
            raise Refused("a mark says of which query and which item it speaks")
        grades = self.project.file.grades
        if mark.kind in ("grade", "adjudicate") and mark.grade not in grades:
            raise Refused(f"{mark.grade} is none of the grades {', '.join(map(str, grades))}")
        if mark.kind != "grade" and mark.kind != "adjudicate" and mark.grade is not None:
            raise Refused(f"'{mark.kind}' has no grade")
        if mark.kind == "comment" and not 0 < len(str((mark.detail or {}).get("text", ""))) <= LONGEST_COMMENT:
            raise Refused(f"a comment has 1 to {LONGEST_COMMENT:,} signs")
        if mark.kind == "prefer" and (wrong := problem_of_preference(mark)):
            raise Refused(wrong)

    def _flags(self, mark: MarkEvent) -> dict[str, Any]:
        if mark.kind not in ANSWERS or mark.is_copy:
            return {}
        if self.project.assignment.is_repeat(mark):
            return {"repeat": True}
        return {"surplus": True} if self.project.assignment.is_surplus(mark) else {}

    def _draw(self, mark: MarkEvent) -> MarkEvent:
        """The sample of a query, from what its adaptive part has left."""
        if mark.is_copy:
            return mark
        pool, query = self.project.pool, mark.query or ""
        if pool is None or not self.project.assignment.draw_is_due(query):
            raise Refused(f"the sample of query '{query}' is not to be drawn now")
        drawn = pool.draw(query, self.project.assignment.judged(query))
        return replace(mark, detail=drawn, pool=pool.design.version)


def _own_details(mark: MarkEvent) -> dict[str, Any]:
    """What a mark says next to its grade; nobody gives it a flag from outside."""
    return {name: value for name, value in (mark.detail or {}).items() if mark.is_copy or name not in RESERVED}
