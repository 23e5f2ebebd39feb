"""What commands about chance take: judgements of one or several assessors, runs of one or several seeds."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.cli.guarded import Input
from rankscope.cli.options import BY, READING_OPTIONS, setting_options

F = TypeVar("F", bound=Callable[..., Any])

ASSESSOR = click.option(
    "--assessor",
    "assessors",
    type=Input(),
    multiple=True,
    metavar="FILE",
    help="Judgements of one of several people, in place of QRELS; once for each.",
)
MEASURE = click.option(
    "-m", "--measure", default="AP", show_default=True, metavar="NAME", help="Measure of the systems."
)
FORMAT = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="Format of the result.",
)


def varied_options(function: F) -> F:
    """Assessors, how files are read, and every setting."""
    function = setting_options(function)
    for option in reversed((ASSESSOR, *READING_OPTIONS, BY)):
        function = option(function)
    return function


def split_inputs(files: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    """The keywords of the question: judgements, runs and how to read them."""
    assessors = given.pop("assessors")
    chosen = {name: value for name, value in given.items() if value is not None}
    if assessors:
        return {"assessors": list(assessors), "runs": named_seeds(files), **chosen}
    return {"qrels": files[0] if files else None, "runs": named_seeds(files[1:]) if files[1:] else None, **chosen}


def named_seeds(files: tuple[str, ...]) -> list[str] | dict[str, list[str]]:
    """Runs as they came, or by system where they are written as SYSTEM=RUN; the same system again is another seed.

    >>> named_seeds(("a.run", "b.run")), named_seeds(("new=1.run", "new=2.run", "old=3.run"))
    (['a.run', 'b.run'], {'new': ['1.run', '2.run'], 'old': ['3.run']})
    """
    from rankscope.errors import SettingError

    parts = [each.partition("=") if "=" in each and not os.path.exists(each) else None for each in files]
    if not any(parts):
        return list(files)
    if not all(parts) or not all(part[0] and part[2] for part in parts if part):
        raise SettingError("write every run as SYSTEM=RUN, or none of them")
    found: dict[str, list[str]] = {}
    for system, _, path in filter(None, parts):
        found.setdefault(system, []).append(path)
    return found
