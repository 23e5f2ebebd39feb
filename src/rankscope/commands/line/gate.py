"""`rankscope gate`: may the candidate replace the baseline? Exit code 0 pass, 1 fail, 2 bad input, 0 or 3 undecided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankscope.commands.defaults import GATE, MIN_EFFECT
from rankscope.commands.line.command import GuardedCommand, Input, OutputFile
from rankscope.commands.line.inputs import Inputs
from rankscope.commands.line.options import input_options, measure_option, setting_options
from rankscope.commands.line.output import chosen_format, progress_line, say_warnings, write_text
from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import SettingError
from rankscope.core.names import RANKS_SUFFIX

if TYPE_CHECKING:
    from rankscope.analysis.comparison.gate import RuleOfLoss


TRIALS = 1_000


@click.command("gate", cls=GuardedCommand, short_help="May I merge it?")
@click.argument(
    "files", nargs=-1, required=True, type=Input(), metavar="QRELS BASELINE CANDIDATE | RANKS.parquet RANKS.parquet"
)
@measure_option(
    default=GATE,
    show_default=True,
    help="Measures that must not get worse. Repeat the option or separate by commas: all are corrected together, and "
    "each must pass.",
)
@click.option(
    "--min-effect",
    "min_effect",
    multiple=True,
    type=click.FloatRange(min=0),
    default=(MIN_EFFECT,),
    show_default=True,
    metavar="E",
    help="The smallest loss that matters; once for all measures, or once for each in their order.",
)
@click.option(
    "--rule",
    type=click.Choice(["mean", "beyond"]),
    default="mean",
    show_default=True,
    help="What fails: a loss that is shown and whose mean is beyond the smallest effect, or only one that is shown to "
    "be beyond it (the limit itself is).",
)
@click.option(
    "--self-test",
    is_flag=False,
    flag_value=TRIALS,
    type=click.IntRange(1, 1_000_000),
    metavar="[N]",
    help=f"Swap the systems' labels at random N times (default {TRIALS:,}) and say how often the gate would fail.",
)
@click.option(
    "--sequential",
    type=OutputFile(),
    metavar="STATE.json",
    help="Look as often as you like (interim analyses): limits that hold at every look, and a file with the queries "
    "that counted. Exit code 1 only where it is decided worse.",
)
@click.option(
    "--undecided",
    type=click.Choice(["0", "3"]),
    default="0",
    show_default=True,
    help="The exit code where neither a loss is shown that fails nor one is ruled out.",
)
@click.option(
    "--format",
    "output_format",
    metavar="FORMAT",
    help="Format of the result: text, json or markdown. Default: by -o's suffix.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile("a picture"),
    metavar="FILE",
    help="Write the whole result here too; the verdict is always printed. With --sequential .svg, .png and .pdf draw "
    "all looks.",
)
@click.option(
    "--history",
    type=OutputFile(),
    metavar="FILE",
    help="Append what was found to this file, one line of JSON for each build; rankscope report --history draws it.",
)
@click.option("--build", default="", metavar="ID", help="Name of the build in the history.")
@click.option("--date", default="", metavar="DATE", help="Date of the build in the history. Default: now.")
@input_options
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
@setting_options
def gate_command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    min_effect: tuple[float, ...],
    rule: RuleOfLoss,
    self_test: int | None,
    sequential: str | None,
    undecided: str,
    output_format: str | None,
    output: str | None,
    history: str | None,
    build: str,
    date: str,
    quiet: bool,
    **given: Any,
) -> None:
    """May I merge it? Fails (exit code 1) if a loss is shown and its mean is beyond the smallest effect.

    A regression test for retrieval, against a baseline. Shown means significant: the one-sided 95 % upper limit of the
    mean change over queries excludes 0. The gate passes (exit code 0) if the lower limit rules out a loss beyond the
    smallest effect. Else it is undecided (exit code 0, or 3 with --undecided 3), and says how large a loss these
    queries would have caught. With --by every class of queries is checked too.

    \b
    rankscope gate qrels.txt main.run branch.run -m nDCG@10 --min-effect 0.01
    rankscope gate main.ranks.parquet branch.ranks.parquet -m AP -m P@10 --format markdown -o gate.md
    rankscope gate qrels.txt main.run branch.run -m nDCG@10 --history gate.jsonl --build 1042
    rankscope gate qrels.txt main.run branch.run -m nDCG@10 --sequential looks.json --undecided 3
    """
    from rankscope.commands.gate import append_gate, check_history_options, gate_look, gate_of

    chosen = _format(output_format, output, sequential is not None)
    check_history_options(history, build, date)
    _check_sequential_options(sequential, rule, self_test, history)
    _need_two(files)
    with progress_line(quiet) as progress:
        scores = Inputs.of(files, given).scores("gate", measures, progress)
    if sequential is not None:
        from rankscope.analysis.comparison.sequential_state import answered_part
        from rankscope.commands.line.compare import write_look

        scores = answered_part(scores)
        look = gate_look(scores, sequential, min_effect)
        write_look(look, sequential, chosen, output)
        code = 1 if look.failed else 0 if look.is_decided else int(undecided)
    else:
        from rankscope.analysis.comparison.gate import render_gate

        result = gate_of(scores, min_effect, self_test or 0, rule)
        if history is not None:
            append_gate(scores, result, history, build, date)
        write_text(render_gate(result, chosen, not quiet), output, result.sentence)
        code = {"fail": 1, "pass": 0, "undecided": int(undecided)}[result.verdict]
    if not quiet:
        say_warnings(scores)
    if code:
        raise click.exceptions.Exit(code)


def _check_sequential_options(
    sequential: str | None, rule: RuleOfLoss, self_test: int | None, history: str | None
) -> None:
    if sequential is None:
        return
    given = {"--self-test": self_test is not None, "--history": history is not None, "--rule": rule != "mean"}
    other = [name for name, there in given.items() if there]
    if other:
        raise SettingError(f"{' and '.join(other)}: of the gate that looks once; leave it out, or --sequential")


def _format(wanted: str | None, path: str | None, sequential: bool) -> str:
    from rankscope.analysis.comparison.gate import GATE_FORMATS, GATE_SUFFIXES
    from rankscope.commands.line.compare import PICTURE_SUFFIXES

    if wanted is not None and wanted not in GATE_FORMATS:
        raise SettingError(unknown_name("output format", wanted, GATE_FORMATS))
    return chosen_format(path, wanted, GATE_SUFFIXES | PICTURE_SUFFIXES if sequential else GATE_SUFFIXES, "text")


def _need_two(files: tuple[str, ...]) -> None:
    saved = sum(path.endswith(RANKS_SUFFIX) for path in files)
    if (saved, len(files)) in ((2, 2), (0, 3)):
        return
    if 0 < saved < len(files):
        raise SettingError("saved ranks hold their judgements already: give two NAME.ranks.parquet files alone")
    raise SettingError(
        f"the gate compares two systems: rankscope gate QRELS BASELINE CANDIDATE, or two NAME.ranks.parquet files; "
        f"got {len(files)} file{'' if len(files) == 1 else 's'}"
    )
