"""An application of parts, each with its addresses, form of errors and limits; one guard stands before all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankscope.workbench.service.limits import Hosts, ServiceLimits
from rankscope.workbench.service.requests import Refusal, refusal_of


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

    @asynccontextmanager
    async def lifespan(_application: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as opened:
            for part in parts:
                if part.lifespan is not None:
                    await opened.enter_async_context(part.lifespan())
            yield

    application = Starlette(
        routes=[route for part in parts for route in part.routes],
        middleware=[guard],
        exception_handlers={HTTPException: _raise_again},
        lifespan=lifespan,
    )
    application.router.redirect_slashes = False
    return application


def _raise_again(_request: Request, error: Exception) -> Response:
    """The guard tells all errors; none is told before."""
    raise error


# What stands before every page: names, sizes, headers, and errors that leave in the form of the page asked for.

SAFE: Final = {  # of every answer that does not say otherwise
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
NOT_OURS: Final = "this service does not answer to that name"
Tell = Callable[[str, Refusal], Response]  # how a refusal is told to whoever asked for a path


class RequestGuard:
    """Lets a request through to the application, or refuses it."""

    def __init__(
        self, app: ASGIApp, *, hosts: Hosts, limits: ServiceLimits, tell: Tell, body_bytes: Callable[[str], int]
    ) -> None:
        self.app, self.hosts, self.limits, self.tell, self.body_bytes = app, hosts, limits, tell, body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request from its beginning to its end."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def safe_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in SAFE.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._check(scope)
            await self.app(scope, self._measured(scope["path"], receive), safe_send)
        except ClientDisconnect:
            return  # nobody is there to be answered
        except Exception as error:
            if started:
                raise
            refusal = refusal_of(error, scope["path"], scope["method"])
            await self.tell(scope["path"], refusal)(scope, receive, safe_send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        named = headers.getlist("host")
        if len(named) != 1 or not self.hosts.allow(named[0]):
            raise Refusal(421, f"{NOT_OURS}: use the address that it printed when it was started")
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > self.limits.address_bytes:
            raise Refusal(414, f"an address may have {self.limits.address_bytes:,} bytes: send what is longer as POST")
        most, length = self.body_bytes(scope["path"]), headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise _too_large(most)

    def _measured(self, path: str, receive: Receive) -> Receive:
        """The body as it comes, as long as it is neither too large nor too slow."""
        most, taken, until = self.body_bytes(path), 0, time.monotonic() + self.limits.body_seconds
        complete = False

        async def measured() -> Message:
            nonlocal taken, complete
            if complete:
                return await receive()
            try:
                async with asyncio.timeout(max(until - time.monotonic(), 0.0)):
                    message = await receive()
            except TimeoutError:
                raise Refusal(408, f"the request did not come within {self.limits.body_seconds:g} seconds") from None
            taken += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if taken > most:
                raise _too_large(most)
            return message

        return measured


def _too_large(most: int) -> Refusal:
    return Refusal(413, f"the body of a request may have {most:,} bytes", headers={"connection": "close"})
