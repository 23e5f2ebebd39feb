"""A small engine on this machine that speaks as Solr and as OpenSearch do, and fails as it is told."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

HOME = "127.0.0.1"
Hits = Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Asked:
    """A request as the engine understood it."""

    path: str
    query: str
    start: int
    size: int
    after: Any
    body: dict[str, Any]
    headers: Mapping[str, str]


@dataclass
class Fault:
    """What is sent in place of an answer: a status with a body, or a body that `write` puts on the wire itself."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    write: Callable[[BaseHTTPRequestHandler], None] | None = None


def json_fault(status: int, data: Any, **headers: str) -> Fault:
    return Fault(status, json.dumps(data).encode(), {name.replace("_", "-"): text for name, text in headers.items()})


def reset(handler: BaseHTTPRequestHandler) -> None:
    """The connection ends without a word."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(handler.connection.detach())
    handler.close_connection = True


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    """Half of what was announced."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"response": {"docs": [')
    handler.close_connection = True


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """A byte now and then, for ever."""
    handler.send_response(200)
    handler.end_headers()
    pause = threading.Event()
    while not pause.wait(0.01):
        handler.wfile.write(b" ")
        handler.wfile.flush()


class Engine:
    """Rankings by query; `fault` decides for each request and its number whether it fails."""

    def __init__(self, rank: Callable[[str], Hits], fault: Callable[[Asked, int], Fault | None] | None = None) -> None:
        self.rank, self.fault = rank, fault or (lambda asked, number: None)
        self.asked: list[Asked] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self.port = 0
        self.total: Callable[[Asked, int], int | None] = lambda asked, found: found

    def solr(self, name: str = "docs") -> str:
        return f"solr:http://{HOME}:{self.port}/solr/{name}"

    def opensearch(self, name: str = "docs", kind: str = "opensearch") -> str:
        return f"{kind}:http://{HOME}:{self.port}/{name}"

    def addresses(self) -> dict[str, str]:
        return {"solr": self.solr(), "opensearch": self.opensearch(), "elasticsearch": self.opensearch()}

    def answer(self, asked: Asked) -> dict[str, Any]:
        found = list(self.rank(asked.query))
        if asked.after not in (None, "*"):
            places = [place for place, (item, _) in enumerate(found, 1) if item == _last_id(asked.after)]
            first = places[0]
        else:
            first = asked.start
        page, total = found[first : first + asked.size], self.total(asked, len(found))
        return (_solr_answer if "/solr/" in asked.path else _opensearch_answer)(asked, page, total)


def _last_id(after: Any) -> str:
    return str(after[-1] if isinstance(after, list) else after)


def _solr_answer(asked: Asked, page: Hits, total: int | None) -> dict[str, Any]:
    name = asked.body["fl"].split(",")[0]
    response = {"numFound": total, "start": asked.start, "docs": [{name: item, "score": score} for item, score in page]}
    mark = {} if asked.after is None else {"nextCursorMark": page[-1][0] if page else asked.after}
    return {"responseHeader": {"status": 0, "QTime": 3}, "response": response, **mark}


def _opensearch_answer(asked: Asked, page: Hits, total: int | None) -> dict[str, Any]:
    source = asked.body.get("_source")
    hits: list[dict[str, Any]] = []
    for item, score in page:
        hit: dict[str, Any] = {
            "_index": "docs",
            "_id": item if source is False else f"internal-{item}",
            "_score": score,
        }
        if source:
            hit["_source"] = {source[0]: item}
        if "sort" in asked.body:
            hit["sort"] = [score, item]
        hits.append(hit)
    shards = {"total": 1, "successful": 1, "failed": 0}
    count = {} if total is None else {"total": {"value": total, "relation": "eq"}}
    return {"took": 3, "timed_out": False, "_shards": shards, "hits": {**count, "hits": hits}}


def _understood(handler: BaseHTTPRequestHandler) -> Asked:
    content = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
    body: dict[str, Any]
    if "/solr/" in handler.path:
        parsed = parse_qs(content, keep_blank_values=True)
        body = {name: values[0] if len(values) == 1 else values for name, values in parsed.items()}
        start, size, after, query = int(body.get("start", 0)), int(body["rows"]), body.get("cursorMark"), body.get("q")
    else:
        body = json.loads(content)
        start, size, after = body.get("from", 0), body["size"], body.get("search_after")
        (asked,) = body["query"].values()
        query = asked["query"] if "query" in asked else next(iter(asked.values()))
    return Asked(
        path=handler.path,
        query=str(query),
        start=start,
        size=size,
        after=after,
        body=body,
        headers=dict(handler.headers.items()),
    )


@contextmanager
def running(rank: Callable[[str], Hits], fault: Callable[[Asked, int], Fault | None] | None = None) -> Iterator[Engine]:
    engine = Engine(rank, fault)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = _understood(self)
            with engine.lock:
                engine.asked.append(asked)
                number = len(engine.asked)
                engine.at_once += 1
                engine.most_at_once = max(engine.most_at_once, engine.at_once)
            try:
                fault = engine.fault(asked, number)
                self.reply(fault or Fault(200, json.dumps(engine.answer(asked)).encode()))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                with engine.lock:
                    engine.at_once -= 1

        def reply(self, reply: Fault) -> None:
            if reply.write is not None:
                reply.write(self)
                return
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    with Server((HOME, 0), Handler) as server:
        engine.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield engine
        finally:
            server.shutdown()
            thread.join()
