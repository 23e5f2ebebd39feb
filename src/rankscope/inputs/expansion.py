"""How much data a file becomes when it is unpacked: a file of a few kilobytes can be made to fill every memory."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.wording import setting_usage

MAX_RATIO = 200.0
ALWAYS = 1 << 30  # plain bytes that any file may become


class TooLargeError(ValueError):
    """More comes out of a file than `max_ratio` allows."""


@dataclass
class ExpandedBytes:
    """Plain bytes so far, of a file that is `stored` bytes long; too many raise `TooLargeError`.

    >>> ExpandedBytes(stored=2000).add(2 << 30)
    Traceback (most recent call last):
    rankscope.inputs.expansion.TooLargeError: it unpacks to more than 1.0 GB, over 200 times its own 2,000 bytes
    """

    stored: int
    max_ratio: float = MAX_RATIO
    plain: int = 0

    @property
    def most(self) -> float:
        """Plain bytes that are allowed."""
        return max(ALWAYS, self.max_ratio * self.stored)

    def add(self, size: int) -> None:
        """So many more."""
        self.plain += size
        if self.plain > self.most:
            times = f"over {self.max_ratio:g} times its own {self.stored:,} bytes"
            raise TooLargeError(f"it unpacks to more than {self.most / (1 << 30):.1f} GB, {times}")


def advice() -> str:
    """What to do about a file that becomes too large."""
    return f"If that is as it should be, allow it with {setting_usage('max_ratio', 'N')}."
