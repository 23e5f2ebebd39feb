"""Items as those see them who do not judge: with ids, classes, ranks and scores."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict

from rankscope.errors import SettingError
from rankscope.workbench.browsing.best_first import Neighbourhood
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.item_views import item_view
from rankscope.workbench.service.refusals import Refusal

SNIPPET = 280  # signs of a text in a grid
KEPT = 6  # feature files under a metric that are ready to be asked
USUAL_METRIC = "cosine"  # as `rankscope rank` has it


class CardView(TypedDict):
    """An item in a grid; id and class are empty for who judges."""

    number: int
    kind: Literal["picture", "text"]
    title: str
    text: str
    id: str
    label: str
    rank: int
    score: float | None


class ChoiceView(TypedDict):
    """A feature file, the metric that goes with it, and why a picture cannot be compared with it, if so."""

    name: str
    metric: str
    why_not: str


def card(bench: Workbench, place: int, rank: int, *, score: float | None = None, blind: bool = False) -> CardView:
    """One item at its place of a list."""
    item = bench.project.items[place]
    shown = item_view(bench, item.id)
    return {
        "number": shown["number"],
        "kind": shown["kind"],
        "title": shown["title"],
        "text": shown["text"][:SNIPPET],
        "id": "" if blind else item.id,
        "label": "" if blind else item.class_,
        "rank": rank,
        "score": score,
    }


def cards(bench: Workbench, places: Sequence[int], first: int = 1, *, blind: bool = False) -> list[CardView]:
    """Items in a row, counted from `first`."""
    return [card(bench, place, rank, blind=blind) for rank, place in enumerate(places, first)]


def scored_cards(bench: Workbench, rows: Iterable[tuple[int, float]], first: int, blind: bool) -> list[CardView]:
    """The same with scores."""
    return [card(bench, place, rank, score=score, blind=blind) for rank, (place, score) in enumerate(rows, first)]


def place_of(bench: Workbench, number: int) -> int:
    """Which item a number means; a refusal where it means none."""
    try:
        return bench.project.numbers.place(number)
    except IndexError:
        raise Refusal(404, f"there is no item {number}") from None


class Neighbourhoods:
    """Feature files of a project under metrics, each made when it is first asked for; the last ones are kept."""

    def __init__(self, bench: Workbench) -> None:
        self.access = bench.project.access
        self._made: dict[tuple[str, str], Neighbourhood] = {}
        self._making = threading.Lock()

    def chosen(self, features: str = "", metric: str = "") -> tuple[str, str]:
        """The names of a feature file and a metric: the first one, and the one that goes with it, unless named."""
        from rankscope.engines.nearest.spaces import metric_named, name_of

        vectors = self.access.vectors(features or None)
        return vectors.name, name_of(metric_named(metric or vectors.metric or USUAL_METRIC))

    def of(self, features: str, metric: str) -> Neighbourhood:
        """Ready to be asked, by the names that `chosen` gives."""
        key = (features, metric)
        with self._making:
            found = self._made.pop(key, None) or Neighbourhood(metric, self.access.vectors(features).matrix)
            self._made[key] = found  # the last that was asked for stands at the end
            while len(self._made) > KEPT:
                del self._made[next(iter(self._made))]
        return found


def feature_choices(bench: Workbench) -> list[ChoiceView]:
    """The feature files of a project, as a page offers them."""
    from rankscope.workbench.browsing.one_more import OneMore

    access = bench.project.access
    found: list[ChoiceView] = []
    for name, path in zip(access.feature_names, access.sources.features, strict=True):
        why_not = ""
        try:
            OneMore.of(path)
        except SettingError as error:
            why_not = str(error)
        found.append({"name": name, "metric": access.vectors(name).metric or USUAL_METRIC, "why_not": why_not})
    return found


def metric_names() -> list[str]:
    """The metrics by name."""
    from rankscope.engines.nearest.spaces import ALL

    return [str(each.name) for each in ALL]


def last_page(count: int, size: int) -> int:
    """The number of pages; one where there is nothing."""
    return max(1, -(-count // size))
