"""The application of a project: all its pages, behind the guard that stands before everything."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.responses import Response

from rankscope.workbench.pages.addresses import Address, Visit, address
from rankscope.workbench.pages.adjudicate import ADDRESSES as ADJUDICATE_ADDRESSES
from rankscope.workbench.pages.agreement import ADDRESSES as AGREEMENT_ADDRESSES
from rankscope.workbench.pages.bench import Reach, Workbench
from rankscope.workbench.pages.browse import ADDRESSES as BROWSE_ADDRESSES
from rankscope.workbench.pages.compare import ADDRESSES as COMPARE_ADDRESSES
from rankscope.workbench.pages.entering import ADDRESSES as ENTERING_ADDRESSES
from rankscope.workbench.pages.export import ADDRESSES as EXPORT_ADDRESSES
from rankscope.workbench.pages.forms import RefusalAnswer
from rankscope.workbench.pages.guidelines import ADDRESSES as GUIDELINES_ADDRESSES
from rankscope.workbench.pages.history import ADDRESSES as HISTORY_ADDRESSES
from rankscope.workbench.pages.home import ADDRESSES as HOME_ADDRESSES
from rankscope.workbench.pages.judge import ADDRESSES as JUDGE_ADDRESSES
from rankscope.workbench.pages.like import ADDRESSES as LIKE_ADDRESSES
from rankscope.workbench.pages.look import ADDRESSES as LOOK_ADDRESSES
from rankscope.workbench.pages.openapi import description
from rankscope.workbench.pages.people import ADDRESSES as PEOPLE_ADDRESSES
from rankscope.workbench.pages.pictures import ADDRESSES as PICTURE_ADDRESSES
from rankscope.workbench.pages.pool import ADDRESSES as POOL_ADDRESSES
from rankscope.workbench.pages.preferred import ADDRESSES as PREFERRED_ADDRESSES
from rankscope.workbench.pages.questionnaire import ADDRESSES as QUESTIONNAIRE_ADDRESSES
from rankscope.workbench.pages.search import ADDRESSES as SEARCH_ADDRESSES
from rankscope.workbench.pages.session import ADDRESSES as SESSION_ADDRESSES
from rankscope.workbench.pages.static import ADDRESSES as STATIC_ADDRESSES
from rankscope.workbench.project import Project
from rankscope.workbench.service.answers import json_answer
from rankscope.workbench.service.application import ServicePart, create_application
from rankscope.workbench.service.hosts import hosts_of
from rankscope.workbench.service.refusals import Refusal

# in the order of the navigation; a new page adds its addresses here
ADDRESSES: tuple[Address, ...] = (
    *HOME_ADDRESSES,
    *JUDGE_ADDRESSES,
    *COMPARE_ADDRESSES,
    *BROWSE_ADDRESSES,
    *SEARCH_ADDRESSES,
    *LIKE_ADDRESSES,
    *SESSION_ADDRESSES,
    *LOOK_ADDRESSES,
    *HISTORY_ADDRESSES,
    *AGREEMENT_ADDRESSES,
    *ADJUDICATE_ADDRESSES,
    *GUIDELINES_ADDRESSES,
    *POOL_ADDRESSES,
    *PEOPLE_ADDRESSES,
    *PREFERRED_ADDRESSES,
    *EXPORT_ADDRESSES,
    *QUESTIONNAIRE_ADDRESSES,
    *ENTERING_ADDRESSES,
    *PICTURE_ADDRESSES,
    *STATIC_ADDRESSES,
)
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
    bench.pages = [*all_addresses(), _description_address(others)]
    with_file = [each.route(bench) for each in bench.pages if each.takes_file]
    others_routes = [each.route(bench) for each in bench.pages if not each.takes_file]

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
        ServicePart(routes=others_routes, tell=tell, body_bytes=FORM, lifespan=lifespan),
    ]


def all_addresses() -> list[Address]:
    """Every address of the pages, in the order of the navigation."""
    return list(ADDRESSES)


def _description_address(others: Sequence[ServicePart]) -> Address:
    routes = [route for part in others for route in part.routes]

    @address("GET", "/openapi.json", role="anybody", reads_journal=False)
    def openapi(visit: Visit) -> Response:
        """This description."""
        return json_answer(description(list(visit.bench.pages), routes))

    return openapi
