"""OpenSearch and Elasticsearch: JSON, pages by from and size, deep ones by search_after."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from rankscope.engines.live.dialect import Dialect, Syntax
from rankscope.engines.live.failure import EngineFailure
from rankscope.engines.live.page import HttpRequest, Page, Place, first_text, id_text, member, number_in, score_value
from rankscope.errors import SettingError
from rankscope.wording import setting_usage

SEARCH = "_search"
BY_SCORE = {"_score": "desc"}


class OpenSearch(Dialect):
    """An index, an alias or several with commas, as http://localhost:9200/NAME."""

    id_field = "_id"
    paged = ("from", "size", "search_after")
    dropped = "<>"

    def search_address(self, url: str) -> str:
        """The index's `_search`.

        >>> OpenSearch().search_address("http://localhost:9200/papers")
        'http://localhost:9200/papers/_search'
        """
        path = urlsplit(url).path.strip("/")
        if path in ("", SEARCH):
            raise SettingError(f"{setting_usage('engine')} must name an index: opensearch:http://HOST:9200/NAME")
        return url if path.endswith(f"/{SEARCH}") else f"{url}/{SEARCH}"

    def usual_request(self, field: str | None, syntax: Syntax) -> dict[str, Any]:
        """Words are matched in a field, or wherever the index looks by itself."""
        if field and syntax == "words":
            return {"query": {"match": {field: "{query}"}}}
        asked = {"query": "{query}" if syntax == "lucene" else "{query.escaped}"}
        return {"query": {"query_string": asked | ({"default_field": field} if field else {})}}

    def page_request(self, url: str, body: Mapping[str, Any], place: Place, id_field: str) -> HttpRequest:
        """The body with its page; ids that are no `_id` come from the document."""
        whole: dict[str, Any] = {**body, "size": place.size, "_source": False if id_field == "_id" else [id_field]}
        if place.deep:
            whole["sort"] = _unique_order(body.get("sort"), id_field)
            if place.after is not None:
                whole["search_after"] = place.after
        else:
            whole["from"] = place.start
        if "sort" in whole:
            whole["track_scores"] = True
        content = json.dumps(whole, ensure_ascii=False).encode()
        return HttpRequest(self.search_address(url), content, "application/json")

    def read_page(self, data: Any, id_field: str) -> Page:
        """The documents of `hits.hits`; an answer of only some shards is a failure that may pass."""
        _refuse_parts(data)
        hits = member(data, "hits", dict)
        found = member(hits, "hits", list)
        last = found[-1] if found else None
        return Page(
            ids=tuple(id_text(_stored(each, id_field), id_field, place) for place, each in enumerate(found, 1)),
            scores=tuple(score_value(_score(each), place) for place, each in enumerate(found, 1)),
            total=_total(hits.get("total")),
            took=number_in(data.get("took")),
            after=last.get("sort") if isinstance(last, dict) else None,
        )

    def error_text(self, data: Any) -> str:
        """The reason of the cause, where there is one, else of the error."""
        error = data.get("error") if isinstance(data, dict) else None
        if not isinstance(error, dict):
            return first_text([error])
        causes = error.get("root_cause")
        cause = causes[0] if isinstance(causes, list) and causes and isinstance(causes[0], dict) else {}
        return first_text([cause.get("reason"), error.get("reason"), error.get("type")])


def _refuse_parts(data: Any) -> None:
    shards = data.get("_shards") if isinstance(data, dict) else None
    failed = number_in(shards.get("failed")) if isinstance(shards, dict) else None
    if failed:
        raise EngineFailure(f"{failed:g} shards did not answer, so the ranking is incomplete", again=True)
    if isinstance(data, dict) and data.get("timed_out") is True:
        raise EngineFailure("the engine found only a part in its time (timed_out)", again=True)


def _unique_order(given: Any, id_field: str) -> list[Any]:
    """Pages that follow each other need an order in which no two documents are equal."""
    order = given if isinstance(given, list) else [given or BY_SCORE]
    named = {name for each in order for name in (each if isinstance(each, dict) else [each])}
    return [*order] if id_field in named else [*order, {id_field: "asc"}]


def _stored(hit: Any, name: str) -> Any:
    """A field of a document: its `_id`, or what it was given, where dots lead into objects."""
    if not isinstance(hit, dict):
        return None
    if name == "_id":
        return hit.get(name)
    value: Any = hit.get("_source")
    if isinstance(value, dict) and name in value:
        return value[name]
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _score(hit: Any) -> Any:
    return hit.get("_score") if isinstance(hit, dict) else None


def _total(value: Any) -> int | None:
    number = number_in(value.get("value") if isinstance(value, dict) else value)
    return None if number is None else int(number)
