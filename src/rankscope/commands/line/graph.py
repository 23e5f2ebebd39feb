"""`rankscope graph`: judgements and runs to a picture.

The options of a kind of graph come from that kind, which is found first; what several kinds call the same is one
option.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from rankscope.commands.line.command import FORCE_HELP, GuardedCommand, Input, OutputFile
from rankscope.commands.line.inputs import Inputs
from rankscope.commands.line.options import VERBOSE, input_options, setting_options
from rankscope.commands.line.output import progress_line, say, say_warnings
from rankscope.core.catalogue import fold
from rankscope.core.errors import SettingError
from rankscope.core.wording import speaking_options
from rankscope.reports import graphs
from rankscope.reports.graphs.kinds import GraphKind, KindOption

FIRST_SHARED_OPTION = "systems"  # options of kinds stand before those that commands share, of which this is the first


class GraphCommand(GuardedCommand):
    """Its own options and those of the kind asked for, which alone is loaded; its help has the options of all kinds."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command for the kind asked for; where that fails, of the one that knows all options."""
        for kind in _named_kinds(args):
            try:
                context = KindCommand(self, [kind]).make_context(info_name, [*args], parent, **extra)
            except click.NoSuchOption:
                continue
            if fold(str(context.params.get("kind"))) == fold(kind.name):
                return context
        return self._of_all().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """By the command that read the options."""
        return ctx.command.invoke(ctx) if isinstance(ctx.command, KindCommand) else super().invoke(ctx)

    def get_help(self, ctx: click.Context) -> str:
        """With the options of all kinds."""
        return self._of_all().get_help(ctx)

    def _of_all(self) -> KindCommand:
        return KindCommand(self, tuple(graphs.KINDS))


def known_kind(ctx: click.Context, _param: click.Parameter, kind: str) -> str:
    """The kind as it was written; one that there is not is told before anything else that lacks."""
    if not ctx.resilient_parsing:
        graphs.by_name(kind)
    return kind


class KindCommand(GuardedCommand):
    """`rankscope graph` with the options of one kind, or of all."""

    def __init__(self, graph: GraphCommand, kinds: Sequence[GraphKind[Any]]) -> None:
        own = with_shared_flags([param for param in graph.params if param.name != "debug"], kinds)
        place = next(number for number, param in enumerate(own) if param.name == FIRST_SHARED_OPTION)
        taken = [spelled for param in own for spelled in param.opts]
        params = [*own[:place], *click_options(kinds, taken), *own[place:]]
        shown = f"{kinds[0].name} shows {kinds[0].systems}. {kinds[0].text}" if len(kinds) == 1 else None
        super().__init__(graph.name, callback=graph.callback, help=graph.help, params=params, epilog=shown)
        self.kinds = kinds

    @property
    def _spelled(self) -> dict[str, str]:
        """With the options of the kinds; what the command itself calls so comes first."""
        of_kinds = {name: spelled for kind in self.kinds for name, spelled in spellings_of(kind).items()}
        return {**of_kinds, **super()._spelled}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What a single kind shows; of several, one line for each."""
        if len(self.kinds) == 1:
            super().format_epilog(ctx, formatter)
            return
        with formatter.section("Kinds"):
            formatter.write_dl([(kind.name, kind.about) for kind in self.kinds])


def _named_kinds(args: Sequence[str]) -> Iterator[GraphKind[Any]]:
    """Kinds whose names are among the arguments, in their order; one of them may be the value of an option.

    Other packages are asked only where none of our own is named.
    """
    ours = {fold(name) for name in graphs.KINDS.own_names()}
    named = [each for each in dict.fromkeys(args) if fold(each) in ours]
    yield from map(graphs.by_name, named or [each for each in dict.fromkeys(args) if each in graphs.KINDS])


@click.command("graph", cls=GraphCommand, short_help="What does the whole picture look like?")
@click.argument("kind", callback=known_kind)
@click.argument("files", nargs=-1, required=True, type=Input(), metavar="QRELS RUN... | RANKS.parquet...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputFile("a picture"),
    metavar="FILE",
    help="Write the graph here; the suffix decides the format: .svg, .pdf, .png, .html (interactive, needs no "
    "net), .json "
    "(Vega-Lite), .csv (the data).",
)
@click.option(
    "--theme", metavar="NAME", default="light", show_default=True, help="Colours of the graph: light or dark."
)
@click.option(
    "--width",
    metavar="WIDTH",
    help="Width of the graph: column (85 mm), full (175 mm) or millimetres. Default: column; full for .html.",
)
@click.option("--flat", is_flag=True, help="Draw a surface as a heat map instead of in three dimensions.")
@click.option("--force", is_flag=True, help=FORCE_HELP)
@input_options
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
@VERBOSE
@setting_options
def graph_command(
    kind: str,
    files: tuple[str, ...],
    output: str,
    theme: str,
    width: str | None,
    flat: bool,
    force: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> None:
    """What does the whole picture look like? A graph of one run or several, for print or for a browser.

    QRELS and RUN as for `rankscope evaluate`; NAME.ranks.parquet files hold both. Graphs over generality need the size
    of the collection: give --collection-size D. `rankscope graph KIND --help` has the options of that kind alone.

    \b
    rankscope graph precision-recall qrels.txt bm25.run dense.run -o pr.pdf
    rankscope graph grip demo-output/pixels.ranks.parquet demo-output/edges.ranks.parquet -o grip.html --theme dark
    """
    from rankscope.reports.graphs.layout import Look
    from rankscope.reports.graphs.saving import flat_for_want_of_matplotlib, format_of

    chosen = graphs.by_name(kind)
    format_of(output)
    Look.of(theme, width or "column")
    options = chosen_options(chosen, given, force=force)
    with progress_line(quiet) as progress:
        inputs = Inputs.of(files, given)
        scores = inputs.scores("graph", ["num_q"], progress, keep_scores=chosen.wants("scores"))
    systems = scores.ranks
    options |= chosen.accepted(seed=scores.settings.seed)
    picture = chosen(systems, **options)
    picture.save(output, theme=theme, width=width, flat=flat)
    if not quiet:
        if not flat and flat_for_want_of_matplotlib(picture, format_of(output)):
            say("! a heat map: to draw the surface in three dimensions, pip install 'rankscope[plots]'")
        say_warnings(scores, verbose)
        say(f"{output}: {chosen.name} of {', '.join(each.system for each in systems)}")


# Options of kinds of graph as options of the command line: what several kinds call the same is one option.

KIND_PREFIX = (
    "kind_"  # before names in the parsed command, so that `queries` of a kind is not `--queries` of the settings
)
Holder: TypeAlias = tuple[GraphKind[Any], KindOption]


class KindValue(click.ParamType[Any]):
    """The value of an option of a kind: read here, and refused by the kind itself, all that are wrong at once."""

    def __init__(self, option: KindOption) -> None:
        self.option = option
        self.name = option.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> object:
        return self.option.read(str(value))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The choices that begin so."""
        return [CompletionItem(each) for each in self.option.choices if each.startswith(incomplete)]


def click_options(kinds: Sequence[GraphKind[Any]], taken: Iterable[str] = ()) -> list[click.Option]:
    """One option for each spelling, in the order of the kinds.

    What the command itself has stays what it is: an option of a kind that is spelled so is for Python alone.
    """
    there = set(taken)
    free = [some for some in holders_of(kinds).values() if not there & {*some[0][1].spellings}]
    return [_click_option(some, help_of(some, named=len(kinds) > 1)) for some in free]


def with_shared_flags(params: Sequence[click.Parameter], kinds: Iterable[GraphKind[Any]]) -> list[click.Parameter]:
    """The options of a command, where a flag that kinds have too, as --force, says what it does with them."""
    held = {spelled: some for spelled, some in holders_of(kinds).items() if some[0][1].is_flag}
    return [_with_help(param, held.get(param.opts[-1])) for param in params]


def chosen_options(kind: GraphKind[Any], given: dict[str, Any], **shared: bool) -> dict[str, Any]:
    """What was given explicitly, taken out of `given`, with the flags that the command shares with the kind.

    An option that the kind does not have and a value that it cannot have are errors.
    """
    parsed = {name: given.pop(name) for name in [*given] if name.startswith(KIND_PREFIX)}
    by_hand = {name: value for name, value in parsed.items() if value not in (None, ())}
    options = {_parsed_name(option.spellings[-1]): option for option in kind.options}
    foreign = [_spelled(name) for name in by_hand if name not in options]
    if foreign:
        there = ", ".join(_spelled(name) for name in options if name in parsed) or "none"
        raise SettingError(f"{kind.name} has no option {', '.join(foreign)}; it has: {there}")
    chosen = {option.name: _flat(by_hand[name]) for name, option in options.items() if name in by_hand}
    flags = {option.name for name, option in options.items() if name not in parsed and option.is_flag}
    chosen |= {name: True for name, wanted in shared.items() if wanted and name in flags}
    with speaking_options(spellings_of(kind)):
        return kind.plain_options(chosen)


def _flat(value: Any) -> Any:
    """Numbers that were written together, as 4,8, among others that were not.

    >>> _flat(((4, 8), (12,))), _flat(("q1", "q2")), _flat(3)
    ((4, 8, 12), ('q1', 'q2'), 3)
    """
    if not isinstance(value, tuple):
        return value
    return tuple(one for each in value for one in (each if isinstance(each, tuple) else (each,)))


def spellings_of(kind: GraphKind[Any]) -> dict[str, str]:
    """How each option of a kind is written on the command line, by its name in Python."""
    return {option.name: option.spellings[-1] for option in kind.options}


def holders_of(kinds: Iterable[GraphKind[Any]]) -> dict[str, list[Holder]]:
    """By the spelling for messages, the kinds that have such an option, with what each says of it."""
    found: dict[str, list[Holder]] = {}
    for kind in kinds:
        for option in kind.options:
            found.setdefault(option.spellings[-1], []).append((kind, option))
    return found


def help_of(holders: Sequence[Holder], named: bool = True) -> str:
    """What an option does, with the default of each kind; where kinds are `named`, those that say the same together.

    >>> from rankscope.reports.graphs import by_name
    >>> help_of(holders_of([by_name("grip"), by_name("grnp")])["--way"])
    'grip, grnp: how generality varies: thinned or bins. Default: thinned.'
    >>> help_of(holders_of([by_name("rank-intervals"), by_name("forecast")])["--measure"])
    'rank-intervals, forecast: the measure. Default: AP; forecast Rprec.'
    """
    together: dict[str, list[Holder]] = {}
    for kind, option in holders:
        together.setdefault(_what(option), []).append((kind, option))
    if not named:
        return " ".join(f"{what[:1].upper()}{what[1:]}.{_defaults(some)}" for what, some in together.items())
    return " ".join(f"{_names(some)}: {what}.{_defaults(some)}" for what, some in together.items())


def _click_option(holders: list[Holder], help: str) -> click.Option:
    option = holders[0][1]
    names = [*option.spellings, _parsed_name(option.spellings[-1])]
    if option.is_flag:
        return click.Option(names, is_flag=True, flag_value=not option.default, default=None, help=help)
    return click.Option(
        names, type=KindValue(option), multiple=option.many, default=None, metavar=option.metavar, help=help
    )


def _with_help(param: click.Parameter, holders: list[Holder] | None) -> click.Parameter:
    if holders is None or not isinstance(param, click.Option):
        return param
    told = copy(param)
    told.help = f"{param.help} With {help_of(holders)}"
    return told


def _what(option: KindOption) -> str:
    """What it does, with its choices where the help does not name them."""
    if all(choice in option.declared.help for choice in option.choices):
        return option.declared.help
    *others, last = option.choices
    return f"{option.declared.help}: {' or '.join(filter(None, (', '.join(others), last)))}"


def _defaults(holders: Sequence[Holder]) -> str:
    """The default of most, and of those that have another one."""
    words = [option.default_words for _, option in holders]
    usual = Counter(words).most_common(1)[0][0]
    others = [f"{kind.name} {word}" for (kind, _), word in zip(holders, words, strict=True) if word != usual]
    there = [*filter(None, [usual]), *others]
    return f" Default: {'; '.join(there)}." if there else ""


def _names(holders: Sequence[Holder]) -> str:
    return ", ".join(kind.name for kind, _ in holders)


def _parsed_name(spelled: str) -> str:
    """The name that an option has in the parsed command.

    >>> _parsed_name("--min-size"), _spelled(_parsed_name("--min-size")), _spelled(_parsed_name("-n"))
    ('kind_min_size', '--min-size', '-n')
    """
    return KIND_PREFIX + spelled.lstrip("-").replace("-", "_")


def _spelled(parsed: str) -> str:
    name = parsed.removeprefix(KIND_PREFIX).replace("_", "-")
    return f"-{name}" if len(name) == 1 else f"--{name}"
