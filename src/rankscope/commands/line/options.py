"""Options that several commands share, and the command whose help shows them in groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from rankscope.commands.line.command import GuardedCommand, Input
from rankscope.commands.line.questions import LATEX_COLUMNS as PAPER_COLUMNS
from rankscope.commands.line.questions import LATEX_MARKS, option_arguments
from rankscope.core.options import INPUT, OUTPUT, PANELS, Option, Parameter
from rankscope.core.settings import SETTINGS, Setting, input_parameters

F = TypeVar("F", bound=Callable[..., Any])
HELP_ALL_KEY = "rankscope.help-all"
OPEN_PANELS = PANELS[:2]  # what `--help` shows whole


def options(*some: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options as one decorator; help shows them in this order."""

    def add(function: F) -> F:
        for option in reversed(some):
            function = option(function)
        return function

    return add


def _declared(parameter: Parameter) -> Callable[[Any], Any]:
    names, keywords = option_arguments(parameter)
    return click.option(*names, **keywords)


SYSTEM = Parameter(
    "systems",
    "tuple[str, ...]",
    (),
    Option(
        "Name of a system in tables and graphs; once for each RUN, in their order. Default: that of its file.",
        "--system",
        metavar="NAME",
        many=True,
        panel=INPUT,
    ),
)
_INPUTS = {name: _declared(each) for name, each in input_parameters().items()}
TEXT_FILE_OPTIONS = (_INPUTS["encoding"], _INPUTS["max_ratio"])
MAP_OPTIONS = (_INPUTS["columns"], _INPUTS["map_qrels"], _INPUTS["map_runs"])
MAP, ROLL_UP, JUNK, BY = (_INPUTS[name] for name in ("columns", "roll_up", "junk", "classes"))
READING_OPTIONS = tuple(_INPUTS[name] for name in _INPUTS if name not in ("classes", "compat"))


label_options = options(  # where the labels and names of items with features stand
    click.option(
        "--labels",
        type=Input(),
        metavar="FILE",
        help="Label of each item: one per line, .npy, or a table with id and label.",
    ),
    click.option("--separator", metavar="TEXT", help="Text between the labels of an item that has several."),
    click.option("--label-column", metavar="NAME", help="Column or array of the labels, where it is not called label."),
    click.option("--id-column", metavar="NAME", help="Column or array of the names, where it is not called id."),
)


def measure_option(**more: Any) -> Callable[[F], F]:
    """-m, several times or with several measures; `more` is the help, and the default where there is one."""
    return click.option("-m", "--measure", "measures", multiple=True, metavar="NAMES", **more)


VERBOSE = click.option("--verbose", is_flag=True, help="Every warning by itself, not one line a kind of many systems.")


def level_option(default: float) -> Callable[[F], F]:
    """--level, of all intervals that a command shows."""
    allowed = click.FloatRange(0.5, 0.999)
    words = "Confidence level of the intervals."
    return click.option("--level", default=default, show_default=True, type=allowed, help=words)


table_or_json_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Format of the result.",
)


def on_option(default: str) -> Callable[[F], F]:
    """--on, where the parts of long work run: no number depends on it."""
    words = (
        "Where the work is done: home (in this process), processes:N, dask://HOST:PORT, tls://HOST:PORT or spark."
        f" It changes no number. Default: {default}."
    )
    return click.option("--on", metavar="WHERE", help=words)


LATEX_COLUMNS = _declared(Parameter("latex_columns", "str", "1", PAPER_COLUMNS))
latex_options = options(  # how tables for a paper are set
    LATEX_COLUMNS,
    _declared(Parameter("latex_marks", "Literal['auto', 'letters', 'daggers', 'none']", "auto", LATEX_MARKS)),
)


text_file_options = options(*TEXT_FILE_OPTIONS)
map_options = options(*MAP_OPTIONS)
system_option = _declared(SYSTEM)
reading_options = options(system_option, *READING_OPTIONS)
input_options = options(reading_options, BY)  # for every command that takes QRELS and RUN and shows queries


def setting_options(function: F) -> F:
    """One option for each row of the settings table, and --compat; None means not given explicitly."""
    return options(_INPUTS["compat"], *map(_setting_option, SETTINGS))(function)


METAVARS = {"depth": "K", "collection_size": "D", "rel": "N", "seed": "N"}


class SettingValue(click.ParamType[Any]):
    """The value of a setting: read here, and refused by the settings themselves, all that are wrong at once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.name = METAVARS.get(setting.name) or f"[{'|'.join(map(str, setting.choices))}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> object:
        return self.setting.rule.read(str(value))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The choices that begin so."""
        return [CompletionItem(str(each)) for each in self.setting.choices if str(each).startswith(incomplete)]


def setting_arguments(setting: Setting) -> tuple[list[str], dict[str, Any]]:
    """What click is told of the option of a setting: its names, and everything else."""
    keywords: dict[str, Any] = {"default": None, "help": f"{setting.meaning}. Default: {setting.default_words}."}
    if isinstance(setting.default, bool):
        return [f"{setting.option}/--no-{setting.name.replace('_', '-')}", setting.name], keywords
    kind = SettingValue(setting)
    return [setting.option, setting.name], keywords | {"type": kind, "metavar": kind.name}


def _setting_option(setting: Setting) -> Callable[[F], F]:
    names, keywords = setting_arguments(setting)
    return click.option(*names, **keywords)


class QuestionCommand(GuardedCommand):
    """A command whose help shows what is asked and what decides; of other groups it shows options that have a letter.

    How many more there are is said, and --help-all shows them.
    """

    def __init__(self, *args: Any, panels: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.panels = panels
        show_all: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": _show_all}
        self.params.append(click.Option(["--help-all"], help="Show all options.", **show_all))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Group after group."""
        whole, more = ctx.meta.get(HELP_ALL_KEY, False), {}
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        for panel in PANELS:
            here = [each for each in options if self.panels.get(str(each.name), OUTPUT) == panel]
            shown = [each for each in here if whole or panel in OPEN_PANELS or min(map(len, each.opts)) == 2]
            records = [record for each in shown if (record := each.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)
            more[panel] = len(here) - len(shown)
        if any(more.values()):
            counted = [f"{panel[0].lower()}{panel[1:]} ({count})" for panel, count in more.items() if count]
            formatter.write_paragraph()
            formatter.write_text(f"More: {', '.join(counted)}. `{ctx.command_path} --help-all` shows them.")


def _show_all(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL_KEY] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
