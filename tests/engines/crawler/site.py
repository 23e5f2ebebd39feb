"""A server on this machine that answers as it is told and remembers what it was asked, and a network that records."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import polars as pl

from tests.needs import needed_module

if TYPE_CHECKING:
    import httpcore

    from rankscope.engines.crawler.state import Gathered
else:
    httpcore = needed_module("httpcore", "gather")

HOME = "127.0.0.1"
HTML = "text/html; charset=utf-8"


@dataclass
class Reply:
    """What the server sends; `stream` writes the body itself."""

    body: bytes = b""
    kind: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Callable[[Any], None] | None = None


Make = Reply | str | Callable[[str], "Reply | str"]


def redirect(target: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": target})


def page(text: str, *links: str, title: str = "") -> str:
    listed = "".join(f'<li><a href="{each}">{each}</a></li>' for each in links)
    head = f"<head><title>{title or text}</title></head>"
    return f"<html>{head}<body><nav><ul>{listed}</ul></nav><p>{text}</p></body></html>"


class Site:
    """Pages by their paths; a path that ends with * stands for all that begin so. `asked` are requests in order."""

    def __init__(self, pages: Mapping[str, Make]) -> None:
        self.pages = dict(pages)
        self.asked: list[str] = []
        self.times: list[float] = []
        self.agents: set[str] = set()
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self.port = 0

    @property
    def home(self) -> str:
        return f"http://{HOME}:{self.port}"

    def reply(self, path: str) -> Reply:
        made = self.pages.get(path)
        if made is None:
            folders = [each for each in self.pages if each.endswith("*") and path.startswith(each[:-1])]
            made = self.pages[max(folders, key=len)] if folders else Reply(b"none", status=404)
        if callable(made):
            made = made(path)
        return made if isinstance(made, Reply) else Reply(made.encode())

    @property
    def pages_asked(self) -> list[str]:
        return [each for each in self.asked if each != "/robots.txt"]


@contextmanager
def served(pages: Mapping[str, Make]) -> Iterator[Site]:
    site = Site(pages)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with site.lock:
                site.asked.append(self.path)
                site.times.append(monotonic())
                site.agents.add(self.headers.get("User-Agent", ""))
                site.at_once += 1
                site.most_at_once = max(site.most_at_once, site.at_once)
            try:
                self.answer(site.reply(self.path))
            except (BrokenPipeError, ConnectionResetError):
                pass
            finally:
                with site.lock:
                    site.at_once -= 1

        def answer(self, reply: Reply) -> None:
            self.send_response(reply.status)
            headers = {"Content-Type": reply.kind} if reply.kind else {}
            if reply.stream is None:
                headers["Content-Length"] = str(len(reply.body))
            for name, value in {**headers, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.stream is None:
                self.wfile.write(reply.body)
            else:
                reply.stream(self.wfile)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    with Server((HOME, 0), Handler) as server:
        site.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()


class RecordingNetwork(httpcore.NetworkBackend):
    """Remembers every address that is connected to; public ones are played by this machine."""

    def __init__(self) -> None:
        self.connected: list[tuple[str, int]] = []
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        self.connected.append((host, port))
        return self._real.connect_tcp(HOME, port, timeout, local_address, socket_options)

    @property
    def hosts(self) -> set[str]:
        return {host for host, _ in self.connected}


def gathered_from(
    addresses: str | list[str], folder: Path, *, allow: tuple[str, ...] = (HOME,), network: Any = None, **given: Any
) -> Gathered:
    """`gather` without pauses, into docs.parquet; `resolve` and `network` are what tests put in place of the world."""
    from rankscope.engines.crawler.gathering import GatheringLimits, gather_pages

    ours: dict[str, Any] = {name: given.pop(name) for name in ("resolve", "restart", "progress") if name in given}
    if network is not None:
        ours["network"] = network
    seeds = [addresses] if isinstance(addresses, str) else addresses
    return gather_pages(seeds, folder / "docs.parquet", GatheringLimits(**{"pause": 0, **given}), allow=allow, **ours)


def documents(folder: Path) -> dict[str, dict[str, Any]]:
    """The documents in docs.parquet by the paths of their ids."""
    rows = pl.read_parquet(folder / "docs.parquet").iter_rows(named=True)
    return {"/" + row["id"].split("/", 3)[3]: row for row in rows}


def reasons(gathered: Gathered) -> dict[str, str]:
    """Why pages were left out, by their paths."""
    return {"/" + address.split("/", 3)[3]: reason for address, reason in gathered.left_out}


class Names:
    """Name servers whose answers can change from one question to the next; the last one stays."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers = {name.replace("_", "."): [*given] for name, given in answers.items()}
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        given = self.answers.get(host)
        if given is None:
            raise socket.gaierror(f"no address of {host}")
        answer = given.pop(0) if len(given) > 1 else given[0]
        return answer.split(",")
