"""How a score is made: a tree of values, each with what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankscope.wording import short_number


@dataclass(frozen=True)
class Explanation:
    """A value, what it is, and the values that it is made of.

    >>> print(Explanation(3.5, "sum of", (Explanation(2.0, "body:fox"), Explanation(1.5, "body:dog"))))
    3.5  sum of
      2  body:fox
      1.5  body:dog
    """

    value: float
    text: str
    parts: tuple[Explanation, ...] = ()

    def walk(self) -> Iterator[Explanation]:
        """This value, then all those below it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def __str__(self) -> str:
        return "\n".join(self._lines(0))

    def _lines(self, level: int) -> Iterator[str]:
        yield f"{'  ' * level}{short_number(float(f'{self.value:.8g}'))}  {self.text}"
        for part in self.parts:
            yield from part._lines(level + 1)
