"""The command class of `rankscope graph`: the options of a kind of graph come from that kind, which is found first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankscope.catalogue import fold
from rankscope.cli.guarded import GuardedCommand

if TYPE_CHECKING:
    from rankscope.graphs.kind import GraphKind

BEFORE = "systems"  # options of kinds stand before those that commands share, of which this is the first


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
        from rankscope import graphs

        return KindCommand(self, tuple(graphs.KINDS))


def known_kind(ctx: click.Context, _param: click.Parameter, kind: str) -> str:
    """The kind as it was written; one that there is not is told before anything else that lacks."""
    if not ctx.resilient_parsing:
        from rankscope import graphs

        graphs.by_name(kind)
    return kind


class KindCommand(GuardedCommand):
    """`rankscope graph` with the options of one kind, or of all."""

    def __init__(self, graph: GraphCommand, kinds: Sequence[GraphKind[Any]]) -> None:
        from rankscope.cli.kind_options import click_options, with_shared_flags

        own = with_shared_flags([param for param in graph.params if param.name != "debug"], kinds)
        place = next(number for number, param in enumerate(own) if param.name == BEFORE)
        taken = [spelled for param in own for spelled in param.opts]
        params = [*own[:place], *click_options(kinds, taken), *own[place:]]
        shown = f"{kinds[0].name} shows {kinds[0].systems}. {kinds[0].text}" if len(kinds) == 1 else None
        super().__init__(graph.name, callback=graph.callback, help=graph.help, params=params, epilog=shown)
        self.kinds = kinds

    @property
    def _spelled(self) -> dict[str, str]:
        """With the options of the kinds; what the command itself calls so comes first."""
        from rankscope.cli.kind_options import spellings_of

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
    from rankscope import graphs

    ours = {fold(name) for name in graphs.KINDS.own_names()}
    named = [each for each in dict.fromkeys(args) if fold(each) in ours]
    yield from map(graphs.by_name, named or [each for each in dict.fromkeys(args) if each in graphs.KINDS])
