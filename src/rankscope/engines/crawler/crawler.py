"""From page to page along the links, each parsed in a process of its own, until nothing is left or enough was asked
for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType

from rankscope.core.errors import InputError
from rankscope.core.sandbox import ConfinedProcess, receive_message
from rankscope.engines.crawler.addresses import Scope, machine_of, page_address
from rankscope.engines.crawler.fetching import NoDocument
from rankscope.engines.crawler.gathering import GatheringLimits
from rankscope.engines.crawler.parsing import PARSING_SECONDS, PageKind, Parsed, media_type, page_kind
from rankscope.engines.crawler.politeness import Visitor, check_page
from rankscope.engines.crawler.state import GatheringState, PageVisit, WaitingPage

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


# Parsing of pages elsewhere: in a process that may take only so much memory and time, replaced when it fails.

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
