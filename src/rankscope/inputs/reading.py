"""How files are to be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rankscope.inputs.expansion import MAX_RATIO
from rankscope.validation import FLAG, Number, Rule, check_fields, checked_once


class Encoding(Rule):
    """The name of a text encoding that Python knows."""

    def plain(self, value: Any) -> str:
        """The name as it was given."""
        try:
            "a".encode(value)
        except (LookupError, ValueError, TypeError):
            raise ValueError("must be a text encoding: utf-8, utf-16, latin-1, ...") from None
        return str(value)


ENCODING = Encoding()


@dataclass(frozen=True)
class Reading:
    """The format (recognised from the file unless given), the encoding of text, and whether # begins a TREC comment.

    `max_ratio` is how many times its own size a packed file may become, beyond 1 GB. An encoding that does not exist is
    a `SettingError`.
    """

    format: str | None = None
    encoding: str = "utf-8"
    comments: bool = True
    max_ratio: float = MAX_RATIO

    def __post_init__(self) -> None:
        check_fields(self, encoding=ENCODING, comments=FLAG, max_ratio=Number(least=1))


reading_of: Callable[..., Reading] = checked_once(Reading)  # for calls that come again and again
