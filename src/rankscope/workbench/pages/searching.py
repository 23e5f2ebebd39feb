"""The search service next to a project: the same addresses, for admins alone, for searching would end blindness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rankscope.workbench.pages.access import READING, check_origin, check_person, person_of
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.service.application import ServicePart
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.served import ServedIndexes
from rankscope.workbench.service.serving import search_parts


def search_parts_beside(bench: Workbench, indexes: Any, similarity: str = "bm25") -> list[ServicePart]:
    """Indexes as Solr and OpenSearch answer them, behind the sign-in of a project."""
    limits = ServiceLimits()
    found = search_parts(ServedIndexes.of(indexes, similarity), limits)
    return [replace(each, routes=_guarded(bench, each.routes), owns=_owns(each)) for each in found]


def _owns(part: ServicePart) -> Callable[[str], bool]:
    return lambda path: is_of_search(path) and part.owns(path)


def is_of_search(path: str) -> bool:
    """Whether a path is one of the search service; all others are pages.

    >>> [is_of_search(path) for path in ("/solr/docs/select", "/docs/_search", "/_cat/indices", "/", "/docs")]
    [True, True, True, False, False]
    """
    return path.startswith("/solr/") or "/_" in path


def _guarded(bench: Workbench, routes: Sequence[BaseRoute]) -> list[BaseRoute]:
    """Those that cannot be taken for a page, each for admins only."""
    return [
        Route(each.path, _for_admins(bench, each.endpoint), methods=list(each.methods or ()))
        for each in routes
        if isinstance(each, Route) and is_of_search(each.path)
    ]


def _for_admins(bench: Workbench, endpoint: Callable[[Request], Any]) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        check_person(person_of(bench, request), "admin")
        if request.method not in READING and bench.reach.cookie in request.cookies:
            check_origin(bench, request)
        found: Response = await endpoint(request)
        return found

    answer.__doc__ = endpoint.__doc__
    return answer
