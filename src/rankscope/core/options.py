"""How a parameter is asked for on the command line, said where the parameter stands: `Annotated[int, Option("...")]`.

Saying it loads nothing: annotations stay text, and only what describes the option is evaluated, never the type. So a
function's parameters carry the help of its command and of its page, and types may be imported for checkers alone.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankscope.core.file_guard import Kind

ASKED, DECIDES, INPUT, CHOICES, WHERE, OUTPUT = PANELS = (
    "What is asked",
    "What decides",
    "Input files",
    "Choices that change numbers",
    "Where it runs",
    "Output",
)


@dataclass(frozen=True, eq=False)
class Reads:
    """A file that is read; `named` where it is given as name=FILE."""

    named: bool = False


@dataclass(frozen=True, eq=False)
class Writes:
    """A file that is written, and which kinds of files it may replace; or a folder."""

    kinds: tuple[Kind, ...] = ()
    folder: bool = False


@dataclass(frozen=True, eq=False)
class NumberRange:
    """A number within limits."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False


@dataclass(frozen=True, eq=False)
class Option:
    """A parameter as an option: what it means, how it is spelled where that is not its name, and what it takes.

    `choices` are needed where no Literal lists them. `many`: it may be repeated; with "names" or "measures" one value
    may hold several, separated by commas, and names are split; with "numbers" one value holds all; with "once" a second
    one is refused. `without_value` is what the option means where it has no value. `default` says in words what happens
    without it.
    """

    help: str
    spelled: str = ""
    metavar: str | None = None
    kind: Reads | Writes | NumberRange | None = None
    choices: tuple[str, ...] = ()
    many: bool | str = False
    without_value: object = None
    default: str = ""
    panel: str = ASKED


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter of a function that is an option too: its name, its type as text, its default, and the option."""

    name: str
    type: str
    default: Any
    option: Option

    @property
    def choices(self) -> tuple[object, ...]:
        """The values that the option lists, or a Literal.

        >>> Parameter("pairs", "Literal['all', 'baseline'] | None", "all", Option("Pairs.")).choices
        ('all', 'baseline')
        """
        if self.option.choices:
            return self.option.choices
        for node in ast.walk(ast.parse(self.type, mode="eval")):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
                listed = ast.literal_eval(node.slice)
                return listed if isinstance(listed, tuple) else (listed,)
        return ()


def plain_type(annotation: Any) -> Any:
    """An annotation without what describes the option.

    >>> plain_type("Annotated[int | None, Option('How many.')]"), plain_type("int")
    ('int | None', 'int')
    """
    text = getattr(annotation, "__forward_arg__", annotation)
    parts = _parts(text) if isinstance(text, str) else None
    return annotation if parts is None else ast.unparse(parts[0])


def option_parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters of a function that are options, by name."""
    inner = inspect.unwrap(function)
    found = {}
    for name, each in inspect.signature(inner).parameters.items():
        option = _option(each.annotation, inner.__globals__)
        if option is not None:
            found[name] = Parameter(name, plain_type(each.annotation), each.default, option)
    return found


def option_fields(choices: type, defaults: Mapping[str, Any], namespace: dict[str, Any]) -> dict[str, Parameter]:
    """The fields of a typed dictionary that are options, by name."""
    found = {}
    for name, hint in choices.__annotations__.items():
        option = _option(hint, namespace)
        if option is not None:
            found[name] = Parameter(name, plain_type(hint), defaults.get(name), option)
    return found


def _option(annotation: Any, namespace: dict[str, Any]) -> Option | None:
    text = getattr(annotation, "__forward_arg__", annotation)
    parts = _parts(text) if isinstance(text, str) else None
    if parts is None:
        return None
    described = eval(compile(ast.Expression(parts[1]), "<option>", "eval"), namespace)
    assert isinstance(described, Option), text
    return described


@cache
def _parts(text: str) -> list[ast.expr] | None:
    """The type and what is said of it, of `Annotated[TYPE, OPTION]`."""
    if not text.startswith("Annotated["):
        return None
    whole = ast.parse(text, mode="eval").body
    assert isinstance(whole, ast.Subscript)
    assert isinstance(whole.slice, ast.Tuple), text
    return whole.slice.elts
