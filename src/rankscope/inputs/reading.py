"""How files are to be read."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.errors import SettingError
from rankscope.inputs.expansion import MAX_RATIO


@dataclass(frozen=True)
class Reading:
    """The format (told from the file unless given), the encoding of text, and whether # begins a TREC comment.

    `max_ratio` is how many times its own size a packed file may become, beyond 1 GB. An encoding that does not exist is
    a `SettingError`.
    """

    format: str | None = None
    encoding: str = "utf-8"
    comments: bool = True
    max_ratio: float = MAX_RATIO

    def __post_init__(self) -> None:
        if not isinstance(self.max_ratio, int | float) or not self.max_ratio >= 1:
            raise SettingError(f"--max-ratio must be 1 or more, got {self.max_ratio}")
        try:
            "a".encode(self.encoding)
        except (LookupError, ValueError, TypeError):
            raise SettingError(f"no text encoding '{self.encoding}'; there are utf-8, utf-16, latin-1, ...") from None
