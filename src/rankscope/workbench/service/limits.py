"""What a service lets in: the names that it answers to, the proxies that it believes, and how much is done at once."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rankscope.core.errors import SettingError

# How much one request may ask for, and how much is done at once.


@dataclass(frozen=True)
class ServiceLimits:
    """What a service does at most; a request that asks for more is refused, and told so.

    >>> ServiceLimits().running, ServiceLimits().seconds
    (4, 5.0)
    """

    query_bytes: int = 8 << 10  # of the text of one query
    clauses: int = 1024  # of a query with its filters, all groups together
    levels: int = 50  # of groups in groups
    rows: int = 1000  # documents of one answer
    window: int = 10_000  # of OpenSearch's from + size
    address_bytes: int = 32 << 10  # of what stands behind the question mark
    body_bytes: int = 64 << 10
    body_seconds: float = 10.0  # until the whole body has come
    seconds: float = 5.0  # of a search, looked at between clauses
    running: int = 4  # searches at once
    waiting: int = 64  # searches that wait for their turn
    wait_seconds: float = 5.0  # how long they wait
    retry_seconds: int = 1  # when one that was refused may ask again


@dataclass(frozen=True)
class ConnectionLimits:
    """How many connections a server has, and how long one may keep it waiting.

    One address has half of them at most, unless it is a proxy's.
    >>> ConnectionLimits().most, ConnectionLimits().head_seconds
    (1000, 10.0)
    """

    most: int = 1000  # less where the process may open fewer files
    head_seconds: float = 10.0  # from the connection, or from the last answer, until the head of a request has come
    idle_seconds: int = 5  # after an answer, without a word
    unread_seconds: float = 30.0  # of an answer that is not read on
    look_seconds: float = 0.5  # between two looks at all of them
    said_seconds: float = 60.0  # between two lines that say which were ended


# Which names a service answers to: a page of another site that leads its own name here is refused.

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
HOST: Final = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")


@dataclass(frozen=True)
class Hosts:
    """Names that requests may be sent to, and whether any address in digits is one too.

    >>> hosts = Hosts(frozenset({"localhost"}))
    >>> hosts.allow("LOCALHOST:8384"), hosts.allow("evil.example"), hosts.allow(None)
    (True, False, False)
    """

    names: frozenset[str]
    any_address: bool = False

    def allow(self, header: str | None) -> bool:
        """Whether a Host header names this service."""
        found = HOST.fullmatch(header or "")
        if found is None:
            return False
        name = (found["six"] or found["name"]).lower().removesuffix(".")
        return name in self.names or (self.any_address and _address(name) is not None)


@dataclass(frozen=True)
class Proxies:
    """The machines that may say for whom they ask, by address or network.

    >>> proxies = Proxies.of(["10.0.0.7", "192.168.1.0/24"])
    >>> proxies.trust("192.168.1.9"), proxies.trust("127.0.0.1"), Proxies().trust("127.0.0.1")
    (True, False, True)
    >>> proxies.asking("10.0.0.7", "1.2.3.4, 5.6.7.8, 192.168.1.9"), proxies.asking("5.6.7.8", "1.2.3.4")
    ('5.6.7.8', '5.6.7.8')
    """

    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = (
        ipaddress.ip_network("127.0.0.0/8"),
        ipaddress.ip_network("::1"),
    )

    @classmethod
    def of(cls, given: Iterable[str]) -> Proxies:
        """From addresses as a user writes them; this machine alone where there are none."""
        try:
            named = tuple(ipaddress.ip_network(each.strip(), strict=False) for each in given)
        except ValueError as error:
            raise SettingError(f"--trusted-proxy {error}: give 10.0.0.7 or 10.0.0.0/24") from None
        return cls(named) if named else cls()

    def trust(self, address: str) -> bool:
        """Whether an address is one of them."""
        return (found := _address(address)) is not None and any(found in each for each in self.networks)

    def asking(self, peer: str, forwarded: str) -> str:
        """Who asks: the last in X-Forwarded-For that is none of ours, where one of ours says it; else who is there."""
        here = peer
        for told in reversed(forwarded.split(",")):
            if not self.trust(here) or _address(told.strip()) is None:
                break
            here = told.strip()
        return here


def hosts_of(host: str, others: Iterable[str] = ()) -> Hosts:
    """The names of a service that listens at a host: those of this machine alone, unless others reach it.

    Where others do, an address in digits is allowed too: no name that somebody else may change is in it.
    >>> sorted(hosts_of("127.0.0.1").names)
    ['127.0.0.1', '::1', 'localhost']
    """
    known = LOOPBACK | {each.lower() for each in others}
    if is_loopback(host):
        return Hosts(known)
    return Hosts(known | {host.lower(), socket.gethostname().lower()}, any_address=True)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host.lower() == "localhost" or (_address(host) is not None and ipaddress.ip_address(host).is_loopback)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address in digits; one of IPv4 that is written as IPv6 is the former."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
