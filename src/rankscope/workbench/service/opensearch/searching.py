"""Searches: one, many, those that are gone on with, and how many documents match."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import replace

from rankscope.workbench.service.answers import Json
from rankscope.workbench.service.asking import find_page
from rankscope.workbench.service.opensearch.asked import OpenSearchCall
from rankscope.workbench.service.opensearch.body import list_of, object_of, only, text_of, wrong
from rankscope.workbench.service.opensearch.errors import error_body
from rankscope.workbench.service.opensearch.hits import SHARDS, answer_search
from rankscope.workbench.service.opensearch.request import OpenSearchRequest
from rankscope.workbench.service.reading import Parameters, read_json
from rankscope.workbench.service.refusals import Refusal, refusal_of
from rankscope.workbench.service.served import Served

MOST_AT_ONCE = 100  # searches of one request


def search(asked: OpenSearchCall) -> Json:
    """A search; with `scroll` one that can be gone on with."""
    served, body = asked.served, asked.body
    request = asked.search_request(served, body)
    found = answer_search(request, asked.parameters.flag("rest_total_hits_as_int"))
    if "scroll" not in asked.parameters:
        return found
    return {"_scroll_id": _scroll_id(served, request, request.start + request.rows), **found}


def scroll(asked: OpenSearchCall) -> Json:
    """The next documents of a search that was begun with `scroll`; nothing is kept between two of them."""
    body = object_of(asked.body or {}, "scroll")
    given = text_of(
        asked.path.get("scroll_id") or body.get("scroll_id") or asked.parameters.text("scroll_id"), "scroll_id"
    )
    try:
        kept = json.loads(base64.urlsafe_b64decode(given.encode()))
        served, inner = asked.indexes.find(kept["names"]), dict(kept["body"])
    except (ValueError, binascii.Error, KeyError, TypeError, AttributeError):
        raise Refusal(
            404, "no such scroll: begin a search with ?scroll=1m", "search_context_missing_exception"
        ) from None
    request = replace(OpenSearchRequest.of(served, inner, Parameters([]), asked.limits), deeper=True)
    found = answer_search(request, asked.parameters.flag("rest_total_hits_as_int"))
    return {"_scroll_id": _scroll_id(served, request, request.start + request.rows), **found}


def _scroll_id(served: Served, request: OpenSearchRequest, start: int) -> str:
    kept = {"names": ",".join(served.names), "body": {**request.body, "from": start}}
    return base64.urlsafe_b64encode(json.dumps(kept).encode()).decode()


def clear_scroll(asked: OpenSearchCall) -> Json:
    """Nothing was kept, so nothing has to be freed."""
    return {"succeeded": True, "num_freed": 0}


def several_searches(asked: OpenSearchCall) -> Json:
    """Searches one after the other: lines of JSON, the index and then the search, by turns."""
    return {"took": 0, "responses": [*_responses(asked)]}


def _responses(asked: OpenSearchCall) -> Iterator[Json]:
    lines = [line for line in asked.raw.splitlines() if line.strip()]
    if len(lines) % 2 or len(lines) > 2 * MOST_AT_ONCE:
        raise wrong(f"[msearch] has a line for the index and one for the search by turns, at most {MOST_AT_ONCE} times")
    for head, line in zip(lines[::2], lines[1::2], strict=True):
        try:
            name = object_of(read_json(head), "index").get("index") or asked.path.get("name", "_all")
            served = asked.indexes.find(",".join(text_of(each, "index") for each in list_of(name)))
            yield {**answer_search(asked.search_request(served, read_json(line))), "status": 200}
        except Exception as error:
            yield error_body(refusal_of(error))


def count(asked: OpenSearchCall) -> Json:
    """How many documents match."""
    body = object_of({} if asked.body is None else asked.body, "body")
    only(body, ("query",), "count")
    served = asked.served
    request = asked.search_request(served, body)
    return {"count": find_page(served, request.query, 0, 0).total, "_shards": SHARDS}
