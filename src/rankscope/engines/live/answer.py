"""What an engine gave for one topic."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TopicAnswer:
    """The ranking of a topic, the milliseconds of each of its requests, and what was odd about it.

    `own` are the milliseconds that the engine says it took for the first page. `retries` counts requests that had to be
    sent again, `duplicates` documents that came again on a later page and were dropped, and `moved` says that the
    number of matches changed between pages.
    """

    topic: str
    ids: tuple[str, ...]
    scores: tuple[float, ...]
    milliseconds: tuple[float, ...]
    own: float | None = None
    retries: int = 0
    duplicates: int = 0
    moved: bool = False

    @property
    def is_ordered(self) -> bool:
        """Whether scores never rise from a document to the next one."""
        return all(above >= below for above, below in zip(self.scores, self.scores[1:], strict=False))

    @property
    def has_ties(self) -> bool:
        """Whether two documents in a row have the same score."""
        return any(above == below for above, below in zip(self.scores, self.scores[1:], strict=False))


@dataclass(frozen=True)
class TopicFailure:
    """A topic without an answer, and why; `again` and `for_all` as in `EngineFailure`."""

    topic: str
    reason: str
    again: bool = False
    for_all: bool = False
