"""From the text of a query to its tokens: the longest that fits, of two as long the first in the list; three states.

Behind `^` only a number is read, and between the brackets of a range only its bounds; otherwise all else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NoReturn

from rankscope.errors import QueryError

State = Literal["default", "boost", "range"]
END: Final = "the end"
SPECIAL: Final = '+ - ! ( ) : ^ [ ] " { } ~ * ? \\ /'
ESCAPING: Final = (
    f"To search for one of {SPECIAL} itself, write a backslash before it, or put the text in double quotes."
)

_BLANK = r"[ \t\n\r\u3000]"
_START = r'(?:\\.|[^ \t\n\r\u3000+\-!():^\[\]"{}~*?\\/])'
_CHAR = r'(?:\\.|[^ \t\n\r\u3000!():^\[\]"{}~*?\\/])'
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"


def _compiled(patterns: dict[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.DOTALL)) for kind, pattern in patterns.items())


PATTERNS: Final = {
    "default": _compiled(
        {
            "AND": r"AND|&&",
            "OR": r"OR|\|\|",
            "NOT": "NOT|!",
            "+": r"\+",
            "-": "-",
            "bare": f"[-+!]{_BLANK}",
            "(": r"\(",
            ")": r"\)",
            ":": ":",
            "*": r"\*",
            "^": r"\^",
            "quoted": r'"(?:[^"\\]|\\.)*"',
            "term": f"{_START}{_CHAR}*",
            "~": f"~{_CHAR}*",
            "prefix": rf"{_START}{_CHAR}*\*",
            "wildcard": f"(?:{_START}|[*?])(?:{_CHAR}|[*?])*",
            "regex": r"/(?:\\/|[^/])*/",
            "[": r"\[",
            "{": r"\{",
        }
    ),
    "boost": _compiled({"number": _NUMBER}),
    "range": _compiled({"TO": "TO", "]": r"\]", "}": r"\}", "quoted bound": r'"(?:\\"|[^"])+"', "bound": r"[^ \]}]+"}),
}
SKIPPED: Final = re.compile(f"{_BLANK}*")
LEADS_TO: Final[dict[str, State]] = {"^": "boost", "[": "range", "{": "range"}
LEADS_BACK: Final = frozenset({"number", "]", "}"})


@dataclass(frozen=True)
class QueryToken:
    """A part of a query: its kind, how it is written, and the column where it begins, from 1."""

    kind: str
    image: str
    column: int

    def __str__(self) -> str:
        return END if self.kind == END else f"'{self.image.strip() or self.image}'"


def split_query(text: str) -> list[QueryToken]:
    """The tokens of a query, the end among them; a sign that begins none is an error.

    >>> [token.kind for token in split_query('java^2 AND "a b"~3')]
    ['term', '^', 'number', 'AND', 'quoted', '~', 'the end']
    """
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[QueryToken]:
    place, state = 0, "default"
    while True:
        if state != "boost":
            place = _end_of(SKIPPED, text, place)
        if place == len(text):
            break
        length, kind = _longest(text, place, state)
        if not length:
            _refuse(text, place, state)
        yield QueryToken(kind, text[place : place + length], place + 1)
        place += length
        state = LEADS_TO.get(kind, "default" if kind in LEADS_BACK else state)
    yield QueryToken(END, "", len(text) + 1)


def _longest(text: str, place: int, state: str) -> tuple[int, str]:
    """Length and kind of the longest token, the first of several as long."""
    best, found = 0, ""
    for kind, pattern in PATTERNS[state]:
        length = _end_of(pattern, text, place) - place
        if length > best:
            best, found = length, kind
    return best, found


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return place if match is None else match.end()


def _refuse(text: str, place: int, state: str) -> NoReturn:
    sign = text[place]
    if state == "boost":
        what = "expected a number such as 2 or 0.5 right behind ^"
    elif sign in '"/':
        what = f"expected another {sign} that closes this one"
    elif sign == "\\":
        what = "expected a sign behind the backslash"
    else:
        what = f"'{sign}' cannot stand here; expected a term, a phrase in quotes, a range or a group"
    raise QueryError(text, place + 1, what, ESCAPING)
