"""`rankscope`: finds the command, and ends as the one rule of `rankscope.commands.line.exits` says."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from rankscope.commands.line import exits
from rankscope.commands.line.command import debug_option
from rankscope.commands.line.exits import report_closed_pipe, respect_signals
from rankscope.core.catalogue import Catalogue
from rankscope.core.machine import products_on_one_core
from rankscope.version import __version__

GROUPS: dict[str, dict[str, str]] = {  # what `rankscope --help` lists, in the order people need it
    "Evaluate": {
        "evaluate": "How good is it? Measures of runs, equal to the reference's.",
        "compare": "Is B better than A? Significance, effect, interval, by class.",
        "gate": "May I merge it? A regression test for CI, by its exit code.",
        "report": "Everything on one page that opens offline; tables for a paper.",
        "graph": "Precision-recall, scope, generality and all other graphs.",
        "forecast": "What is left of the quality when the collection grows?",
        "homogeneity": "Does quality depend on the generality d/c alone?",
        "fuse": "Is it better together? Several runs made one.",
        "ledger": "Where in the pipeline did the recall go?",
    },
    "Judge": {
        "project": "A collection to judge: pools, people, export with provenance.",
        "serve": "The workbench in a browser, or an index over HTTP.",
        "estimate": "What do few judgements, or a machine's, still show?",
        "agreement": "Do assessors agree, and does it change the order of systems?",
        "prefer": "Which of two systems do people prefer?",
        "reuse": "Can the judgements be used for systems outside the pool?",
        "stability": "Would the leaderboard look the same again?",
        "components": "Where does the uncertainty come from? Variance components.",
        "plan": "What should be judged next, by the interval it promises?",
    },
    "Text": {
        "gather": "Pages of hosts that you name, politely, as documents.",
        "index": "Documents of many formats to an index that can be searched.",
        "search": "Queries in Lucene's language; topics to a run or exact ranks.",
        "look": "What is in an index? Terms, postings, scores explained.",
    },
    "Pictures and vectors": {
        "describe": "Vectors of colour, texture and shape, or of your own network.",
        "rank": "Exact ranks of every relevant item, for every item as a query.",
        "labels": "Which items did the labels miss?",
        "benchmark": "Which descriptor finds best on my pictures, at what cost?",
    },
    "Feedback": {
        "feedback": "Which method learns from the fewest examples?",
        "users": "Can a simulated user stand for people?",
    },
    "Others": {
        "demo": "See it work on icons that ship with it; no file needed.",
        "measures": "Which measures exist, what each means, its formula and source.",
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}
FILES = {  # of those that stand with their function, or in the file of another
    "evaluate": "evaluate",
    "compare": "compare",
    "gate": "gate",
    "forecast": "forecast",
    "homogeneity": "forecast",
    "fuse": "fuse",
    "ledger": "ledger",
    "benchmark": "line.describe",
    "labels": "line.judgements",
    "gather": "line.index",
    "look": "line.index",
    "reuse": "line.judgements",
    "agreement": "line.judgements",
    "stability": "stability",
    "components": "stability",
    "plan": "stability",
}
ELSEWHERE = {  # what others call such commands
    "plot": "graph",
    "draw": "graph",
    "chart": "graph",
    "score": "evaluate",
    "trec_eval": "evaluate",
    "metrics": "measures",
    "significance": "compare",
    "ttest": "compare",
    "diff": "compare",
    "merge": "fuse",
    "fusion": "fuse",
    "query": "search",
    "crawl": "gather",
    "judge": "project",
    "inspect": "look",
    "extract": "describe",
}
SMALL_PRODUCTS = frozenset(
    {
        "demo",
        "evaluate",
        "graph",
        "compare",
        "ledger",
        "report",
        "gate",
        "forecast",
        "homogeneity",
        "serve",
        "stability",
        "components",
        "plan",
    }
)


class LazyCommands(click.Group):
    """Commands whose modules are imported only when they run, so that --help stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in SMALL_PRODUCTS:
            products_on_one_core()
        from rankscope.commands.line.questions import find_command

        file = importlib.import_module(f"rankscope.commands.{FILES.get(cmd_name, f'line.{cmd_name}')}")
        return find_command(getattr(file, f"{cmd_name}_command"))

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As usual, but for a closed pipe."""
        with report_closed_pipe():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """As usual, but for a closed pipe."""
        with report_closed_pipe():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Group after group with one line each, without importing anything; all in one column."""
        width = max(map(len, COMMANDS))
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), about) for name, about in commands.items()])
        formatter.write_paragraph()
        formatter.write_text("`rankscope COMMAND --help` explains one.")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """An unknown command gets a suggestion."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(Catalogue.of_words("command", COMMANDS, ELSEWHERE).not_found(args[0]), ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rankscope")
def cli() -> None:
    """How good is a ranked retrieval system, really?

    \b
    Start with:
      rankscope demo
      rankscope evaluate QRELS RUN -m AP -m nDCG@10

    Exit codes: 0 done; 1 gate: a loss is shown, and its mean is beyond the smallest effect; 2 bad input, no room or no
    permission; 70 a fault of rankscope.

    Shell completion: _RANKSCOPE_COMPLETE=bash_source rankscope (or zsh_source, fish_source).
    """


cli.params.append(debug_option())


def main() -> None:
    """Run the command and leave with the code that `rankscope.commands.line.exits` gives for how it ended."""
    import gc

    gc.set_threshold(100_000)  # a short-lived process that makes many lasting objects while it imports
    exits.occupy_closed_streams()
    respect_signals()
    try:
        code = cli.main(prog_name="rankscope", standalone_mode=False) or 0
        exits.flush_output()
    except BaseException as error:  # the one place where anything may be caught
        code = exits.exit_code(error)
    exits.abandon_output()
    sys.exit(code)


if __name__ == "__main__":
    main()
