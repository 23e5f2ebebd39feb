"""Options that a feedback study and the questions about it share: what users look for, and among what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.cli.guarded import Input
from rankscope.cli.options import label_options
from rankscope.facade.usual import METHODS

F = TypeVar("F", bound=Callable[..., Any])

PROBLEM = ("topics", "judgements", "rel", "also", "groups", "scaling")
LABELS = ("labels", "separator", "label_column", "id_column")


class Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers separated by commas, whole ones where the kind is `int`."""

    def __init__(self, kind: type[int] | type[float], least: float) -> None:
        self.kind, self.least = kind, least
        self.name = "N,N,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        """All of them; one that is none is an error."""
        if not isinstance(value, str):
            return tuple(value)
        try:
            numbers = tuple(self.kind(part) for part in value.split(",") if part.strip())
        except ValueError:
            numbers = ()
        if not numbers or min(numbers) < self.least:
            what = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{what} of at least {self.least:g}, separated by commas, are needed, got '{value}'", param, ctx)
        return numbers


METHODS_OPTION = click.option(
    "--methods",
    multiple=True,
    metavar="NAMES",
    help="Methods to compare, such as 'rocchio(gamma=0.25),svm'; repeat it or separate by commas; 'all' for every one."
    f" Default: {', '.join(METHODS)}.",
)
PROBLEM_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--topics",
        multiple=True,
        metavar="TEXTS",
        help="What users look for: labels, or 'flower and red and not sky'; with --judgements, names of its topics. "
        "Default: every one of two items or more.",
    ),
    click.option(
        "--judgements",
        multiple=True,
        type=Input(),
        metavar="FILE",
        help="Topics from judgements (topic 0 item grade) in place of labels; once for each assessor, a file each.",
    ),
    click.option(
        "--rel",
        type=click.FloatRange(0, min_open=True),
        metavar="N",
        help="With --judgements: the lowest grade that is fully relevant; one below is worth grade / N. Default: 1.",
    ),
    click.option(
        "--also",
        multiple=True,
        type=Input(),
        metavar="FEATURES",
        help="Further features of the same items; each file is a group of features of its own. Repeat it.",
    ),
    click.option(
        "--groups",
        type=Numbers(int, 1),
        help="How many features each group has, in order, for methods that weigh groups (mars, opt-rf).",
    ),
    click.option(
        "--scaling",
        type=click.Choice(["none", "standardise", "l2"]),
        default="none",
        show_default=True,
        help="How features are scaled before methods see them.",
    ),
)


def problem_options(function: F) -> F:
    """What users look for, and among what."""
    function = label_options(function)
    for option in reversed(PROBLEM_OPTIONS):
        function = option(function)
    return function


def problem_choices(given: dict[str, Any]) -> dict[str, Any]:
    """What `problem_options` left among the keywords of a command, taken out of them, as `problem_of` takes it."""
    choices = {name: given.pop(name) for name in (*PROBLEM, *LABELS)}
    return choices | {"judgements": list(choices["judgements"]) or None}
