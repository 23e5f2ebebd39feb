"""The application of a project: all its pages in the order of the navigation, behind one guard; their scripts."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from starlette.applications import Starlette
from starlette.responses import Response

from rankscope.workbench.pages.addresses import Address, Visit, Words, address
from rankscope.workbench.pages.agreement import adjudicate, agreement, decide, undo_decision
from rankscope.workbench.pages.answers import RefusalAnswer
from rankscope.workbench.pages.bench import Reach, Workbench
from rankscope.workbench.pages.browse import browse, drop_picture, dropped_picture, like_item, like_picture
from rankscope.workbench.pages.compare import compare, prefer, preferred, undo_preference
from rankscope.workbench.pages.export import export, export_file
from rankscope.workbench.pages.home import answer_questionnaire, home, questionnaire
from rankscope.workbench.pages.judge import away, history, judge, mark, take_back, undo
from rankscope.workbench.pages.openapi import description
from rankscope.workbench.pages.people import enter, enter_instead, invite, leave, me, people, revoke
from rankscope.workbench.pages.pictures import picture
from rankscope.workbench.pages.pool import guidelines, make_pool, pool, write_guideline
from rankscope.workbench.pages.search import look, search
from rankscope.workbench.pages.session import (
    begin_session,
    next_round,
    session,
    session_graph,
    session_graphs,
    session_mark,
    sessions,
)
from rankscope.workbench.project import Project
from rankscope.workbench.service.application import Refusal, ServicePart, create_application, hosts_of, json_answer

# Scripts, styles and pictures of the pages themselves: files of this package and no others.

STATIC_KINDS: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
STATIC_FOLDER: Final = Path(__file__).parents[1] / "static"


class StaticAsked(NamedTuple):
    name: Annotated[str, Words(100), "the name of a file"]


@cache
def static_files() -> dict[str, tuple[bytes, str, str]]:
    """Content, kind and digest of each file, by name; a name that is not here is no file."""
    found = {}
    for path in sorted(STATIC_FOLDER.iterdir()):
        if path.suffix in STATIC_KINDS:
            content = path.read_bytes()
            found[path.name] = content, STATIC_KINDS[path.suffix], hashlib.sha256(content).hexdigest()[:16]
    return found


@address("GET", "/static/{name}", role="anybody", media=", ".join(STATIC_KINDS.values()), reads_journal=False)
async def static(visit: Visit, asked: StaticAsked) -> Response:
    """A script or a style of the pages."""
    if asked.name not in static_files():
        raise Refusal(404, "there is no such file")
    content, kind, digest = static_files()[asked.name]
    headers = {"etag": f'"{digest}"', "cache-control": "no-cache"}
    if visit.request.headers.get("if-none-match") == f'"{digest}"':
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=kind)


# All pages of a project, behind the guard that stands before everything.

PAGES: tuple[tuple[Address, ...], ...] = (  # in the order of the navigation; a new page adds its addresses here
    (home,),
    (judge, mark, undo, away),
    (compare, prefer, undo_preference),
    (browse,),
    (search,),
    (like_picture, like_item, drop_picture, dropped_picture),
    (sessions, begin_session, session, session_graphs, session_mark, next_round, session_graph),
    (look,),
    (history, take_back),
    (agreement,),
    (adjudicate, decide, undo_decision),
    (guidelines, write_guideline),
    (pool, make_pool),
    (people, invite, revoke),
    (preferred,),
    (export, export_file),
    (questionnaire, answer_questionnaire),
    (enter, enter_instead, leave, me),
    (picture,),
    (static,),
)
ADDRESSES = [each for page in PAGES for each in page]
UPLOAD = 20 << 20  # bytes of a picture that is dropped in
FORM = 1 << 20  # bytes around it


def workbench_application(
    project: Project,
    reach: Reach | None = None,
    *,
    host: str = "127.0.0.1",
    allow_hosts: Iterable[str] = (),
    others: Sequence[ServicePart] = (),
    bench: Workbench | None = None,
) -> Starlette:
    """An ASGI application with the pages of a project; `others` are parts that answer first, as the search service."""
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # a broken form is answered, not printed
    shared = bench or Workbench(project, reach or Reach())
    public = shared.reach.public
    names = [*allow_hosts, *([public.partition("://")[2].partition(":")[0]] if public else [])]
    return create_application([*others, *workbench_parts(shared, others)], hosts_of(host, names))


def workbench_parts(bench: Workbench, others: Sequence[ServicePart] = ()) -> list[ServicePart]:
    """The pages of a project as parts of an application, which answer whatever no other part does.

    Addresses that take a file are a part of their own: only there a large body is read.
    """
    other_routes = [route for part in others for route in part.routes]

    @address("GET", "/openapi.json", role="anybody", reads_journal=False)
    def openapi(visit: Visit) -> Response:
        """This description."""
        return json_answer(description(list(visit.bench.pages), other_routes))

    bench.pages = [*ADDRESSES, openapi]
    with_file = [each.route(bench) for each in bench.pages if each.takes_file]
    without_file = [each.route(bench) for each in bench.pages if not each.takes_file]

    def tell(refusal: Refusal) -> RefusalAnswer:
        return RefusalAnswer(bench, refusal)

    def takes_file(path: str) -> bool:
        return any(route.path_regex.match(path) for route in with_file)

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        try:
            yield
        finally:
            bench.close()

    return [
        ServicePart(routes=with_file, tell=tell, owns=takes_file, body_bytes=UPLOAD + FORM),
        ServicePart(routes=without_file, tell=tell, body_bytes=FORM, lifespan=lifespan),
    ]
