"""One request at a time: what a server answers, counted while it arrives."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic

import httpcore
import httpx

from rankscope.gathering.connecting import CheckedNetwork, Resolve, resolve_host
from rankscope.gathering.left_out import NoDocument
from rankscope.gathering.permitted import Permitted
from rankscope.gathering.rules import GatheringLimits
from rankscope.gathering.unpacking import unpacked

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
            ssl_context=_certificates(), max_keepalive_connections=0, network_backend=self._network
        )

    def close(self) -> None:
        """No connection stays open."""
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
                head = Fetched(response.status, _texts(response.headers))
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
        announced = head.headers.get("content-length", "")
        if cut is None and announced.isdecimal() and int(announced[:20]) > most:
            raise self._too_large()
        arriving = _at_most(chunks, most, self._too_large)
        for piece in unpacked(arriving, head.headers.get("content-encoding", "")):
            body += piece
            if cut is not None and len(body) >= cut:
                return bytes(body[:cut])
            if len(body) > most:
                raise self._too_large()
        return bytes(body)

    def _too_large(self) -> NoDocument:
        return NoDocument(f"is larger than {self._rules.megabytes:g} MB")


def _at_most(chunks: Iterable[bytes], most: int, failure: Callable[[], NoDocument]) -> Iterator[bytes]:
    arrived = 0
    for chunk in chunks:
        arrived += len(chunk)
        if arrived > most:
            raise failure()
        yield chunk


def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()


def _texts(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1").strip() for name, value in headers}


def _first_line(error: Exception) -> str:
    return (str(error).partition("\n")[0] or type(error).__name__)[:200]
