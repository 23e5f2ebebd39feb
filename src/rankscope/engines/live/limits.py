"""How much is asked at once, how long for, and how often again."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.validation import COUNT, Number, WholeNumber, check_fields


@dataclass(frozen=True)
class EngineLimits:
    """`workers` ask at the same time, a request may take `seconds`, and is sent again `retries` times.

    The pause before that doubles from `first_wait` seconds on, up to `longest_wait`.
    """

    workers: int = 4
    retries: int = 5
    seconds: float = 30
    first_wait: float = 0.5
    longest_wait: float = 30

    def __post_init__(self) -> None:
        check_fields(
            self,
            workers=WholeNumber(least=1, most=256),
            retries=WholeNumber(least=0, most=100),
            seconds=Number(above=0, most=3600),
            first_wait=Number(least=0),
            longest_wait=Number(least=0),
        )


@dataclass(frozen=True)
class Extent:
    """How many documents of a topic are asked for, and how many at a time."""

    depth: int = 1000
    page_size: int = 1000

    def __post_init__(self) -> None:
        check_fields(self, depth=COUNT, page_size=WholeNumber(least=1, most=10_000))
