"""Parsing of pages elsewhere: in a process that may take only so much memory and time, replaced when it fails."""

from __future__ import annotations

import json
from types import TracebackType
from typing import IO, Any

from rankscope.confined import ConfinedProcess
from rankscope.gathering.kinds import PageKind
from rankscope.gathering.left_out import NoDocument
from rankscope.gathering.parsing import Parsed
from rankscope.gathering.parsing_process import SECONDS
from rankscope.process_messages import receive

PATIENCE = 3 * SECONDS  # by the clock, on a busy machine
LONGEST_ANSWER = 64 << 20


class ParsingWorker:
    """Parses pages elsewhere; a process that fails on one is replaced for the next."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process = ConfinedProcess("rankscope.gathering.parsing_process:serve_parses")

    def __enter__(self) -> ParsingWorker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.end()

    def parse(self, kind: PageKind, body: bytes, charset: str, most: int) -> Parsed:
        """What the page says; `NoDocument` where it cannot be read, within the limits or at all."""
        try:
            answer = self._process.ask([json.dumps([kind, charset]).encode(), body], self._patience, _read_answer)
        except TimeoutError:
            raise NoDocument(f"takes too long to be read as {kind}") from None
        except ProcessLookupError:
            raise NoDocument(f"ends the process that reads it as {kind}") from None
        return _checked(answer, most)


def _read_answer(stream: IO[bytes]) -> bytes | None:
    return receive(stream, LONGEST_ANSWER)


def _checked(answer: bytes, most: int) -> Parsed:
    """What came back, believed in nothing."""
    try:
        parsed = _parsed(json.loads(answer))
        size = len(parsed.text.encode())
    except (ValueError, KeyError, TypeError):
        raise NoDocument("makes no sense to the process that reads it") from None
    if parsed.problem:
        raise NoDocument(parsed.problem)
    if size > most:
        raise NoDocument(f"holds more than {most:,} bytes of text")
    return parsed


def _parsed(given: dict[str, Any]) -> Parsed:
    return Parsed(
        title=str(given["title"]),
        text=str(given["text"]),
        links=tuple(map(str, given["links"])),
        base=str(given["base"]),
        hidden=bool(given["hidden"]),
        problem=str(given["problem"]),
    )
