"""What differs between engines: how a page is asked for, and how an answer and an error read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

from rankscope.engines.live.page import HttpRequest, Page, Place

Syntax = Literal["words", "lucene"]
WINDOW = 10_000  # how deep pages go by their numbers; behind that each begins where the last one ended


class Dialect(ABC):
    """How one kind of engine is spoken to; `paged` are members of a request that say which page, which is ours to say.

    `id_field` is where the id of a document stands unless another field is named.
    """

    id_field: str
    paged: tuple[str, ...]
    dropped = ""  # signs that cannot be escaped in a query

    @abstractmethod
    def search_address(self, url: str) -> str:
        """Where searches are sent to, from the address of an index."""

    @abstractmethod
    def usual_request(self, field: str | None, syntax: Syntax) -> dict[str, Any]:
        """The request that is sent where none was given: plain words, or a query in Lucene's language."""

    @abstractmethod
    def page_request(self, url: str, body: Mapping[str, Any], place: Place, id_field: str) -> HttpRequest:
        """The request for a page; only ids and scores are to come back."""

    @abstractmethod
    def read_page(self, data: Any, id_field: str) -> Page:
        """What an answer holds; an `EngineFailure` where it is incomplete, or none."""

    @abstractmethod
    def error_text(self, data: Any) -> str:
        """What the engine says is wrong."""
