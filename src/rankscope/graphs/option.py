"""An option of a kind of graph: its help stands in the signature of the kind's function, with its type and default.

`way: Annotated[Literal["thinned", "bins"], Option("how generality varies")] = "thinned"` is all that command line,
checks and documentation need.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from rankscope.option_types import alternatives_of, element_of, rule_of
from rankscope.validation import Former, Optional, Rule

VALUES = (str, float, int)  # what a text can mean; of several the first


@dataclass(frozen=True)
class Option:
    """What the type and the default of a parameter do not say of it.

    `spelled` is how it is written on the command line, where that is not its name: "-n", or "-m --measure".
    """

    help: str
    spelled: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()  # where its type does not say them
    least: float | None = None
    above: float | None = None  # as `least`, without the limit itself
    below: float | None = None
    former: Former = ()  # words that were choices once, and what to do instead
    deciding: bool = False  # a report fills in the measure that decides


@dataclass(frozen=True)
class KindOption:
    """An option with all that is known of it."""

    name: str
    declared: Option
    type: type
    default: Any
    rule: Rule  # of all values together where there may be several
    choices: tuple[str, ...] = ()
    many: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """How it is written on the command line, the one for messages last."""
        usual = f"--{'no-' if self.default is True else ''}{self.name.replace('_', '-')}"
        return tuple(self.declared.spelled.split()) or (usual,)

    @property
    def is_flag(self) -> bool:
        """Whether it is given without a value."""
        return self.type is bool

    @property
    def default_words(self) -> str:
        """The default as one writes it; nothing where there is none, or where it is a flag."""
        if self.default is None or self.default == () or self.is_flag:
            return ""
        return ", ".join(map(str, self.default)) if self.many else _written(self.default)

    @property
    def metavar(self) -> str:
        """What stands for its value in the help."""
        return self.declared.metavar or ("NAME" if self.type is str else "N")

    def read(self, text: str) -> object:
        """What a text on the command line means: some of the values where there may be several numbers, as 4,8."""
        if self.type is str:
            return text
        if self.many:
            return tuple(rule_of(self.type).read(part.strip()) for part in text.split(","))
        return self.rule.read(text)


def options_of(make: Callable[..., Any]) -> tuple[KindOption, ...]:
    """The options in a function's signature, in its order.

    >>> def bars(
    ...     systems: object, bins: Annotated[int, Option("how many bins", least=1)] = 10, seed: int = 0
    ... ) -> None: ...
    >>> [(each.name, each.type, each.default, each.spellings) for each in options_of(bars)]
    [('bins', <class 'int'>, 10, ('--bins',))]
    """
    return tuple(_options(make))


def _options(make: Callable[..., Any]) -> Iterator[KindOption]:
    for name, parameter in inspect.signature(make).parameters.items():
        hint = _hint(parameter.annotation, make)
        if get_origin(hint) is not Annotated:
            continue
        declared = next((each for each in hint.__metadata__ if isinstance(each, Option)), None)
        if declared is None:
            continue
        value, choices, many = _shape(hint.__origin__)
        yield KindOption(
            name=name,
            declared=declared,
            type=value,
            default=parameter.default,
            rule=_rule(hint.__origin__, declared, parameter.default),
            choices=declared.choices or choices,
            many=many,
        )


def _hint(annotation: Any, make: Callable[..., Any]) -> Any:
    """What an annotation means; None where that is not known when the program runs (names imported for types only)."""
    known = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(known, globalns=getattr(make, "__globals__", {}), include_extras=True)["it"]
    except NameError:
        return None


def _shape(hint: Any) -> tuple[type, tuple[str, ...], bool]:
    """The type of one value, its choices, and whether there may be several.

    >>> _shape(float | None), _shape(list[str]), _shape(Literal["a", "b"] | None)
    ((<class 'float'>, (), False), (<class 'str'>, (), True), (<class 'str'>, ('a', 'b'), False))
    """
    there = _without_none(hint)
    if get_origin(there[0]) is Literal:
        return str, get_args(there[0]), False
    if (element := element_of(there[0])) is not None:
        value, choices, _ = _shape(element)
        return value, choices, True
    value = bool if bool in there else next((each for each in VALUES if each in there), str)
    return value, (), False


def _rule(hint: Any, declared: Option, default: object) -> Rule:
    """What the value may be; where None is the default, it says that nothing was chosen.

    >>> _rule(list[float] | None, Option("an effect", above=0), None)
    Optional(rule=Several(rule=Number(least=-inf, most=inf, above=0, below=inf, finite=True)))
    """
    rule = rule_of(
        reduce(or_, _without_none(hint)) if default is None else hint,
        choices=declared.choices,
        least=declared.least,
        above=declared.above,
        below=declared.below,
        finite=True,
        former=declared.former,
    )
    return Optional(rule) if default is None else rule


def _without_none(hint: Any) -> list[Any]:
    return [each for each in alternatives_of(hint) if each is not types.NoneType]


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
