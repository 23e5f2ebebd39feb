"""What hosts ask of a crawler: robots.txt, one request at a time with a pause after each, redirects to named hosts
only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from protego import Protego

from rankscope.engines.crawler.addresses import Scope, host_of, machine_of, origin_of, page_address
from rankscope.engines.crawler.fetching import OK, Fetched, Fetcher, NoDocument
from rankscope.engines.crawler.gathering import AGENT_NAME
from rankscope.engines.crawler.parsing import may_be_page, media_type
from rankscope.inputs import redirects

# One page after another through all that is asked of us: named hosts, robots.txt, pauses, redirects by hand.

BUSY = (429, 503)
MOST_TRIES = 3
LONGEST_WISH = 120.0  # seconds that a busy server may ask us to wait


class Visitor:
    """Asks for pages; of every redirect host, robots.txt and address are checked as those of the first request."""

    def __init__(self, scope: Scope, fetcher: Fetcher, pacer: Pacer) -> None:
        self._scope, self._fetcher, self._pacer = scope, fetcher, pacer
        self.robots = Robots(self._ask_for_robots)

    def visit(self, address: str, known: Callable[[str], Any]) -> tuple[str, Fetched | None]:
        """Where a page was found in the end, and the answer; None where that place is known already."""
        return self._followed(address, self._ask_politely, known)

    def _ask_for_robots(self, address: str) -> Fetched:
        def ask(each: str) -> Fetched:
            return self._ask(each, 0.0, lambda head: head.status == OK, ROBOTS_BYTES)

        _, answer = self._followed(address, ask, lambda _: False)
        return answer or Fetched(OK, {})

    def _followed(
        self, address: str, ask: Callable[[str], Fetched], known: Callable[[str], Any]
    ) -> tuple[str, Fetched | None]:
        for _ in range(redirects.MOST + 1):
            if known(address):
                return address, None
            answer = ask(address)
            if answer.status not in redirects.STATUSES:
                return address, answer
            address = self._target(address, answer)
        raise NoDocument(redirects.TOO_OFTEN)

    def _target(self, address: str, answer: Fetched) -> str:
        """Where a redirect leads, if that may be asked."""
        try:
            target = page_address(redirects.follow_redirect(address, answer.headers.get("location")))
        except redirects.RedirectError as error:
            raise NoDocument(str(error)) from None
        if target is None:
            raise NoDocument(redirects.NOWHERE)
        if not self._scope.names(target):
            raise NoDocument(
                f"redirects to {host_of(target)}, a host that is not named: name {target} too if you want it"
            )
        return target

    def _ask_politely(self, address: str) -> Fetched:
        """As robots.txt allows; a server that is busy is asked again when it wishes."""
        manners = self.robots.of(address)
        manners.check(address)
        wish = manners.delay
        for _ in range(MOST_TRIES):
            answer = self._ask(address, wish, lambda head: head.status == OK and may_be_page(head.headers))
            if answer.status not in BUSY:
                return answer
            asked = answer.headers.get("retry-after", "")  # a date is as good as nothing
            seconds = float(asked[:9]) if asked.isdecimal() and asked.isascii() else 0.0
            wish = max(manners.delay, seconds)
            if wish > LONGEST_WISH:
                break
        return answer

    def _ask(self, address: str, wish: float, wants: Callable[[Fetched], bool], cut: int | None = None) -> Fetched:
        machine = machine_of(address)
        self._pacer.wait_for(machine, wish)
        try:
            return self._fetcher.fetch(address, wants, cut)
        finally:
            self._pacer.note_answer(machine)


def check_page(answer: Fetched) -> None:
    """`NoDocument` if an answer is no page."""
    if answer.status != OK:
        raise NoDocument(f"answers with {answer.status}")
    if not may_be_page(answer.headers):
        raise NoDocument(f"is no page but {media_type(answer.headers)[0][:60]}")


# What hosts ask of those who gather their pages: robots.txt (RFC 9309).

ROBOTS_BYTES = 512_000  # bytes of a robots.txt
CLIENT_ERRORS = range(400, 500)
TOO_MANY = 429
LONGEST_DELAY = 86_400.0


@dataclass(frozen=True)
class Manners:
    """The rules of one host; `unanswered` is why it is left alone wholly, where its rules could not be had."""

    rules: Protego
    unanswered: str = ""

    def check(self, address: str) -> None:
        """`NoDocument` if the page must not be asked for."""
        if self.unanswered:
            raise NoDocument(self.unanswered, asked=False)
        if not self.rules.can_fetch(address, AGENT_NAME):
            raise NoDocument("is forbidden by robots.txt", asked=False)

    @property
    def delay(self) -> float:
        """Seconds that the host wants between requests."""
        wish = self.rules.crawl_delay(AGENT_NAME) or 0.0
        return min(max(wish, 0.0), LONGEST_DELAY) if math.isfinite(wish) else 0.0


class Robots:
    """The rules of every host, asked for when they are first needed; `ask` follows redirects to named hosts only."""

    def __init__(self, ask: Callable[[str], Fetched]) -> None:
        self._ask = ask
        self._known: dict[str, Manners] = {}

    def of(self, address: str) -> Manners:
        """The rules that hold for an address."""
        origin = origin_of(address)
        if origin not in self._known:
            self._known[origin] = self._asked(origin)
        return self._known[origin]

    def _asked(self, origin: str) -> Manners:
        nothing = Protego.parse("")
        try:
            answer = self._ask(f"{origin}/robots.txt")
        except NoDocument as error:
            return Manners(nothing, f"is left alone, because its robots.txt {error.reason}")
        if answer.status == OK:
            return Manners(Protego.parse(answer.body.decode("utf-8", "replace").removeprefix("\ufeff")))
        if answer.status in CLIENT_ERRORS and answer.status != TOO_MANY:
            return Manners(nothing)
        return Manners(nothing, f"is left alone, because its robots.txt answers with {answer.status}")


# One request a host at a time, with a pause after each.


class Pacer:
    """Waits until a host may be asked again: `pause` seconds after the last answer, or what the host wishes.

    >>> waited = []
    >>> pacer = Pacer(1.0, clock=lambda: 100.0, wait=waited.append)
    >>> for host, wish in [("a", 0), ("b", 0), ("a", 0), ("a", 5)]:
    ...     pacer.wait_for(host, wish)
    ...     pacer.note_answer(host)
    >>> waited
    [1.0, 5.0]
    """

    def __init__(
        self, pause: float, clock: Callable[[], float] = monotonic, wait: Callable[[float], None] = sleep
    ) -> None:
        self._pause, self._clock, self._wait = pause, clock, wait
        self._answered: dict[str, float] = {}

    def wait_for(self, host: str, wish: float = 0.0) -> None:
        """Until the host may be asked."""
        if host in self._answered:
            left = self._answered[host] + max(self._pause, wish) - self._clock()
            if left > 0:
                self._wait(left)

    def note_answer(self, host: str) -> None:
        """The pause of this host begins."""
        self._answered[host] = self._clock()
