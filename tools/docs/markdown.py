"""The little Markdown that the pages need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MADE = "<!-- Made by tools/make_docs.py: change the code, not this page. -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars inside cells are escaped."""
    lines = [list(head), ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: object) -> str:
    """Something to be typed."""
    return f"`{text}`"


def page(title: str, *parts: str) -> str:
    """A whole page."""
    return "\n\n".join([MADE, f"# {title}", *(part for part in parts if part)]) + "\n"
