"""An address: a function that answers requests, with all that it may be asked and all that it answers in its types.

    @address("GET", "/progress", template="progress.html")
    def progress(visit: Visit, asked: ProgressAsked) -> ProgressView:
        '''How far the judging has come.'''

`ProgressAsked` is a dataclass (`pages.parameters`), `ProgressView` a TypedDict. The view is the JSON of the address,
with `format` and `version`, and what the template gets, under the names of its fields. A function may also return
`Changed` (a form was sent: the browser is led on), a response of its own (pictures), or None (204). One that is not
`async` runs in a thread. Who asks, and whether they may, is decided before: by cookie or token, our own origin, role,
and how often.
"""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args, get_type_hints

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankscope.core.errors import InputError
from rankscope.workbench.pages.answers import refusal_answer, view_answer, wants_json
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.parameters import READING, read_asked
from rankscope.workbench.people import OWNER
from rankscope.workbench.project import Project
from rankscope.workbench.service.requests import Refusal, refusal_of, without_folders
from rankscope.workbench.store.events import ROLES, Assessor, Event, MarkEvent, NoRoom, Refused, Role, StoreError

Handler = Callable[..., Any]
ANYBODY = "anybody"
NO_ROOM = "nothing can be saved now: the disk of the service is full, or a limit of it is reached"
AWAY = "the judgements cannot be reached now: try again in a while"


@dataclass(frozen=True, eq=False)
class Visit:
    """One request of somebody."""

    bench: Workbench
    request: Request
    person: Assessor

    @property
    def project(self) -> Project:
        """The project."""
        return self.bench.project

    async def save(self, mark: MarkEvent) -> Event:
        """Let a mark be written; its event, when it is on the disk."""
        return (await asyncio.wrap_future(self.project.send(mark))).event


@dataclass(frozen=True)
class Changed:
    """Something was changed: a browser goes to another page, a program gets the view, or nothing but 204."""

    to: str
    view: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Nothing:
    """An address that takes no parameters."""


@dataclass(frozen=True, eq=False)
class Address:
    """One way in."""

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    role: Role | Literal["anybody"] = "judge"
    template: str = ""
    fragment: str = ""  # the template of what htmx asks for, where that is less than the page
    title: str = ""  # in the navigation; nothing: not there
    offered: Callable[[Workbench], bool] = lambda _bench: True  # whether the navigation names it in a project
    media: str = "application/json"  # of what a program gets; several with commas between
    statuses: Sequence[int] = field(default=())  # of refusals of its own
    takes_file: bool = False  # up to 20 MB; all others take a small body
    reads_journal: bool = True  # False: what it answers is the same whatever anybody says

    @property
    def name(self) -> str:
        """What its JSON calls its format, as in `rankscope.judge`."""
        return self.handler.__name__

    @cached_property
    def asked(self) -> type:
        """What it may be asked."""
        found: type = get_type_hints(self.handler, include_extras=True).get("asked", Nothing)
        return found

    @cached_property
    def views(self) -> list[Any]:
        """What it answers: a TypedDict, `Response`, None, `Changed`."""
        answer = get_type_hints(self.handler)["return"]
        return list(get_args(answer) or (answer,))

    @property
    def summary(self) -> str:
        """In a sentence."""
        return (inspect.getdoc(self.handler) or "").partition("\n")[0]

    def route(self, bench: Workbench) -> Route:
        """As the application knows it."""

        async def answer(request: Request) -> Response:
            person, known = None, bench.project.changes_elsewhere
            try:
                if self.reads_journal and self.method in READING:
                    await run_in_threadpool(bench.project.look)
                person = person_of(bench, request, by_token=self.role != ANYBODY)
                return await self._answer(bench, request, person)
            except Exception as error:
                refusal = page_refusal(error, bench, request)
                if self.method not in READING and refusal.status < 500:
                    refusal = await _unless_changed(bench, known, refusal)
                return refusal_answer(bench, request, refusal, person)
            finally:
                await request.close()  # the files of a form

        return Route(self.path, answer, methods=[self.method])

    async def _answer(self, bench: Workbench, request: Request, person: Assessor | None) -> Response:
        if self.role != ANYBODY:
            person = check_person(person, self.role)
        if self.method not in READING:
            check_change(bench, request, person)
        given: dict[str, Any] = {}
        if self.asked is not Nothing:
            given["asked"] = await read_asked(self.asked, request)
        visit = Visit(bench, request, person or NOBODY)
        if inspect.iscoroutinefunction(self.handler):
            found = await self.handler(visit, **given)
        else:
            found = await run_in_threadpool(self.handler, visit, **given)
        return self._form(visit, found)

    def _form(self, visit: Visit, found: Any) -> Response:
        """What a handler gave, in the form that was asked for."""
        if isinstance(found, Response):
            return found
        if isinstance(found, Changed):
            if not wants_json(visit.request):
                return RedirectResponse(found.to, 303)
            found = found.view
        if found is None:
            return Response(status_code=204)
        return view_answer(self, visit, found)


NOBODY = Assessor(id=-1, name="", kind="human", role="judge", token_hash=None, active=0)


def address(method: Literal["GET", "POST"], path: str, **how: Any) -> Callable[[Handler], Address]:
    """Make a function an address; `how` are fields of `Address`."""
    return lambda handler: Address(method, path, handler, **how)


def page_refusal(error: Exception, bench: Workbench, request: Request) -> Refusal:
    """What an error of a page means for whoever asked: nothing of where files and databases are.

    What only those who run the service can do something about is told in their terminal.
    """
    if isinstance(error, Refused):
        return Refusal(409, str(error))
    if isinstance(error, StoreError):
        bench.report(str(error))
        return Refusal(507, NO_ROOM) if isinstance(error, NoRoom) else Refusal(503, AWAY)
    if isinstance(error, InputError):
        return Refusal(409, without_folders(str(error)))
    refusal = refusal_of(error, request.scope["path"], request.method)
    return replace(refusal, message=bench.without_places(refusal.message))


async def _unless_changed(bench: Workbench, known: int, refusal: Refusal) -> Refusal:
    """A refusal, unless it could come from what another process has changed: then the same may be sent again."""
    try:
        await run_in_threadpool(bench.project.look)
    except StoreError as error:
        bench.report(str(error))
        return Refusal(503, AWAY)
    if bench.project.changes_elsewhere == known:
        return refusal
    return Refusal(503, "another process changed this project meanwhile: send it again")


# Who asks, and whether they may: cookies and tokens, our own origin, roles, and how often.

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
