"""Which names a service answers to: a page of another site that leads its own name here is refused."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

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
        return name in self.names or (self.any_address and _is_address(name))


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
    return host.lower() == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
