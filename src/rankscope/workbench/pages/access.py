"""Who asks, and whether they may: cookies and tokens, our own origin, roles, and how often."""

from __future__ import annotations

import math
from typing import Final

from starlette.requests import Request

from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.people import OWNER
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.store.rows import ROLES, Assessor

READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
SIGN_IN: Final = "open the link of your invitation, or the one that was printed when the service was started"


def person_of(bench: Workbench, request: Request, by_token: bool = True) -> Assessor | None:
    """Who asks: by cookie, or by `Authorization: Bearer TOKEN` where there is none; None: nobody we know.

    Where anybody may ask, no token is looked at.
    """
    cookie = request.cookies.get(bench.reach.cookie)
    if cookie is not None:
        return bench.sessions.person(cookie)
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if not by_token or kind.lower() != "bearer" or not token:
        return None
    person = person_of_token(bench, request, token.strip())
    bench.use_up(token.strip())
    return person


def person_of_token(bench: Workbench, request: Request, token: str) -> Assessor:
    """Whom a token lets in; a wrong one is refused, and after too many of them an address has to wait with the next.

    A right one always lets in: nobody can lock others out from an address that they share.
    """
    person = bench.project.assessor_of_token(token)
    if person is None and bench.is_start_token(token):
        person = bench.project.assessors[OWNER.id]
    if person is not None:
        return person
    address = address_of(bench, request)
    wait = bench.wrong_tokens.wait(address)
    if wait:
        words = f"too many wrong tokens came from this address: try again in {wait} seconds"
        raise Refusal(429, words, headers={"retry-after": str(wait)})
    bench.wrong_tokens.add(address)
    raise Refusal(401, f"this link or token lets nobody in: it was used, renewed or taken back; {SIGN_IN}")


def address_of(bench: Workbench, request: Request) -> str:
    """Where a request comes from; behind a proxy that is trusted, where that says."""
    told = ",".join(request.headers.getlist("x-forwarded-for")) if bench.reach.public else ""
    return bench.reach.proxies.asking(request.client.host if request.client else "", told)


def check_person(person: Assessor | None, role: str) -> Assessor:
    """Somebody whose role opens a page; all others are refused."""
    if person is None:
        raise Refusal(401, f"nobody is signed in here: {SIGN_IN}", headers={"www-authenticate": "Bearer"})
    if ROLES.index(person.role) < ROLES.index(role):
        article = "an" if role[0] == "a" else "a"
        raise Refusal(403, f"this page is for {article} {role}, and {person.name} is invited as {person.role}")
    return person


def check_change(bench: Workbench, request: Request, person: Assessor | None) -> None:
    """A request that changes something: from a page of ours where a browser sends it, and not too often.

    A browser keeps our cookie back where another site sends the request, but would take a new one from the answer.
    """
    if bench.reach.cookie in request.cookies or "origin" in request.headers:
        check_origin(bench, request)
    if person is not None and (wait := bench.changes.wait(person.id)):
        words = f"at most {bench.reach.rate:g} changes a second are taken from one person: send it again in a moment"
        raise Refusal(429, words, headers={"retry-after": str(math.ceil(wait))})


def check_origin(bench: Workbench, request: Request) -> None:
    """Refuse what a page of another site sends."""
    site = request.headers.get("sec-fetch-site")
    if request.headers.get("origin", "").lower() != origin_of(bench, request) or site not in (None, "same-origin"):
        raise Refusal(403, "this change was sent by a page of another site, so it was refused")


def origin_of(bench: Workbench, request: Request) -> str:
    """Our own origin, as browsers write it."""
    if bench.reach.public is not None:
        return bench.reach.public.lower()
    return f"{'https' if bench.reach.tls else 'http'}://{request.headers['host'].lower()}"
