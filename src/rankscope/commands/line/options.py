"""Options that several commands share, made from the one table of settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from rankscope.commands.line.command import Input, OutputFolder
from rankscope.core.peers import COMPAT
from rankscope.core.settings import MAX_RATIO, SETTINGS, Setting

F = TypeVar("F", bound=Callable[..., Any])


def options(*some: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options as one decorator; help shows them in this order."""

    def add(function: F) -> F:
        for option in reversed(some):
            function = option(function)
        return function

    return add


TEXT_FILE_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
    click.option(
        "--max-ratio",
        default=MAX_RATIO,
        show_default=True,
        metavar="N",
        help="Refuse a packed file that becomes more than 1 GB and more than N times its size.",
    ),
)


def _given_once(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """The only map; a second one would replace the first in silence."""
    if len(values) > 1:
        option = param.opts[0]
        words = f"{option} is given {len(values)} times: write all pairs in one, separated by commas"
        raise click.UsageError(f"{words}. Files with other columns have --map-qrels and --map-runs.", ctx)
    return values[0] if values else None


def _map_option(option: str, name: str, words: str) -> Callable[[Any], Any]:
    return click.option(option, name, multiple=True, callback=_given_once, metavar="ROLE=NAME,...", help=words)


MAP_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    _map_option(
        "--map",
        "columns",
        "Which column is which, where names do not tell: query=NAME,item=NAME and grade=, score= or rank=. Dots lead "
        "into objects of JSON (item=_source.sku), results= names a list of hits, numbers count columns of a text "
        "without a header. For all files.",
    ),
    _map_option("--map-qrels", "map_qrels", "The same for judgements alone: what stands here wins over --map."),
    _map_option("--map-runs", "map_runs", "The same for runs alone: what stands here wins over --map."),
)
MAP = MAP_OPTIONS[0]
ROLL_UP = click.option(
    "--roll-up",
    type=Input(),
    metavar="REGEX|FILE",
    help="Evaluate documents where items are their chunks: a regular expression whose one group is the document's id, "
    "as '^(.*)#\\d+$', or a file with two columns, chunk and document. The best chunk counts.",
)
JUNK = click.option(
    "--junk",
    type=Input(),
    metavar="FILE",
    help="File of items neither relevant nor irrelevant (query 0 item 0), removed first.",
)
READING_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    JUNK,
    click.option(
        "--subtopics",
        type=Input(),
        metavar="FILE",
        help="Judgements of subtopics (query subtopic item grade) for measures of diversity: alpha_nDCG@10, ERR_IA@10, "
        "StRecall@10, ... Not needed where QRELS is such a file.",
    ),
    click.option(
        "--input-format",
        "format",
        metavar="NAME",
        help="Format of the input files, where it cannot be recognised: trec, csv, ...",
    ),
    *MAP_OPTIONS,
    ROLL_UP,
    *TEXT_FILE_OPTIONS,
)
BY = click.option(
    "--by", "classes", type=Input(), metavar="CSV", help="File with the class of each query (columns query, class)."
)


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


intervals_option = click.option(
    "--intervals",
    type=click.Choice(["auto", "bca", "bounded", "t"]),
    default="auto",
    show_default=True,
    help="Intervals of the means: bounded (one query that was not seen may lie at either end of the measure's "
    "range), t (Student's), bca (bootstrap), or auto: bounded below 25 queries or classes, t where the measure "
    "has no range, and bca from 25 on.",
)
resamples_option = click.option(
    "--resamples",
    type=click.IntRange(100),
    help="Number of bootstrap resamples. Default: 10,000 for up to 1,000 queries, fewer for more.",
)
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


LATEX_COLUMNS = click.option(
    "--latex-columns",
    default="1",
    show_default=True,
    metavar="1|2|POINTS",
    help="Width of tables in LaTeX: one column of a two-column page, both, or a width such as 347pt.",
)
latex_options = options(  # how tables for a paper are set
    LATEX_COLUMNS,
    click.option(
        "--latex-marks",
        type=click.Choice(["auto", "letters", "daggers", "none"]),
        default="auto",
        show_default=True,
        help="What stands behind numbers in LaTeX, by the verdict of the tests: letters of systems that are not "
        "significantly different, daggers against the baseline, or nothing. auto: letters where they can be read.",
    ),
)


scale_options = options(  # where a large run is reduced, and in how much memory
    on_option("home"),
    click.option(
        "--memory",
        metavar="SIZE",
        help="Work within this much memory, as 1GB; a run that needs more is reduced in parts. Default: half of what "
        "is free.",
    ),
    click.option(
        "--work",
        type=OutputFolder(),
        metavar="FOLDER",
        help="Keep finished parts here until the work has ended well, so that stopped work continues. Default: next to "
        "the file of saved ranks.",
    ),
    click.option(
        "--shuffle",
        type=click.Choice(["auto", "none"]),
        default="auto",
        show_default=True,
        help="auto brings the rows of a query together where a large run has them scattered; none counts them where "
        "they lie, in two passes.",
    ),
    click.option("--digest/--no-digest", default=True, show_default=True, help="Note the SHA-256 of large runs."),
)


text_file_options = options(*TEXT_FILE_OPTIONS)
map_options = options(*MAP_OPTIONS)
shape_options = options(*MAP_OPTIONS, ROLL_UP)
system_option = click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME",
    help="Name of a system in tables and graphs; once for each RUN, in their order. Default: that of its file.",
)
reading_options = options(system_option, *READING_OPTIONS)
input_options = options(reading_options, BY)  # for every command that takes QRELS and RUN and shows queries


def setting_options(function: F) -> F:
    """One option for each row of the settings table, and --compat; None means not given explicitly."""
    peers = f"Count as this peer does: {', '.join(COMPAT)}. Options given explicitly win."
    compat = click.option("--compat", metavar="PEER", help=peers)
    return options(compat, *map(_setting_option, SETTINGS))(function)


def chosen_setting_options(*names: str) -> Callable[[F], F]:
    """The options of some settings, for a command that the others mean nothing to."""
    return options(*(_setting_option(each) for each in SETTINGS if each.name in names))


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


def _setting_option(setting: Setting) -> Callable[[F], F]:
    text = f"{setting.meaning}. Default: {setting.default_words}."
    if isinstance(setting.default, bool):
        spelled = f"{setting.option}/--no-{setting.name.replace('_', '-')}"
        return click.option(spelled, setting.name, default=None, help=text)
    kind = SettingValue(setting)
    return click.option(setting.option, setting.name, type=kind, default=None, metavar=kind.name, help=text)
