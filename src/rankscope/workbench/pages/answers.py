"""The two forms of every answer from the same view: a page for people, its numbers in words, and JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.service.application import Refusal, json_answer
from rankscope.workbench.store.events import ROLES, Assessor

View = TypeVar("View")  # a TypedDict
VIEW_VERSION: Final = 1
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# same-origin and not no-referrer, under which browsers send `Origin: null` with our own forms; other sites get nothing
PAGE_HEADERS: Final = {"content-security-policy": POLICY, "referrer-policy": "same-origin"}


def wants_json(request: Request) -> bool:
    """Whether JSON is asked for rather than a page: by its name, and not after HTML.

    A program that names nothing gets a page, as a browser does; a body of JSON is answered with JSON.
    """
    accepted = _accepted(request.headers.get("accept", ""))
    html, json = accepted.get("text/html", 0.0), accepted.get("application/json", 0.0)
    if html == json == 0.0:
        return request.headers.get("content-type", "").startswith("application/json")
    return json > html


def _accepted(header: str) -> dict[str, float]:
    """Kinds and how much they are wanted; the earlier of two that are wanted alike is wanted more."""
    found: dict[str, float] = {}
    for number, part in enumerate(header[:2000].split(",")):
        kind, *rest = [each.strip().lower() for each in part.split(";")]
        weight = next((each[2:] for each in rest if each.startswith("q=")), "1")
        try:
            found.setdefault(kind, float(weight) - number * 1e-6)
        except ValueError:
            continue
    return found


def view_of(found: object, kind: type[View], /, **more: Any) -> View:
    """What a view names, from the fields of a value or from `more`; nothing for a number that is undefined."""
    view: Any = {name: more[name] if name in more else getattr(found, name) for name in kind.__annotations__}
    for name, value in view.items():
        if isinstance(value, float) and math.isnan(value):
            view[name] = None
    return view


def refusal_answer(bench: Workbench, request: Request, refusal: Refusal, person: Assessor | None) -> Response:
    """Why there is no answer, as JSON or as a page; who comes from another site comes again from ours."""
    if wants_json(request):
        body = {
            "format": "rankscope.refusal",
            "version": VIEW_VERSION,
            "status": refusal.status,
            "error": refusal.message,
        }
        return json_answer(body, refusal.status, refusal.headers)
    path = request.scope["path"]
    elsewhere = comes_from_elsewhere(request) and request.headers.get("sec-fetch-mode") == "navigate"
    again = refusal.status == 401 and request.method == "GET" and elsewhere and not path.startswith("/enter/")
    query = request.scope["query_string"].decode("ascii", "ignore")  # the address may hold any bytes
    onward = f"{path}?{query}" if query else path
    view = {"status": refusal.status, "lines": refusal.message.splitlines(), "onward": onward}
    name = "again.html" if again else "refusal.html"
    return page(bench, request, name, view, person, 200 if again else refusal.status, refusal.headers)


def comes_from_elsewhere(request: Request) -> bool:
    """Whether a page of another site asks: then the browser keeps our cookie back, though there may be one."""
    return request.headers.get("sec-fetch-site") in ("cross-site", "same-site")


class RefusalAnswer(Response):
    """A refusal from before any page was reached; its form is chosen when the request is at hand."""

    def __init__(self, bench: Workbench, refusal: Refusal) -> None:
        super().__init__(status_code=refusal.status)
        self.bench, self.refusal = bench, refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self.refusal
        if refusal.status == 405:  # the guard's words are those of the search service
            refusal = replace(refusal, message=f"{scope['method']} is not possible at {scope['path'][:200]}")
        await refusal_answer(self.bench, Request(scope), refusal, None)(scope, receive, send)


def page(
    bench: Workbench,
    request: Request,
    name: str,
    view: Mapping[str, Any],
    person: Assessor | None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    known = person if person is not None and person.id >= 0 else None
    rank = -1 if known is None else ROLES.index(known.role)
    titled = [each for each in bench.pages if each.title and ROLES.index(each.role) <= rank]
    navigation = [(each.path, each.title) for each in titled if each.offered(bench)]
    around = {"bench": bench, "here": request.scope["path"], "me": known, "navigation": navigation}
    text = environment().get_template(name).render(**view, **around)
    return HTMLResponse(text, status, {**PAGE_HEADERS, "vary": "Accept", **(headers or {})})


@cache
def environment() -> Environment:
    """Where templates are; every value in them is escaped."""
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(FILTERS)
    return found


# Numbers and times as pages write them.


def count_of(number: int, thing: str, things: str = "") -> str:
    """So many of something.

    >>> count_of(1, "item"), count_of(1200, "item"), count_of(2, "query", "queries")
    ('1 item', '1,200 items', '2 queries')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def duration(seconds: float | None) -> str:
    """How long, roughly.

    >>> duration(40), duration(100), duration(4000), duration(90000), duration(None)
    ('under a minute', '2 minutes', '1 h 7 min', '25 hours', 'not known yet')
    """
    if seconds is None:
        return "not known yet"
    if seconds < 60:
        return "under a minute"
    minutes = round(seconds / 60)
    if minutes < 60:
        return count_of(minutes, "minute")
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 600 else count_of(round(minutes / 60), "hour")


def percent(share: float) -> str:
    """A share; neither 0 % where there is something nor 100 % where something is missing.

    >>> percent(0.0), percent(0.001), percent(0.5), percent(0.999), percent(1.0)
    ('0 %', '1 %', '50 %', '99 %', '100 %')
    """
    return f"{0 if share <= 0 else 100 if share >= 1 else min(99, max(1, round(100 * share)))} %"


def moment(at_us: int) -> str:
    """A time of the journal, in UTC.

    >>> moment(0)
    '1970-01-01 00:00 UTC'
    """
    return datetime.fromtimestamp(at_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M UTC")


def score(value: float) -> str:
    """A score with as many digits as tell neighbours apart.

    >>> score(0.98765432), score(-1234.5678), score(-0.0)
    ('0.9877', '-1235', '0')
    """
    return f"{value + 0.0:.4g}"


def filled(values: dict[str, Any]) -> dict[str, Any]:
    """What an address has to say: names with values that are not empty.

    >>> filled({"order": "near", "seed": 0, "class_": "", "near": None})
    {'order': 'near', 'seed': 0}
    """
    return {name: value for name, value in values.items() if value not in ("", None)}


FILTERS: Final = {each.__name__: each for each in (count_of, duration, percent, moment, score, filled)}
