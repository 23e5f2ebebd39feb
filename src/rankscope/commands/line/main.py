"""`rankscope`: finds the command, and ends as the one rule of `rankscope.commands.line.exits` says."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from rankscope.commands.line import exits
from rankscope.commands.line.command import debug_option
from rankscope.commands.line.exits import report_closed_pipe, respect_signals
from rankscope.commands.line.questions import find_command
from rankscope.core.catalogue import Catalogue
from rankscope.core.machine import products_on_one_core
from rankscope.version import __version__

COMMANDS: dict[str, str] = {  # what `rankscope --help` lists, in the order people need it
    "demo": "See it work: two systems on the icons that ship with rankscope; no file needed.",
    "evaluate": "How good is it? Judgements and runs to numbers, equal to the tool your field trusts.",
    "graph": "What does the whole picture look like? A graph of one run or several, for print or for a browser.",
    "compare": "Is B better than A, by how much, and for which kind of query? A verdict, then what it rests on.",
    "ledger": "Where did my recall go? Every relevant item followed through the stages of a pipeline.",
    "report": "The whole result as one page that opens offline, and as tables and figures for a paper.",
    "gate": "May I merge it? Fails if a loss is shown and its mean is beyond the smallest effect that matters.",
    "describe": "I have pictures, no run files: vectors of colour, texture and shape, or of your own network.",
    "benchmark": "Which descriptor finds best on my pictures, and what does it cost? With what each finds first.",
    "rank": "I have vectors and class labels: exact ranks of every relevant item, for every item as a query.",
    "labels": "Which items did the labels miss? Those that rank as members of a class whose label they do not have.",
    "gather": "I have pages on the web: those of hosts that you name, politely, to documents that can be indexed.",
    "index": "I have texts, no run files: documents of many formats to an index that can be searched.",
    "search": "What does it find? A query in Lucene's language, or a file of topics to a run or to exact ranks.",
    "fuse": "Is it better together? Several runs made one, by every method of the field; tuned on other queries only.",
    "look": "What is inside an index of texts? Terms, postings, documents, scores explained, queries as trees.",
    "serve": "Search over HTTP: clients of Solr and OpenSearch work unchanged on your indexes, and can only read.",
    "feedback": "Which feedback method learns what the user wants from the fewest examples? With simulated users.",
    "users": "Can a simulated user stand for people? Errors and consistency, against a journal or judgements.",
    "forecast": "What is left of my quality when the collection grows? With a back-test and an interval.",
    "homogeneity": "Does quality depend on the generality d/c alone? Class sizes against thinned collections.",
    "estimate": "What can be said without complete ground truth, and how many items must be judged?",
    "reuse": "Can the judgements be used for a system that was not in the pool? Each run in turn is left out.",
    "agreement": "How far do assessors agree, and does it change which system is best? Also merges their judgements.",
    "stability": "Would the leaderboard look the same again? With other queries, assessors or items.",
    "components": "Where does the uncertainty come from? Variances of queries, classes, assessors, items and seeds.",
    "plan": "What should I judge next? More queries, more assessors or deeper pools, by the interval they promise.",
    "prefer": "Which of two systems do people prefer? Answers side by side, or clicks in one list of both.",
    "project": "I want my own judgements: make a collection to judge, pools, invitations, export with provenance.",
    "measures": "Which measures exist, what each means, its formula and source.",
}
FILES = {  # those that stand in the file of another
    "benchmark": "describe",
    "labels": "judgements",
    "gather": "index",
    "look": "index",
    "homogeneity": "forecast",
    "reuse": "judgements",
    "agreement": "judgements",
    "components": "stability",
    "plan": "stability",
}
QUESTIONS = frozenset(
    {"compare", "evaluate", "forecast", "gate", "homogeneity"}
)  # whose command stands with its function
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
        room = "rankscope.commands" if cmd_name in QUESTIONS else "rankscope.commands.line"
        file = importlib.import_module(f"{room}.{FILES.get(cmd_name, cmd_name)}")
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
        """The list with one line each, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

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
