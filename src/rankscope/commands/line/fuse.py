"""`rankscope fuse`: several runs made one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from rankscope.commands.line.command import GuardedCommand, Input, OutputFile
from rankscope.commands.line.options import shape_options
from rankscope.commands.line.output import print_result, say
from rankscope.core.errors import SettingError
from rankscope.core.notation import usage
from rankscope.core.settings import MAX_RATIO
from rankscope.core.wording import how_many

if TYPE_CHECKING:
    from rankscope.measures.fusion.candidates import FusedRun, FusionChoice


NORMS = ("min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda", "none")


class WeightList(click.ParamType[tuple[float, ...]]):
    """Numbers separated by commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if not isinstance(value, str):
            return tuple(value)
        try:
            return tuple(float(part) for part in value.split(","))
        except ValueError:
            self.fail(f"'{value}': numbers separated by commas are expected, as 0.7,0.3", param, ctx)


@click.command("fuse", cls=GuardedCommand, short_help="Is it better together? Several runs made one.")
@click.argument("runs", nargs=-1, type=Input(), metavar="RUN RUN...")
@click.option("-o", "--output", type=OutputFile(), metavar="FILE", help="The fused run, in the format of its suffix.")
@click.option(
    "--method",
    default="rrf",
    show_default=True,
    metavar="NAME",
    help="How runs are fused, as rrf(k=20) or wsum; --list names all.",
)
@click.option(
    "--norm",
    type=click.Choice(NORMS),
    default="min-max",
    show_default=True,
    help="How scores are brought to one scale, query by query; methods that look at ranks alone do not mind.",
)
@click.option(
    "--weights", type=WeightList(), metavar="NUMBERS", help="One for each run, as 0.7,0.3. Default: the same for all."
)
@click.option("--qrels", type=Input(), metavar="FILE", help="Judgements to tune by, or for a method that learns.")
@click.option("--tune", is_flag=True, help="Choose weights and options, for each query on other queries only.")
@click.option("-m", "--measure", default="AP", show_default=True, metavar="NAME", help="What --tune makes best.")
@click.option("--rel", type=float, default=1, show_default=True, help="Grade from which on an item is relevant.")
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Parts of the queries; what is used for one is chosen on the others.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the parts.")
@click.option("--depth", type=click.IntRange(1), metavar="K", help="Items of each query. Default: all.")
@click.option("--format", metavar="NAME", help="Format of the runs and judgements. Default: recognised by itself.")
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
@click.option(
    "--max-ratio",
    type=float,
    default=MAX_RATIO,
    show_default=True,
    help="How many times its size a file may unpack to.",
)
@shape_options
@click.option("--system", metavar="NAME", help="Name in tables and graphs. Default: that of the result's file.")
@click.option("--list", "listed", is_flag=True, help="Show the methods with their formulas, and end.")
@click.option("--quiet", is_flag=True, help="No warnings and no messages.")
def fuse_command(runs: tuple[str, ...], listed: bool, quiet: bool, **given: Any) -> None:
    """Is it better together? Several runs made one, to be evaluated like any other.

    What is tuned or learnt for a query comes from the judgements of other queries only, so that the fused run may be
    evaluated with the same judgements.

    \b
    rankscope fuse bm25.run dense.run -o hybrid.run
    rankscope fuse bm25.run dense.run --method wsum --tune --qrels qrels.txt -o hybrid.run
    """
    from rankscope.commands.fuse import fuse

    if listed:
        print_result(methods_text())
        return
    if given["output"] is None:
        raise SettingError("fuse needs -o FILE for the fused run: rankscope fuse RUN RUN... -o fused.run")
    run = fuse(list(runs), **given)
    if not quiet:
        for line in _lines(run, given["output"], [str(each) for each in runs]):
            say(line)


def methods_text() -> str:
    """Every method with its formula and source.

    >>> methods_text().splitlines()[0]
    'rrf(k)       sum_i 1 / (k + rank_i)'
    """
    from rankscope.measures.fusion.method import FUSIONS

    lines = []
    for kind in (FUSIONS.find(name) for name in FUSIONS.names()):
        needs = "weights" if kind.weighted else "judgements" if kind.learns else ""
        lines.append(f"{usage(kind):<12} {kind.formula}{f'   [{needs}]' if needs else ''}")
        lines.append(f"{'':<12} {kind.source}")
    return "\n".join(lines)


def _lines(run: FusedRun, output: str, names: list[str]) -> Iterator[str]:
    count = how_many(sum(len(each.queries) for each in run.choices))
    words = run.choices[0].method if len({each.method for each in run.choices}) == 1 else "tuned"
    yield f"{output}: {count}, {len(names)} runs, {words}"
    if run.choices[0].chosen_on:
        yield from map(_choice_line, run.choices)


def _choice_line(choice: FusionChoice) -> str:
    weights = f" with weights {', '.join(f'{each:g}' for each in choice.weights)}" if choice.weights else ""
    chosen_on = how_many(choice.chosen_on, "other queries")
    return f"  {how_many(len(choice.queries))}: {choice.method}{weights}, by {chosen_on} (mean {choice.value:.4f})"
