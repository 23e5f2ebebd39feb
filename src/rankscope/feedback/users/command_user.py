"""A user who is a program: a language model, a script, somebody at another desk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.feedback.users.json_lines import JsonLines, running, shortened
from rankscope.feedback.users.judge import Marks
from rankscope.feedback.users.users import Displays, User
from rankscope.notation import short

LIMIT = 60.0  # seconds
QUOTES, UNSAFE = "\"'", re.compile("[,()]|^[\\w-]+\\s*=")
SIDES = ("relevant", "irrelevant")


@dataclass(frozen=True)
class CommandUser(User):
    """A program that sees topic and ids of each display and says what is relevant, one line of JSON each.

    It reads {"topic", "shown", "session", "look"} and answers {"relevant": [...], "irrelevant": [...]}; of ids in
    neither list nothing is said. It never sees the truth. `limit` is how many seconds an answer may take.
    """

    command: str
    limit: float = LIMIT
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
        return f"{self.name}({shown}{'' if self.limit == LIMIT else f',limit={short(self.limit)}'})"

    def opinion(self, look: Displays) -> NDArray[Any]:
        """Display by display, as the program answers."""
        program = running(self.command, self.limit)
        said = np.zeros(look.items.shape, np.int8)
        for row, (topic, ids) in enumerate(look.shown()):
            if ids:
                asked = {"topic": topic, "shown": ids, "session": int(look.seeds[row]), "look": look.purpose}
                said[row, look.there[row]] = sides_of(read_marks(program, program.ask(asked), ids), ids)
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


def sides_of(marks: Marks, shown: Sequence[str]) -> list[int]:
    """1, -1 or 0 for each item shown.

    >>> sides_of(Marks(("b",), ("c",)), ["a", "b", "c"])
    [0, 1, -1]
    """
    side = dict.fromkeys(marks.relevant, 1) | dict.fromkeys(marks.irrelevant, -1)
    return [side.get(each, 0) for each in shown]
