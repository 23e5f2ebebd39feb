"""docs/reference/commands.md: what `--help` says."""

from __future__ import annotations

import click

from rankscope.commands.line.feedback_questions import ABOUT_QUESTIONS, OWN_SECTION, question_command
from rankscope.commands.line.main import COMMANDS, cli
from rankscope.commands.line.options import HELP_ALL_KEY
from tools.docs.markdown import page as whole_page

WIDTH = 100


def page() -> str:
    """The page."""
    root = click.Context(cli, info_name="rankscope", terminal_width=WIDTH, **cli.context_settings)
    parts = [block("rankscope", cli.get_help(root))]
    for name in COMMANDS:
        command = cli.get_command(root, name)
        if command is not None:
            parts += blocks(command, name, root)
        if name == "feedback":
            parts += [question_block(each, root) for each in ABOUT_QUESTIONS]
    return whole_page("Commands", *parts)


def blocks(command: click.Command, name: str, parent: click.Context) -> list[str]:
    """A command, and behind it those that it has itself."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH)
    context.meta[HELP_ALL_KEY] = True
    found = [block(context.command_path, command.get_help(context))]
    for each, below in command.commands.items() if isinstance(command, click.Group) else ():
        found += blocks(below, each, context)
    return found


def question_block(name: str, root: click.Context) -> str:
    """One question of `rankscope feedback`, without the options that all of them share."""
    command = question_command(name)
    shared = {each for heading, names in command.sections.items() if heading != OWN_SECTION for each in names}
    command.params = [each for each in command.params if each.name not in shared or isinstance(each, click.Argument)]
    context = click.Context(command, info_name="feedback", parent=root, terminal_width=WIDTH)
    text = command.get_help(context)
    return block(f"rankscope feedback FEATURES {name}", f"{text}\n\n  --methods, --topics and so on: as for the study")


def block(title: str, text: str) -> str:
    """One command."""
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"## {title}\n\n```text\n{lines}\n```"
