"""What people answer when they see two systems: which side they prefer, and which system that was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Choice = Literal["left", "right", "equal", "both bad"]
CHOICES: Final[tuple[Choice, ...]] = get_args(Choice)
SIDES: Final = ("left", "right")
SIDE_BY_SIDE: Final = "side by side"
INTERLEAVED: Final = "interleaved"


@dataclass(frozen=True)
class Preference:
    """One answer: for a query somebody saw two systems side by side, or one list made of both.

    `choice` of one list says which system got more clicks, as if the system named `left` had stood on the left.
    """

    query: str
    assessor: str
    left: str
    right: str
    choice: Choice
    mode: str = SIDE_BY_SIDE

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems, sorted by name."""
        first, second = sorted((self.left, self.right))
        return first, second

    @property
    def winner(self) -> str:
        """The system that is preferred; nothing where neither is.

        >>> Preference("q1", "ann", left="old", right="new", choice="right").winner
        'new'
        """
        if self.choice == "left":
            return self.left
        return self.right if self.choice == "right" else ""

    def gain(self, system: str) -> float:
        """1 where this system wins, 0 where the other does, else 0.5."""
        return 0.5 if not self.winner else float(self.winner == system)
