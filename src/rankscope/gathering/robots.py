"""What hosts ask of those who gather their pages: robots.txt (RFC 9309)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from protego import Protego

from rankscope.gathering.addresses import origin_of
from rankscope.gathering.fetching import OK, Fetched
from rankscope.gathering.left_out import NoDocument
from rankscope.gathering.rules import NAME

READ = 512_000  # bytes of a robots.txt
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
        if not self.rules.can_fetch(address, NAME):
            raise NoDocument("is forbidden by robots.txt", asked=False)

    @property
    def delay(self) -> float:
        """Seconds that the host wants between requests."""
        wish = self.rules.crawl_delay(NAME) or 0.0
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
            self._known[origin] = self._manners(origin)
        return self._known[origin]

    def _manners(self, origin: str) -> Manners:
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
