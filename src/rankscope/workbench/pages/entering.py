"""Coming in with the link of an invitation or of the start, and going out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from starlette.responses import RedirectResponse, Response

from rankscope.workbench.pages.access import person_of_token
from rankscope.workbench.pages.addresses import NOBODY, Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.pages.forms import comes_from_elsewhere, page, wants_json
from rankscope.workbench.service.answers import json_answer
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.store.events import MarkEvent
from rankscope.workbench.store.rows import Assessor


@dataclass(frozen=True)
class EnterAsked:
    """The token of a link."""

    token: Annotated[str, Words(100, least=1), "the token of an invitation, or of the start"]


class MeView(TypedDict):
    """Who is signed in."""

    name: str
    role: str


class OtherView(TypedDict):
    """Who is signed in, and whom the link lets in."""

    signed_in: str
    name: str


@address("GET", "/enter/{token}", role="anybody", template="enter.html", statuses=(401, 403, 409, 429))
def enter(visit: Visit, asked: EnterAsked) -> Response | OtherView:
    """Sign in with a link; the browser is led on at once, so that the token stays in no address bar.

    Where somebody else is signed in, it is asked first. A link on another site shows no cookie of ours, so that
    nothing is known of that yet: the browser comes again from a page of ours.
    """
    request, here = visit.request, visit.person
    if request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", ""):
        return Response(status_code=204)  # nobody is there yet
    person = person_of_token(visit.bench, request, asked.token)
    if here.id not in (NOBODY.id, person.id):
        if wants_json(request):
            raise Refusal(409, f"{here.name} is signed in here: sign out first, or send this by POST")
        return {"signed_in": here.name, "name": person.name}
    if here.id == NOBODY.id and comes_from_elsewhere(request):
        if request.headers.get("sec-fetch-mode") != "navigate":
            raise Refusal(403, "a page of another site asked for this, so it was refused")
        return page(visit.bench, request, "again.html", {"onward": request.scope["path"]}, None)
    return _signed_in(visit, person, asked.token)


@address("POST", "/enter/{token}", role="anybody", statuses=(401, 403, 429))
def enter_instead(visit: Visit, asked: EnterAsked) -> Response:
    """Sign in with a link in the place of whoever is signed in; their session ends."""
    person = person_of_token(visit.bench, visit.request, asked.token)
    _end_session(visit)
    return _signed_in(visit, person, asked.token)


def _signed_in(visit: Visit, person: Assessor, token: str) -> Response:
    bench = visit.bench
    bench.use_up(token)
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
    _end_session(visit)
    answer: Response = Response(status_code=204) if wants_json(visit.request) else RedirectResponse("/", 303)
    answer.delete_cookie(bench.reach.cookie, httponly=True, samesite="strict", secure=bench.reach.is_encrypted)
    return answer


def _end_session(visit: Visit) -> None:
    """For good: it is in the journal when this returns."""
    session = visit.bench.sessions.end(visit.request.cookies.get(visit.bench.reach.cookie, ""))
    if session is not None:
        visit.project.save(MarkEvent(assessor=visit.person.id, key=session, kind="leave"))


@address("GET", "/me")
def me(visit: Visit) -> MeView:
    """Who is signed in."""
    return {"name": visit.person.name, "role": visit.person.role}


ADDRESSES = (enter, enter_instead, leave, me)
