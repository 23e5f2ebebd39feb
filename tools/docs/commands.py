"""docs/reference/commands.md: what `--help` says."""

from __future__ import annotations

import click

from rankscope.cli.main import COMMANDS, cli
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
    return whole_page("Commands", *parts)


def blocks(command: click.Command, name: str, parent: click.Context) -> list[str]:
    """A command, and behind it those that it has itself."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH)
    found = [block(context.command_path, command.get_help(context))]
    for each, below in command.commands.items() if isinstance(command, click.Group) else ():
        found += blocks(below, each, context)
    return found


def block(title: str, text: str) -> str:
    """One command."""
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"## {title}\n\n```text\n{lines}\n```"
