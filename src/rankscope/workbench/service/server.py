"""A server that listens, says where, and ends cleanly when it is asked to."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp

from rankscope.errors import SettingError

ENDING: Final = (signal.SIGINT, signal.SIGTERM)
CONNECTIONS: Final = 1000  # open at once
HEADERS: Final = 64 << 10  # bytes of a request before its body
LAST_ANSWERS: Final = 6  # seconds that answers under way have when the server is stopped
MOST_PORT: Final = 65535


class _Server(uvicorn.Server):
    """Ends at Ctrl-C or SIGTERM, and leaves it to whoever started it what happens then."""

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
        listening = socket.create_server(found[0][4][:2], family=found[0][0], backlog=CONNECTIONS)
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
    application: ASGIApp, listening: socket.socket, *, certificate: str | None = None, key: str | None = None
) -> None:
    """Serve until Ctrl-C or SIGTERM; answers under way are still given. With a certificate and its key by TLS."""
    _server(application, ssl_certfile=certificate, ssl_keyfile=key).run(sockets=[listening])


@contextmanager
def running(application: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve from a thread as long as the block runs; gives the address."""
    listening = listen(host, port)
    server = _server(application)
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), name="service", daemon=True)
    address = address_of(listening)
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _server(application: Any, **encryption: str | None) -> _Server:
    config = uvicorn.Config(
        application,
        **encryption,  # type: ignore[arg-type]
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws="none",
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=HEADERS,
        timeout_graceful_shutdown=LAST_ANSWERS,
    )
    return _Server(config)
