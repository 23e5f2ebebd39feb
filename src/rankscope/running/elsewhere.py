"""A part on a worker that others have started: of our version, on one core, with errors that come back whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from rankscope.errors import RankscopeError, RunnerError
from rankscope.running.cores import one_core_each
from rankscope.running.threads import with_threads

P = TypeVar("P")
R = TypeVar("R")

RETRIES = 3  # of a part that failed by anything but an error of rankscope, which is the same every time
COMPARED = ("rankscope", "polars", "numpy")


@dataclass(frozen=True)
class Failure:
    """What a part gives in place of a result: the error that it raised."""

    error: Exception


def outcome_of(version: str, work: Callable[[Any, P], R], shared: Any, part: P) -> R | Failure:
    """The result of a part; an error of rankscope as a `Failure`, which nobody tries again. Others are raised.

    >>> from operator import mul
    >>> outcome_of(versions_here()["rankscope"], mul, 10, 2)
    20
    >>> print(outcome_of("0.0", mul, 10, 2).error)  # doctest: +ELLIPSIS
    a worker has rankscope ..., but it is 0.0 here: install the same version everywhere
    """
    try:
        refuse_other_version("a worker", versions_here()["rankscope"], version)
        with one_core_each(), with_threads(1):
            return work(shared, part)
    except RankscopeError as error:
        return Failure(error)


def versions_here() -> dict[str, str]:
    """What decides that workers compute the same numbers."""
    return {name: str(import_module(name).__version__) for name in COMPARED}


def refuse_other_version(where: str, there: str | None, here: str) -> None:
    """Raise where another rankscope, or none, would do the work."""
    if there is None:
        raise RunnerError(f"{where} has no rankscope: install rankscope {here} there")
    if there != here:
        raise RunnerError(f"{where} has rankscope {there}, but it is {here} here: install the same version everywhere")


def differences(there: Mapping[str, str | None], here: Mapping[str, str]) -> list[str]:
    """Packages whose version is another one there.

    >>> differences({"numpy": "2.1.0"}, {"numpy": "2.4.0", "polars": "1.30"})
    ['numpy 2.1.0 (here 2.4.0)', 'polars missing (here 1.30)']
    """
    return [
        f"{name} {there.get(name) or 'missing'} (here {own})" for name, own in here.items() if there.get(name) != own
    ]
