"""The pages that explain one idea each, and the parts of pages that are made."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import fill

EXPLANATION = Path(__file__).resolve().parents[3] / "docs" / "explanation"
WIDTH = 125
BEGIN = "<!-- In one picture: made by tools/make_docs.py from tools/docs/explained. -->"
END = "<!-- End of what is made. -->"


def flowed(text: str, **numbers: object) -> str:
    """A text with its numbers filled in, its lines as long as those of other pages; indented lines stay.

    >>> flowed("It is {value}\\nof all.", value=3)
    'It is 3 of all.'
    """
    filled = [part.format(**numbers) for part in text.split("\n\n")]
    lines = [part if part.startswith("    ") else " ".join(part.split()) for part in filled]
    return "\n\n".join(
        line if line.startswith("    ") else fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)
        for line in lines
    )


def with_block(name: str, block: Callable[[], str]) -> Callable[[], str]:
    """The page of this name, written by hand, with the part that is made as it is now."""

    def page() -> str:
        text = (EXPLANATION / name).read_text(encoding="utf-8")
        made = f"{BEGIN}\n\n{block()}\n\n{END}"
        whole, count = re.subn(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: made, text, flags=re.DOTALL)
        if count != 1:
            raise ValueError(f"docs/explanation/{name} must have one place for what is made, from '{BEGIN}' to '{END}'")
        return whole

    return page
