"""Backslashes in queries: what they keep from having a meaning, and signs written by their numbers."""

from __future__ import annotations

import re
from typing import Final

from rankscope.errors import QueryError

ESCAPE: Final = re.compile(r"\\(u(?:[0-9A-Fa-f]{4})?|.)?", re.DOTALL)


def unescape(image: str, text: str, column: int) -> str:
    """What is meant by a term that may hold escapes: `\\c` is c, and `\\u006a` is j.

    `text` and `column` are the query and the place where the term begins in it, for errors.
    >>> unescape(r"a\\:b\\u006a", "", 1)
    'a:bj'
    """
    if "\\" not in image:
        return image
    for match in ESCAPE.finditer(image):
        if match[1] == "u":
            what = "expected four digits 0-9 a-f behind \\u, as in \\u006a"
            raise QueryError(text, column + match.start(), what, "Write \\\\u to search for a backslash and a u.")
    return mend_surrogates(ESCAPE.sub(lambda match: _meant(match[1] or ""), image))


def mend_surrogates(text: str) -> str:
    """A text whose halves of signs are put together; a half alone becomes the sign for what cannot be read.

    >>> mend_surrogates("\\ud83d\\ude00"), mend_surrogates("a\\ud83d")
    ('😀', 'a\\ufffd')
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _meant(escaped: str) -> str:
    return chr(int(escaped[1:], 16)) if len(escaped) > 1 else escaped
