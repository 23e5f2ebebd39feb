"""Options in groups: a command with many of them shows each group under a heading of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand

REST = "Options"


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
        for heading, names in [*self.sections.items(), (REST, rest)]:
            records = [by_name[name].get_help_record(ctx) for name in names if name in by_name]
            shown = [record for record in records if record is not None]
            if shown:
                with formatter.section(heading):
                    formatter.write_dl(shown)
