"""Which addresses of the network may be connected to: public ones, and those that the user allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from rankscope.errors import SettingError
from rankscope.wording import setting_value

TRANSLATED = ip_network("64:ff9b::/96")  # IPv4 inside of IPv6, for networks that have only the latter
SPECIAL = tuple(  # of IANA's lists; tunnels could lead anywhere, and not every version of Python knows all others
    map(
        ip_network,
        (
            "192.0.0.0/24",
            "192.88.99.0/24",
            "64:ff9b:1::/48",
            "100::/64",
            "2001::/23",
            "2002::/16",
            "3fff::/20",
            "5f00::/16",
            "fec0::/10",
        ),
    )
)


@dataclass(frozen=True)
class Permitted:
    """Networks that may be reached though they are not public.

    >>> Permitted().allows("93.184.216.34"), Permitted().allows("10.1.2.3"), Permitted().allows("::ffff:127.0.0.1")
    (True, False, False)
    >>> Permitted.parse(["10.0.0.0/8"]).allows("10.1.2.3")
    True
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Permitted:
        """From addresses and networks as people write them; a host's name is none, for its address can change."""
        networks, problems = [], []
        for text in texts:
            try:
                networks.append(ip_network(text))
            except ValueError:
                problems.append(
                    f"{setting_value('allow', text)}: must be an address as 127.0.0.1, or a network as 10.0.0.0/8"
                )
        if problems:
            raise SettingError.of(problems)
        return cls(tuple(networks))

    def allows(self, address: str) -> bool:
        """Whether this address may be connected to."""
        ip = ip_address(address)
        mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
        reached = mapped or ip
        return any(reached in network for network in self.networks) or _is_public(reached)


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    if ip in TRANSLATED:
        return _is_public(IPv4Address(int(ip) & 0xFFFFFFFF))
    special = ip.is_multicast or ip.is_reserved or any(ip in network for network in SPECIAL)
    return ip.is_global and not special
