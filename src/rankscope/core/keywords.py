"""What public functions take: every keyword by its own name, and "did you mean" for one that they do not take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ForwardRef, ParamSpec, TypeVar

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import UnknownSetting
from rankscope.core.options import plain_type

P = ParamSpec("P")
R = TypeVar("R")
_DEFAULTS: dict[type, dict[str, Any]] = {}


def declare_defaults(choices: type, **defaults: Any) -> None:
    """What the choices of a typed dictionary are where they are not given; all others are None."""
    _DEFAULTS[choices] = defaults


def strict_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose signature names all that it takes, and which says what was meant where a keyword is none of it.

    >>> @strict_keywords
    ... def draw(*, depth: int = 10) -> int:
    ...     return depth
    >>> draw(dept=3)
    Traceback (most recent call last):
    rankscope.core.errors.UnknownSetting: draw: no setting 'dept' (did you mean 'depth'?). There are: depth
    """
    signature = expanded(function)
    names = [name for name, each in signature.parameters.items() if each.kind is not each.POSITIONAL_ONLY]
    is_open = any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not is_open and kwargs.keys() - names:
            refuse_unknown(function.__name__, kwargs, names)
        return function(*args, **kwargs)

    vars(call)["__signature__"] = signature
    return call


def expanded(function: Callable[..., Any]) -> inspect.Signature:
    """The signature with the choices of a typed dictionary, `**given: Unpack[Choices]`, one by one."""
    plain = inspect.signature(function)
    parameters = []
    for each in plain.parameters.values():
        text = str(each.annotation)
        if each.kind is not each.VAR_KEYWORD or not text.startswith("Unpack["):
            parameters.append(each.replace(annotation=plain_type(each.annotation)))
            continue
        choices = inspect.unwrap(function).__globals__[text.removeprefix("Unpack[").removesuffix("]")]
        defaults = _DEFAULTS.get(choices, {})
        for name, hint in choices.__annotations__.items():
            if name not in plain.parameters:
                written = hint.__forward_arg__ if isinstance(hint, ForwardRef) else hint
                kind = plain_type(written)
                new = inspect.Parameter(name, each.KEYWORD_ONLY, default=defaults.get(name), annotation=kind)
                parameters.append(new)
    return plain.replace(parameters=parameters)


def refuse_unknown(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise for all keywords that are none of those known."""
    names = tuple(known)
    wrong = [f"no setting '{name}'{did_you_mean(name, names)}" for name in given if name not in names]
    if wrong:
        raise UnknownSetting(f"{where}: {' '.join(wrong)} There are: {', '.join(names)}", wrong)
