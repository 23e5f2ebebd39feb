"""A small S3 server of this process, for tests: buckets as dictionaries, listings in pages, and faults on purpose."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

PAGE = 3  # keys in a page of a listing: the client must ask for more


class Faults:
    """What goes wrong with which key."""

    def __init__(self) -> None:
        self.forbidden: set[str] = set()
        self.cut: set[str] = set()
        self.signed: list[str] = []  # the Authorization of each request


class Handler(BaseHTTPRequestHandler):
    """Lists, answers HEAD and GET; the server holds the objects."""

    protocol_version = "HTTP/1.1"
    objects: dict[str, bytes]
    faults: Faults

    def do_HEAD(self) -> None:
        """The size and tag of an object."""
        self._answer(body=False)

    def do_GET(self) -> None:
        """An object, or a page of a listing."""
        asked = urlsplit(self.path)
        if "list-type" in parse_qs(asked.query):
            self._list(parse_qs(asked.query))
        else:
            self._answer(body=True)

    def _answer(self, body: bool) -> None:
        self.faults.signed.append(self.headers.get("Authorization", ""))
        key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")[2]
        if key in self.faults.forbidden:
            self._send(403, b"<Error><Code>AccessDenied</Code></Error>")
        elif key not in self.objects:
            self._send(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            data = self.objects[key]
            self._send(200, data, body, half=key in self.faults.cut and body)

    def _send(self, status: int, data: bytes, body: bool = True, half: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", f'"{hashlib.md5(data).hexdigest()}"')
        self.send_header("Last-Modified", "Mon, 16 Nov 2026 00:00:00 GMT")
        self.send_header("Content-Type", "application/xml" if status != 200 else "application/octet-stream")
        self.end_headers()
        if body and self.command != "HEAD":
            self.wfile.write(data[: len(data) // 2] if half else data)
            if half:
                self.wfile.flush()
                self.connection.close()

    def _list(self, query: dict[str, list[str]]) -> None:
        prefix = query.get("prefix", [""])[0]
        start = query.get("continuation-token", [""])[0]
        keys = [key for key in sorted(self.objects) if key.startswith(prefix) and key > start]
        page = keys[:PAGE]
        more = len(keys) > PAGE
        inner = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(self.objects[key])}</Size><ETag>x</ETag>"
            "<LastModified>2026-11-16T00:00:00.000Z</LastModified></Contents>"
            for key in page
        )
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        text = (
            f'<?xml version="1.0"?><ListBucketResult><Name>b</Name><Prefix>{escape(prefix)}</Prefix>'
            f"<KeyCount>{len(page)}</KeyCount><IsTruncated>{str(more).lower()}</IsTruncated>{token}{inner}</ListBucketResult>"
        )
        self._send(200, text.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def s3_server(objects: dict[str, bytes]) -> Iterator[tuple[str, Faults]]:
    """The address of a server on this machine that holds these objects in whatever bucket is asked for."""
    faults = Faults()
    kind = type("Bound", (Handler,), {"objects": objects, "faults": faults})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", faults
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
