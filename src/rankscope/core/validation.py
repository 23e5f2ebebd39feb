"""What the value of a setting may be: rules that give the plain value or say what is wrong, all settings at once.

Rules are written out, or made from type hints such as `int | None` and `Literal["a", "b"]`. Numbers of other libraries,
as np.int64(10), are numbers; True is none. Values come out as plain Python, so that records of them can be written
down.
"""

from __future__ import annotations

import math
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from numbers import Integral, Real
from typing import Any, Literal, TypeVar

from rankscope.core.catalogue import did_you_mean, fold
from rankscope.core.errors import SettingError
from rankscope.core.wording import plain_scalar, setting_value

T = TypeVar("T")
Former = tuple[tuple[str, str], ...]
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
    >>> OneOf(("new",), former=(("old", "take new"),)).plain("old")
    Traceback (most recent call last):
    ValueError: must be one of new (old is gone: take new)
    """

    choices: tuple[object, ...]
    exactly: bool = False  # for functions that hand the word on as it was given
    former: Former = field(default=(), repr=False)  # words that were choices once, and what to do instead

    def plain(self, value: Any) -> Any:
        value = plain_scalar(value)
        if isinstance(value, str | Real) and not isinstance(value, bool) and value in self.choices:
            return self.choices[self.choices.index(value)]
        for choice in () if self.exactly else self.choices:
            if isinstance(value, str) and isinstance(choice, str) and fold(choice) == fold(value):
                return choice
        known = [str(choice) for choice in self.choices]
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        hint = next((f" ({value} is gone: {why})" for word, why in self.former if word == value), hint)
        raise ValueError(f"must be one of {', '.join(known)}{hint}".removesuffix("."))

    def read(self, text: str) -> object:
        return next((choice for choice in self.choices if str(choice) == text), text)


@dataclass(frozen=True, eq=False)
class WholeNumber(Rule):
    """A whole number of at least `least` and at most `most`; 10.0 is one too."""

    least: int = -LARGEST
    most: int = LARGEST - 1

    def plain(self, value: Any) -> int:
        value = plain_scalar(value)
        whole = isinstance(value, Integral) or (isinstance(value, Real) and float(value).is_integer())
        if not whole or isinstance(value, bool) or not self.least <= value <= self.most:
            raise ValueError(f"must be a whole number {self._limits()}")
        return int(value)

    def _limits(self) -> str:
        low = [f"at least {self.least}"] if self.least > -LARGEST else []
        return _joined([*low, "below 2^63" if self.most == LARGEST - 1 else f"at most {self.most}"])

    def read(self, text: str) -> object:
        """The number that is written so, also as 1e3."""
        try:
            return int(text)
        except ValueError:
            try:
                value = float(text)
            except ValueError:
                return text
            return int(value) if value.is_integer() and "." not in text else text


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
        value = plain_scalar(value)
        if isinstance(value, Integral) and not -LARGEST <= int(value) < LARGEST:
            raise ValueError("must be a number below 2^63")
        if isinstance(value, bool) or not isinstance(value, Real) or not self._holds(float(value)):
            limits = self._limits() or ("that is finite" if self.finite else "")
            raise ValueError(f"must be a number {limits}".rstrip())
        return int(value) if isinstance(value, Integral) else float(value)

    def _holds(self, value: float) -> bool:
        if math.isnan(value) or (self.finite and math.isinf(value)):
            return False
        low = self.least <= value and (self.above < value or self.above == -math.inf)
        return low and value <= self.most and (value < self.below or self.below == math.inf)

    def _limits(self) -> str:
        if math.isfinite(self.above) and math.isfinite(self.below):
            return f"between {_written(self.above)} and {_written(self.below)}"
        limits = (("at least", self.least), ("above", self.above), ("at most", self.most), ("below", self.below))
        return _joined([f"{word} {_written(value)}" for word, value in limits if math.isfinite(value)])

    def read(self, text: str) -> object:
        try:
            return float(text)
        except ValueError:
            return text


class Flag(Rule):
    """True or False."""

    def plain(self, value: Any) -> bool:
        value = plain_scalar(value)
        if not isinstance(value, bool):
            raise ValueError("must be True or False")
        return value

    def read(self, text: str) -> object:
        """True or false, however it is spelled."""
        return {"true": True, "false": False}.get(text.lower(), text)


@dataclass(frozen=True)
class Text(Rule):
    """Any text."""

    def plain(self, value: Any) -> str:
        value = plain_scalar(value)
        if not isinstance(value, str):
            raise ValueError("must be text")
        return str(value)


@dataclass(frozen=True)
class Anything(Rule):
    """What no rule can judge; a number of an array becomes one of Python."""

    def plain(self, value: Any) -> Any:
        return plain_scalar(value)


@dataclass(frozen=True, eq=False)
class Optional(Rule):
    """None for what was not chosen, or what another rule allows."""

    rule: Rule

    def plain(self, value: Any) -> Any:
        return None if value is None else self.rule.plain(value)

    def read(self, text: str) -> object:
        return self.rule.read(text)


@dataclass(frozen=True)
class NoneValue(Rule):
    """None, which has a meaning of its own and can be written: `none`."""

    def plain(self, value: Any) -> None:
        if value is not None:
            raise ValueError("must be none")

    def read(self, text: str) -> object:
        return None if text.lower() == "none" else text


@dataclass(frozen=True)
class AnyOf(Rule):
    """What one of several rules allows, the first that does.

    >>> AnyOf((NOTHING, COUNT)).plain(0)
    Traceback (most recent call last):
    ValueError: must be none or a whole number of at least 1 and below 2^63
    """

    rules: tuple[Rule, ...]

    def plain(self, value: Any) -> Any:
        """As the first rule that allows it keeps it."""
        refusals = []
        for rule in self.rules:
            try:
                return rule.plain(value)
            except ValueError as refusal:
                refusals.append(str(refusal))
        first, *others = refusals
        raise ValueError(" or ".join([first, *(each.removeprefix("must ").removeprefix("be ") for each in others)]))

    def read(self, text: str) -> object:
        """What the text means to the first rule that allows that."""
        for rule in self.rules:
            value = rule.read(text)
            try:
                rule.plain(value)
            except ValueError:
                continue
            return value
        return text


@dataclass(frozen=True)
class Several(Rule):
    """Any number of values, each as one rule allows.

    >>> Several(COUNT).plain([3, 5.0])
    (3, 5)
    >>> Several(SHARE).plain([0.5, 1])
    Traceback (most recent call last):
    ValueError: must each be a number between 0 and 1
    """

    rule: Rule

    def plain(self, value: Any) -> tuple[Any, ...]:
        """As a tuple; text is one value, not its letters."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ValueError("must be a list")
        try:
            return tuple(self.rule.plain(each) for each in value)
        except ValueError as refusal:
            raise ValueError(f"must each {str(refusal).removeprefix('must ')}") from None


COUNT = WholeNumber(least=1)
SEED = WholeNumber(least=0)
SHARE = Number(above=0, below=1)
FLAG = Flag()
TEXT = Text()
NOTHING = NoneValue()


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


def check(values: Mapping[str, Any], /, **rules: Rule) -> dict[str, Any]:
    """The values that rules speak of, in plain Python; one `SettingError` with every one that cannot be.

    >>> check({"level": 0.95, "seed": -1, "how": "bca"}, level=SHARE, seed=SEED)
    Traceback (most recent call last):
    rankscope.core.errors.SettingError: seed=-1: must be a whole number of at least 0 and below 2^63
    """
    plain, problems = plain_values(rules, values)
    if problems:
        raise SettingError.of(problems)
    return plain


def check_for_each(name: str, value: Any, measures: int, rule: Rule) -> tuple[Any, ...]:
    """A setting that is given once for all measures, or once for each: as many values as there are measures.

    >>> check_for_each("min_effect", 0.01, 2, Number(least=0)), check_for_each("min_effect", [0.01, 0.02], 2, Number())
    ((0.01, 0.01), (0.01, 0.02))
    """
    if not isinstance(value, Iterable) or isinstance(value, str):
        return (check({name: value}, **{name: rule})[name],) * measures
    given = check({name: value}, **{name: Several(rule)})[name]
    if not measures or len(given) not in (1, measures):
        usage = setting_value(name, value)
        raise SettingError(f"{usage}: give it once for all measures, or once for each of the {measures:,}")
    return given if len(given) == measures else given * measures


def check_fields(value: object, /, **rules: Rule) -> None:
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


def _joined(limits: Sequence[str]) -> str:
    """Limits in words, behind "a number".

    >>> _joined(["above 0", "at most 1"]), _joined(["at most 1"])
    ('above 0 and at most 1', 'of at most 1')
    """
    words = " and ".join(limits)
    return f"of {words}" if words.startswith("at ") else words


def _written(limit: float) -> str:
    return {float(LARGEST): "2^63", float(-LARGEST): "-2^63"}.get(limit, f"{limit:g}")


# What an option may be, from its type hint: `int | None`, `Literal["a", "b"]`, `float` with limits.

NONE_TYPE = type(None)


def type_hints(kind: type[Any]) -> dict[str, Any]:
    """The type of each option; empty where names in them are known to type checkers only."""
    try:
        return typing.get_type_hints(kind)
    except NameError:
        return {}


def rule_of(
    hint: Any,
    *,
    choices: Sequence[object] = (),
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    finite: bool = False,
    former: Former = (),
) -> Rule:
    """The rule of a type hint, with choices or limits that the hint does not say.

    A hint of another sort allows all; limits make it one of numbers. `former` are words that were choices once.

    >>> rule_of(int | None, least=1)
    AnyOf(rules=(NoneValue(), WholeNumber(least=1, most=9223372036854775807)))
    >>> rule_of(Sequence[Literal["k", "R"]])
    Several(rule=OneOf(choices=('k', 'R'), exactly=False))
    """
    bounds = {"least": least, "most": most, "above": above, "below": below}
    limits = {name: limit for name, limit in bounds.items() if limit is not None}
    return _rule_of(hint, tuple(choices), limits, finite, former)


def alternatives_of(hint: Any) -> tuple[Any, ...]:
    """The types that a hint allows, None first and text last: what else a text can be is tried before.

    >>> alternatives_of(str | float | None)
    (<class 'NoneType'>, <class 'float'>, <class 'str'>)
    """
    union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
    return (
        tuple(sorted(typing.get_args(hint), key=lambda each: (each is not NONE_TYPE, each is str)))
        if union
        else (hint,)
    )


def element_of(hint: Any) -> Any:
    """The type of each value where a hint asks for any number of them; None where it does not.

    >>> element_of(tuple[float, ...]), element_of(Sequence[str]), element_of(tuple[int, float]), element_of(str)
    (<class 'float'>, <class 'str'>, None, None)
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if not isinstance(origin, type) or not issubclass(origin, Sequence):
        return None
    return arguments[0] if origin is not tuple or arguments[1:] == (...,) else None


def _rule_of(hint: Any, choices: tuple[object, ...], limits: Mapping[str, float], finite: bool, former: Former) -> Rule:
    rules = dict.fromkeys(_single_rule(each, choices, limits, finite, former) for each in alternatives_of(hint))
    if None in choices:
        rules = {NOTHING: None, **rules}
    return AnyOf(tuple(rules)) if len(rules) > 1 else next(iter(rules))


def _single_rule(
    hint: Any, choices: tuple[object, ...], limits: Mapping[str, float], finite: bool, former: Former
) -> Rule:
    if hint is NONE_TYPE:
        return NOTHING
    if (element := element_of(hint)) is not None:
        return Several(_rule_of(element, choices, limits, finite, former))
    if choices or typing.get_origin(hint) is Literal:
        return OneOf(tuple(each for each in choices or typing.get_args(hint) if each is not None), former=former)
    if hint is int:
        return _whole_number(**limits)
    simple: dict[Any, Rule] = {bool: FLAG, str: TEXT}
    if hint in simple:
        return simple[hint]
    return Number(**limits, finite=finite) if hint is float or limits else Anything()


def _whole_number(
    least: float = -LARGEST, most: float = LARGEST - 1, above: float = -LARGEST - 1, below: float = LARGEST
) -> WholeNumber:
    """Whole numbers within limits that may be fractions.

    >>> _whole_number(above=0.5, below=10), _whole_number(least=0.5, most=10.5)
    (WholeNumber(least=1, most=9), WholeNumber(least=1, most=10))
    """
    low, high = max(math.ceil(least), math.floor(above) + 1), min(math.floor(most), math.ceil(below) - 1)
    return WholeNumber(least=low, most=high)
