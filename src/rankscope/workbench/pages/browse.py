"""The collection to look through: class by class, at random, or from near to far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from rankscope.arrays import IntArray
from rankscope.validation import OneOf, Optional, WholeNumber
from rankscope.workbench.browsing.orders import at_random, by_class, class_sizes, from_near_to_far
from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.pages.blindness import is_judging, refuse_open_example, refuse_while_judging
from rankscope.workbench.pages.gallery import (
    CardView,
    ChoiceView,
    Neighbourhoods,
    cards,
    feature_choices,
    last_page,
    metric_names,
    place_of,
)
from rankscope.workbench.service.refusals import Refusal

PAGE = 60  # items


class ClassView(TypedDict):
    """A class and its size."""

    name: str
    items: int


class BrowseView(TypedDict):
    """One page of the collection."""

    order: str
    items: list[CardView]
    total: int
    page: int
    pages: int
    classes: list[ClassView]
    class_: str
    seed: int
    near: int | None
    features: str
    metric: str
    choices: list[ChoiceView]
    metrics: list[str]
    judging: bool


@dataclass(frozen=True)
class BrowseAsked:
    """In which order, and how far down."""

    order: Annotated[
        str | None,
        Optional(OneOf(("class", "random", "near"), exactly=True)),
        "class after class (usual where there are classes), shuffled, or from near to far",
    ] = None
    class_: Annotated[str, Words(200), "only the items of this class"] = ""
    seed: Annotated[int, WholeNumber(0, 2**32), "of the shuffled order"] = 0
    near: Annotated[int | None, Optional(WholeNumber(0)), "the number of the item that others are near to"] = None
    features: Annotated[str, Words(200), "the feature file that tells what is near; the first unless named"] = ""
    metric: Annotated[str, Words(300), "the metric; the one that goes with the features unless named"] = ""
    page: Annotated[int, WholeNumber(1, 10**6), f"which {PAGE} of them"] = 1


@address("GET", "/browse", role="admin", title="Browse", template="browse.html", statuses=(403, 404))
def browse(visit: Visit, asked: BrowseAsked) -> BrowseView:
    """The items of the collection, 60 a page; who judges the pool sees neither classes nor ids."""
    sizes = class_sizes(visit.project.items)
    blind = is_judging(visit)
    order = asked.order or ("class" if sizes and not blind else "random")
    chosen = ("", "")
    start = place_of(visit.bench, asked.near) if asked.near is not None else None
    if order == "near":
        chosen = visit.bench.keep(Neighbourhoods).chosen(asked.features, asked.metric)
        start = int(at_random(len(visit.project.items), asked.seed)[0]) if start is None else start
    places = _places(visit, asked, order, start, chosen)
    pages = last_page(len(places), PAGE)
    first = (min(asked.page, pages) - 1) * PAGE
    return {
        "order": order,
        "items": cards(visit.bench, places[first : first + PAGE].tolist(), first + 1, blind=blind),
        "total": len(places),
        "page": min(asked.page, pages),
        "pages": pages,
        "classes": [] if blind else [{"name": name, "items": size} for name, size in sizes.items()],
        "class_": asked.class_ if order == "class" else "",
        "seed": asked.seed,
        "near": None if start is None else visit.project.numbers.number(start),
        "features": chosen[0],
        "metric": chosen[1],
        "choices": visit.bench.keep(feature_choices),
        "metrics": metric_names(),
        "judging": blind,
    }


def _places(visit: Visit, asked: BrowseAsked, order: str, start: int | None, chosen: tuple[str, str]) -> IntArray:
    """All places of the collection that are shown, in order."""
    items = visit.project.items
    if order == "random":
        return at_random(len(items), asked.seed)
    if order == "near" and start is not None:
        refuse_open_example(visit, items[start].id, "what is near to its example")
        return from_near_to_far(visit.bench.keep(Neighbourhoods).of(*chosen), start)
    refuse_while_judging(visit, "the order by class")
    found = by_class(items, asked.class_ or None)
    if not len(found):
        raise Refusal(404, f"there is no class '{asked.class_}' in this collection")
    return found


ADDRESSES = (browse,)
