"""Options that a feedback study and the questions about it share: what users look for, and among what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.cli.guarded import Input
from rankscope.cli.options import label_options
from rankscope.facade.usual import METHODS, TEXT_METHODS

F = TypeVar("F", bound=Callable[..., Any])

PROBLEM = ("topics", "qrels", "rel", "also", "groups", "scaling", "log", "similarity", "field", "parts")
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
    f" Default: {', '.join(METHODS)}; of an index {', '.join(TEXT_METHODS)}.",
)
PROBLEM_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--topics",
        multiple=True,
        type=Input(),
        metavar="TEXTS",
        help="What users look for: labels, or 'flower and red and not sky'; with --qrels names of its topics; of an "
        "index a file of topics. Default: every one of two items or more.",
    ),
    click.option(
        "--qrels",
        multiple=True,
        type=Input(),
        metavar="FILE",
        help="Judgements (topic 0 item grade) in place of labels; once for each assessor, a file each. An index needs "
        "them.",
    ),
    click.option(
        "--rel",
        type=click.FloatRange(0, min_open=True),
        default=1,
        show_default=True,
        metavar="GRADE",
        help="With --qrels: count items as relevant from this grade on; a lower one is worth its share of it.",
    ),
    click.option(
        "--similarity",
        default="bm25",
        show_default=True,
        metavar="NAME",
        help="How documents of an index are scored, as of search.",
    ),
    click.option(
        "--field", metavar="NAME", help="Field of an index that words are looked up in. Default: as of search."
    ),
    click.option(
        "--parts", metavar="NAMES", help="Parts of the topics to ask with, as title+desc. Default: the title."
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
    click.option(
        "--log",
        type=Input(),
        metavar="FILE",
        help="Marks of earlier sessions (columns session, item and mark: 1 or -1; .csv, .tsv, .jsonl or .parquet), for"
        " methods that learn from a log (log-based-svm, kernel-updating, semantic-space, semantic-network, "
        "long-term-grouping).",
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
    return choices | {"qrels": list(choices["qrels"]) or None}
