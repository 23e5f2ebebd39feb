"""What the value of a setting may be: rules that give the plain value or say what is wrong, all settings at once.

Numbers of other libraries, as np.int64(10), are numbers; True is none. Values come out as plain Python, so that records
of them can be written down.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, wraps
from numbers import Integral, Real
from typing import Any, TypeVar

from rankscope.catalogue import did_you_mean, fold
from rankscope.errors import SettingError
from rankscope.wording import setting_value

T = TypeVar("T")
LARGEST = 2**63  # what fits into the whole numbers of arrays


class Rule(ABC):
    """What one value may be."""

    @abstractmethod
    def plain(self, value: Any) -> Any:
        """The value as plain Python; a `ValueError` says what it must be."""

    def read(self, text: str) -> object:
        """The value that a text on the command line means; the text itself where it means none."""
        return text


@dataclass(frozen=True, eq=False)
class OneOf(Rule):
    """One of few values; of words case and `-` or `_` do not matter, unless they are to be spelled exactly.

    >>> OneOf(("trec_eval", "given")).plain("TREC-eval")
    'trec_eval'
    >>> OneOf(("trec_eval", "given")).plain("gvien")
    Traceback (most recent call last):
    ValueError: must be one of trec_eval, given (did you mean 'given'?)
    """

    choices: tuple[object, ...]
    exactly: bool = False  # for functions that hand the word on as it was given

    def plain(self, value: Any) -> Any:
        """The choice that the value equals."""
        if isinstance(value, str | Real) and not _is_flag(value) and value in self.choices:
            return self.choices[self.choices.index(value)]
        for choice in () if self.exactly else self.choices:
            if isinstance(value, str) and isinstance(choice, str) and fold(choice) == fold(value):
                return choice
        known = [str(choice) for choice in self.choices]
        raise ValueError(f"must be one of {', '.join(known)}{did_you_mean(str(value), known)}".removesuffix("."))

    def read(self, text: str) -> object:
        """The choice that is written so."""
        return next((choice for choice in self.choices if str(choice) == text), text)


@dataclass(frozen=True, eq=False)
class WholeNumber(Rule):
    """A whole number of at least `least` and at most `most`."""

    least: int = -LARGEST
    most: int = LARGEST - 1

    def plain(self, value: Any) -> int:
        """As an int."""
        if _is_flag(value) or not isinstance(value, Integral) or not self.least <= int(value) <= self.most:
            raise ValueError(f"must be a whole number of at least {_written(self.least)} and {self._most()}")
        return int(value)

    def _most(self) -> str:
        return "below 2^63" if self.most == LARGEST - 1 else f"at most {self.most}"

    def read(self, text: str) -> object:
        """The number that is written so."""
        try:
            return int(text)
        except ValueError:
            return text


@dataclass(frozen=True, eq=False)
class Number(Rule):
    """A number from `least` to `most`, or between `above` and `below`, which it must not reach; finite unless said.

    >>> Number(above=0, below=1).plain(1)
    Traceback (most recent call last):
    ValueError: must be a number between 0 and 1
    """

    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    finite: bool = True

    def plain(self, value: Any) -> float:
        """As an int where it is whole by its kind, else as a float."""
        if isinstance(value, Integral) and not -LARGEST <= int(value) < LARGEST:
            raise ValueError("must be a number below 2^63")
        if _is_flag(value) or not isinstance(value, Real) or not self._holds(float(value)):
            raise ValueError(f"must be a number {self._limits() or 'that is finite'}")
        return int(value) if isinstance(value, Integral) else float(value)

    def _holds(self, value: float) -> bool:
        if math.isnan(value) or (self.finite and math.isinf(value)):
            return False
        low = self.least <= value and (self.above < value or self.above == -math.inf)
        return low and value <= self.most and (value < self.below or self.below == math.inf)

    def _limits(self) -> str:
        if math.isfinite(self.above) and math.isfinite(self.below):
            return f"between {_written(self.above)} and {_written(self.below)}"
        limits = (("of at least", self.least), ("above", self.above), ("at most", self.most), ("below", self.below))
        return " and ".join(f"{word} {_written(value)}" for word, value in limits if math.isfinite(value))

    def read(self, text: str) -> object:
        """The number that is written so."""
        try:
            return float(text)
        except ValueError:
            return text


class Flag(Rule):
    """True or False."""

    def plain(self, value: Any) -> bool:
        """As a bool."""
        if not _is_flag(value):
            raise ValueError("must be True or False")
        return bool(value)


@dataclass(frozen=True, eq=False)
class Optional(Rule):
    """None, or what another rule allows."""

    rule: Rule

    def plain(self, value: Any) -> Any:
        """None stays None."""
        return None if value is None else self.rule.plain(value)

    def read(self, text: str) -> object:
        """As the other rule reads it."""
        return self.rule.read(text)


COUNT = WholeNumber(least=1)
SEED = WholeNumber(least=0)
SHARE = Number(above=0, below=1)
FLAG = Flag()


def plain_values(rules: Mapping[str, Rule], values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """All values in plain Python, and a line for each that cannot be."""
    plain: dict[str, Any] = {}
    problems = []
    for name, rule in rules.items():
        try:
            plain[name] = rule.plain(values[name])
        except ValueError as error:
            problems.append(f"{setting_value(name, values[name])}: {error}")
    return plain, problems


def check(values: Mapping[str, Any], **rules: Rule) -> dict[str, Any]:
    """The values that rules speak of, in plain Python; one `SettingError` with every one that cannot be.

    >>> check({"level": 0.95, "seed": -1, "how": "bca"}, level=SHARE, seed=SEED)
    Traceback (most recent call last):
    rankscope.errors.SettingError: seed=-1: must be a whole number of at least 0 and below 2^63
    """
    plain, problems = plain_values(rules, values)
    if problems:
        raise SettingError.of(problems)
    return plain


def check_fields(value: object, **rules: Rule) -> None:
    """For `__post_init__` of a frozen value: refuse fields that cannot be, and keep the others in plain Python."""
    for name, plain in check(vars(value), **rules).items():
        object.__setattr__(value, name, plain)


def checked_once(make: Callable[..., T]) -> Callable[..., T]:
    """A maker of frozen values that checks the same choices once; those that cannot be kept are checked every time.

    >>> seeds = checked_once(lambda seed: check({"seed": seed}, seed=SEED)["seed"])
    >>> seeds(seed=1) is seeds(seed=1)
    True
    """
    kept = lru_cache(maxsize=64, typed=True)(make)

    @wraps(make)
    def making(*args: Any, **choices: Any) -> T:
        try:
            return kept(*args, **choices)
        except TypeError:  # a value that has no hash: the check says what is wrong with it
            return make(*args, **choices)

    return making


def _is_flag(value: object) -> bool:
    """Whether it is True or False, of Python or of an array."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return isinstance(value, bool) or (kind == "b" and getattr(value, "shape", None) == ())


def _written(limit: float) -> str:
    return {float(LARGEST): "2^63", float(-LARGEST): "-2^63"}.get(limit, f"{limit:g}")
