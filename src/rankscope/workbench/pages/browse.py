"""The collection to look through: class by class, at random, from near to far; and more like an item or a picture."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypedDict
from urllib.parse import urlencode

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import Response

from rankscope.core.arrays import IntArray
from rankscope.core.validation import OneOf, Optional, WholeNumber
from rankscope.workbench.browsing.collection import Nearest, class_sizes, order_by_class, random_order
from rankscope.workbench.pages.addresses import Changed, Picture, Visit, Words, address
from rankscope.workbench.pages.blindness import is_judging, refuse_open_example, refuse_while_judging
from rankscope.workbench.pages.items import (
    CardView,
    ChoiceView,
    Neighbourhoods,
    card,
    feature_choices,
    last_page,
    metric_names,
    place_of,
)
from rankscope.workbench.pages.pictures import LARGEST_DROPPED, DroppedPictures
from rankscope.workbench.service.application import Refusal

BROWSE_PAGE = 60  # items


class ClassView(TypedDict):
    name: str
    items: int


class BrowseView(TypedDict):
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


class BrowseAsked(NamedTuple):
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
    page: Annotated[int, WholeNumber(1, 10**6), f"which {BROWSE_PAGE} of them"] = 1


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
        start = int(random_order(len(visit.project.items), asked.seed)[0]) if start is None else start
    places = _places(visit, asked, order, start, chosen)
    pages = last_page(len(places), BROWSE_PAGE)
    first = (min(asked.page, pages) - 1) * BROWSE_PAGE
    shown = places[first : first + BROWSE_PAGE].tolist()
    return {
        "order": order,
        "items": [card(visit.bench, place, rank, blind=blind) for rank, place in enumerate(shown, first + 1)],
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
    items = visit.project.items
    if order == "random":
        return random_order(len(items), asked.seed)
    if order == "near" and start is not None:
        refuse_open_example(visit, items[start].id, "what is near to its example")
        near = visit.bench.keep(Neighbourhoods).of(*chosen).like_item(start, len(items) - 1)
        return np.concatenate([[start], near.places])
    refuse_while_judging(visit, "the order by class")
    found = order_by_class(items, asked.class_ or None)
    if not len(found):
        raise Refusal(404, f"there is no class '{asked.class_}' in this collection")
    return found


# More like this: an item of the collection, or a picture that was dropped in, and what is nearest to it.

LIKE_PAGE = 20  # items


class LikeView(TypedDict):
    """What is nearest; `example` is an item of the collection, `dropped` a picture from elsewhere."""

    example: CardView | None
    dropped: str
    dropped_name: str
    items: list[CardView]
    total: int
    page: int
    pages: int
    features: str
    metric: str
    choices: list[ChoiceView]
    metrics: list[str]
    takes_pictures: bool


class DroppedView(TypedDict):
    dropped: str


Features = Annotated[str, Words(200), "a feature file of the project; the first unless named"]
Metric = Annotated[str, Words(300), "a metric, or a mixture; the one that goes with the features unless named"]
Page = Annotated[int, WholeNumber(1, 10**6), f"which {LIKE_PAGE} of them"]


class LikeItemAsked(NamedTuple):
    features: Features = ""
    metric: Metric = ""
    page: Page = 1
    number: Annotated[int, WholeNumber(0), "the number of an item"] = 0


class LikePictureAsked(NamedTuple):
    features: Features = ""
    metric: Metric = ""
    page: Page = 1
    dropped: Annotated[str, Words(40), "the name that a picture was given when it was dropped in"] = ""


class DropAsked(NamedTuple):
    file: Annotated[UploadFile, Picture(), f"a picture of at most {LARGEST_DROPPED >> 20} MB"]
    features: Annotated[str, Words(200), "the feature file that it is to be compared with"] = ""
    metric: Annotated[str, Words(300), "the metric"] = ""


class PreviewAsked(NamedTuple):
    name: Annotated[str, Words(40), "its name"]


@address("GET", "/like/{number:int}", role="admin", template="like.html", statuses=(403, 404))
def like_item(visit: Visit, asked: LikeItemAsked) -> LikeView:
    """The items that are nearest to one of them, by any features and metric; exact, with scores."""
    place = place_of(visit.bench, asked.number)
    refuse_open_example(visit, visit.project.items[place].id, "what is near to its example")
    around = visit.bench.keep(Neighbourhoods)
    chosen = around.chosen(asked.features, asked.metric)
    others = len(visit.project.items) - 1
    page = min(asked.page, last_page(others, LIKE_PAGE))
    found = around.of(*chosen).like_item(place, page * LIKE_PAGE)
    view = _view(visit, found, page, others, chosen)
    return {**view, "example": card(visit.bench, place, 0, blind=is_judging(visit))}


@address("GET", "/like", role="admin", template="like.html", statuses=(404,))
def like_picture(visit: Visit, asked: LikePictureAsked) -> LikeView:
    """The items that are nearest to a picture that was dropped in; without one, where to drop it."""
    around = visit.bench.keep(Neighbourhoods)
    chosen = around.chosen(asked.features, asked.metric) if visit.project.access.feature_names else ("", "")
    if not asked.dropped:
        return _view(visit, None, 1, 0, chosen)
    store = visit.bench.keep(DroppedPictures)
    dropped = store.find(visit, asked.dropped)
    others = len(visit.project.items)
    page = min(asked.page, last_page(others, LIKE_PAGE))
    found = around.of(*chosen).like_vector(store.vector(dropped, chosen[0]), page * LIKE_PAGE)
    view = _view(visit, found, page, others, chosen)
    return {**view, "dropped": asked.dropped, "dropped_name": dropped.name}


def _view(visit: Visit, found: Nearest | None, page: int, total: int, chosen: tuple[str, str]) -> LikeView:
    first = (page - 1) * LIKE_PAGE
    rows = zip(found.places[first:].tolist(), found.scores[first:].tolist(), strict=True) if found else ()
    choices, blind = visit.bench.keep(feature_choices), is_judging(visit)
    return {
        "example": None,
        "dropped": "",
        "dropped_name": "",
        "items": [
            card(visit.bench, place, rank, score=score, blind=blind)
            for rank, (place, score) in enumerate(rows, first + 1)
        ],
        "total": total,
        "page": page,
        "pages": last_page(total, LIKE_PAGE),
        "features": chosen[0],
        "metric": chosen[1],
        "choices": choices,
        "metrics": metric_names(),
        "takes_pictures": visit.project.file.images is not None and any(not each["why_not"] for each in choices),
    }


@address("POST", "/like/picture", role="admin", takes_file=True, statuses=(413, 415))
async def drop_picture(visit: Visit, asked: DropAsked) -> Changed | DroppedView:
    """Drop a picture in: decoded elsewhere, kept in memory, and seen by nobody else."""
    data = await asked.file.read(LARGEST_DROPPED + 1)
    store = visit.bench.keep(DroppedPictures)
    key = await run_in_threadpool(store.add, visit, asked.file.filename or "", data)
    choices = visit.bench.keep(feature_choices)
    usable = [each["name"] for each in choices if not each["why_not"]]
    features = asked.features if asked.features in usable or not usable else usable[0]
    given = {"dropped": key, "features": features, "metric": asked.metric if features == asked.features else ""}
    return Changed(f"/like?{urlencode({name: value for name, value in given.items() if value})}", {"dropped": key})


@address("GET", "/like/picture/{name}", role="admin", media="image/webp", statuses=(404,))
def dropped_picture(visit: Visit, asked: PreviewAsked) -> Response:
    """What was dropped in, as the server decoded it."""
    found = visit.bench.keep(DroppedPictures).find(visit, asked.name)
    return Response(found.preview, headers={"cache-control": "private, no-store"}, media_type="image/webp")
