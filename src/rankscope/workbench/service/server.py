"""A server that listens, says where, limits its connections, and ends cleanly when it is asked to; and the search
service that it serves.

uvicorn gives no time to the head of a request, and takes connections until the process can open no file. Here they
are taken one by one; where there is no room, the one that has waited longest without a whole request makes it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import ssl
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from rankscope.core.errors import SettingError
from rankscope.engines.text.text_index import Index
from rankscope.workbench.pages.openapi import description
from rankscope.workbench.service.application import (
    ConnectionLimits,
    Proxies,
    ServiceLimits,
    ServicePart,
    create_application,
    hosts_of,
    is_loopback,
    json_answer,
)
from rankscope.workbench.service.indexes import ServedIndexes, Turns, find_page
from rankscope.workbench.service.opensearch import opensearch_part
from rankscope.workbench.service.solr import solr_part

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
        await super().startup(sockets=[])
        connections = Connections(self.config, self.server_state, self.limits, self.proxies)
        work = [connections.watch(), *(connections.take(each, self.lifespan.state) for each in sockets or ())]
        self._tasks = [asyncio.create_task(each) for each in work]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
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


# Connections to a server: so many in all and of one address, none that waits for ever, and files left for the work.

BUSY: Final = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
KEPT_FILES: Final = 64  # for indexes, pictures, databases
FEWEST: Final = 8  # connections, however few files there may be
EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
LATE, ROOM, UNREAD = "sent no whole request in time", "made room for others", "did not read their answer"
FULL, NO_FILES = "found no room", "found no file to open"


class Connection(H11Protocol):
    """One connection, which knows since when it waits for the other side."""

    address = ""
    since = 0.0  # of the loop's clock
    lost: Callable[[Connection], None]
    opening: asyncio.Task[None] | None = None  # until TLS is agreed on
    has_answered = False  # a whole request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.since = self.loop.time()
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost(self)

    def on_response_complete(self) -> None:
        self.since, self.has_answered = self.loop.time(), True
        super().on_response_complete()

    def pause_writing(self) -> None:
        self.since = self.loop.time()
        super().pause_writing()

    @property
    def is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def is_waiting(self) -> bool:
        """Whether the other side keeps it waiting: it may end without any loss of work of ours."""
        return self.transport is None or not self.is_answering or self.cycle.more_body or self.flow.write_paused

    def overdue(self, limits: ConnectionLimits) -> str:
        """What the other side did not do in time; nothing where there is time left."""
        if self.transport is None:
            return ""  # TLS has a limit of its own
        unread = self.flow.write_paused or (not self.is_answering and self.transport.get_write_buffer_size() > 0)
        if self.is_answering and not unread:
            return ""
        late = self.loop.time() - self.since > (limits.unread_seconds if unread else limits.head_seconds)
        return (UNREAD if unread else LATE) if late else ""

    def end(self) -> None:
        if self.transport is not None:
            self.transport.abort()
        elif self.opening is not None:
            self.opening.cancel()


class Connections:
    """All that are open at one server, from the moment they are taken until they are gone."""

    def __init__(self, config: uvicorn.Config, state: ServerState, limits: ConnectionLimits, proxies: Proxies) -> None:
        self.config, self.state, self.limits, self.proxies = config, state, limits, proxies
        self.most = most_connections(limits.most)
        self.open: dict[Connection, None] = {}
        self._of_address: Counter[str] = Counter()
        self._ended: Counter[str] = Counter()
        self._said = -limits.said_seconds

    async def take(self, listening: socket.socket, app_state: dict[str, object]) -> None:
        loop = asyncio.get_running_loop()
        listening.setblocking(False)
        while True:
            try:
                taken, peer = await loop.sock_accept(listening)
            except OSError as error:  # it has gone already, or no file can be opened
                if error.errno in EXHAUSTED:
                    self._ended[NO_FILES] += 1
                    self._end_one(list(self.open))
                    await asyncio.sleep(0.1)
                continue
            address = str(peer[0]) if isinstance(peer, tuple) else ""
            if self._has_room(address):
                self._open(taken, address, app_state)
            else:
                self._ended[FULL] += 1
                with suppress(OSError):
                    if self.config.ssl is None:
                        taken.send(BUSY)
                taken.close()
            await asyncio.sleep(0)  # what was taken is attended to

    async def watch(self) -> None:
        """End those that keep us waiting, and say so, until this is cancelled."""
        while True:
            await asyncio.sleep(self.limits.look_seconds)
            for each in list(self.open):
                why = each.overdue(self.limits)
                if why:
                    if why != LATE or each.conn.trailing_data[0]:  # browsers open some that they may never need
                        self._ended[why] += 1
                    each.end()
            self._say()

    def _open(self, taken: socket.socket, address: str, app_state: dict[str, object]) -> None:
        loop = asyncio.get_running_loop()
        new = Connection(self.config, self.state, app_state, loop)
        new.address, new.since, new.lost = address, loop.time(), self._lost
        self.open[new] = None
        self._of_address[address] += 1
        new.opening = loop.create_task(self._agree(new, taken))

    async def _agree(self, new: Connection, taken: socket.socket) -> None:
        seconds = self.limits.head_seconds if self.config.ssl is not None else None
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: new, taken, ssl=self.config.ssl, ssl_handshake_timeout=seconds, ssl_shutdown_timeout=seconds
            )
        except (OSError, ssl.SSLError):
            pass  # no TLS, or not in time
        finally:
            new.opening = None
            if new.transport is None:
                taken.close()
                self._lost(new)

    def _lost(self, gone: Connection) -> None:
        if self.open.pop(gone, self) is None:
            self._of_address[gone.address] -= 1
            self._of_address += Counter()  # without those that have none

    def _has_room(self, address: str) -> bool:
        """Whether one more of an address may come, after another has gone for it where need be."""
        own = self._of_address[address] >= max(1, self.most // 2) and not self.proxies.trust(address)
        if own:
            return self._end_one([each for each in self.open if each.address == address])
        return len(self.open) < self.most or self._end_one(list(self.open))

    def _end_one(self, among: list[Connection]) -> bool:
        """End the one that has waited longest, those first that never got an answer; whether there is one."""
        waiting = [each for each in among if each.is_waiting]
        if not waiting:
            return False
        chosen = min(waiting, key=lambda each: (each.has_answered, each.since))
        self._ended[ROOM] += 1
        chosen.end()
        self._lost(chosen)
        return True

    def _say(self) -> None:
        """In one line, and not again for a while."""
        now = asyncio.get_running_loop().time()
        if not self._ended or now - self._said < self.limits.said_seconds:
            return
        counts = ", ".join(f"{count:,} {why}" for why, count in self._ended.most_common())
        print(f"! connections that were ended: {counts}; {len(self.open):,} are open", file=sys.stderr, flush=True)
        self._ended.clear()
        self._said = now


def most_connections(most: int) -> int:
    """So many at once that files can still be opened for the work."""
    try:
        import resource
    except ImportError:  # Windows counts no files
        return most
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed == resource.RLIM_INFINITY:
        return most
    with suppress(OSError):
        allowed -= len(os.listdir("/dev/fd"))
    return min(most, max(FEWEST, allowed - KEPT_FILES))


# The search service: indexes that answer as Solr and OpenSearch do.

Indexes = Mapping[str, Index] | Sequence[str | Path]
PORT = 8384


def search_application(
    indexes: Indexes | ServedIndexes,
    *,
    similarity: str = "bm25",
    host: str = "127.0.0.1",
    allow_hosts: Iterable[str] = (),
    limits: ServiceLimits | None = None,
) -> Starlette:
    """An ASGI application that searches indexes, by name or those of folders, as Solr and OpenSearch do."""
    allowed = limits or ServiceLimits()
    served = indexes if isinstance(indexes, ServedIndexes) else ServedIndexes.of(indexes, similarity)
    parts = search_parts(served, allowed)
    described = description([], [route for part in parts for route in part.routes])

    async def answer(_request: Request) -> Response:
        return json_answer(described)

    route = Route("/openapi.json", answer, methods=["GET"])
    own = ServicePart(routes=[route], tell=parts[-1].tell, owns=lambda path: path == "/openapi.json")
    return create_application([own, *parts], hosts_of(host, allow_hosts), allowed)


def search_parts(served: ServedIndexes, limits: ServiceLimits) -> list[ServicePart]:
    """The parts of an application that search; they share the turns that searches take."""
    turns = Turns(limits)

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        try:
            yield
        finally:
            turns.close()

    solr = replace(solr_part(served, limits, turns), lifespan=lifespan)
    return [solr, opensearch_part(served, limits, turns)]


def serve(
    indexes: Indexes,
    *,
    similarity: str = "bm25",
    host: str = "127.0.0.1",
    port: int = PORT,
    allow_hosts: Iterable[str] = (),
    trusted_proxies: Iterable[str] = (),
    limits: ServiceLimits | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve indexes until Ctrl-C or SIGTERM; `say` gets the lines that tell where, and what is exposed.

    The connections of one address are limited, those of `trusted_proxies` (this machine, if none are named) are not.
    """
    proxies = Proxies.of(trusted_proxies)
    served = ServedIndexes.of(indexes, similarity)
    application = search_application(served, host=host, allow_hosts=allow_hosts, limits=limits)
    with listen(host, port) as listening:
        for name in served.indexes:  # load what the first search loads, so that nobody waits for it
            one = served.find(name)
            page = find_page(one, one.index.parse("a", syntax="lucene"), 0, 1)
            one.index.reader.stored_rows(page.docs)
        for line in start_lines(served, address_of(listening), host):
            say(line)
        run_application(application, listening, proxies=proxies)


def start_lines(served: ServedIndexes, address: str, host: str) -> list[str]:
    lines = [f"serving at {address}; Ctrl-C ends it"]
    for name, index in served.indexes.items():
        count = len(index)
        lines.append(f"  {name}: {count:,} document{'' if count == 1 else 's'}")
        lines.append(f"    Solr        {address}/solr/{name}/select?q=...")
        lines.append(f"    OpenSearch  {address}/{name}/_search?q=...")
    if not is_loopback(host):
        whole = "all texts of these indexes" if len(served.indexes) > 1 else "all texts of this index"
        lines.append(f"! {host} is not this machine alone: whoever reaches it can read {whole}, without a password")
    return lines
