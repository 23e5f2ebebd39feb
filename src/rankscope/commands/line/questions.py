"""Commands made from typed functions: a parameter that says `Annotated[TYPE, Option(...)]` is an option.

A question has a function for Python, and in the same file a function that asks it at a prompt, marked with `command`,
which takes a `Request` and what only a prompt needs. Its command has the options of both. click loads when the command
is built, so that the file itself loads nothing.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from rankscope.core.options import (
    CHOICES,
    DECIDES,
    OUTPUT,
    WHERE,
    NumberRange,
    Option,
    Parameter,
    Reads,
    Writes,
    option_parameters,
)

if TYPE_CHECKING:
    import click

    from rankscope.commands.line.inputs import Inputs
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.ranks.parts.resources import Where

MARK = "__rankscope_command__"
QUIET = Option("No progress and no warnings.", panel=OUTPUT)
VERBOSE = Option("Every warning by itself, not one line a kind of many systems.", panel=OUTPUT)
LEVEL_OPTION = Option(
    "Confidence level of the intervals.", metavar="LEVEL", kind=NumberRange(0.5, 0.999), panel=DECIDES
)
FORMAT_TABLE_OR_JSON = Option("Format of the result.", "--format", panel=OUTPUT)
ON = Option(
    "Where the work is done: home (in this process), processes:N, dask://HOST:PORT, tls://HOST:PORT or spark. It "
    "changes no number.",
    metavar="WHERE",
    panel=WHERE,
)
INTERVALS = Option(
    "Intervals of the means: bounded (one query that was not seen may lie at either end of the measure's range), t "
    "(Student's), bca (bootstrap), or auto: bounded below 25 queries or classes, t where the measure has no range, and "
    "bca from 25 on.",
    choices=("auto", "bca", "bounded", "t"),
    panel=CHOICES,
)
RESAMPLES = Option(
    "Number of bootstrap resamples. Default: 10,000 for up to 1,000 queries, fewer for more.",
    kind=NumberRange(100),
    panel=CHOICES,
)
LATEX_COLUMNS = Option(
    "Width of tables in LaTeX: one column of a two-column page, both, or a width such as 347pt.",
    metavar="1|2|POINTS",
    panel=OUTPUT,
)
LATEX_MARKS = Option(
    "What follows numbers in LaTeX, by the verdict of the tests: letters of systems that are not significantly "
    "different, daggers against the baseline, or nothing. auto: letters where they can be read.",
    panel=OUTPUT,
)


@dataclass(frozen=True, eq=False)
class Argument:
    """What stands at a place of its own: the keyword that it is passed on as, and how help writes it.

    `named`: written as name=FILE.
    """

    name: str
    metavar: str
    many: bool = False
    required: bool = True
    named: bool = False


@dataclass(frozen=True, eq=False)
class Declared:
    """What a command is made of: the question it asks, what its arguments are, and the inputs it does not take."""

    function: Callable[..., int | None]
    question: Callable[..., Any]
    name: str
    arguments: tuple[Argument, ...]
    short: str
    without: tuple[str, ...]


def measure_option(help: str, default: Sequence[str]) -> Option:
    """-m, several times or with several measures."""
    return Option(help, "-m --measure", metavar="NAMES", many="measures", default=", ".join(default))


def command(
    question: Callable[..., Any],
    *arguments: Argument,
    files: str = "",
    short: str,
    without: Sequence[str] = (),
) -> Callable[[Callable[..., int | None]], Callable[..., int | None]]:
    """Mark the function that asks a question at a prompt; what it returns is the exit code, None for 0.

    `files` is how judgements and runs are written in its help, where they are what it takes; other `arguments` are
    passed on under their names. `without`: shared inputs and settings that it does not take.
    """
    taken = arguments or (Argument("files", files, many=True),)

    def mark(function: Callable[..., int | None]) -> Callable[..., int | None]:
        name = function.__name__.removesuffix("_command")
        vars(function)[MARK] = Declared(
            function=function, question=question, name=name, arguments=taken, short=short, without=tuple(without)
        )
        return function

    return mark


class Request:
    """A question asked at a prompt: its files, its own options by their names in Python, and the shared ones."""

    def __init__(
        self, declared: Declared, stated: dict[str, Any], own: dict[str, Any], quiet: bool, inputs: Inputs
    ) -> None:
        self.command, self.stated, self.own, self.quiet, self.inputs = declared.name, stated, own, quiet, inputs
        self.measures = own.pop("measures", ())

    @property
    def files(self) -> tuple[str, ...]:
        return self.inputs.files

    @property
    def keywords(self) -> dict[str, Any]:
        """All that was given, as the question's function takes it."""
        return {**self.stated, **self.own, **self.inputs.choices}

    def scores(self, *, measures: Sequence[str] = (), progress: Any = None, **how: Any) -> Scores:
        """The scores that the question is asked of; by `measures`, or those that were named, or its defaults."""
        wanted = measures or self.measures
        if progress is not None:
            return self.inputs.scores(self.command, wanted, progress, **how)
        with self.progress() as line:
            return self.inputs.scores(self.command, wanted, line, **how)

    def where(self) -> Where | None:
        """Where runs are reduced and in how much memory; None where nothing was chosen of it."""
        from rankscope.commands.line.inputs import where_of

        return where_of(self.own, self.quiet)

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Those of these options that were given, in their order."""
        import click

        source, default = click.get_current_context().get_parameter_source, click.core.ParameterSource.DEFAULT
        return [name for name in names if source(name) is not default]

    def progress(self) -> AbstractContextManager[Any]:
        """A line on the terminal that says how far the work is, unless it is to be quiet."""
        from rankscope.commands.line.output import progress_line

        return progress_line(self.quiet)


def find_command(function: Callable[..., Any] | click.Command) -> click.Command:
    """The command of a function that was marked, built at the first call; a command as it is."""
    declared = getattr(function, MARK, None)
    return function if declared is None else _build(declared)  # type: ignore[return-value]


@cache
def _build(declared: Declared) -> click.Command:
    import click

    from rankscope.commands.line.command import Input, NamedInput
    from rankscope.commands.line.inputs import Inputs
    from rankscope.commands.line.options import SYSTEM, QuestionCommand, setting_arguments
    from rankscope.core.settings import SETTINGS, input_parameters

    asked = option_parameters(declared.question)
    own = asked | option_parameters(declared.function)
    options = {name: (option_arguments(each), each.option.panel) for name, each in own.items()}
    inputs = {"systems": SYSTEM, **input_parameters()}
    shared = {name: (option_arguments(each), each.option.panel) for name, each in inputs.items()}
    shared |= {each.name: (setting_arguments(each), CHOICES) for each in SETTINGS}
    taken = set(inspect.signature(declared.question).parameters) - {*own, *declared.without}
    if any(each.name == "files" for each in declared.arguments) and "systems" not in declared.without:
        taken.add("systems")
    options |= {name: each for name, each in shared.items() if name in taken}

    def call(**values: Any) -> None:
        stated = {each.name: values.pop(each.name) for each in declared.arguments}
        files = stated.pop("files", ())
        of_question = {name: _value(asked[name], values.pop(name)) for name in asked if name in values}
        of_prompt = {name: _value(each, values.pop(name)) for name, each in own.items() if name in values}
        request = Request(declared, stated, of_question, bool(of_prompt.get("quiet")), Inputs.of(files, values))
        if code := declared.function(request, **of_prompt):
            raise click.exceptions.Exit(code)

    arguments = [
        click.Argument(
            [each.name],
            nargs=-1 if each.many else 1,
            required=each.required,
            type=NamedInput() if each.named else Input(),
            metavar=each.metavar,
        )
        for each in declared.arguments
    ]
    return QuestionCommand(
        declared.name,
        params=[*arguments, *(click.Option(names, **keywords) for (names, keywords), _ in options.values())],
        callback=call,
        help=declared.function.__doc__,
        short_help=declared.short,
        panels={name: panel for name, (_, panel) in options.items()},
    )


def _value(parameter: Parameter, value: Any) -> Any:
    """What was given as the function takes it: the default where nothing was, and names split at commas."""
    if value is None or value == ():
        return parameter.default
    if parameter.option.many == "numbers":
        return _numbers(parameter.name, value)
    if parameter.option.many == "names":
        from rankscope.core.notation import split_list

        return split_list(",".join(value))
    return value


def _numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        import click

        words = f"'{text}': numbers separated by commas are expected, as 0.7,0.3"
        raise click.BadParameter(words, click.get_current_context(), param_hint=f"'--{name}'") from None


def option_arguments(parameter: Parameter) -> tuple[list[str], dict[str, Any]]:
    """What click is told of an option: its names, and everything else."""
    option, default = parameter.option, parameter.default
    names = option.spelled.split() or ["--" + parameter.name.replace("_", "-")]
    number = parameter.type.partition(" | ")[0] in ("int", "float")
    keywords: dict[str, Any] = {"metavar": option.metavar or ("N" if number else None), "help": _help(option)}
    if parameter.type == "bool":
        if default:
            names[-1] += f"/--no-{names[-1].removeprefix('--')}"
        return [*names, parameter.name], keywords | {"is_flag": True, "default": default, "show_default": default}
    keywords["type"] = str if option.many == "numbers" else _click_type(parameter)
    if option.many not in (False, "numbers"):
        return [*names, parameter.name], keywords | {
            "multiple": True,
            "callback": _given_once if option.many == "once" else None,
        }
    if option.without_value is not None:
        keywords |= {"is_flag": False, "flag_value": option.without_value}
    elif default is inspect.Parameter.empty:
        keywords["required"] = True
    elif default not in (None, "") and not option.default:
        keywords |= {"default": default, "show_default": True}
    return [*names, parameter.name], keywords


def _given_once(context: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """The only map; a second one would replace the first in silence."""
    import click

    if len(values) > 1:
        option = param.opts[0]
        words = f"{option} is given {len(values)} times: write all pairs in one, separated by commas"
        raise click.UsageError(f"{words}. Files with other columns have --map-qrels and --map-runs.", context)
    return values[0] if values else None


def _help(option: Option) -> str:
    """The help with what holds for all options of the kind."""
    more = " Repeat it or separate by commas." if option.many in ("names", "measures") else ""
    return option.help + more + (f" Default: {option.default}." if option.default else "")


def _click_type(parameter: Parameter) -> Any:
    """What the option takes, by the parameter's kind, its choices or its type."""
    import click

    from rankscope.commands.line import command as kinds

    kind = parameter.option.kind
    words = re.findall(r"\w+", parameter.type)
    number = str if "str" in words else float if "float" in words else int if "int" in words else str
    match kind:
        case Reads():
            return kinds.NamedInput() if kind.named else kinds.Input()
        case Writes():
            return kinds.OutputFolder() if kind.folder else kinds.OutputFile(*kind.kinds)
        case NumberRange():
            limits = {"min": kind.low, "max": kind.high, "min_open": kind.low_open, "max_open": kind.high_open}
            return (click.FloatRange if number is float else click.IntRange)(**limits)  # type: ignore[arg-type]
    return click.Choice([str(each) for each in parameter.choices]) if parameter.choices else number
