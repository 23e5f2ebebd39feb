"""Where an answer of a web server may lead: one rule for all that asks over HTTP.

At most five times, to http and https alone, never from https to http. Credentials stay with the origin that they
were given for: once another one is asked they go nowhere any more, not even back.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin, urlsplit

STATUSES: Final = (301, 302, 303, 307, 308)
MOST: Final = 5
NOWHERE: Final = "redirects to nowhere"
TOO_OFTEN: Final = f"redirects more than {MOST} times"
PORTS: Final = {"http": 80, "https": 443}


class RedirectError(ValueError):
    """A redirect that is not followed, in words that end a sentence about the address: `redirects to nowhere`."""


def follow_redirect(address: str, location: str | None) -> str:
    """The address that an answer leads to; a `RedirectError` where that is not asked.

    >>> follow_redirect("https://example.org/a/b", "../c?d")
    'https://example.org/c?d'
    """
    target = urljoin(address, (location or "").strip())
    origin = origin_of(target)
    if not location or origin is None or "@" in urlsplit(target).netloc:
        raise RedirectError(NOWHERE)
    if origin[0] == "http" and urlsplit(address).scheme.lower() == "https":
        raise RedirectError(
            f"redirects from https to http ({origin[1]}), where anybody on the way reads and changes it"
        )
    return target


def origin_of(address: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an address; None where it is none of http or https.

    >>> origin_of("HTTPS://me@Example.org/a"), origin_of("http://example.org:8080"), origin_of("file:///etc/passwd")
    (('https', 'example.org', 443), ('http', 'example.org', 8080), None)
    """
    try:
        parts = urlsplit(address)
        scheme, host, port = parts.scheme.lower(), parts.hostname, parts.port
    except ValueError:
        return None
    return (scheme, host, port or PORTS[scheme]) if scheme in PORTS and host else None
