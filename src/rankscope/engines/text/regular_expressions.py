"""Lucene's regular expressions, as expressions that polars understands; and which terms of an index they, prefixes,
wildcards, ranges and similar words stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Final, TypeVar

import numpy as np
import polars as pl

from rankscope.core.errors import QueryError
from rankscope.engines.text.index_columns import FieldColumns, Numbers, TermColumn
from rankscope.engines.text.index_reader import IndexReader
from rankscope.engines.text.queries import Fuzzy, InField, Prefix, Range, Regex, Wildcard, check_time

Mask = TypeVar("Mask")
NOTHING: Final = "[a&&b]"
ANY_SIGN: Final = "(?s:.)"
CLASSES: Final = {"d": "0-9", "s": r" \t\n\r", "w": "a-zA-Z0-9_"}
DIGITS: Final = "0123456789"
LARGEST_COUNT: Final = 1000
ADVICE: Final = "Signs that mean something in regular expressions are taken as they are behind a backslash."


@dataclass(frozen=True)
class Matching:
    """Terms that a pattern of polars matches as a whole."""

    pattern: str


@dataclass(frozen=True)
class Combined:
    """Terms of two sets: in one of them (`|`), or in both (`&`)."""

    sign: str
    first: RegexTree
    second: RegexTree


@dataclass(frozen=True)
class Complement:
    """All terms that are not in a set."""

    inner: RegexTree


RegexTree = Matching | Combined | Complement


def parse_regex(pattern: str, text: str = "", column: int = 1) -> RegexTree:
    """The tree of a regular expression; `text` and `column` say for errors in which query it stands, and where.

    >>> parse_regex('te.t|<8-12>')
    Matching(pattern='(?:te(?s:.)t|0*(?:[8-9]|1[0-2]))')
    >>> parse_regex("~(te.t)")
    Complement(inner=Matching(pattern='te(?s:.)t'))
    """
    reader = _Reader(pattern, text or pattern, column)
    if not pattern:
        return Matching("")
    tree = reader.union()
    if reader.more:
        raise reader.error("expected the end of the regular expression")
    reader.check(tree)
    return tree


def select(tree: RegexTree, matching: Callable[[str], Mask]) -> Mask:
    """Which terms a tree selects, given what a pattern matches; masks know &, | and ~."""
    if isinstance(tree, Matching):
        return matching(rf"\A(?:{tree.pattern})\z")
    if isinstance(tree, Complement):
        return ~select(tree.inner, matching)  # type: ignore[operator]
    first, second = select(tree.first, matching), select(tree.second, matching)
    return first & second if tree.sign == "&" else first | second  # type: ignore[operator]


def number_between(lowest: str, highest: str) -> str:
    """A pattern for the whole numbers from one to another; with leading zeros if both are not of one length.

    >>> number_between("08", "12"), number_between("7", "123")
    ('(?:0[8-9]|1[0-2])', '0*(?:[7-9]|[1-9][0-9]|1(?:[0-1][0-9]|2[0-3]))')
    """
    low, high = sorted((int(lowest), int(highest)))
    if len(lowest) == len(highest):
        return f"(?:{_between(str(low).zfill(len(lowest)), str(high).zfill(len(lowest)))})"
    parts = []
    for length in range(len(str(low)), len(str(high)) + 1):
        least = max(low, 10 ** (length - 1) if length > 1 else 0)
        parts.append(_between(str(least), str(min(high, 10**length - 1))))
    return f"0*(?:{'|'.join(parts)})"


def _between(low: str, high: str) -> str:
    """Numbers of equally many digits from one to another."""
    if not low:
        return ""
    same = next((place for place, (a, b) in enumerate(zip(low, high, strict=True)) if a != b), len(low))
    if same:
        rest = _between(low[same:], high[same:])
        return low[:same] + (f"(?:{rest})" if "|" in rest else rest)
    first, last, following = int(low[0]), int(high[0]), len(low) - 1
    parts = []
    if low[1:].strip("0"):
        parts.append(low[0] + _grouped(_between(low[1:], "9" * following)))
        first += 1
    upper = [] if not high[1:].strip("9") else [high[0] + _grouped(_between("0" * following, high[1:]))]
    last -= len(upper)
    if first <= last:
        parts.append((f"[{first}-{last}]" if first < last else str(first)) + "[0-9]" * following)
    return "|".join(parts + upper)


def _grouped(pattern: str) -> str:
    return f"(?:{pattern})" if "|" in pattern else pattern


class _Reader:
    """Reads an expression as Lucene does: what can mean nothing else where it stands means itself."""

    def __init__(self, pattern: str, text: str, column: int) -> None:
        self.pattern, self.text, self.column, self.place, self.level = pattern, text, column, 0, 0

    @property
    def more(self) -> bool:
        return self.place < len(self.pattern)

    def union(self) -> RegexTree:
        parts = [self._intersection()]
        while self._match("|"):
            parts.append(self._intersection())
        if all(isinstance(part, Matching) for part in parts):
            joined = "|".join(self._text_of(part) for part in parts)
            return Matching(f"(?:{joined})") if len(parts) > 1 else parts[0]
        tree = parts.pop()
        while parts:
            tree = Combined("|", parts.pop(), tree)
        return tree

    def check(self, tree: RegexTree) -> None:
        """Refuse what polars cannot compile, because it becomes too large."""
        try:
            select(tree, lambda pattern: pl.Series([""]).str.contains(pattern, strict=True))
        except pl.exceptions.PolarsError:
            raise QueryError(self.text, self.column, "this regular expression is too large", ADVICE) from None

    def error(self, what: str) -> QueryError:
        return QueryError(self.text, self.column + self.place, what, ADVICE)

    def _intersection(self) -> RegexTree:
        parts = [self._repeated()]
        while self.more and self._sign not in ")|&":
            parts.append(self._repeated())
        tree = parts[0] if len(parts) == 1 else Matching("".join(self._text_of(part) for part in parts))
        return Combined("&", tree, self._intersection()) if self._match("&") else tree

    def _repeated(self) -> RegexTree:
        tree = self._negated()
        while self.more and self._sign in "?*+{":
            sign = self._next()
            tree = Matching(f"(?:{self._text_of(tree)}){self._count() if sign == '{' else sign}")
        return tree

    def _count(self) -> str:
        least = self._number()
        most = least
        if self._match(","):
            most = self._number() if self.more and self._sign in DIGITS else None
        if not self._match("}"):
            raise self.error("expected } that closes the count")
        if most is not None and least is not None and least > most:
            raise self.error(f"expected a count from low to high, got {least} to {most}")
        return f"{{{least},{'' if most is None else most}}}"

    def _number(self) -> int | None:
        start = self.place
        while self.more and self._sign in DIGITS:
            self.place += 1
        if start == self.place:
            raise self.error("expected a number behind {")
        number = int(self.pattern[start : self.place][:10])
        if number > LARGEST_COUNT:
            raise self.error(f"a count is at most {LARGEST_COUNT}")
        return number

    def _negated(self) -> RegexTree:
        if not self._match("~"):
            return self._class() if self._match("[") else self._simple()
        self._deeper()
        tree = Complement(self._negated())
        self.level -= 1
        return tree

    def _class(self) -> Matching:
        sign = "^" if self._match("^") else ""
        parts = [self._class_part()]
        while self.more and self._sign != "]":
            parts.append(self._class_part())
        if not self._match("]"):
            raise self.error("expected ] that closes the class of signs")
        return Matching(f"[{sign}{''.join(parts)}]")

    def _class_part(self) -> str:
        named = self._named_class()
        if named is not None:
            return named
        first = self._literal()
        if not self._match("-"):
            return quoted_sign(first)
        last = self._literal()
        if first > last:
            raise self.error(f"expected a range from low to high, got {first}-{last}")
        return f"{quoted_sign(first)}-{quoted_sign(last)}"

    def _named_class(self) -> str | None:
        """A class such as \\d for all digits, which is not one where another sign follows the backslash."""
        name = self.pattern[self.place + 1 : self.place + 2]
        if self.more and self._sign == "\\" and name and name.lower() in CLASSES:
            self.place += 2
            return f"[{'^' if name.isupper() else ''}{CLASSES[name.lower()]}]"
        return None

    def _simple(self) -> RegexTree:
        named = self._named_class()
        if named is not None:
            return Matching(named)
        for sign, pattern in ((".", ANY_SIGN), ("#", NOTHING), ("@", f"{ANY_SIGN}*")):
            if self._match(sign):
                return Matching(pattern)
        if self._match('"'):
            return Matching("".join(map(quoted_sign, self._up_to('"'))))
        if self._match("("):
            return self._bracketed()
        return self._interval() if self._match("<") else Matching(quoted_sign(self._literal()))

    def _bracketed(self) -> RegexTree:
        if self._match(")"):
            return Matching("")
        self._deeper()
        tree = self.union()
        if not self._match(")"):
            raise self.error("expected ) that closes the group")
        self.level -= 1
        return Matching(f"(?:{tree.pattern})") if isinstance(tree, Matching) and "|" in tree.pattern else tree

    def _interval(self) -> Matching:
        written = self._up_to(">")
        low, _, high = written.partition("-")
        if not (low.isdecimal() and high.isdecimal() and written.isascii()):
            raise self.error(f"expected two whole numbers, as in <1-31>, got <{written}>")
        if max(len(low), len(high)) > len(str(2**31)):
            raise self.error("the numbers of an interval have at most ten digits")
        return Matching(number_between(low, high))

    def _up_to(self, sign: str) -> str:
        end = self.pattern.find(sign, self.place)
        if end < 0:
            raise self.error(f"expected another {sign} that closes this one")
        found, self.place = self.pattern[self.place : end], end + 1
        return found

    def _text_of(self, tree: RegexTree) -> str:
        if not isinstance(tree, Matching):
            raise self.error("~ and & can only stand around whole expressions, as in ~(te.t) or a.*&.*b")
        return tree.pattern

    def _deeper(self) -> None:
        self.level += 1
        if self.level > 50:
            raise self.error("groups stand in each other at most 50 deep")

    def _literal(self) -> str:
        self._match("\\")
        if not self.more:
            raise self.error("the regular expression ends too early")
        return self._next()

    @property
    def _sign(self) -> str:
        return self.pattern[self.place]

    def _next(self) -> str:
        self.place += 1
        return self.pattern[self.place - 1]

    def _match(self, sign: str) -> bool:
        found = self.pattern.startswith(sign, self.place)
        self.place += found
        return found


def quoted_sign(sign: str) -> str:
    """A sign in a pattern of polars, taken as it is."""
    return sign if sign.isalnum() and sign.isascii() else f"\\x{{{ord(sign):X}}}"


# Which terms of an index a pattern stands for: a prefix, wildcards, a regular expression, a range, similar words.

BEHIND_ALL = b"\xff"  # no term has this byte


def pattern_mask(reader: IndexReader, node: InField) -> Numbers:
    """Whether each document has a term that a pattern matches."""
    mask = np.zeros(reader.count, dtype=bool)
    for base, columns in reader.columns(node.field):
        docs = _documents(columns, matching_terms(node, columns.terms))
        mask[base + docs] = True
    return mask


@singledispatch
def matching_terms(node: InField, terms: TermColumn) -> Numbers:
    """The places of the terms that a pattern matches."""
    raise TypeError(f"{type(node).__name__} is no pattern")


@matching_terms.register
def _(node: Prefix, terms: TermColumn) -> Numbers:
    key = node.text.encode()
    return np.arange(terms.first_from(key), terms.first_from(key + BEHIND_ALL))


@matching_terms.register
def _(node: Range, terms: TermColumn) -> Numbers:
    low, high = 0, len(terms)
    if node.lower is not None:
        low = terms.first_from(node.lower.encode() + (b"" if node.include_lower else b"\0"))
    if node.upper is not None:
        high = terms.first_from(node.upper.encode() + (b"\0" if node.include_upper else b""))
    return np.arange(low, max(low, high))


@matching_terms.register
def _(node: Wildcard, terms: TermColumn) -> Numbers:
    return np.flatnonzero(terms.series.str.contains(rf"\A(?:{wildcard_pattern(node.pattern)})\z").to_numpy())


@matching_terms.register
def _(node: Regex, terms: TermColumn) -> Numbers:
    return np.flatnonzero(select(parse_regex(node.pattern), terms.series.str.contains).to_numpy())


def wildcard_pattern(text: str) -> str:
    """A pattern of polars for a term with wildcards.

    >>> wildcard_pattern("te?t" + chr(92) + "**")
    'te(?s:.)t\\\\x{2A}(?s:.)*'
    """
    parts, signs = [], iter(text)
    for sign in signs:
        if sign == "\\":
            parts.append(quoted_sign(next(signs, "\\")))
        else:
            parts.append({"*": f"{ANY_SIGN}*", "?": ANY_SIGN}.get(sign) or quoted_sign(sign))
    return "".join(parts)


def _documents(columns: FieldColumns, terms: Numbers) -> Numbers:
    """The documents of some terms; one may come several times."""
    starts, ends = columns.starts[terms], columns.starts[terms + 1]
    if len(terms) and terms[-1] - terms[0] == len(terms) - 1:
        return columns.docs[int(starts[0]) : int(ends[-1])]
    sizes = ends - starts
    first = np.cumsum(sizes) - sizes
    return columns.docs[np.repeat(starts - first, sizes) + np.arange(int(sizes.sum()))]


MOST_TERMS: Final = 50


def similar_terms(reader: IndexReader, node: Fuzzy) -> dict[str, float]:
    """The most similar terms, at most 50, and how similar: 1, or 1 - edits/length of the shorter; never below 0."""
    edits: dict[str, int] = {}
    for _, columns in reader.columns(node.field):
        edits.update(_near_terms(node, columns))
    length = len(node.text)
    similar = dict.fromkeys(edits, 1.0)
    for term, each in edits.items():
        if each:
            similar[term] = float(np.float32(1) - np.float32(each) / np.float32(min(length, len(term))))
    best = sorted(similar, key=lambda term: (-similar[term], term.encode()))[:MOST_TERMS]
    return {term: max(similar[term], 0.0) for term in best}


def _near_terms(node: Fuzzy, columns: FieldColumns) -> Iterator[tuple[str, int]]:
    if node.edits == 0:
        if columns.terms.find(node.text) >= 0:
            yield node.text, 0
        return
    terms = columns.terms.series
    lengths = terms.str.len_chars().to_numpy()
    for length in range(max(1, len(node.text) - node.edits), len(node.text) + node.edits + 1):
        same = terms.filter(lengths == length)
        if not len(same):
            continue
        distance = edit_distances(node.text, same, length)
        near = distance <= node.edits
        yield from zip(same.filter(near), distance[near].tolist(), strict=True)


def edit_distances(word: str, terms: pl.Series, length: int) -> Numbers:
    """Edits from a word to each of the terms, which all have this length.

    >>> edit_distances("roam", pl.Series(["foam", "raom", "room"]), 4).tolist()
    [1, 1, 1]
    """
    letters = np.frombuffer("".join(terms).encode("utf-32-le"), dtype=np.uint32).reshape(len(terms), length).T
    wanted = np.frombuffer(word.encode("utf-32-le"), dtype=np.uint32)
    rows = [np.full(len(terms), place, dtype=np.int16) for place in range(length + 1)]
    before: list[Numbers] = []
    for place, letter in enumerate(wanted):
        check_time()
        new: list[Numbers] = [np.full(len(terms), place + 1, dtype=np.int16)]
        for other in range(length):
            changed = rows[other] + (letters[other] != letter)
            best = np.minimum(np.minimum(rows[other + 1], new[other]) + 1, changed)
            if place and other:
                swapped = (letters[other] == wanted[place - 1]) & (letters[other - 1] == letter)
                best = np.where(swapped, np.minimum(best, before[other - 1] + 1), best)
            new.append(best)
        before, rows = rows, new
    return rows[length]
