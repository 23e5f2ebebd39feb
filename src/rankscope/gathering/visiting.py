"""One page after another through all that is asked of us: named hosts, robots.txt, pauses, redirects by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankscope import redirects
from rankscope.gathering.addresses import Scope, host_of, machine_of, page_address
from rankscope.gathering.fetching import OK, Fetched, Fetcher
from rankscope.gathering.kinds import may_be_page, media_type
from rankscope.gathering.left_out import NoDocument
from rankscope.gathering.pacing import Pacer
from rankscope.gathering.robots import READ, Robots

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
            return self._ask(each, 0.0, lambda head: head.status == OK, READ)

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
            answer = self._ask(address, wish, _is_wanted)
            if answer.status not in BUSY:
                return answer
            wish = max(manners.delay, _retry_after(answer))
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


def _is_wanted(head: Fetched) -> bool:
    return head.status == OK and may_be_page(head.headers)


def _retry_after(answer: Fetched) -> float:
    """Seconds that a busy server asks for; a date is as good as nothing."""
    wish = answer.headers.get("retry-after", "")
    return float(wish[:9]) if wish.isdecimal() and wish.isascii() else 0.0


def check_page(answer: Fetched) -> None:
    """`NoDocument` if an answer is no page."""
    if answer.status != OK:
        raise NoDocument(f"answers with {answer.status}")
    if not may_be_page(answer.headers):
        raise NoDocument(f"is no page but {media_type(answer.headers)[0][:60]}")
