"""Topics as people write them: `flower and red and not (sky or sea)`, over the labels that items have."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import SettingError

TOKEN = re.compile(r"""\s*(?:(?P<sign>[()])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()"']+))""")
WORDS = ("and", "or", "not")
Properties = Mapping[str, BoolArray]  # which items have a label, for each label


class Expression(ABC):
    """What a topic asks for; `str` writes it so that it can be read again."""

    @abstractmethod
    def of(self, properties: Properties) -> BoolArray:
        """The items it is true of."""

    def gains(self, properties: Properties) -> FloatArray:
        """How much of it is true of each item: 1 where all is, the share of the parts that are joined by `and`.

        There is no half of a label, and none of `not`.
        """
        return self.of(properties).astype(np.float64)

    def worth(self, properties: Properties) -> FloatArray:
        """What each item is worth: 1 where it is true, whatever rounding says, else how much of it is."""
        return np.where(self.of(properties), 1.0, np.minimum(self.gains(properties), 1 - 1e-9))

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The labels in it, each once, in order."""

    @property
    def wanted(self) -> frozenset[str]:
        """The labels that speak for an item: those under `not` speak against it."""
        return frozenset(self.labels)


@dataclass(frozen=True)
class HasLabel(Expression):
    """Items that have a label."""

    name: str

    def __str__(self) -> str:
        plain = re.fullmatch(r"""[^\s()"']+""", self.name) and self.name.lower() not in WORDS
        return self.name if plain else f'"{self.name}"' if '"' not in self.name else f"'{self.name}'"

    def of(self, properties: Properties) -> BoolArray:
        """The items with the label; one nobody has is a `SettingError`."""
        if self.name not in properties:
            some = ", ".join(sorted(properties)[:12]) + (", ..." if len(properties) > 12 else "")
            raise SettingError(
                f"no item has the label '{self.name}'{did_you_mean(self.name, properties)} Labels: {some}"
            )
        return properties[self.name]

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.name,)


@dataclass(frozen=True)
class Not(Expression):
    """Items of which another expression is not true."""

    part: Expression

    def __str__(self) -> str:
        return f"not {_bracketed(self.part, And, Or)}"

    def of(self, properties: Properties) -> BoolArray:
        return ~self.part.of(properties)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.part.labels

    @property
    def wanted(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True)
class _Several(Expression):
    parts: tuple[Expression, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(label for part in self.parts for label in part.labels))

    @property
    def wanted(self) -> frozenset[str]:
        return frozenset().union(*(part.wanted for part in self.parts))


@dataclass(frozen=True)
class And(_Several):
    """Items of which every part is true."""

    def __str__(self) -> str:
        return " and ".join(_bracketed(part, Or) for part in self.parts)

    def of(self, properties: Properties) -> BoolArray:
        return np.logical_and.reduce([part.of(properties) for part in self.parts])

    def gains(self, properties: Properties) -> FloatArray:
        """The mean over the parts."""
        return np.mean([part.gains(properties) for part in self.parts], axis=0)


@dataclass(frozen=True)
class Or(_Several):
    """Items of which at least one part is true."""

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))

    def of(self, properties: Properties) -> BoolArray:
        return np.logical_or.reduce([part.of(properties) for part in self.parts])

    def gains(self, properties: Properties) -> FloatArray:
        """The most over the parts."""
        return np.max([part.gains(properties) for part in self.parts], axis=0)


def _bracketed(part: Expression, *weaker: type[Expression]) -> str:
    return f"({part})" if isinstance(part, weaker) else str(part)


def parse_expression(text: str) -> Expression:
    """The expression a text means: `not` binds most, then `and`, then `or`; brackets and quotes as usual.

    >>> str(parse_expression("flower and (red or pink) and not sky")), parse_expression('"tea cup"').labels
    ('flower and (red or pink) and not sky', ('tea cup',))
    """
    return _ExpressionReader(text).whole()


@dataclass(frozen=True)
class _Token:
    text: str
    kind: str  # sign, word (and, or, not), label, end

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"'{self.text}'"


class _ExpressionReader:
    """Reads a text from left to right, one function for each strength of binding."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())

    def _tokens(self) -> Iterator[_Token]:
        place = 0
        while self.text[place:].strip():
            found = TOKEN.match(self.text, place)
            if found is None:
                raise self._error("a quote is not closed")
            place = found.end()
            if found["sign"]:
                yield _Token(found["sign"], "sign")
            elif found["word"] and found["word"].lower() in WORDS:
                yield _Token(found["word"].lower(), "word")
            else:
                yield _Token(
                    next(each for each in found.group("double", "single", "word") if each is not None), "label"
                )
        yield _Token("", "end")

    def _error(self, what: str) -> SettingError:
        return SettingError(
            f"topic '{self.text}': {what}. A topic reads: flower and (red or pink) and not sky; a label with blanks "
            "stands in quotes."
        )

    def _next_is(self, text: str) -> bool:
        there = self.tokens[0].kind in ("sign", "word") and self.tokens[0].text == text
        if there:
            self.tokens.pop(0)
        return there

    def whole(self) -> Expression:
        expression = self._joined("or")
        if self.tokens[0].kind != "end":
            raise self._error(f"'and' or 'or' is missing before {self.tokens[0]}")
        return expression

    def _joined(self, word: str) -> Expression:
        parts = [self._part(word)]
        while self._next_is(word):
            parts.append(self._part(word))
        return parts[0] if len(parts) == 1 else (Or if word == "or" else And)(tuple(parts))

    def _part(self, word: str) -> Expression:
        return self._joined("and") if word == "or" else self._single()

    def _single(self) -> Expression:
        if self._next_is("not"):
            return Not(self._single())
        if self._next_is("("):
            inner = self._joined("or")
            if not self._next_is(")"):
                raise self._error(f"a bracket is not closed before {self.tokens[0]}")
            return inner
        if self.tokens[0].kind != "label":
            raise self._error(f"a label is missing before {self.tokens[0]}")
        return HasLabel(self.tokens.pop(0).text)
