"""From page to page along the links, as hosts ask of a crawler, each page parsed in a process of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic, sleep
from types import TracebackType
from typing import Any

from protego import Protego

from rankscope.core.errors import InputError
from rankscope.core.sandbox import ConfinedProcess, receive_message
from rankscope.engines.crawler.addresses import Scope, host_of, machine_of, origin_of, page_address
from rankscope.engines.crawler.fetching import OK, Fetched, Fetcher, NoDocument
from rankscope.engines.crawler.gathering import AGENT_NAME, GatheringLimits
from rankscope.engines.crawler.parsing import PARSING_SECONDS, PageKind, Parsed, may_be_page, media_type, page_kind
from rankscope.engines.crawler.state import GatheringState, PageVisit, WaitingPage
from rankscope.inputs import redirects

# From page to page along the links, each parsed in a process of its own, until nothing is left or enough was asked
# for.

SILENCES = 5  # pages in a row for which a host that answered before does not

Progress = Callable[[int, int], None]


class Crawler:
    """Takes pages from the state in their order and writes back what became of them."""

    def __init__(
        self, state: GatheringState, scope: Scope, rules: GatheringLimits, visitor: Visitor, worker: ParsingWorker
    ) -> None:
        self._state, self._scope, self._rules = state, scope, rules
        self._visitor, self._worker = visitor, worker
        self._silent: dict[str, list[int]] = {}

    def crawl(self, progress: Progress | None = None) -> None:
        """All pages; `progress` hears how many were asked for, and how many will be as far as is known."""
        asked = self._state.asked()
        while asked < self._rules.pages and (page := self._state.next_page()) is not None:
            try:
                visit = self._read(page)
                self._silent.pop(machine_of(page.address), None)
            except NoDocument as error:
                self._heed_silence(page, error)
                visit = PageVisit(asked=error.asked, reason=error.reason)
            self._state.record(page, visit)
            asked += visit.asked
            if progress is not None:
                progress(asked, min(asked + self._state.waiting(), self._rules.pages))

    def _read(self, page: WaitingPage) -> PageVisit:
        final, answer = self._visitor.visit(page.address, self._state.holder_of)
        if answer is None:
            return PageVisit(asked=final != page.address, final=final, original=self._state.holder_of(final))
        check_page(answer)
        kind = page_kind(answer.headers, answer.body)
        if kind is None:
            raise NoDocument("is neither HTML nor PDF nor plain text")
        parsed = self._worker.parse(kind, answer.body, media_type(answer.headers)[1], self._rules.bytes)
        visit = PageVisit(final=final)
        if page.depth < self._rules.depth:  # links are followed from it, but none that leads out of the folders
            base = (parsed.base and page_address(parsed.base, final)) or final
            found = list(dict.fromkeys(filter(None, (page_address(link, base) for link in parsed.links))))
            inside = tuple(each for each in found if self._scope.follows(each))
            visit = PageVisit(final=final, links=inside, outside=len(found) - len(inside))
        if parsed.hidden:
            return replace(visit, reason="asks not to be stored")
        return replace(visit, title=parsed.title, text=parsed.text, reason="" if parsed.text else "holds no text")

    def _heed_silence(self, page: WaitingPage, error: NoDocument) -> None:
        """Stop where a host that answered before no longer does: it, or the network, may come back."""
        machine = machine_of(page.address)
        silent = self._silent.setdefault(machine, [])
        lost = self._visitor.robots.of(page.address).unanswered if not error.asked else ""
        if error.unreachable:
            silent.append(page.number)
        elif not lost:
            silent.clear()
        if (len(silent) >= SILENCES or lost) and self._state.has_answered(machine):
            self._state.forget(silent)
            problem = f"answered before and no longer does: {lost or error.reason}"
            advice = "What was gathered is kept: give the same command again to go on."
            raise InputError.of(machine, [problem], advice)


PARSING_PATIENCE = 3 * PARSING_SECONDS  # by the clock, on a busy machine
LONGEST_ANSWER = 64 << 20


class ParsingWorker:
    """Parses pages elsewhere; a process that fails on one is replaced for the next."""

    def __init__(self, patience: float = PARSING_PATIENCE) -> None:
        self._patience = patience
        self._process = ConfinedProcess("rankscope.engines.crawler.parsing:serve_parses")

    def __enter__(self) -> ParsingWorker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.end()

    def parse(self, kind: PageKind, body: bytes, charset: str, most: int) -> Parsed:
        """What the page says; `NoDocument` where it cannot be read, within the limits or at all."""
        try:
            task = [json.dumps([kind, charset]).encode(), body]
            answer = self._process.ask(task, self._patience, lambda stream: receive_message(stream, LONGEST_ANSWER))
        except TimeoutError:
            raise NoDocument(f"takes too long to be read as {kind}") from None
        except ProcessLookupError:
            raise NoDocument(f"ends the process that reads it as {kind}") from None
        return _checked_answer(answer, most)


def _checked_answer(answer: bytes, most: int) -> Parsed:
    """What came back, believed in nothing."""
    try:
        given = json.loads(answer)
        parsed = Parsed(
            title=str(given["title"]),
            text=str(given["text"]),
            links=tuple(map(str, given["links"])),
            base=str(given["base"]),
            hidden=bool(given["hidden"]),
            problem=str(given["problem"]),
        )
        size = len(parsed.text.encode())
    except (ValueError, KeyError, TypeError):
        raise NoDocument("makes no sense to the process that reads it") from None
    if parsed.problem:
        raise NoDocument(parsed.problem)
    if size > most:
        raise NoDocument(f"holds more than {most:,} bytes of text")
    return parsed


# What hosts ask of a crawler: robots.txt, one request at a time with a pause after each, redirects to named hosts
# only.

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
        if host in self._answered:
            left = self._answered[host] + max(self._pause, wish) - self._clock()
            if left > 0:
                self._wait(left)

    def note_answer(self, host: str) -> None:
        self._answered[host] = self._clock()
