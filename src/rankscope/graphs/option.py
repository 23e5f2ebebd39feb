"""An option of a kind of graph: its help stands in the signature of the kind's function, with its type and default.

`way: Annotated[Literal["thinned", "bins"], Option("how generality varies")] = "thinned"` is all that command line,
checks and documentation need.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from rankscope.errors import SettingError

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
    least: int | None = None
    deciding: bool = False  # a report fills in the measure that decides


@dataclass(frozen=True)
class KindOption:
    """An option with all that is known of it."""

    name: str
    declared: Option
    type: type
    default: Any
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

    def check(self, value: Any, name: str = "") -> None:
        """Refuse a value that is none of the choices, or too small; `name` is what the reader calls the option."""
        if value is None and self.default is None:
            return
        called, least = name or self.name, self.declared.least
        for each in value if self.many else [value]:
            if self.choices and each not in self.choices:
                raise SettingError(f"{called} is one of {', '.join(self.choices)}, got {each!r}")
            if least is not None and each < least:
                raise SettingError(f"{called} is at least {least}, got {each}")


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

    >>> _shape(float | None), _shape(Sequence[str]), _shape(Literal["a", "b"] | None)
    ((<class 'float'>, (), False), (<class 'str'>, (), True), (<class 'str'>, ('a', 'b'), False))
    """
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    there = [each for each in parts if each is not types.NoneType]
    (first, *_) = there
    if get_origin(first) is Literal:
        return str, get_args(first), False
    if isinstance(get_origin(first), type) and issubclass(get_origin(first), Sequence):
        value, choices, _ = _shape(get_args(first)[0])
        return value, choices, True
    value = bool if bool in there else next((each for each in VALUES if each in there), str)
    return value, (), False


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
