"""Lucene's query language: from text to tokens to the nodes of a query."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NoReturn

import numpy as np

from rankscope.core.errors import QueryError
from rankscope.engines.text.analysers import Analyser
from rankscope.engines.text.queries import (
    OPTIONAL,
    PROHIBITED,
    REQUIRED,
    Boolean,
    Boost,
    Clause,
    Fuzzy,
    MatchAll,
    MatchNothing,
    Node,
    Occur,
    Phrase,
    Prefix,
    Range,
    Regex,
    Term,
    Wildcard,
)
from rankscope.engines.text.regular_expressions import parse_regex

Operator = Literal["OR", "AND"]
MODIFIERS: Final = {"+": REQUIRED, "-": PROHIBITED, "NOT": PROHIBITED}
NOT_BEHIND_SEVERAL: Final = frozenset({":", "*", "~", "^", "AND", "OR"})
WORD_TOKENS: Final = frozenset({"term", "*", "prefix", "wildcard", "regex", "bare", "quoted"})
BOUND_TOKENS: Final = frozenset({"bound", "quoted bound", "TO"})
JAVA_NUMBER: Final = re.compile(r"([+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))[fFdD]?")
KEPT_SIGNS: Final = re.compile(r"(\\.)|([?*]+)")  # of a wildcard term, what is not normalised
MOST_EDITS, MOST_SLOP = 2, 2**31 - 1


@dataclass(frozen=True)
class Language:
    """How a query is read: the field of words without one, and the analyser of each field.

    `operator` joins clauses that nothing else joins. A query may begin words with a wildcard where `leading` says so.
    """

    default_field: str
    analyser: Analyser
    analysers: Mapping[str, Analyser] = field(default_factory=dict)  # of fields that have another one
    operator: Operator = "OR"
    leading: bool = False
    most_clauses: int = 1024
    most_levels: int = 50

    def analyser_of(self, name: str) -> Analyser:
        """The analyser that terms of a field go through."""
        return self.analysers.get(name, self.analyser)


def parse_query(text: str, language: Language) -> Node:
    """The tree that a query means; a `QueryError` says where it is not written as queries are.

    >>> from rankscope.engines.text.analysers import ANALYSERS
    >>> english = Language("body", ANALYSERS.parse("english"))
    >>> print(parse_query('title:"multimedia information" AND java^4 roam~', english))
    +title:"multimedia inform" +(body:java)^4.0 body:roam~2
    >>> parse_query("java AND", english)
    Traceback (most recent call last):
    rankscope.core.errors.QueryError: column 9: expected a term, a phrase, a range or a group, got the end
      java AND
              ^
    To search for one of + - ! ( ) : ^ [ ] " { } ~ * ? \\ / itself, write a backslash before it, or put the text in \
double quotes.
    """
    whole = mend_surrogates(text)
    return _QueryReader(whole, language, split_query(whole)).read()


class _QueryReader:
    """Reads tokens from left to right; each method reads one rule of the grammar, None meaning that nothing is left."""

    def __init__(self, text: str, language: Language, tokens: list[QueryToken]) -> None:
        self.text, self.language, self.tokens = text, language, tokens
        self.place, self.level = 0, 0

    def read(self) -> Node:
        found = self._group(self.language.default_field)
        if self._next.kind != END:
            raise self._error("expected AND, OR, another clause or the end")
        return found or MatchNothing()

    def _group(self, name: str) -> Node | None:
        """Clauses up to the end or a closing bracket."""
        clauses: list[Clause] = []
        alone: Node | None = None  # what a single clause without a sign stands for
        first = True
        while first or self._next.kind not in (END, ")"):
            several = self._peek(0) == self._peek(1) == "term" and self._peek(2) not in NOT_BEHIND_SEVERAL
            if several and self.language.analyser_of(name).joins_words:  # they are analysed together
                words = self._several(name, clauses)
                alone = words if first else alone
            else:
                conjunction = "" if first else self._take_any({"AND", "OR"})
                sign = self._take_any(MODIFIERS)
                query = self._clause(name)
                self._add(clauses, conjunction, sign, query)
                alone = query if first and not sign else alone
            first = False
        self._check_count(clauses)
        if len(clauses) == 1 and alone is not None:
            return alone
        return Boolean(tuple(clauses)) if clauses else None

    def _several(self, name: str, clauses: list[Clause]) -> Node | None:
        start = self._take("term")
        images = [start.image]
        while self._next.kind == "term" and self._peek(1) not in NOT_BEHIND_SEVERAL:
            images.append(self._take("term").image)
        query = self._words(name, unescape(" ".join(images), self.text, start.column))
        if query is not None:
            clauses += query.clauses if isinstance(query, Boolean) else [Clause(query, self._usual)]
        return query

    def _add(self, clauses: list[Clause], conjunction: str, sign: str, query: Node | None) -> None:
        """Add a clause; AND, and OR where AND is usual, change the one before it too, even if nothing is added."""
        change = {"AND": REQUIRED, "OR": OPTIONAL if self.language.operator == "AND" else None}.get(conjunction)
        if change is not None and clauses and clauses[-1].occur != PROHIBITED:
            clauses[-1] = replace(clauses[-1], occur=change)
        if query is not None:
            occur = MODIFIERS.get(sign, OPTIONAL)
            if occur != PROHIBITED and self.language.operator == "AND":
                occur = OPTIONAL if conjunction == "OR" else REQUIRED
            elif occur != PROHIBITED and conjunction == "AND":
                occur = REQUIRED
            clauses.append(Clause(query, occur))

    def _clause(self, name: str) -> Node | None:
        if self._peek(1) == ":" and self._next.kind in ("term", "*"):
            token = self._advance()
            name = unescape(token.image, self.text, token.column)
            self._take(":")
        kind = self._next.kind
        if kind == "(":
            return self._bracketed(name)
        if kind in ("[", "{"):
            return self._range(name)
        if kind in WORD_TOKENS:
            return self._item(name)
        raise self._error("expected a term, a phrase, a range or a group")

    def _bracketed(self, name: str) -> Node | None:
        opening = self._take("(")
        self.level += 1
        if self.level > self.language.most_levels:
            what = f"groups stand in each other at most {self.language.most_levels} deep"
            raise QueryError(self.text, opening.column, what)
        found = self._group(name)
        self._take(")", "that closes the group")
        self.level -= 1
        return self._boosted(found, self._boost())

    def _item(self, name: str) -> Node | None:
        token = self._advance()
        boost = self._boost()
        fuzzy = self._advance() if self._next.kind == "~" else None
        boost = self._boost() if boost is None and fuzzy is not None else boost
        return self._boosted(self._meant(name, token, fuzzy), boost)

    def _meant(self, name: str, token: QueryToken, fuzzy: QueryToken | None) -> Node | None:
        """What one word, pattern or phrase means."""
        image, normalise = token.image, self.language.analyser_of(name).normalise
        if token.kind in ("*", "wildcard"):
            return self._wildcard(name, token)
        if token.kind == "prefix":
            self._check_leading(self._plain(token, image[:-1]), token)
            return Prefix(name, normalise(self._plain(token, image[:-1])))
        if token.kind == "regex":
            pattern = normalise(image[1:-1])
            parse_regex(pattern, self.text, token.column + 1)
            return Regex(name, pattern)
        if token.kind == "quoted":
            return self._quoted(name, self._plain(token, image[1:-1]), fuzzy)
        word = image[0] if token.kind == "bare" else self._plain(token, image)
        return self._words(name, word) if fuzzy is None else self._fuzzy(name, normalise(word), fuzzy)

    def _words(self, name: str, text: str) -> Node | None:
        """The terms of a text, a group where there are several."""
        terms = [Term(name, term) for term, _ in self.language.analyser_of(name).analyse(text)]
        if len(terms) < 2:
            return terms[0] if terms else None
        clauses = [Clause(term, self._usual) for term in terms]
        self._check_count(clauses)
        return Boolean(tuple(clauses))

    def _quoted(self, name: str, text: str, slop: QueryToken | None) -> Node | None:
        found = self.language.analyser_of(name).analyse(text)
        if len(found) < 2:
            return Term(name, found[0][0]) if found else None
        number = None if slop is None else java_number(slop.image[1:])
        if slop is not None and number is not None and number <= -1:
            raise QueryError(self.text, slop.column, f"a phrase cannot be moved by {slop.image[1:]}: write ~2, or ~0")
        # The whole part of what stands behind ~; nonsense is 0, as in Lucene.
        moves = 0 if number is None or np.isnan(number) else int(min(number, MOST_SLOP))
        return Phrase(name, tuple(term for term, _ in found), tuple(at for _, at in found), moves)

    def _fuzzy(self, name: str, text: str, token: QueryToken) -> Node:
        written = java_number(token.image[1:])
        number = float(MOST_EDITS) if written is None else written
        if number < 0 or (number >= 1 and not number.is_integer()):
            what = f"expected ~0, ~1 or ~2 edits, or a similarity below 1, got {token.image}"
            raise QueryError(self.text, token.column, what, "A word and ~ alone allows two edits.")
        return Fuzzy(name, text, edits_of(number, len(text)))

    def _wildcard(self, name: str, token: QueryToken) -> Node:
        if name == token.image == "*":
            return MatchAll()
        self._check_leading(token.image, token)
        normalise, parts, last = self.language.analyser_of(name).normalise, [], 0
        for match in KEPT_SIGNS.finditer(token.image):
            parts += [normalise(token.image[last : match.start()]), match[0]]
            last = match.end()
        return Wildcard(name, "".join([*parts, normalise(token.image[last:])]))

    def _check_leading(self, image: str, token: QueryToken) -> None:
        if image[:1] in ("*", "?") and not self.language.leading:
            what = "a word cannot begin with * or ?"
            raise QueryError(self.text, token.column, what, f"Allow leading wildcards. {ESCAPING}")

    def _range(self, name: str) -> Node | None:
        opening = self._advance()
        lower = self._bound(name)
        self._take("TO", "between the bounds of a range")
        upper = self._bound(name)
        closing = self._take_any({"]", "}"})
        if not closing:
            raise self._error("expected ] or } behind the second bound")
        found = Range(
            field=name, lower=lower, upper=upper, include_lower=opening.kind == "[", include_upper=closing == "]"
        )
        return self._boosted(found, self._boost())

    def _bound(self, name: str) -> str | None:
        if self._next.kind not in BOUND_TOKENS:
            raise self._error("expected a bound of the range, a word or *")
        token = self._advance()
        if token.image == "*":
            return None
        image = token.image[1:-1] if token.kind == "quoted bound" else token.image
        return self.language.analyser_of(name).normalise(self._plain(token, image))

    def _boost(self) -> float | None:
        if self._next.kind != "^":
            return None
        self._advance()
        token = self._take("number", "behind ^")
        number = java_number(token.image)
        if number is None or not np.isfinite(number):
            raise QueryError(self.text, token.column, "the boost is too large")
        return number

    def _boosted(self, query: Node | None, boost: float | None) -> Node | None:
        return query if query is None or boost is None else Boost(query, boost)

    def _plain(self, token: QueryToken, image: str) -> str:
        return unescape(image, self.text, token.column)

    def _check_count(self, clauses: list[Clause]) -> None:
        most = self.language.most_clauses
        if len(clauses) > most:
            raise QueryError(self.text, 1, f"a group of {len(clauses)} clauses; at most {most} are allowed")

    @property
    def _usual(self) -> Occur:
        return REQUIRED if self.language.operator == "AND" else OPTIONAL

    @property
    def _next(self) -> QueryToken:
        return self.tokens[self.place]

    def _peek(self, ahead: int) -> str:
        place = self.place + ahead
        return self.tokens[place].kind if place < len(self.tokens) else END

    def _advance(self) -> QueryToken:
        self.place += 1
        return self.tokens[self.place - 1]

    def _take(self, kind: str, where: str = "") -> QueryToken:
        if self._next.kind != kind:
            raise self._error(f"expected {'a number' if kind == 'number' else kind} {where}".rstrip())
        return self._advance()

    def _take_any(self, kinds: Mapping[str, object] | set[str]) -> str:
        """The kind of the next token where it is one of these, and nothing where it is not."""
        return self._advance().kind if self._next.kind in kinds else ""

    def _error(self, expected: str) -> QueryError:
        return QueryError(self.text, self._next.column, f"{expected}, got {self._next}", ESCAPING)


def java_number(text: str) -> float | None:
    """The 32-bit number that Java reads in a text; None where it reads none.

    >>> java_number("2"), java_number("0.5f"), java_number("abc")
    (2.0, 0.5, None)
    """
    match = JAVA_NUMBER.fullmatch(text)
    if match is None:
        return None
    with np.errstate(over="ignore"):
        return float(np.float32(float(match[1])))


def edits_of(number: float, length: int) -> int:
    """How many edits a number behind ~ allows for a word: 1 and 2 themselves, and below 1 a least similarity.

    >>> edits_of(1, 4), edits_of(0.75, 4), edits_of(0, 4), edits_of(7, 4)
    (1, 1, 0, 2)
    """
    if number >= 1:
        return int(min(number, MOST_EDITS))
    return 0 if number == 0 or np.isnan(number) else min(int((1 - number) * length), MOST_EDITS)


# From the text of a query to its tokens: the longest that fits, of two as long the first in the list; three states.

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


def _compiled_patterns(patterns: dict[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.DOTALL)) for kind, pattern in patterns.items())


TOKEN_PATTERNS: Final = {
    "default": _compiled_patterns(
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
    "boost": _compiled_patterns({"number": _NUMBER}),
    "range": _compiled_patterns(
        {"TO": "TO", "]": r"\]", "}": r"\}", "quoted bound": r'"(?:\\"|[^"])+"', "bound": r"[^ \]}]+"}
    ),
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
    tokens: list[QueryToken] = []
    place, state = 0, "default"
    while True:
        if state != "boost":
            place = _end_of(SKIPPED, text, place)
        if place == len(text):
            return [*tokens, QueryToken(END, "", len(text) + 1)]
        end, found = place, ""  # of the longest token, the first of several as long
        for kind, pattern in TOKEN_PATTERNS[state]:
            reached = _end_of(pattern, text, place)
            if reached > end:
                end, found = reached, kind
        if not found:
            _refuse_sign(text, place, state)
        tokens.append(QueryToken(found, text[place:end], place + 1))
        place, state = end, LEADS_TO.get(found, "default" if found in LEADS_BACK else state)


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return place if match is None else match.end()


def _refuse_sign(text: str, place: int, state: str) -> NoReturn:
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

    def meant(match: re.Match[str]) -> str:
        escaped = match[1] or ""
        return chr(int(escaped[1:], 16)) if len(escaped) > 1 else escaped

    return mend_surrogates(ESCAPE.sub(meant, image))


def mend_surrogates(text: str) -> str:
    """A text whose halves of signs are put together; a half alone becomes the sign for what cannot be read.

    >>> mend_surrogates("\\ud83d\\ude00"), mend_surrogates("a\\ud83d")
    ('😀', 'a\\ufffd')
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
