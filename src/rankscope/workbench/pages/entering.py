"""Coming in with the link of an invitation or of the start, and going out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from starlette.responses import RedirectResponse, Response

from rankscope.workbench.pages.access import person_of_token
from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.pages.forms import wants_json
from rankscope.workbench.service.answers import json_answer


@dataclass(frozen=True)
class EnterAsked:
    """The token of a link."""

    token: Annotated[str, Words(100, least=1), "the token of an invitation, or of the start"]


class MeView(TypedDict):
    """Who is signed in."""

    name: str
    role: str


@address("GET", "/enter/{token}", role="anybody", statuses=(401, 429))
def enter(visit: Visit, asked: EnterAsked) -> Response:
    """Sign in with a link; the browser is led on at once, so that the token stays in no address bar."""
    bench = visit.bench
    person = person_of_token(bench, visit.request, asked.token)
    bench.use_up(asked.token)
    answer: Response = RedirectResponse("/", 303)
    if wants_json(visit.request):
        answer = json_answer({"format": "rankscope.enter", "version": 1, "name": person.name, "role": person.role})
    answer.set_cookie(
        bench.reach.cookie,
        bench.sessions.begin(person),
        max_age=30 * 24 * 3600,
        httponly=True,
        samesite="strict",
        secure=bench.reach.is_encrypted,
    )
    return answer


@address("POST", "/leave", role="anybody")
def leave(visit: Visit) -> Response:
    """Sign out."""
    bench = visit.bench
    bench.sessions.end(visit.request.cookies.get(bench.reach.cookie, ""))
    answer: Response = Response(status_code=204) if wants_json(visit.request) else RedirectResponse("/", 303)
    answer.delete_cookie(bench.reach.cookie, httponly=True, samesite="strict", secure=bench.reach.is_encrypted)
    return answer


@address("GET", "/me")
def me(visit: Visit) -> MeView:
    """Who is signed in."""
    return {"name": visit.person.name, "role": visit.person.role}


ADDRESSES = (enter, leave, me)
