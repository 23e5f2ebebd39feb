"""What is judged and by what: pools, how they were drawn, and guidelines, each with a form for the next one."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypedDict

from rankscope.core.validation import COUNT, SEED, Optional
from rankscope.workbench.pages.addresses import Changed, Visit, Words, address
from rankscope.workbench.pages.answers import view_of
from rankscope.workbench.store.events import PoolDesign

POOL_EXAMPLES = {
    "depth(20)": "the first 20 of each run",
    "mtf(100)": "run by run, as long as what comes is relevant",
    "bandit(100)": "always from the run that has brought most so far",
    "sample(1-10:all, 11-100:20%, 101-1000:5%)": "a sample with known probabilities, for estimates with intervals",
    "decide(10)": "what decides between the first two runs by P@10, query by query, and only until it is decided",
    "bandit(100) + sample(101-1000:2%)": "first the one, then a sample of what it left",
}


class DesignView(TypedDict):
    version: int
    method: str
    seed: int
    budget: int | None
    runs: list[str]
    digest: str
    at_us: int
    candidates: int | None  # of the one that is judged now
    decision: str | None  # of the one that is judged now, where it decides between two runs


class PoolView(TypedDict):
    designs: list[DesignView]
    runs: int
    examples: dict[str, str]


class PoolAsked(NamedTuple):
    method: Annotated[str, Words(500, least=1), "how it is drawn, as depth(20)"]
    budget: Annotated[int | None, Optional(COUNT), "items of each query that mtf and bandit judge"] = None
    seed: Annotated[int, SEED, "of the sample"] = 0


@address("GET", "/pool", role="admin", title="Pool", template="pool.html")
def pool(visit: Visit) -> PoolView:
    """What is to be judged, and how it was drawn."""
    project = visit.project
    return {
        "designs": [_design(visit, each) for each in reversed(project.designs)],
        "runs": len(project.file.runs),
        "examples": dict(POOL_EXAMPLES),
    }


@address("POST", "/pool", role="admin")
def make_pool(visit: Visit, asked: PoolAsked) -> Changed:
    """Draw a pool, which is judged from now on; marks of others stay."""
    visit.project.make_pool(asked.method, budget=asked.budget, seed=asked.seed)
    return Changed("/pool")


def _design(visit: Visit, found: PoolDesign) -> DesignView:
    current = visit.project.pool
    is_current = current is not None and current.design.version == found.version
    candidates = len(current.rows) if current is not None and is_current else None
    with visit.project.lock:
        compared = visit.project.assignment.compared
        decision = compared.decision().sentence if is_current and compared is not None else None
    return view_of(found, DesignView, runs=found.run_names, candidates=candidates, decision=decision)


# What assessors are to go by, in all its versions; an admin writes the next one.

LONGEST_GUIDELINE = 100_000  # signs


class VersionView(TypedDict):
    version: int
    text: str
    at_us: int
    digest: str


class GuidelinesView(TypedDict):
    versions: list[VersionView]
    may_write: bool


class GuidelineAsked(NamedTuple):
    text: Annotated[str, Words(LONGEST_GUIDELINE, least=1), "what assessors are to go by from now on"]


@address("GET", "/guidelines", title="Guidelines", template="guidelines.html")
def guidelines(visit: Visit) -> GuidelinesView:
    """What assessors are to go by; each mark carries the version that it was made under."""
    found = [view_of(each, VersionView) for each in reversed(visit.project.guidelines)]
    return {"versions": found, "may_write": visit.person.role == "admin"}


@address("POST", "/guidelines", role="admin")
def write_guideline(visit: Visit, asked: GuidelineAsked) -> Changed:
    """Write the next version; the same text again changes nothing."""
    visit.project.add_guideline(asked.text.replace("\r\n", "\n"))
    return Changed("/guidelines")
