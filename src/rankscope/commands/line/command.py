"""The command class of every command: what it reads is never written over, and numbers are numbers.

A command with many options shows them in groups, each under a heading of its own.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from rankscope.commands.line.exits import show_traces
from rankscope.core.errors import SettingError
from rankscope.core.file_guard import Guard, Kind, check_target, guarding
from rankscope.core.names import visible
from rankscope.core.validation import LARGEST
from rankscope.core.wording import speaking_options

FORCE_KEY = "rankscope.force"
FORCE_HELP = "Replace the output file even if it is plainly of another kind (a run, features, a picture)."
DEBUG_HELP = "When something fails, show where in the code it failed."


class Input(click.ParamType[str]):
    """A file or folder that the command reads; a value that is no path of anything stays what it is."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)

    def path_of(self, value: str) -> str:
        """The file or folder that a value names."""
        return value


class NamedInput(Input):
    """name=FILE: a file that the command reads, under a name of its own."""

    def path_of(self, value: str) -> str:
        """What stands behind the name."""
        return value.partition("=")[2]


class OutputFile(click.ParamType[str]):
    """A file that the command writes, and which of the kinds that are not replaced without a question it may be."""

    name = "text"

    def __init__(self, *writes: Kind, makes_folder: bool = False) -> None:
        self.writes, self.makes_folder = writes, makes_folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """As it was given; an empty name is none."""
        if not str(value):
            self.fail("a name is needed", param, ctx)
        return str(value)


class OutputFolder(OutputFile):
    """A folder that the command writes into, made if it is not there."""


class GuardedCommand(click.Command):
    """Registers what is read, looks at what is to be replaced before the work begins, and refuses impossible numbers.

    Every command has --debug; one that writes a file has --force. `former` are names that options had, with those they
    have now, which is said to whoever uses one. `free_text` is what an argument may be that can begin with a minus, as
    "query"; `one_text` where it is all that stands behind the first argument.
    """

    def __init__(
        self,
        *args: Any,
        former: Mapping[str, str] | None = None,
        free_text: str = "",
        one_text: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.former, self.free_text, self.one_text = former or {}, free_text, one_text
        if self._outputs and "force" not in {param.name for param in self.params}:
            forcing = click.Option(["--force"], is_flag=True, help=FORCE_HELP, expose_value=False, callback=_note_force)
            self.params.append(forcing)
        self.params.append(debug_option())

    @property
    def _outputs(self) -> list[tuple[str, OutputFile]]:
        return [(str(param.name), param.type) for param in self.params if isinstance(param.type, OutputFile)]

    @property
    def _spelled(self) -> dict[str, str]:
        """How each option is written, by its name in Python."""
        options = [param for param in self.params if isinstance(param, click.Option)]
        return {str(option.name): max(option.opts, key=len) for option in options}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As usual; a name that an option had before is answered with the one it has now, and `--` is explained."""
        whole = list(args)  # parsing takes from the list
        try:
            return self._parsed(ctx, args)
        except click.UsageError as error:
            place = _taken_for_options(error, whole) if self.free_text else None
            if place is None:
                raise
            raise click.UsageError(f"{error.format_message()} {self._behind_dashes(ctx, whole, place)}", ctx) from None

    def _parsed(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name not in self.former:
                raise
            words = f"No such option '{error.option_name}': it is now '{self.former[error.option_name]}'."
            raise click.NoSuchOption(error.option_name, words, ctx=error.ctx) from None

    def _behind_dashes(self, ctx: click.Context, args: list[str], place: int) -> str:
        """How a text that begins with a minus is written: with all that was given, where nothing else is an option."""
        others = [*args[:place], *args[place + 1 :]]
        if place == 0 or any(each.startswith("-") for each in others):
            written = ["INDEX", "--", args[place]]
        elif self.one_text and len(args) > 2:
            text = " ".join(args[1:])
            written = [args[0], *(["--"] if text.startswith("-") else []), text]
        else:
            written = [*args[:place], "--", *args[place:]]
        advice = "write -- before it" if "--" in written else "put quotes around all of its words"
        return f"If '{args[place]}' belongs to a {self.free_text}, {advice}: {ctx.command_path} {shlex.join(written)}"

    def invoke(self, ctx: click.Context) -> Any:
        """Run it, guarded; whatever speaks of a setting names the option."""
        self._check_values(ctx)
        inputs = [(str(param.name), param.type) for param in self.params if isinstance(param.type, Input)]
        read = [kind.path_of(text) for name, kind in inputs for text in _texts(ctx.params.get(name))]
        force = bool(ctx.params.get("force") or ctx.meta.get(FORCE_KEY))
        with guarding(Guard.of(read, force)), speaking_options(self._spelled):
            for name, kind in self._outputs:
                for path in _texts(ctx.params.get(name)):
                    _check_output(path, kind)
            return super().invoke(ctx)

    def _check_values(self, ctx: click.Context) -> None:
        """Whole numbers that fit into 64 bits, fractions that are numbers, and texts that are text or name a file."""
        for param in self.params:
            for value in _values(ctx.params.get(str(param.name))):
                if isinstance(value, int) and not -LARGEST <= value < LARGEST:
                    raise click.BadParameter("it has more than 64 bits.", ctx, param)
                if isinstance(value, float) and not math.isfinite(value):
                    raise click.BadParameter(f"it must be a finite number, got {value}.", ctx, param)
                names_a_file = isinstance(param.type, OutputFile) or (
                    isinstance(param.type, Input) and not self.free_text
                )
                if isinstance(value, str) and not names_a_file and not _is_text(value):
                    raise click.BadParameter(f"{visible(value)} is no text in UTF-8.", ctx, param)


def _taken_for_options(error: click.UsageError, args: list[str]) -> int | None:
    """Where a text stands that begins with a minus and was read as options; None where there is none."""
    before = args[: args.index("--")] if "--" in args else args
    if isinstance(error, click.NoSuchOption) and error.option_name.startswith("--"):
        wrong = [each.startswith(error.option_name) and not error.possibilities for each in before]
    else:  # several letters behind one minus are so many options, or one and its value, which may be a number
        letter = error.option_name[1:] if isinstance(error, click.NoSuchOption) else ""
        wrong = [re.match(r"-[^\W\d]\D|-\d", each) is not None and letter in each for each in before]
    return wrong.index(True) if True in wrong else None


def debug_option() -> click.Option:
    """--debug, which works before the name of the command and behind it."""
    return click.Option(
        ["--debug"], is_flag=True, help=DEBUG_HELP, expose_value=False, callback=_note_debug, is_eager=True
    )


def _note_debug(_ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        show_traces()


def _note_force(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    ctx.meta[FORCE_KEY] = wanted


def _check_output(path: str, kind: OutputFile) -> None:
    """Raise now where writing would fail after the work."""
    if path == "-":
        return
    if isinstance(kind, OutputFolder):
        _check_folder(path, _there(path))
        return
    check_target(path, (None, *kind.writes))
    parent = os.path.dirname(path) or "."
    _check_folder(path, _there(parent) if kind.makes_folder else parent)


def _there(path: str) -> str:
    """The path, or the folder above it that is there already."""
    while not os.path.lexists(path) and os.path.dirname(path) not in ("", path):
        path = os.path.dirname(path)
    return path if os.path.lexists(path) else "."


def _check_folder(path: str, folder: str) -> None:
    if not os.path.isdir(folder):
        what = f"{folder} is a file" if os.path.lexists(folder) else f"there is no folder {folder}"
        raise SettingError(f"cannot write {path}: {what}, and a folder is needed")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingError(f"cannot write {path}: no permission to write into {folder}")


def _is_text(value: str) -> bool:
    """Whether a value can be written; the name of a file may hold other bytes."""
    return value.isascii() or os.path.lexists(value) or not any("\ud800" <= sign <= "\udfff" for sign in value)


def _values(value: Any) -> Iterable[Any]:
    return value if isinstance(value, tuple | list) else (value,)


def _texts(value: Any) -> list[str]:
    return [each for each in _values(value) if isinstance(each, str)]


REST_OF_OPTIONS = "Options"


class GroupedCommand(GuardedCommand):
    """A command whose help has one section for each group; options in no group come last, under `Options`."""

    def __init__(self, *args: Any, sections: Mapping[str, Sequence[str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections or {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Group after group, each in the order of its names."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        by_name = {str(option.name): option for option in options}
        grouped = {name for names in self.sections.values() for name in names}
        rest = [name for name in by_name if name not in grouped]
        for heading, names in [*self.sections.items(), (REST_OF_OPTIONS, rest)]:
            records = [by_name[name].get_help_record(ctx) for name in names if name in by_name]
            shown = [record for record in records if record is not None]
            if shown:
                with formatter.section(heading):
                    formatter.write_dl(shown)
