"""One request: what a server answers, counted while it arrives and is unpacked, over connections to checked addresses
alone.
"""

from __future__ import annotations

import socket
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import httpcore
import httpx

from rankscope.core.wording import setting_usage
from rankscope.engines.crawler.addresses import Permitted
from rankscope.engines.crawler.gathering import GatheringLimits

# Connections to addresses that were checked, within a time that ends for all of a request together.

Resolve = Callable[[str, int], Sequence[str]]


def resolve_host(host: str, port: int) -> list[str]:
    """The addresses of a host, in the order that the system would try them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]).partition("%")[0] for each in found))


class CheckedNetwork(httpcore.NetworkBackend):
    """The network as far as it is permitted; `deadline` is when the request that is running must have ended."""

    def __init__(
        self, permitted: Permitted, resolve: Resolve = resolve_host, network: httpcore.NetworkBackend | None = None
    ) -> None:
        self._permitted, self._resolve = permitted, resolve
        self._network = network or httpcore.SyncBackend()
        self.deadline = 0.0

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """To the first of a host's permitted addresses that answers."""
        failure: Exception = httpcore.ConnectTimeout()
        for address in self._checked(host, port):
            try:
                stream = self._network.connect_tcp(address, port, self.time_left(), None, socket_options)
                return TimedStream(stream, self)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    def _checked(self, host: str, port: int) -> list[str]:
        try:
            found = self._resolve(host, port)
        except (OSError, UnicodeError):
            raise NoDocument(f"has a host without an address: {host}", unreachable=True) from None
        allowed = [each for each in found if self._permitted.allows(each)]
        if found and not allowed:
            usage = setting_usage("allow", found[0])
            raise NoDocument(
                f"leads to {found[0]}, which is no public address: give {usage} if you mean it", asked=False
            )
        return allowed

    def time_left(self) -> float:
        left = self.deadline - monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


class TimedStream(httpcore.NetworkStream):
    """A connection of which every step ends with the deadline of the whole request."""

    def __init__(self, stream: httpcore.NetworkStream, network: CheckedNetwork) -> None:
        self._stream, self._network = stream, network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._network.time_left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._network.time_left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:
        """The same, encrypted; the certificate must be that of the host's name."""
        return TimedStream(
            self._stream.start_tls(ssl_context, server_hostname, self._network.time_left()), self._network
        )

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


OK = 200


@dataclass(frozen=True)
class Fetched:
    """Status, headers by their names in small letters, and the body where it was wanted."""

    status: int
    headers: dict[str, str]
    body: bytes = b""


class Fetcher:
    """Asks servers, with nothing from the environment: no proxy, no password, no cookie, no redirect followed."""

    def __init__(
        self,
        rules: GatheringLimits,
        permitted: Permitted,
        resolve: Resolve = resolve_host,
        network: httpcore.NetworkBackend | None = None,
    ) -> None:
        self._rules = rules
        self._network = CheckedNetwork(permitted, resolve, network)
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(), max_keepalive_connections=0, network_backend=self._network
        )

    def close(self) -> None:
        self._pool.close()

    def fetch(self, address: str, wants: Callable[[Fetched], bool], cut: int | None = None) -> Fetched:
        """The answer, with its body if that is wanted by what its head says.

        Too large a body is `NoDocument`, or cut off after so many bytes.
        """
        self._network.deadline = monotonic() + self._rules.seconds
        headers = {
            "User-Agent": self._rules.agent,
            "Accept-Encoding": "gzip",
            "Accept": "text/html,application/pdf,*/*",
        }
        try:
            with self._pool.stream("GET", address, headers=[*headers.items()]) as response:
                texts = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers)
                head = Fetched(response.status, {name.lower(): value.strip() for name, value in texts})
                if not wants(head):
                    return head
                return Fetched(head.status, head.headers, self._body(head, response.iter_stream(), cut))
        except httpcore.TimeoutException:
            raise NoDocument(f"did not arrive within {self._rules.seconds:g} seconds", unreachable=True) from None
        except httpcore.NetworkError as error:
            raise NoDocument(f"cannot be reached: {_first_line(error)}", unreachable=True) from None
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            raise NoDocument(f"is answered in a way that is no HTTP: {_first_line(error)}") from None

    def _body(self, head: Fetched, chunks: Iterable[bytes], cut: int | None) -> bytes:
        """All of it, counted before and after it is unpacked."""
        body = bytearray()
        most = self._rules.bytes
        too_large = NoDocument(f"is larger than {self._rules.megabytes:g} MB")
        announced = head.headers.get("content-length", "")
        if cut is None and announced.isdecimal() and int(announced[:20]) > most:
            raise too_large

        def arriving() -> Iterator[bytes]:
            arrived = 0
            for chunk in chunks:
                arrived += len(chunk)
                if arrived > most:
                    raise too_large
                yield chunk

        for piece in unpacked(arriving(), head.headers.get("content-encoding", "")):
            body += piece
            if cut is not None and len(body) >= cut:
                return bytes(body[:cut])
            if len(body) > most:
                raise too_large
        return bytes(body)


def _first_line(error: Exception) -> str:
    return (str(error).partition("\n")[0] or type(error).__name__)[:200]


# Bodies as they were before they were packed for the way, in pieces that are small even where little becomes much.

UNPACKED_PIECE = 1 << 16
GZIP = 16 + zlib.MAX_WBITS


def unpacked(chunks: Iterable[bytes], packing: str) -> Iterator[bytes]:
    """The pieces of a body; `packing` is what the header Content-Encoding says.

    >>> import gzip
    >>> b"".join(unpacked([gzip.compress(b"a fox")], "gzip"))
    b'a fox'
    """
    name = packing.strip().lower()
    if name in ("", "identity"):
        return iter(chunks)
    if name in ("gzip", "x-gzip"):
        return _from_gzip(chunks)
    raise NoDocument(f"comes packed as '{name[:40]}', which was not asked for")


def _from_gzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    member = zlib.decompressobj(GZIP)
    try:
        for chunk in chunks:
            data = chunk
            while data:
                if member.eof:
                    member = zlib.decompressobj(GZIP)
                yield from _pieces(member, data)
                data = member.unused_data
    except zlib.error:
        raise NoDocument("says that it is packed with gzip and is not") from None
    if not member.eof:
        raise NoDocument("is cut off in the middle of its gzip")


def _pieces(member: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    piece = member.decompress(data, UNPACKED_PIECE)
    while piece:
        yield piece
        piece = member.decompress(member.unconsumed_tail, UNPACKED_PIECE)


class NoDocument(Exception):  # noqa: N818  (it says what becomes of the page)
    """A page gives no document, and the reason reads on from its address.

    `asked` says whether its host was asked for the page itself; `unreachable` that the host did not answer at all.
    """

    def __init__(self, reason: str, *, asked: bool = True, unreachable: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.asked, self.unreachable = reason, asked, unreachable
