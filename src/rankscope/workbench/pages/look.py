"""What is inside the project's index: documents, fields and terms, where they stand, and why something scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, TypedDict

from rankscope.errors import InputError, RankscopeError
from rankscope.reports.texts.look_views import OVERVIEW, VIEWS
from rankscope.validation import FLAG, OneOf, Optional, WholeNumber
from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.blindness import refuse_while_judging
from rankscope.workbench.pages.search import project_index

TITLES: Final = {
    "overview": "Overview",
    "terms": "Terms",
    "postings": "Where a term stands",
    "document": "A document",
    "explain": "Why a score",
    "analyse": "How a text is read",
    "query": "How a query is read",
}
MEANINGS: Final = {"TERM": "a term", "ID": "the id of a document", "QUERY": "a query", "TEXT": "words"}


class LookView(TypedDict):
    """One way to look: as text, and as a value for programs; `problem` where there is nothing to see."""

    view: str
    views: dict[str, str]
    there: bool
    fields: list[str]
    field: str
    words: str
    id: str
    prefix: str
    by: str
    rebuild: bool
    needs: list[str]
    options: list[str]
    text: str
    found: dict[str, Any]
    problem: str


@dataclass(frozen=True)
class LookAsked:
    """A view and what it needs."""

    view: Annotated[str, OneOf(tuple(TITLES), exactly=True), "what is looked at"] = "overview"
    words: Annotated[str, Words(2000), "a term, a query or a text, as the view needs it"] = ""
    id: Annotated[str, Words(500), "the id of a document"] = ""
    field: Annotated[str, Words(200), "the field; the usual one unless named"] = ""
    prefix: Annotated[str, Words(200), "terms: only those that begin so"] = ""
    by: Annotated[str, OneOf(("documents", "occurrences", "name"), exactly=True), "terms: their order"] = "documents"
    rebuild: Annotated[bool, FLAG, "document: from the terms of the index"] = False
    limit: Annotated[int, WholeNumber(1, 1000), "terms and postings: how many"] = 50
    similarity: Annotated[str | None, Optional(Words(200)), "explain: such as bm25(k1=0.9, b=0.4)"] = None
    analyser: Annotated[str | None, Optional(Words(200)), "analyse: another than that of the field"] = None
    operator: Annotated[str, OneOf(("OR", "AND"), exactly=True), "explain, query: between words"] = "OR"


def _has_index(bench: Workbench) -> bool:
    return bench.project.sources.index is not None


@address("GET", "/look", role="admin", title="Look", template="look.html", statuses=(403,), offered=_has_index)
def look(visit: Visit, asked: LookAsked) -> LookView:
    """What `rankscope look` shows of the project's index."""
    refuse_while_judging(visit, "what is in the index")
    index = visit.bench.keep(project_index)
    chosen = VIEWS.get(asked.view, OVERVIEW)
    given = [asked.id if each == "ID" else asked.words for each in chosen.needs]
    text, problem = "", ""
    found: dict[str, Any] = {}
    if index is not None and all(given):
        text, found, problem = _shown(index, chosen, given, asked)
    return {
        "view": asked.view,
        "views": TITLES,
        "there": index is not None,
        "fields": [] if index is None else list(index.fields),
        "field": asked.field or ("" if index is None else index.default_field),
        "words": asked.words,
        "id": asked.id,
        "prefix": asked.prefix,
        "by": asked.by,
        "rebuild": asked.rebuild,
        "needs": list(chosen.needs),
        "options": list(chosen.options),
        "text": text,
        "found": found,
        "problem": problem,
    }


def _shown(index: Any, chosen: Any, given: list[str], asked: LookAsked) -> tuple[str, dict[str, Any], str]:
    """Text and value; or in place of them what is wrong with what was asked."""
    options = {**asdict(asked), "field": asked.field or None, "served": None}
    try:
        text, found = chosen.show(index, given, options, False)
        return text, found, ""
    except InputError:
        raise
    except RankscopeError as error:
        return "", {}, str(error)


ADDRESSES = (look,)
