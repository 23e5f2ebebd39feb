"""What stands first for each query of each system, with the words of the query and what is known of the items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.ranks.first_items import FirstItem, Lists
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    from rankscope.inputs.topics.query_set import QuerySet

COUNT = 10  # items of each list
MOST = 500_000  # items of all lists together: more would make the page too large to open
QUESTIONS = ("question", "desc", "description", "text", "narrative", "narr")


@dataclass(frozen=True)
class ShownDocuments:
    """By the id of an item: its title, its first words, a picture as a data address; and how a link is made."""

    titles: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    link: str = ""

    def __bool__(self) -> bool:
        return bool(self.titles or self.texts or self.pictures or self.link)


@dataclass(frozen=True)
class FoundItems:
    """Lists by the name of the system; words of queries: a title, and a question where there is one."""

    lists: Mapping[str, Lists] = field(default_factory=dict)
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    documents: ShownDocuments = field(default_factory=ShownDocuments)
    pictured: Mapping[str, str] = field(default_factory=dict)  # the picture that a query is, by its id

    @property
    def items(self) -> list[str]:
        """The ids of all items, each once."""
        found = (item.id for lists in self.lists.values() for first in lists.values() for item in first)
        return list(dict.fromkeys(filter(None, found)))

    def with_words(self, queries: QuerySet) -> FoundItems:
        """The same with what is asked for."""
        return replace(self, words=words_of(queries))

    def data(self, queries: Sequence[str], systems: Sequence[str]) -> dict[str, Any]:
        """As the script of the page reads it; queries and systems by their numbers."""
        shown = [number for number, name in enumerate(systems) if name in self.lists]
        lists = [self.lists[systems[number]] for number in shown]
        return {
            "listed": {"count": COUNT, "systems": shown, "queries": [_query(lists, each) for each in queries]},
            "words": [self.words.get(query, ("", "")) for query in queries] if self.words else [],
            "titles": dict(self.documents.titles),
            "texts": dict(self.documents.texts),
            "pictures": {**self.documents.pictures, **self.pictured},
            "link": self.documents.link,
        }


def _query(lists: Sequence[Lists], query: str) -> dict[str, Any]:
    """The items of one query, each once with its grade, and what each system has first by their numbers."""
    place: dict[str, int] = {}
    items: list[FirstItem] = []
    first = []
    for each in lists:
        numbers = []
        for item in each.get(query, ()):
            key = item.id or f"\0{len(items)}"  # without an id every item is another one
            if key not in place:
                place[key] = len(items)
                items.append(item)
            numbers.append(place[key])
        first.append(numbers)
    grades = [_grade(item) for item in items]
    return {"ids": [item.id for item in items], "grades": grades, "first": first}


def _grade(item: FirstItem) -> float | int | None:
    if not item.judged:
        return None
    return int(item.grade) if item.grade == int(item.grade) else item.grade


def words_of(queries: QuerySet) -> dict[str, tuple[str, str]]:
    """The title of each query and its question, each in one line.

    >>> from rankscope.inputs.topics.query_set import QuerySet
    >>> words_of(QuerySet({"1": {"title": "organized crime", "desc": "Which\\n gangs?"}}))
    {'1': ('organized crime', 'Which gangs?')}
    """
    usual = queries.texts()
    titles = {query: usual[query] or next(filter(None, parts.values()), "") for query, parts in queries.parts.items()}
    return {query: (_line(titles[query]), _question(parts, titles[query])) for query, parts in queries.parts.items()}


def _question(parts: Mapping[str, str], title: str) -> str:
    others = (parts[name] for name in QUESTIONS if parts.get(name))
    return next((_line(text) for text in others if text != title), "")


def _line(text: str) -> str:
    return " ".join(text.split())


def listed_systems(names: Sequence[str], order: Iterable[int], queries: int) -> list[str]:
    """The systems whose lists a page can hold: the baseline, which is the first, and the best of the others.

    >>> listed_systems(["base", "a", "b"], [2, 1, 0], queries=30), listed_systems(["x", "y", "z"], [2, 1, 0], 25_000)
    (['base', 'b', 'a'], ['x', 'z'])
    """
    most = max(2, MOST // max(1, queries * COUNT))
    return [names[each] for each in dict.fromkeys([0, *order])][:most]


def lists_of_ranks(ranks: RelevantRanks) -> Lists:
    """What is known of the first items without the run: the grades of those judged, and no id."""
    grades = np.full((len(ranks), COUNT), math.nan)
    near = ranks.judged["rank"] <= COUNT
    grades[ranks.judged.row[near], ranks.judged["rank"][near] - 1] = ranks.judged["grade"][near]
    lengths = np.minimum(ranks.depth, COUNT).tolist()
    rows = zip(ranks.queries, grades.tolist(), lengths, strict=True)
    return {query: [FirstItem("", grade) for grade in own[:length]] for query, own, length in rows}
