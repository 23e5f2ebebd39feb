"""How far assessors agree: every two, all together, by class, with machines; and whether it changes systems' order."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, TypedDict

from rankscope.errors import SettingError
from rankscope.statistics.agreement.agreement import Agreed, Agreement
from rankscope.statistics.agreement.orders import OrderChange, order_changes
from rankscope.workbench.agreeing import ProjectAgreement, Said, agreement_of_project, disputed_pairs
from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.sources import run_names


class CoefficientView(TypedDict):
    """A coefficient between its limits over queries; null where it is undefined."""

    name: str
    value: float | None
    low: float | None
    high: float | None


class AgreedView(TypedDict):
    """Some assessors on what they judged in common; `is_thin`: too few pairs to say much."""

    assessors: list[str]
    label: str
    pairs: int
    queries: int
    is_thin: bool
    is_lopsided: bool
    coefficients: list[CoefficientView]


class SaidView(TypedDict):
    """How often an assessor gave a grade, was unsure, or skipped."""

    name: str
    kind: str
    grades: int
    unsure: int
    skipped: int


class OrderView(TypedDict):
    """Systems under the judgements of two assessors."""

    first: str
    second: str
    pairs: int
    queries: int
    tau: float | None
    swapped: int
    kept: int
    reversed: int
    one_sided: int
    undecided: int
    largest_change: float
    largest_of: str


class AgreementView(TypedDict):
    """All of it."""

    level: float
    people: list[SaidView]
    two: list[AgreedView]
    together: list[AgreedView]
    two_by_class: list[AgreedView]
    together_by_class: list[AgreedView]
    machines: list[AgreedView]
    again: list[AgreedView]
    disputed: int
    runs: list[str]
    measure: str
    orders: list[OrderView]
    notes: list[str]
    shown: list[str]  # the coefficients that the page has; here are all
    words: list[str]


@dataclass(frozen=True)
class AgreementAsked:
    """What is wanted next to the agreement."""

    measure: Annotated[str, Words(200), "a measure: then systems are put in order under each assessor's judgements"] = (
        ""
    )


class Agreements:
    """The agreement of a project, computed anew when the journal has grown."""

    def __init__(self, bench: Workbench) -> None:
        self.project = bench.project
        self._at = -1
        self._found: ProjectAgreement | None = None
        self._orders: dict[str, tuple[OrderChange, ...]] = {}

    def now(self) -> ProjectAgreement:
        """As the marks stand."""
        if self._found is None or self._at != self.project.state.last:
            self._at, self._orders = self.project.state.last, {}
            self._found = agreement_of_project(self.project)
        return self._found

    def orders(self, found: Agreement, measure: str) -> tuple[OrderChange, ...]:
        """The order of the project's runs under every two assessors."""
        if measure not in self._orders:
            paths = self.project.sources.runs
            if len(paths) < 2:
                raise SettingError("systems are put in order, and the project names fewer than two runs")
            runs = dict(zip(run_names(paths), map(str, paths), strict=True))
            self._orders[measure] = order_changes(found.marks, runs, measure, rel=self.project.file.relevant)
        return self._orders[measure]


@address("GET", "/agreement", role="adjudicator", title="Agreement", template="agreement.html", statuses=(409,))
def agreement(visit: Visit, asked: AgreementAsked) -> AgreementView:
    """How far assessors agree, by name; with a measure also how the order of systems changes with who judges."""
    from rankscope.reports.texts.agreement import SHOWN, notes, order_lines

    kept = visit.bench.keep(Agreements)
    whole = kept.now()
    found = whole.found
    orders = kept.orders(found, asked.measure) if found is not None and asked.measure else ()
    with visit.project.lock:
        disputed = len(disputed_pairs(visit.project, visit.person.id))
    return {
        "level": 0.95 if found is None else found.level,
        "people": [_said_view(visit, each) for each in whole.said],
        "two": _views(found.two if found else ()),
        "together": _views([found.together] if found else ()),
        "two_by_class": _views(found.two_by_class if found else ()),
        "together_by_class": _views(found.together_by_class if found else ()),
        "machines": _views(whole.machines),
        "again": _views(whole.again),
        "disputed": disputed,
        "runs": run_names(visit.project.sources.runs),
        "measure": asked.measure,
        "orders": [_order_view(each) for each in orders],
        "notes": [line.removeprefix("! ") for line in notes(found.two)] if found else [],
        "shown": list(SHOWN),
        "words": [line.removeprefix("! ") for line in order_lines(orders)] if orders else [],
    }


def _views(found: Iterable[Agreed]) -> list[AgreedView]:
    return [_view(each) for each in found]


def _view(found: Agreed) -> AgreedView:
    return {
        "assessors": list(found.assessors),
        "label": found.label,
        "pairs": found.pairs,
        "queries": found.queries,
        "is_thin": found.is_thin,
        "is_lopsided": found.is_lopsided,
        "coefficients": [
            {"name": each.name, "value": known(each.value), "low": known(each.low), "high": known(each.high)}
            for each in found.coefficients
        ],
    }


def _said_view(visit: Visit, said: Said) -> SaidView:
    person = visit.project.assessors[said.assessor]
    return {
        "name": person.name,
        "kind": person.kind,
        "grades": said.grades,
        "unsure": said.unsure,
        "skipped": said.skipped,
    }


def _order_view(found: OrderChange) -> OrderView:
    return {
        "first": found.first,
        "second": found.second,
        "pairs": found.pairs,
        "queries": found.queries,
        "tau": known(found.tau),
        "swapped": found.swapped,
        "kept": found.kept,
        "reversed": found.reversed,
        "one_sided": found.one_sided,
        "undecided": found.undecided,
        "largest_change": found.largest.change,
        "largest_of": found.largest.system,
    }


def known(value: float) -> float | None:
    """A number as JSON has it: nothing for what is undefined.

    >>> known(0.5), known(float("nan"))
    (0.5, None)
    """
    return None if math.isnan(value) else value


ADDRESSES = (agreement,)
