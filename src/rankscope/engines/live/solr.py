"""Solr: parameters as a form, pages by start and rows, deep ones by cursorMark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from rankscope.engines.live.dialect import Dialect, Syntax
from rankscope.engines.live.failure import EngineFailure
from rankscope.engines.live.page import HttpRequest, Page, Place, first_text, id_text, member, number_in, score_value
from rankscope.errors import SettingError
from rankscope.wording import setting_usage

FIRST = "*"  # the mark before the first document
BY_SCORE = "score desc"
SELECT = "select"


class Solr(Dialect):
    """A collection or core of Solr, as http://localhost:8983/solr/NAME."""

    id_field = "id"
    paged = ("rows", "start", "cursorMark")

    def search_address(self, url: str) -> str:
        """The handler `select`, unless the address names one.

        >>> Solr().search_address("http://localhost:8983/solr/papers")
        'http://localhost:8983/solr/papers/select'
        """
        path = [each for each in urlsplit(url).path.split("/") if each]
        behind = path[path.index("solr") + 1 :] if "solr" in path else path
        if not behind:
            raise SettingError(f"{setting_usage('engine')} must name a collection: solr:http://HOST:8983/solr/NAME")
        return url if len(behind) > 1 else f"{url}/{SELECT}"

    def usual_request(self, field: str | None, syntax: Syntax) -> dict[str, Any]:
        """The parameter q, and df where a field is named."""
        query = "{query}" if syntax == "lucene" else "{query.escaped}"
        return {"q": query, **({"df": field} if field else {})}

    def page_request(self, url: str, body: Mapping[str, Any], place: Place, id_field: str) -> HttpRequest:
        """A form; lists give a parameter several times, objects are sent as JSON."""
        ours: dict[str, Any] = {"fl": f"{id_field},score", "wt": "json", "rows": place.size}
        if place.deep:
            ours |= {"cursorMark": place.after or FIRST, "sort": _cursor_order(body.get("sort"), id_field)}
        else:
            ours["start"] = place.start
        form = {name: _parameter(value) for name, value in {**body, **ours}.items()}
        content = urlencode(form, doseq=True).encode()
        return HttpRequest(self.search_address(url), content, "application/x-www-form-urlencoded")

    def read_page(self, data: Any, id_field: str) -> Page:
        """The documents of `response`; partial results are a failure that may pass."""
        head = data.get("responseHeader") if isinstance(data, dict) else None
        if isinstance(head, dict) and head.get("partialResults"):
            raise EngineFailure("the engine found only a part in its time (partialResults)", again=True)
        response = member(data, "response", dict)
        docs = member(response, "docs", list)
        total = number_in(response.get("numFound"))
        return Page(
            ids=tuple(id_text(_field(each, id_field), id_field, place) for place, each in enumerate(docs, 1)),
            scores=tuple(score_value(_field(each, "score"), place) for place, each in enumerate(docs, 1)),
            total=None if total is None else int(total),
            took=number_in(head.get("QTime")) if isinstance(head, dict) else None,
            after=data.get("nextCursorMark"),
        )

    def error_text(self, data: Any) -> str:
        """`error.msg`."""
        error = data.get("error") if isinstance(data, dict) else None
        return first_text([error.get("msg"), error.get("trace")]) if isinstance(error, dict) else first_text([error])


def _cursor_order(given: Any, id_field: str) -> str:
    """A cursor needs an order in which no two documents are equal."""
    order = str(given or BY_SCORE)
    named = {each.split()[0] for each in order.split(",") if each.split()}
    return order if id_field in named else f"{order}, {id_field} asc"


def _parameter(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return _plain(value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _field(document: Any, name: str) -> Any:
    return document.get(name) if isinstance(document, dict) else None
