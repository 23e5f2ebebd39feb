"""Items, queries and tasks as pages show them: by number for who judges, with ids, classes and scores for others."""

from __future__ import annotations

import re
import threading
from typing import Final, Literal, TypedDict

from rankscope.core.caching import Recent
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.nearest.metrics import ALL as ALL_METRICS
from rankscope.engines.nearest.metrics import metric_name, metric_named
from rankscope.workbench.browsing.collection import Neighbourhood, VectorRecipe
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.service.application import Refusal
from rankscope.workbench.store.events import Pair

LONGEST_TEXT = 20_000  # signs of a text


class ItemView(TypedDict):
    number: int
    kind: Literal["picture", "text"]
    title: str
    text: str


class QueryView(TypedDict):
    query: int
    text: str
    narrative: str
    example: ItemView | None


def item_view(bench: Workbench, item: str) -> ItemView:
    if bench.project.file.images is not None:
        return {"number": bench.number_of(item), "kind": "picture", "title": "", "text": ""}
    try:
        fields = bench.project.access.document(item)
    except InputError:
        fields = {"text": "The text of this item is not there any more."}
    title = fields.get("title") or ""
    text = "\n\n".join(value for name, value in fields.items() if name != "title" and value)
    return {"number": bench.number_of(item), "kind": "text", "title": title[:LONGEST_TEXT], "text": text[:LONGEST_TEXT]}


def query_view(bench: Workbench, name: str) -> QueryView:
    query = bench.project.queries[name]
    return {
        "query": bench.query_number(name),
        "text": query.text,
        "narrative": query.narrative,
        "example": None if query.example is None else item_view(bench, query.example),
    }


# Items as those see them who do not judge: with ids, classes, ranks and scores.

SNIPPET = 280  # signs of a text in a grid
NEIGHBOURHOODS_KEPT = 6  # feature files under a metric that are ready to be asked
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
    item = bench.project.items[place]
    shown = item_view(bench, item.id)
    shown["text"] = shown["text"][:SNIPPET]
    return {
        **shown,
        "id": "" if blind else item.id,
        "label": "" if blind else item.class_,
        "rank": rank,
        "score": score,
    }


def place_of(bench: Workbench, number: int) -> int:
    try:
        return bench.project.numbers.place(number)
    except IndexError:
        raise Refusal(404, f"there is no item {number}") from None


class Neighbourhoods:
    """Feature files of a project under metrics, each made when it is first asked for; the last ones are kept."""

    def __init__(self, bench: Workbench) -> None:
        self.access = bench.project.access
        self._made = Recent[Neighbourhood](NEIGHBOURHOODS_KEPT, lambda each: 1)
        self._making = threading.Lock()  # one at a time

    def chosen(self, features: str = "", metric: str = "") -> tuple[str, str]:
        """The names of a feature file and a metric: the first one, and the one that goes with it, unless named."""
        vectors = self.access.vectors(features or None)
        return vectors.name, metric_name(metric_named(metric or vectors.metric or USUAL_METRIC))

    def of(self, features: str, metric: str) -> Neighbourhood:
        with self._making:
            return self._made.get(
                (features, metric), lambda: Neighbourhood(metric, self.access.vectors(features).matrix)
            )


def feature_choices(bench: Workbench) -> list[ChoiceView]:
    access = bench.project.access
    found: list[ChoiceView] = []
    for name, path in zip(access.feature_names, access.sources.features, strict=True):
        why_not = ""
        try:
            VectorRecipe.of(path)
        except SettingError as error:
            why_not = str(error)
        found.append({"name": name, "metric": access.vectors(name).metric or USUAL_METRIC, "why_not": why_not})
    return found


def metric_names() -> list[str]:
    return [str(each.name) for each in ALL_METRICS]


def last_page(count: int, size: int) -> int:
    return max(1, -(-count // size))


# Tasks: a query and an item under numbers that say nothing, as `3-17`.

TASK_FORM: Final = re.compile(r"([0-9]{1,12})-([0-9]{1,12})", re.ASCII)


def task_of(bench: Workbench, pair: Pair) -> str:
    return f"{bench.query_number(pair[0])}-{bench.number_of(pair[1])}"


def pair_of(bench: Workbench, task: str) -> Pair:
    found = TASK_FORM.fullmatch(task)
    try:
        if found:
            return bench.query_of(int(found[1])), bench.item_of(int(found[2]))
    except IndexError:
        pass
    raise Refusal(400, f"task: there is no task '{task[:40]}' in this project")


def read_tasks(bench: Workbench, text: str, most: int) -> list[Pair]:
    """Tasks with commas between; those that mean nothing any more are left out."""
    pairs = []
    for each in filter(None, text.split(",")[:most]):
        try:
            pairs.append(pair_of(bench, each))
        except Refusal:
            continue
    return list(dict.fromkeys(pairs))
