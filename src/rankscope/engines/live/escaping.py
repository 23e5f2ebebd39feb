"""Words in which no sign has a meaning, for engines that read Lucene's language."""

from __future__ import annotations

import re

SIGNS = re.compile(r'[+\-=&|!(){}\[\]^"~*?:\\/]')
OPERATORS = re.compile(r"(?<!\S)(?=(?:AND|OR|NOT)(?!\S))")


def escape_words(text: str, dropped: str = "") -> str:
    r"""The text with a backslash before each sign and each operator; `dropped` are signs that cannot have one.

    >>> print(escape_words("C++ AND (what?)"))
    C\+\+ \AND \(what\?\)
    """
    kept = text.translate(dict.fromkeys(map(ord, dropped), " "))
    return OPERATORS.sub(r"\\", SIGNS.sub(r"\\\g<0>", kept))
