"""Who may come in: invitations, shown once, renewed and taken back; coming in with a link, and going out."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypedDict

from starlette.responses import RedirectResponse, Response

from rankscope.core.validation import OneOf
from rankscope.workbench.pages.addresses import NOBODY, Changed, Visit, Words, address, origin_of, person_of_token
from rankscope.workbench.pages.answers import comes_from_elsewhere, page, view_of, wants_json
from rankscope.workbench.pages.bench import SESSION_SECONDS
from rankscope.workbench.service.application import Refusal, json_answer
from rankscope.workbench.store.events import LONGEST_NAME, OWNER, PROJECT, ROLES, Assessor, MarkEvent


class PersonView(TypedDict):
    """Somebody, and whether they may come in; machines and labels from files cannot."""

    name: str
    kind: str
    role: str
    invited: bool
    active: bool
    is_owner: bool


class PeopleView(TypedDict):
    people: list[PersonView]
    roles: list[str]


class InvitedView(TypedDict):
    """An invitation; its link is shown this once and kept nowhere."""

    name: str
    role: str
    link: str


class InviteAsked(NamedTuple):
    name: Annotated[str, Words(LONGEST_NAME, least=1), "a name that is not taken, or somebody whose link is renewed"]
    role: Annotated[str, OneOf(ROLES, exactly=True), "what they may do"] = "judge"


class RevokeAsked(NamedTuple):
    name: Annotated[str, Words(LONGEST_NAME, least=1), "somebody who was invited"]


@address("GET", "/people", role="admin", title="People", template="people.html")
def people(visit: Visit) -> PeopleView:
    """Who may come in, and as what."""
    found = [
        view_of(
            each,
            PersonView,
            invited=each.token_hash is not None,
            active=bool(each.active),
            is_owner=each.id == OWNER.id,
        )
        for each in visit.project.assessors.values()
        if each.id != PROJECT.id
    ]
    return {"people": found, "roles": list(ROLES)}


@address("POST", "/people", role="admin", template="invited.html")
def invite(visit: Visit, asked: InviteAsked) -> InvitedView:
    """Invite somebody, or renew a link; an earlier link of theirs lets nobody in any more."""
    _check_not_owner(asked.name)
    invitation = visit.project.invite(asked.name.strip(), asked.role)
    link = f"{origin_of(visit.bench, visit.request)}{invitation.path}"
    return {"name": invitation.assessor.name, "role": asked.role, "link": link}


@address("POST", "/people/revoke", role="admin")
def revoke(visit: Visit, asked: RevokeAsked) -> Changed:
    """Let somebody in no more; what they marked stays."""
    _check_not_owner(asked.name)
    visit.project.revoke(asked.name)
    return Changed("/people")


def _check_not_owner(name: str) -> None:
    if name.strip() == OWNER.name:
        raise Refusal(409, "the owner comes in by the link that is printed when the service is started")


# Coming in with the link of an invitation or of the start, and going out.


class EnterAsked(NamedTuple):
    token: Annotated[str, Words(100, least=1), "the token of an invitation, or of the start"]


class MeView(TypedDict):
    name: str
    role: str


class OtherView(TypedDict):
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
        max_age=SESSION_SECONDS,
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
