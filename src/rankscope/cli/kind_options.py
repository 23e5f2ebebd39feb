"""Options of kinds of graph as options of the command line: what several kinds call the same is one option."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from rankscope.errors import SettingError
from rankscope.graphs.kind import GraphKind
from rankscope.graphs.option import KindOption
from rankscope.wording import speaking_options

PREFIX = "kind_"  # before names in the parsed command, so that `queries` of a kind is not `--queries` of the settings
Holder: TypeAlias = tuple[GraphKind[Any], KindOption]


class KindValue(click.ParamType[Any]):
    """The value of an option of a kind: read here, and refused by the kind itself, all that are wrong at once."""

    def __init__(self, option: KindOption) -> None:
        self.option = option
        self.name = option.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """What the text means."""
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
    parsed = {name: given.pop(name) for name in [*given] if name.startswith(PREFIX)}
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

    >>> from rankscope.graphs import by_name
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
    return PREFIX + spelled.lstrip("-").replace("-", "_")


def _spelled(parsed: str) -> str:
    name = parsed.removeprefix(PREFIX).replace("_", "-")
    return f"-{name}" if len(name) == 1 else f"--{name}"
