"""Addresses of pages in one spelling, which of them are in scope, and which hosts may be reached."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from rankscope.core.errors import SettingError
from rankscope.core.wording import setting_value

LONGEST_ADDRESS = 2000
LARGEST_PORT = 65535
USUAL_PORTS = {"http": 80, "https": 443}
ESCAPED = re.compile("%([0-9a-fA-F]{2})")
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
BREAKS = re.compile("[\t\n\r]")
TRACKING = re.compile(
    "utm_[a-z_]+|(?:g|fb|d|y|tw|tt)clid|gclsrc|[gw]braid|msclkid|li_fat_id|igshid|mc_[ce]id|mkt_tok|_hs(?:enc|mi)"
    "|_ga|_gl|vero_id|oly_(?:anon|enc)_id|s_cid|wickedid",
    re.IGNORECASE,
)


def page_address(text: str, base: str = "") -> str | None:
    """An address in the one spelling that pages are known by; None where it is none of a page.

    Fragment, tracking parameters and the usual port go; a link is read as it stands on the page `base`.
    >>> page_address("HTTP://Example.org:80/a/../%7eb?utm_source=x&q=1#top")
    'http://example.org/~b?q=1'
    >>> page_address("../c?gclid=9", "https://example.org/a/b/"), page_address("mailto:me@example.org")
    ('https://example.org/a/c', None)
    """
    import httpx

    def unescaped(found: re.Match[str]) -> str:
        letter = chr(int(found[1], 16))
        return letter if letter in UNRESERVED else found[0].upper()

    plain = ESCAPED.sub(unescaped, BREAKS.sub("", text.strip()))
    try:
        url = httpx.URL(base).join(plain) if base else httpx.URL(plain)
    except (httpx.InvalidURL, ValueError, TypeError):
        return None
    if url.scheme not in USUAL_PORTS or url.userinfo or (url.port or 0) > LARGEST_PORT:
        return None
    host = url.raw_host.decode("ascii").rstrip(".")
    place = f"[{host}]" if ":" in host else host
    port = f":{url.port}" if url.port not in (None, USUAL_PORTS[url.scheme]) else ""
    path, _, query = url.raw_path.decode("ascii").partition("?")
    kept = [each for each in query.split("&") if each and not TRACKING.fullmatch(each.partition("=")[0])]
    address = f"{url.scheme}://{place}{port}{path}" + (f"?{'&'.join(kept)}" if kept else "")
    return address if host and "%" not in host and len(address) <= LONGEST_ADDRESS else None


def host_of(address: str) -> str:
    """The host of an address, with the port where that is not the usual one of http or https.

    >>> host_of("http://example.org/a"), host_of("https://example.org:8443/"), host_of("http://[::1]:80/")
    ('example.org', 'example.org:8443', '[::1]')
    """
    parts = urlsplit(address)
    return parts.netloc.removesuffix(":80").removesuffix(":443")


def machine_of(address: str) -> str:
    """The host without any port: requests to it come one at a time."""
    return urlsplit(address).hostname or ""


def origin_of(address: str) -> str:
    """What has one robots.txt.

    >>> origin_of("https://example.org:8443/a/b?c")
    'https://example.org:8443'
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


@dataclass(frozen=True)
class Scope:
    """Hosts that are named, and the folders on them that links are followed into.

    >>> scope = Scope.of(["https://example.org/docs/index.html"])
    >>> scope.follows("https://example.org/docs/a/b.html"), scope.follows("https://example.org/blog/")
    (True, False)
    >>> scope.names("http://example.org/blog/"), scope.names("https://www.example.org/docs/")
    (True, False)
    """

    folders: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, addresses: Iterable[str]) -> Scope:
        """The hosts of some addresses, and the folders that they lie in: everything up to the last `/`."""
        parts = ((host_of(each), urlsplit(each).path) for each in addresses)
        return cls(frozenset((host, path[: path.rindex("/") + 1]) for host, path in parts))

    def names(self, address: str) -> bool:
        """Whether its host may be asked at all."""
        return host_of(address) in {host for host, _ in self.folders}

    def follows(self, address: str) -> bool:
        """Whether a link to it is followed."""
        host, path = host_of(address), urlsplit(address).path
        return any(host == named and path.startswith(folder) for named, folder in self.folders)


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
        ip = ip_address(address)
        mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
        reached = mapped or ip
        return any(reached in network for network in self.networks) or _is_public(reached)


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    if ip in TRANSLATED:
        return _is_public(IPv4Address(int(ip) & 0xFFFFFFFF))
    special = ip.is_multicast or ip.is_reserved or any(ip in network for network in SPECIAL)
    return ip.is_global and not special
