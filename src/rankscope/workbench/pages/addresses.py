"""An address: a function that answers requests, with all that it may be asked and all that it answers in its types.

    @address("GET", "/progress", template="progress.html")
    def progress(visit: Visit, asked: ProgressAsked) -> ProgressView:
        '''How far the judging has come.'''

`ProgressAsked` is a NamedTuple whose fields say what they may be and what they mean, as
`name: Annotated[int, WholeNumber(1, 12), "how many items at once"] = 1`; `ProgressView` is a TypedDict. The view is
the JSON of the address, with `format` and `version`, and what the template gets, under the names of its fields. A
function may also return `Changed` (a form was sent: the browser is led on), a response of its own (pictures), or None
(204). One that is not `async` runs in a thread. Who asks, and whether they may, is decided before: by cookie or token,
our own origin, role, and how often.
"""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, replace
from functools import cache, cached_property
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import InputError
from rankscope.core.validation import Rule, Several
from rankscope.workbench.pages.answers import VIEW_VERSION, page, refusal_answer, wants_json
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.project import Project
from rankscope.workbench.service.application import (
    JSON,
    Refusal,
    body_kind,
    json_answer,
    read_json,
    refusal_of,
    without_folders,
)
from rankscope.workbench.store.events import (
    OWNER,
    ROLES,
    Assessor,
    Event,
    MarkEvent,
    NoRoom,
    Refused,
    Role,
    StoreError,
    is_storable,
)

Handler = Callable[..., Any]
ANYBODY = "anybody"
NO_ROOM = "nothing can be saved now: the disk of the service is full, or a limit of it is reached"
AWAY = "the judgements cannot be reached now: try again in a while"


@dataclass(frozen=True, eq=False)
class Visit:
    bench: Workbench
    request: Request
    person: Assessor

    @property
    def project(self) -> Project:
        return self.bench.project

    async def save(self, mark: MarkEvent) -> Event:
        """Let a mark be written; its event, when it is on the disk."""
        return (await asyncio.wrap_future(self.project.send(mark))).event


@dataclass(frozen=True)
class Changed:
    """Something was changed: a browser goes to another page, a program gets the view, or nothing but 204."""

    to: str
    view: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class Address:
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
    def asked(self) -> type | None:
        return get_type_hints(self.handler, include_extras=True).get("asked")

    @cached_property
    def views(self) -> list[Any]:
        """What it answers: a TypedDict, `Response`, None, `Changed`."""
        answer = get_type_hints(self.handler)["return"]
        return list(get_args(answer) or (answer,))

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.handler) or "").partition("\n")[0]

    def route(self, bench: Workbench) -> Route:
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
            # A browser keeps our cookie back where another site sends the request, but would take one from the answer.
            if bench.reach.cookie in request.cookies or "origin" in request.headers:
                check_origin(bench, request)
            if person is not None and (wait := bench.changes.wait(person.id)):
                most = f"at most {bench.reach.rate:g} changes a second are taken from one person"
                retry = {"retry-after": str(math.ceil(wait))}
                raise Refusal(429, f"{most}: send it again in a moment", headers=retry)
        given: dict[str, Any] = {}
        if self.asked is not None:
            given["asked"] = await read_asked(self.asked, request)
        visit = Visit(bench, request, person or NOBODY)
        if inspect.iscoroutinefunction(self.handler):
            found = await self.handler(visit, **given)
        else:
            found = await run_in_threadpool(self.handler, visit, **given)
        return self._form(visit, found)

    def _form(self, visit: Visit, found: Any) -> Response:
        if isinstance(found, Response):
            return found
        if isinstance(found, Changed):
            if not wants_json(visit.request):
                return RedirectResponse(found.to, 303)
            found = found.view
        if found is None:
            return Response(status_code=204)
        if wants_json(visit.request) or not self.template:
            view = {"format": f"rankscope.{self.name}", "version": VIEW_VERSION, **found}
            return json_answer(view, headers={"vary": "Accept"})
        asks_for_part = visit.request.headers.get("hx-request") == "true"
        template = self.fragment if self.fragment and asks_for_part else self.template
        return page(visit.bench, visit.request, template, found, visit.person)


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


def check_origin(bench: Workbench, request: Request) -> None:
    site = request.headers.get("sec-fetch-site")
    if request.headers.get("origin", "").lower() != origin_of(bench, request) or site not in (None, "same-origin"):
        raise Refusal(403, "this change was sent by a page of another site, so it was refused")


def origin_of(bench: Workbench, request: Request) -> str:
    if bench.reach.public is not None:
        return bench.reach.public.lower()
    return f"{'https' if bench.reach.tls else 'http'}://{request.headers['host'].lower()}"


# What a request asks, read by the types of a NamedTuple: from the path, the address, a form or JSON.

T = TypeVar("T")
READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})  # methods that change nothing


@dataclass(frozen=True)
class Words(Rule):
    """A text of so many signs that every database takes."""

    most: int = 200
    least: int = 0

    def plain(self, value: Any) -> str:
        if not isinstance(value, str) or not is_storable(value):
            raise ValueError("must be text")
        if not self.least <= len(value) <= self.most:
            raise ValueError(f"must have {self.least} to {self.most:,} signs, and has {len(value):,}")
        return value


@dataclass(frozen=True)
class Picture(Rule):
    def plain(self, value: Any) -> UploadFile:
        if not isinstance(value, UploadFile):
            raise ValueError("must be a file")
        return value


@dataclass(frozen=True, eq=False)
class Field:
    name: str
    rule: Rule
    meaning: str
    default: Any

    @property
    def is_needed(self) -> bool:
        return self.default is MISSING


@cache
def fields_of(kind: Any) -> tuple[Field, ...]:
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for name in kind._fields:
        assert get_origin(hints[name]) is Annotated, f"{name} has no rule and no meaning"
        _, rule, meaning = get_args(hints[name])
        found.append(Field(name, rule, meaning, kind._field_defaults.get(name, MISSING)))
    return tuple(found)


async def read_asked(kind: Callable[..., T], request: Request) -> T:
    """What a request asks; one refusal with everything that is wrong."""
    given, texts = await _given(request)
    known = fields_of(kind)
    names = [each.name for each in known]
    values: dict[str, Any] = {}
    foreign = sorted(given.keys() - names)
    problems = [
        f"there is no '{name[:60]}' to ask for here{did_you_mean(name, names)}".removesuffix(".") for name in foreign
    ]
    for each in known:
        if each.name in request.path_params:
            given = {**given, each.name: request.path_params[each.name]}
        try:
            found = _value(each, given, texts and each.name not in request.path_params)
        except ValueError as error:
            problems.append(f"{each.name}: {error}")
            continue
        if found is not MISSING:
            values[each.name] = found
    if problems:
        raise Refusal(400, "\n".join(problems))
    return kind(**values)


def _value(field: Field, given: Mapping[str, Any], texts: bool) -> Any:
    if field.name not in given:
        if field.is_needed:
            raise ValueError(f"is missing: {field.meaning}")
        return MISSING
    value = given[field.name]
    if not texts:
        return field.rule.plain(value)
    if isinstance(field.rule, Several):
        return field.rule.plain([field.rule.rule.read(each) for each in value])
    if value[-1] == "" and not field.is_needed:
        return MISSING  # a box that was left empty
    return field.rule.plain(field.rule.read(value[-1]) if isinstance(value[-1], str) else value[-1])


async def _given(request: Request) -> tuple[Mapping[str, Any], bool]:
    """Names and values; whether the values are lists of texts, as forms have them."""
    if request.method in READING:
        return _lists(request.query_params), True
    if body_kind(request) == JSON:
        found = read_json(await request.body())
        if not isinstance(found, dict):
            raise Refusal(400, "the body must be an object of JSON: {...}")
        return found, False
    try:
        form = await request.form(max_files=1, max_fields=1000)
    except Exception as error:  # what a broken form raises differs from version to version
        if isinstance(error, Refusal):
            raise
        raise Refusal(400, "the form cannot be read") from None
    return _lists(form), True


def _lists(pairs: QueryParams | FormData) -> dict[str, list[Any]]:
    return {name: pairs.getlist(name) for name in pairs}
