"""How files are to be read."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.errors import SettingError


@dataclass(frozen=True)
class Reading:
    """The format (told from the file unless given), the encoding of text, and whether # begins a TREC comment.

    An encoding that does not exist is a `SettingError`.
    """

    format: str | None = None
    encoding: str = "utf-8"
    comments: bool = True

    def __post_init__(self) -> None:
        try:
            "a".encode(self.encoding)
        except (LookupError, ValueError):
            raise SettingError(f"no text encoding '{self.encoding}'; there are utf-8, utf-16, latin-1, ...") from None
