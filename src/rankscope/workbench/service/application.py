"""An application of parts: each with its addresses, its form of errors and its limits; one guard before all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from rankscope.workbench.service.guard import RequestGuard
from rankscope.workbench.service.hosts import Hosts
from rankscope.workbench.service.limits import ServiceLimits
from rankscope.workbench.service.refusals import Refusal


@dataclass(frozen=True)
class ServicePart:
    """Some pages of an application.

    `owns` says which paths are the part's own, so that errors there are told in its form; the last part owns the rest.
    `lifespan` opens what the part needs while the application runs, and closes it.
    """

    routes: Sequence[BaseRoute]
    tell: Callable[[Refusal], Response]
    owns: Callable[[str], bool] = lambda path: True
    body_bytes: int | None = None  # of a request; None: as the limits say
    lifespan: Callable[[], AbstractAsyncContextManager[object]] | None = None


def create_application(parts: Sequence[ServicePart], hosts: Hosts, limits: ServiceLimits | None = None) -> Starlette:
    """The application of some parts; the first that knows an address answers it."""
    allowed = limits or ServiceLimits()

    def part_of(path: str) -> ServicePart:
        return next((part for part in parts if part.owns(path)), parts[-1])

    def body_bytes(path: str) -> int:
        own = part_of(path).body_bytes
        return allowed.body_bytes if own is None else own

    guard = Middleware(
        RequestGuard,
        hosts=hosts,
        limits=allowed,
        tell=lambda path, refusal: part_of(path).tell(refusal),
        body_bytes=body_bytes,
    )
    application = Starlette(
        routes=[route for part in parts for route in part.routes],
        middleware=[guard],
        exception_handlers={HTTPException: _raise_again},
        lifespan=_lifespan_of(parts),
    )
    application.router.redirect_slashes = False
    return application


def _raise_again(_request: Request, error: Exception) -> Response:
    """The guard tells all errors; none is told before."""
    raise error


def _lifespan_of(parts: Sequence[ServicePart]) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def open_all(_application: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as opened:
            for part in parts:
                if part.lifespan is not None:
                    await opened.enter_async_context(part.lifespan())
            yield

    return open_all
