"""Search by words, by the project's index or else by ids and titles; and what is inside the index."""

from __future__ import annotations

from typing import Annotated, Any, Final, NamedTuple, TypedDict

from rankscope.core.errors import InputError, RankscopeError
from rankscope.core.validation import FLAG, OneOf, Optional, WholeNumber
from rankscope.engines.text.text_index import Index
from rankscope.engines.text.views import OVERVIEW, VIEWS
from rankscope.workbench.browsing.collection import items_with_words
from rankscope.workbench.pages.addresses import Visit, Words, address
from rankscope.workbench.pages.answers import view_of
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.blindness import refuse_while_judging
from rankscope.workbench.pages.items import CardView, ChoiceView, card, feature_choices, last_page

SEARCH_PAGE = 20  # items
PIECE = 200  # signs of a piece of a text


class PieceView(TypedDict):
    text: str
    marked: bool


class FoundView(CardView):
    pieces: list[PieceView]


class SearchView(TypedDict):
    """What was found; `by` says whether an index was asked, and `problem` what is wrong with the words."""

    q: str
    by: str
    items: list[FoundView]
    total: int
    page: int
    pages: int
    problem: str
    choices: list[ChoiceView]
    takes_pictures: bool


class SearchAsked(NamedTuple):
    q: Annotated[str, Words(1000), "words; with an index in Lucene's language"] = ""
    page: Annotated[int, WholeNumber(1, 10**6), f"which {SEARCH_PAGE} of them"] = 1


@address("GET", "/search", role="admin", title="Search", template="search.html", statuses=(403,))
def search(visit: Visit, asked: SearchAsked) -> SearchView:
    """The items that fit words, with scores and the words marked where an index is asked."""
    refuse_while_judging(visit, "a search")
    index = visit.bench.keep(project_index)
    items: list[FoundView] = []
    total, problem = 0, ""
    if asked.q.strip():
        try:
            items, total = _by_index(visit, index, asked) if index is not None else _by_names(visit, asked)
        except InputError:
            raise
        except RankscopeError as error:
            problem = str(error)
    choices = visit.bench.keep(feature_choices)
    return {
        "q": asked.q,
        "by": "names" if index is None else "index",
        "items": items,
        "total": total,
        "page": asked.page,
        "pages": last_page(total, SEARCH_PAGE),
        "problem": problem,
        "choices": choices,
        "takes_pictures": visit.project.file.images is not None and any(not each["why_not"] for each in choices),
    }


def project_index(bench: Workbench) -> Index | None:
    """The index of the project's texts; None: it has none."""
    path = bench.project.sources.index
    return None if path is None else Index.open(path)


def _by_index(visit: Visit, index: Index, asked: SearchAsked) -> tuple[list[FoundView], int]:
    """What the engine finds; documents of the index that are no items of the project are passed over."""
    places = visit.project.places
    hits = index.search(asked.q, limit=asked.page * SEARCH_PAGE)
    first = (asked.page - 1) * SEARCH_PAGE
    found: list[FoundView] = []
    for rank, (name, score) in enumerate(hits, 1):
        if rank > first and name in places:
            pieces: list[PieceView] = []  # of its text, in which most of the words stand
            for piece in index.highlight(asked.q, name, fragments=2, size=PIECE):
                pieces += [{"text": text, "marked": marked} for text, marked in [*piece, (" … ", False)]]
            shown = card(visit.bench, places[name], rank, score=float(score))
            found.append({**shown, "pieces": pieces[:-1]})
    return found, hits.total


def _by_names(visit: Visit, asked: SearchAsked) -> tuple[list[FoundView], int]:
    access, has_titles = visit.project.access, visit.project.file.texts is not None

    def title_of(item: str) -> str:
        try:
            return (access.document(item).get("title") or "") if has_titles else ""
        except InputError:
            return ""

    found = items_with_words(visit.project.items, asked.q, title_of)
    first = (asked.page - 1) * SEARCH_PAGE
    shown = enumerate(found[first : first + SEARCH_PAGE], first + 1)
    return [{**card(visit.bench, place, rank), "pieces": []} for rank, place in shown], len(found)


# What is inside the project's index: documents, fields and terms, where they stand, and why something scores.

TITLES: Final = {
    "overview": "Overview",
    "terms": "Terms",
    "postings": "Where a term stands",
    "document": "A document",
    "explain": "Why a score",
    "analyse": "How a text is read",
    "query": "How a query is read",
}


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


class LookAsked(NamedTuple):
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


@address(
    "GET",
    "/look",
    role="admin",
    title="Look",
    template="look.html",
    statuses=(403,),
    offered=lambda bench: bench.project.sources.index is not None,
)
def look(visit: Visit, asked: LookAsked) -> LookView:
    """What `rankscope look` shows of the project's index."""
    refuse_while_judging(visit, "what is in the index")
    index = visit.bench.keep(project_index)
    chosen = VIEWS.get(asked.view, OVERVIEW)
    given = [asked.id if each == "ID" else asked.words for each in chosen.needs]
    text, problem = "", ""
    found: dict[str, Any] = {}
    if index is not None and all(given):
        options = {**asked._asdict(), "field": asked.field or None, "served": None}
        try:
            text, found = chosen.show(index, given, options, False)
        except InputError:
            raise
        except RankscopeError as error:
            problem = str(error)
    return view_of(
        asked,
        LookView,
        views=TITLES,
        there=index is not None,
        fields=[] if index is None else list(index.fields),
        field=asked.field or ("" if index is None else index.default_field),
        needs=list(chosen.needs),
        options=list(chosen.options),
        text=text,
        found=found,
        problem=problem,
    )
