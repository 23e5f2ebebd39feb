"""Why an engine gave no answer, and whether asking again may help."""

from __future__ import annotations

from rankscope.names import one_line

LONGEST = 300


class EngineFailure(Exception):  # noqa: N818  (it says what happened)
    """A request without an answer that can be used.

    `again`: it may go better next time; `wait`: how many seconds the engine asks to wait before that; `for_all`: where
    it does not, every other request would fail in the same way.
    """

    def __init__(self, reason: str, *, again: bool = False, wait: float | None = None, for_all: bool = False) -> None:
        self.reason, self.again, self.wait, self.for_all = reason, again, wait, for_all
        super().__init__(reason)


def short_text(text: str) -> str:
    """What an engine wrote, in one line and not too long.

    >>> short_text("undefined field\\n x")
    'undefined field x'
    """
    line = one_line(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 4]} ..."
