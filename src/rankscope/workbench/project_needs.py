"""What is looked for in a project, and what assessors go by when they judge."""

from __future__ import annotations

import time

from rankscope.errors import SettingError
from rankscope.workbench.project_part import ProjectPart
from rankscope.workbench.store.events import is_storable
from rankscope.workbench.store.rows import Guideline, Query


class ProjectNeeds(ProjectPart):
    """Queries by name, and guidelines in their order."""

    queries: dict[str, Query]
    guidelines: list[Guideline]
    places: dict[str, int]

    @property
    def guideline_version(self) -> int | None:
        """The version that marks are made under now; None: there is none."""
        return self.guidelines[-1].version if self.guidelines else None

    def add_guideline(self, text: str) -> Guideline:
        """What assessors read from now on; the same text again changes nothing."""
        if not text.strip() or not is_storable(text):
            raise SettingError("a guideline is a text that is not empty")
        if self.guidelines and self.guidelines[-1].text == text:
            return self.guidelines[-1]
        return self.put_guideline(Guideline(len(self.guidelines) + 1, text, time.time_ns() // 1000))

    def put_guideline(self, new: Guideline) -> Guideline:
        """One more version, as it is."""
        self.writer.change(lambda journal: journal.add_guideline(new))
        with self.lock:
            self.guidelines.append(new)
        return new

    def add_query(
        self, name: str, text: str = "", *, narrative: str = "", example: str | None = None, class_: str = ""
    ) -> Query:
        """One more thing to look for: in words, or like an item."""
        problems = (
            []
            if name.strip() and all(map(is_storable, (name, text, narrative, class_)))
            else ["a query has a name, and texts"]
        )
        problems += [f"there is a query '{name}' already"] if name in self.queries else []
        problems += [f"there is no item '{example}'"] if example is not None and example not in self.places else []
        if problems:
            raise SettingError.of(problems)
        new = Query(place=len(self.queries), id=name, text=text, narrative=narrative, example=example, class_=class_)
        self.writer.change(lambda journal: journal.add_query(new))
        with self.lock:
            self.queries[name] = new
        return new
