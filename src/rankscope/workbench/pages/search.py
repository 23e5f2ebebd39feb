"""Search by words: the text engine where the project has an index, else ids and titles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from rankscope.engines.text.text_index import Index
from rankscope.errors import InputError, RankscopeError
from rankscope.validation import WholeNumber
from rankscope.workbench.browsing.finding import items_with_words
from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.blindness import refuse_while_judging
from rankscope.workbench.pages.gallery import CardView, ChoiceView, card, cards, feature_choices, last_page

PAGE = 20  # items
PIECE = 200  # signs of a piece of a text


class PieceView(TypedDict):
    """A part of a text, and whether it is one of the words."""

    text: str
    marked: bool


class FoundView(CardView):
    """An item that was found, and where the words stand in it."""

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


@dataclass(frozen=True)
class SearchAsked:
    """Words, and how far down."""

    q: Annotated[str, Words(1000), "words; with an index in Lucene's language"] = ""
    page: Annotated[int, WholeNumber(1, 10**6), f"which {PAGE} of them"] = 1


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
        "pages": last_page(total, PAGE),
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
    hits = index.search(asked.q, limit=asked.page * PAGE)
    first = (asked.page - 1) * PAGE
    rows = [(rank, *hit) for rank, hit in enumerate(hits, 1) if rank > first and hit[0] in places]
    return [_found(visit.bench, index, asked.q, rank, name, float(score)) for rank, name, score in rows], hits.total


def _found(bench: Workbench, index: Index, words: str, rank: int, name: str, score: float) -> FoundView:
    """An item with the pieces of its text in which most of the words stand."""
    pieces: list[PieceView] = []
    for piece in index.highlight(words, name, fragments=2, size=PIECE):
        pieces += [{"text": text, "marked": marked} for text, marked in [*piece, (" … ", False)]]
    return {**card(bench, bench.project.places[name], rank, score=score), "pieces": pieces[:-1]}


def _by_names(visit: Visit, asked: SearchAsked) -> tuple[list[FoundView], int]:
    found = items_with_words(visit.project.items, asked.q, visit.bench.keep(Titles).of)
    first = (asked.page - 1) * PAGE
    shown = cards(visit.bench, found[first : first + PAGE], first + 1)
    return [{**each, "pieces": []} for each in shown], len(found)


class Titles:
    """Titles of documents; pictures have none."""

    def __init__(self, bench: Workbench) -> None:
        self.access, self.has_titles = bench.project.access, bench.project.file.texts is not None

    def of(self, item: str) -> str:
        """The title of an item, or nothing."""
        if not self.has_titles:
            return ""
        try:
            return self.access.document(item).get("title") or ""
        except InputError:
            return ""


ADDRESSES = (search,)
