"""Every command that does something, those of groups included: `evaluate`, `project new`."""

from __future__ import annotations

import click

from rankscope.commands.line.main import COMMANDS, cli


def leaf_commands() -> dict[str, click.Command]:
    """The commands by what people write behind `rankscope`."""
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        inside = command.commands if isinstance(command, click.Group) else None
        found |= {name: command} if inside is None else {f"{name} {each}": below for each, below in inside.items()}
    return found
