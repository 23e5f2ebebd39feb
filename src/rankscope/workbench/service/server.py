"""A server that listens, says where, and ends cleanly when it is asked to."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from rankscope.errors import SettingError
from rankscope.workbench.service.connections import Connection, Connections
from rankscope.workbench.service.hosts import Proxies
from rankscope.workbench.service.limits import ConnectionLimits

ENDING: Final = (signal.SIGINT, signal.SIGTERM)
QUEUE: Final = 1000  # connections that the system keeps until they are taken
HEADERS: Final = 64 << 10  # bytes of a request before its body
LAST_ANSWERS: Final = 6  # seconds that answers under way have when the server is stopped
MOST_PORT: Final = 65535


class Server(uvicorn.Server):
    """Ends at Ctrl-C or SIGTERM, and leaves it to whoever started it what happens then; limits its connections."""

    def __init__(
        self,
        application: ASGIApp,
        *,
        proxies: Proxies | None = None,
        limits: ConnectionLimits | None = None,
        certificate: str | None = None,
        key: str | None = None,
    ) -> None:
        self.proxies, self.limits = proxies or Proxies(), limits or ConnectionLimits()
        self._tasks: list[asyncio.Task[None]] = []
        config = uvicorn.Config(
            application,
            ssl_certfile=certificate,
            ssl_keyfile=key,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            http=Connection,
            ws="none",
            h11_max_incomplete_event_size=HEADERS,
            timeout_keep_alive=self.limits.idle_seconds,
            timeout_graceful_shutdown=LAST_ANSWERS,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the application, and take connections ourselves."""
        await super().startup(sockets=[])
        connections = Connections(self.config, self.server_state, self.limits, self.proxies)
        work = [connections.watch(), *(connections.take(each, self.lifespan.state) for each in sockets or ())]
        self._tasks = [asyncio.create_task(each) for each in work]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more, and end what is open."""
        for each in self._tasks:
            each.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals end the server, and nothing else, while it runs."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in ENDING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str = "127.0.0.1", port: int = 0) -> socket.socket:
    """A socket that takes connections; port 0 chooses one that is free.

    >>> with listen() as listening:
    ...     address_of(listening).startswith("http://127.0.0.1:")
    True
    """
    if not 0 <= port <= MOST_PORT:
        raise SettingError(f"port={port}: must be between 0 and {MOST_PORT}")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listening = socket.create_server(found[0][4][:2], family=found[0][0], backlog=QUEUE)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # its connections too send at once
        return listening
    except OSError as error:
        advice = "; --port 0 chooses one that is free" if port else ""
        raise SettingError(f"cannot listen at {host}, port {port}: {error.strerror or error}{advice}") from None


def address_of(listening: socket.socket) -> str:
    """The address of a server for those on this machine."""
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def run_application(
    application: ASGIApp,
    listening: socket.socket,
    *,
    proxies: Proxies | None = None,
    certificate: str | None = None,
    key: str | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM; answers under way are still given. With a certificate and its key by TLS."""
    Server(application, proxies=proxies, certificate=certificate, key=key).run(sockets=[listening])


@contextmanager
def running(
    application: ASGIApp, host: str = "127.0.0.1", port: int = 0, *, limits: ConnectionLimits | None = None
) -> Iterator[str]:
    """Serve from a thread as long as the block runs; gives the address."""
    listening = listen(host, port)
    server = Server(application, limits=limits)
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), name="service", daemon=True)
    address = address_of(listening)
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
