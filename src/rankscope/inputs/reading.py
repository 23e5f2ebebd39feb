"""How files are to be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """The format (told from the file unless given), the encoding of text, and whether # begins a comment in TREC text."""

    format: str | None = None
    encoding: str = "utf-8"
    comments: bool = True
