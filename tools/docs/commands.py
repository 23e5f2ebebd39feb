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
            context = click.Context(command, info_name=name, parent=root, terminal_width=WIDTH)
            parts.append(block(f"rankscope {name}", command.get_help(context)))
    return whole_page("Commands", *parts)


def block(title: str, text: str) -> str:
    """One command."""
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"## {title}\n\n```text\n{lines}\n```"
