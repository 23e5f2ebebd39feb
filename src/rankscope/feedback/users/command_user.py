"""A user who is a program (a language model, a script, somebody at another desk), asked one line of JSON at a time."""

from __future__ import annotations

import atexit
import json
import os
import queue
import re
import shlex
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.errors import InputError
from rankscope.core.names import visible
from rankscope.core.notation import short
from rankscope.feedback.users.users import Displays, Marks, User

SECONDS_LIMIT = 60.0  # seconds
QUOTES, UNSAFE = "\"'", re.compile("[,()]|^[\\w-]+\\s*=")
SIDES = ("relevant", "irrelevant")


@dataclass(frozen=True)
class CommandUser(User):
    """A program that sees topic and ids of each display and says what is relevant, one line of JSON each.

    It reads {"topic", "shown", "session", "look"} and answers {"relevant": [...], "irrelevant": [...]}; of ids in
    neither list nothing is said. It never sees the truth. `limit` is how many seconds an answer may take.
    """

    command: str
    limit: float = SECONDS_LIMIT
    name: ClassVar[str] = "command"
    unnamed: ClassVar[tuple[str, ...]] = ("command",)
    above: ClassVar = {"limit": 0.0}

    def __post_init__(self) -> None:
        """Quotes around the whole command are left away: they keep its commas together.

        >>> from rankscope.feedback.users.users import USERS
        >>> made = USERS.parse("command('ask --short, --plain', limit=5)")
        >>> made.command, made.limit, str(made)
        ('ask --short, --plain', 5.0, "command('ask --short, --plain',limit=5)")
        """
        plain = self.command.strip()
        if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in QUOTES:
            plain = plain[1:-1].strip()
        object.__setattr__(self, "command", plain)
        super().__post_init__()
        if not plain:
            raise self.error("command names no program: it is written command(python judge.py)")

    def _write(self) -> str:
        quote = '"' if "'" in self.command else "'"
        shown = f"{quote}{self.command}{quote}" if UNSAFE.search(self.command) else self.command
        return f"{self.name}({shown}{'' if self.limit == SECONDS_LIMIT else f',limit={short(self.limit)}'})"

    def opinion(self, look: Displays) -> NDArray[Any]:
        """Display by display, as the program answers."""
        program = running_program(self.command, self.limit)
        said = np.zeros(look.items.shape, np.int8)
        for row, (topic, ids) in enumerate(look.shown()):
            if ids:
                asked = {"topic": topic, "shown": ids, "session": int(look.seeds[row]), "look": look.purpose}
                marks = read_marks(program, program.ask(asked), ids)
                side = dict.fromkeys(marks.relevant, 1) | dict.fromkeys(marks.irrelevant, -1)
                said[row, look.there[row]] = [side.get(each, 0) for each in ids]
        return said


def read_marks(program: JsonLines, answer: Any, shown: Sequence[str]) -> Marks:
    """The marks of an answer; all that is wrong with it is one error."""
    if isinstance(answer, dict) and isinstance(answer.get("error"), str):
        raise program.problem(f"says: {shortened(answer['error'])}")
    if not isinstance(answer, dict) or not set(answer) & set(SIDES):
        raise program.problem(f'answered without "relevant" or "irrelevant": {shortened(str(answer))}')
    lists = {side: answer.get(side, []) for side in SIDES}
    wrong = [f'"{side}" is no list: {shortened(str(own))}' for side, own in lists.items() if not isinstance(own, list)]
    if wrong:
        raise program.problem(*wrong)
    marks = Marks(*(tuple(map(str, lists[side])) for side in SIDES))
    problems = marks.problems(shown)
    if problems:
        raise program.problem(*problems)
    return marks


PATIENCE = 3.0  # seconds that a program has to end by itself once nothing more comes
COMPLAINTS_KEPT = 5  # last lines of what it complained
LONGEST_SHOWN = 200  # signs of an answer that an error shows
PROGRAM_ADVICE = (
    "It reads one question a line from standard input, and answers each with one line of JSON: "
    '{"relevant": [...], "irrelevant": [...]}.'
)


class JsonLines:
    """A running program; lines that it writes to standard error are kept for the error that may follow."""

    def __init__(self, command: str, limit: float) -> None:
        self.command, self.limit = command, limit
        self._process = self._begin()
        self._answers: queue.Queue[str | None] = queue.Queue()
        self._complaints: deque[str] = deque(maxlen=COMPLAINTS_KEPT)
        self._readers = [
            self._reader(self._process.stdout, self._answers.put, at_end=lambda: self._answers.put(None)),
            self._reader(self._process.stderr, self._complaints.append, at_end=lambda: None),
        ]

    def _begin(self) -> subprocess.Popen[str]:
        parts = shlex.split(self.command)
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                parts, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", errors="replace", bufsize=1
            )
        except (OSError, ValueError) as error:
            raise self.problem(f"cannot be started: {getattr(error, 'strerror', None) or error}") from None

    def _reader(self, stream: IO[str] | None, keep: Any, at_end: Any) -> threading.Thread:
        def read() -> None:
            with suppress(ValueError, OSError):  # closed while it was read
                for line in stream or ():
                    keep(line.rstrip("\n"))
            at_end()

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def ask(self, question: Mapping[str, Any]) -> Any:
        """The answer to one question; a program that has ended, is late, or writes no JSON is an `InputError`."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(question, ensure_ascii=False) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=self.limit)
        except queue.Empty:
            self.end(at_once=True)
            raise self.problem(f"gave no answer in {self.limit:g} seconds and was ended") from None
        except (OSError, ValueError):
            line = None
        if line is None:
            raise self._ended()
        try:
            return json.loads(line)
        except ValueError:
            raise self.problem(f"answered with what is no line of JSON: {shortened(line)}") from None

    def _ended(self) -> InputError:
        self.end()
        said = [f"it said: {visible(line)[:LONGEST_SHOWN]}" for line in self._complaints if line.strip()]
        code = self._process.returncode
        return self.problem(f"ended with exit code {code} before it had answered", *said)

    def problem(self, *what: str) -> InputError:
        """An error that names the program."""
        return InputError.of(f"command '{visible(self.command)}'", list(what), PROGRAM_ADVICE)

    @property
    def is_running(self) -> bool:
        """Whether it can still be asked."""
        return self._process.poll() is None

    def end(self, at_once: bool = False) -> None:
        """Close its input, which tells it to end; what does not end is ended."""
        with suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(0 if at_once else PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread, stream in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            thread.join(PATIENCE)
            if stream is not None and not thread.is_alive():  # what it started may hold the pipe open
                stream.close()


def shortened(text: str) -> str:
    """What an error shows of an answer."""
    return f"'{visible(text[:LONGEST_SHOWN])}'{'...' if len(text) > LONGEST_SHOWN else ''}"


_RUNNING: dict[tuple[int, str, float], JsonLines] = {}  # by process, so that a fork starts its own


def running_program(command: str, limit: float) -> JsonLines:
    """The program of this command in this process: one that runs, or a new one."""
    key = (os.getpid(), command, limit)
    found = _RUNNING.get(key)
    if found is None or not found.is_running:
        found = _RUNNING[key] = JsonLines(command, limit)
    return found


@atexit.register
def end_all() -> None:
    """End every program that this process has started."""
    for key in [key for key in _RUNNING if key[0] == os.getpid()]:
        _RUNNING.pop(key).end()
