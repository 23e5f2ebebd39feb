"""What assessors are to go by, in all its versions; an admin writes the next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from rankscope.workbench.pages.addresses import Changed, Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.store.rows import Guideline

LONGEST = 100_000  # signs


class VersionView(TypedDict):
    """One version."""

    version: int
    text: str
    at_us: int
    digest: str


class GuidelinesView(TypedDict):
    """All versions, the last first; only admins may write one."""

    versions: list[VersionView]
    may_write: bool


@dataclass(frozen=True)
class GuidelineAsked:
    """The next version."""

    text: Annotated[str, Words(LONGEST, least=1), "what assessors are to go by from now on"]


@address("GET", "/guidelines", title="Guidelines", template="guidelines.html")
def guidelines(visit: Visit) -> GuidelinesView:
    """What assessors are to go by; each mark carries the version that it was made under."""
    found = [_version(each) for each in reversed(visit.project.guidelines)]
    return {"versions": found, "may_write": visit.person.role == "admin"}


@address("POST", "/guidelines", role="admin")
def write_guideline(visit: Visit, asked: GuidelineAsked) -> Changed:
    """Write the next version; the same text again changes nothing."""
    visit.project.add_guideline(asked.text.replace("\r\n", "\n"))
    return Changed("/guidelines")


def _version(found: Guideline) -> VersionView:
    return {"version": found.version, "text": found.text, "at_us": found.at_us, "digest": found.digest}


ADDRESSES = (guidelines, write_guideline)
