"""The ranking of one topic, page by page to the depth that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rankscope.engines.live.answer import TopicAnswer
from rankscope.engines.live.dialect import WINDOW, Dialect
from rankscope.engines.live.failure import EngineFailure
from rankscope.engines.live.limits import Extent
from rankscope.engines.live.page import HttpRequest, Page, Place

Ask = Callable[[HttpRequest], tuple[Page, float, int]]  # the page, its seconds, and how often it was asked again


@dataclass
class ArrivedRanking:
    """What has arrived of a ranking; a document that comes a second time stays where it was."""

    scores: dict[str, float] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)
    retries: int = 0
    received: int = 0
    totals: set[int] = field(default_factory=set)
    own: float | None = None
    last: Page | None = None

    def add(self, page: Page, seconds: float, retries: int) -> None:
        """One more page; the same one again means that the engine does not turn pages."""
        if self.last is not None and page.ids and page.ids == self.last.ids:
            raise EngineFailure("the same page comes again and again: this request cannot be paged")
        if self.last is None:
            self.own = page.took
        for item, score in zip(page.ids, page.scores, strict=True):
            self.scores.setdefault(item, score)
        self.milliseconds.append(1000 * seconds)
        self.retries += retries
        self.received += len(page.ids)
        self.totals |= set() if page.total is None else {page.total}
        self.last = page

    def answer(self, topic: str, depth: int) -> TopicAnswer:
        """The first documents of it."""
        kept = list(self.scores.items())[:depth]
        return TopicAnswer(
            topic=topic,
            ids=tuple(item for item, _ in kept),
            scores=tuple(score for _, score in kept),
            milliseconds=tuple(self.milliseconds),
            own=self.own,
            retries=self.retries,
            duplicates=self.received - len(self.scores),
            moved=len(self.totals) > 1,
        )


@dataclass(frozen=True)
class Pager:
    """Asks for pages of one index; behind `WINDOW` documents a page begins where the last one ended."""

    dialect: Dialect
    url: str
    id_field: str
    extent: Extent
    ask: Ask

    def rank(self, topic: str, body: Mapping[str, Any]) -> TopicAnswer:
        """The ranking of a topic whose request is `body`."""
        ranking = ArrivedRanking()
        place: Place | None = self._first_place()
        while place is not None:
            page, seconds, retries = self.ask(self.dialect.page_request(self.url, body, place, self.id_field))
            ranking.add(page, seconds, retries)
            place = self._next_place(place, page, ranking)
        return ranking.answer(topic, self.extent.depth)

    def _first_place(self) -> Place:
        depth, size = self.extent.depth, self.extent.page_size
        return Place(0, min(size, depth), deep=depth > WINDOW)

    def _next_place(self, place: Place, page: Page, ranking: ArrivedRanking) -> Place | None:
        """Where to go on; None where everything wanted or everything there is has come."""
        start, missing = place.start + len(page.ids), self.extent.depth - len(ranking.scores)
        more = len(page.ids) >= place.size or (page.total is not None and start < page.total)
        if not page.ids or missing <= 0 or not more:
            return None
        if place.deep and page.after is None:
            raise EngineFailure("the answer does not say where the next page begins")
        if place.deep:
            return None if page.after == place.after else replace(place, start=start, after=page.after)
        size = min(place.size, missing, WINDOW - start)
        return Place(start, size) if size > 0 else None
