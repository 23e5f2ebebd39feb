"""A client that asks an application in this process, without a server; the application is opened and closed too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.needs import needed_module

httpx = needed_module("httpx", "gather")
HOME = "http://127.0.0.1"


class AsgiClient:
    """Asks one request after another; an error that the application leaves unhandled is raised here."""

    def __init__(self, application: Any, runner: asyncio.Runner, home: str) -> None:
        self.runner = runner
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url=home)

    def request(self, method: str, address: str, **how: Any) -> Any:
        if not isinstance(how.get("content", b""), bytes | str):
            how["content"] = _pieces(how["content"])
        return self.runner.run(self.client.request(method, address, **how))

    def get(self, address: str, **how: Any) -> Any:
        return self.request("GET", address, **how)

    def post(self, address: str, **how: Any) -> Any:
        return self.request("POST", address, **how)


async def _pieces(content: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece


@contextmanager
def client_of(application: Any, home: str = HOME) -> Iterator[AsgiClient]:
    """A client of an application that is opened for as long as the block runs."""
    with asyncio.Runner() as runner:
        lifespan = application.router.lifespan_context(application)
        runner.run(lifespan.__aenter__())
        try:
            yield AsgiClient(application, runner, home)
        finally:
            runner.run(lifespan.__aexit__(None, None, None))
