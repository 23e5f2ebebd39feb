"""Connections to addresses that were checked, within a time that ends for all of a request together.

A host's name is looked up once for each connection, and the address that was checked is the one connected to: an answer
of the name servers that changes a moment later changes nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Any

import httpcore

from rankscope.gathering.left_out import NoDocument
from rankscope.gathering.permitted import Permitted
from rankscope.wording import setting_usage

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
        """Seconds until the deadline."""
        left = self.deadline - monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


class TimedStream(httpcore.NetworkStream):
    """A connection of which every step ends with the deadline of the whole request."""

    def __init__(self, stream: httpcore.NetworkStream, network: CheckedNetwork) -> None:
        self._stream, self._network = stream, network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has arrived."""
        return self._stream.read(max_bytes, self._network.time_left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of it."""
        self._stream.write(buffer, self._network.time_left())

    def close(self) -> None:
        """The connection."""
        self._stream.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:
        """The same, encrypted; the certificate must be that of the host's name."""
        return TimedStream(
            self._stream.start_tls(ssl_context, server_hostname, self._network.time_left()), self._network
        )

    def get_extra_info(self, info: str) -> Any:
        """As the connection says."""
        return self._stream.get_extra_info(info)
