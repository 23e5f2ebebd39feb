"""A search as OpenSearch reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from rankscope.engines.text.index.segment import ID
from rankscope.engines.text.query.nodes import MatchAll, Node
from rankscope.workbench.service.answers import Json
from rankscope.workbench.service.asking import (
    POSITION,
    SCORE,
    SortKey,
    check_size,
    filtered,
)
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.opensearch.body import (
    ILLEGAL,
    list_of,
    object_of,
    only,
    text_of,
    truth_of,
    whole_of,
    wrong,
)
from rankscope.workbench.service.opensearch.queries import QueryReader
from rankscope.workbench.service.reading import Parameters
from rankscope.workbench.service.served import Served

BODY: Final = (
    "query",
    "post_filter",
    "from",
    "size",
    "sort",
    "_source",
    "highlight",
    "explain",
    "track_scores",
    "track_total_hits",
    "stored_fields",
    "timeout",
    "version",
    "seq_no_primary_term",
)
IN_ADDRESS: Final = ("from", "size", "explain", "track_scores", "track_total_hits")  # that may stand in the body too
SORTS: Final = {"_score": SCORE, "_doc": POSITION, "_id": ID}
USUAL_ROWS: Final = 10


@dataclass(frozen=True, eq=False)
class OpenSearchRequest:
    """A question as OpenSearch reads it: what the address says counts before what the body says."""

    served: Served
    body: Mapping[str, Any]
    limits: ServiceLimits
    deeper: bool = False  # whether there may be more documents before these than `window` says: a scroll

    @classmethod
    def of(cls, served: Served, body: Any, asked: Parameters, limits: ServiceLimits) -> OpenSearchRequest:
        """From the body and the parameters of an address."""
        found = dict(object_of({} if body is None else body, "body"))
        only(found, BODY, "search")
        found |= {name: asked.text(name) for name in IN_ADDRESS if name in asked}
        if "q" in asked:
            found["query"] = {"query_string": _query_string(asked)}
        if "sort" in asked:
            found["sort"] = [_sort_of_text(word) for word in asked.text("sort").split(",")]
        source = source_of(asked)
        return cls(served, found | ({} if source is None else {"_source": source}), limits)

    @cached_property
    def query(self) -> Node:
        """What is searched for."""
        reader = QueryReader(self.served, self.limits)
        node = reader.read(self.body["query"]) if "query" in self.body else MatchAll()
        if "post_filter" in self.body:
            node = filtered(node, [reader.read(self.body["post_filter"])])
        check_size(node, self.limits)
        return node

    @property
    def start(self) -> int:
        """How many documents are passed over."""
        return whole_of(self.body.get("from", 0), "from")

    @property
    def rows(self) -> int:
        """How many documents are wanted."""
        rows = whole_of(self.body.get("size", USUAL_ROWS), "size", most=self.limits.window)
        if not self.deeper and self.start + rows > self.limits.window:
            raise wrong(
                f"from + size must be at most {self.limits.window}, and is {self.start + rows}: use a scroll", ILLEGAL
            )
        return rows

    @cached_property
    def sort(self) -> tuple[SortKey, ...]:
        """What documents are sorted by."""
        return tuple(self._sort_key(each) for each in list_of(self.body.get("sort", [])))

    def _sort_key(self, given: Any) -> SortKey:
        name, how = _single(given, "sort") if isinstance(given, dict) else (text_of(given, "sort"), None)
        way = how.get("order") if isinstance(how, dict) else how
        by = SORTS.get(name) or name.removesuffix(".keyword")
        if by not in (SCORE, POSITION, ID):
            self.served.index.reader.need_field(by)
        if way not in (None, "asc", "desc"):
            raise wrong("[sort] goes asc or desc")
        return SortKey(by, way == "desc" if way else by == SCORE)

    @property
    def shows_scores(self) -> bool:
        """Whether scores are told: where they are sorted by, or where it is asked for."""
        asked = truth_of(self.body.get("track_scores", False), "track_scores")
        return not self.sort or asked or any(key.by == SCORE for key in self.sort)

    def flag(self, name: str) -> bool:
        """Whether something is asked for."""
        return truth_of(self.body.get(name, False), name)


def _query_string(asked: Parameters) -> Json:
    found: Json = {"query": asked.text("q")}
    if "df" in asked:
        found["default_field"] = asked.text("df")
    if "default_operator" in asked:
        found["default_operator"] = asked.text("default_operator")
    return found


def _sort_of_text(word: str) -> Any:
    name, sign, way = word.strip().partition(":")
    return {name: {"order": way}} if sign else name


def source_of(asked: Parameters) -> Any:
    """What the address says of `_source`; None where it says nothing."""
    if "_source_includes" in asked or "_source_excludes" in asked:
        return {"includes": asked.words("_source_includes"), "excludes": asked.words("_source_excludes")}
    if "_source" not in asked:
        return None
    text = asked.text("_source")
    return text == "true" if text in ("true", "false") else asked.words("_source")


def _single(given: dict[str, Any], what: str) -> tuple[str, Any]:
    if len(given) != 1:
        raise wrong(f"[{what}] must name one field at a time")
    return next(iter(given.items()))
