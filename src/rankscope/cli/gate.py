"""`rankscope gate`: may the candidate replace the baseline? Exit code 0 pass, 1 fail, 2 bad input."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.guarded import GuardedCommand, Input, OutputFile
from rankscope.cli.loading import SAVED, Inputs
from rankscope.cli.options import input_options, setting_options

TRIALS = 1_000


@click.command("gate", cls=GuardedCommand, short_help="May I merge it?")
@click.argument(
    "files", nargs=-1, required=True, type=Input(), metavar="QRELS BASELINE CANDIDATE | RANKS.parquet RANKS.parquet"
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAMES",
    default=("AP",),
    show_default=True,
    help="Measures that must not fall. Repeat the option or separate by commas: all are corrected together, and "
    "each must pass.",
)
@click.option(
    "--min-effect",
    "min_effect",
    multiple=True,
    type=click.FloatRange(min=0),
    default=(0.01,),
    show_default=True,
    metavar="E",
    help="The smallest loss that matters; once for all measures, or once for each in their order.",
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
    "--format",
    "output_format",
    metavar="FORMAT",
    help="Format of the result: text, json or markdown. Default: by -o's suffix.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE",
    help="Write the whole result here too; the verdict is always printed.",
)
@input_options
@click.option("--quiet", is_flag=True, help="No progress and no warnings.")
@setting_options
def command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    min_effect: tuple[float, ...],
    self_test: int | None,
    output_format: str | None,
    output: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """May I merge it? Fails (exit code 1) only if the candidate is shown to lose more than the smallest effect.

    Shown means: the one-sided 95 % upper limit of the mean change over queries lies below 0. A change that may be
    chance passes, and the result says how large a loss these queries would have caught. With --by every class of
    queries is checked too.

    \b
    rankscope gate qrels.txt main.run branch.run -m nDCG@10 --min-effect 0.01
    rankscope gate main.ranks.parquet branch.ranks.parquet -m AP -m P@10 --format markdown -o gate.md
    """
    from rankscope.cli.output import print_result, progress_line, say
    from rankscope.reports.texts.gate import render

    chosen = _format(output_format, output)
    _need_two(files)
    with progress_line(quiet) as progress:
        scores = Inputs.of(files, given).scores("gate", measures, progress)
    result = _checked(scores, min_effect, self_test or 0)
    if output is not None and output != "-":
        from rankscope.files import atomic

        with atomic(output) as file:
            file.write(render(result, chosen))
        print_result(f"{result.sentence}\n")
    else:
        print_result(render(result, chosen))
    if not quiet:
        for line in scores.warnings():
            say(f"! {line}")
    if not result.passed:
        raise click.exceptions.Exit(1)


def _format(wanted: str | None, path: str | None) -> str:
    from rankscope.errors import SettingError
    from rankscope.reports.texts.gate import FORMATS, SUFFIXES

    by_suffix = next((name for suffix, name in SUFFIXES.items() if path and path.endswith(suffix)), "text")
    if wanted is not None and wanted not in FORMATS:
        raise SettingError(f"no output format '{wanted}'. There are: {', '.join(FORMATS)}")
    return wanted or by_suffix


def _need_two(files: tuple[str, ...]) -> None:
    from rankscope.errors import SettingError

    saved = sum(path.endswith(SAVED) for path in files)
    if (saved, len(files)) in ((2, 2), (0, 3)):
        return
    if 0 < saved < len(files):
        raise SettingError("saved ranks hold their judgements already: give two NAME.ranks.parquet files alone")
    raise SettingError(
        f"the gate compares two systems: rankscope gate QRELS BASELINE CANDIDATE, or two NAME.ranks.parquet files; "
        f"got {len(files)} file{'' if len(files) == 1 else 's'}"
    )


def _checked(scores: Any, min_effect: tuple[float, ...], trials: int) -> Any:
    """The gate on every measure; measures and systems that it cannot judge are errors."""
    from dataclasses import replace

    from rankscope.statistics.table.score_table import ScoreTable
    from rankscope.statistics.table.units import classes_are_targets
    from rankscope.statistics.verdicts.gate import gate

    _need_means(scores)
    notes = _answers(scores)
    tables = [ScoreTable.of(scores, measure) for measure in scores.measures]
    effect = min_effect[0] if len(min_effect) == 1 else min_effect
    result = gate(
        tables,
        effect,
        by_class=scores.by_class_wanted,
        clusters=classes_are_targets(scores),
        self_test=trials,
        seed=scores.settings.seed,
    )
    return replace(result, notes=notes)


def _need_means(scores: Any) -> None:
    from rankscope.errors import SettingError

    wrong = [column.asked for column in scores.systems[0].columns if column.measure.summary != "mean"]
    if wrong:
        raise SettingError(f"the gate compares means over queries, and these are none: {', '.join(wrong)}")
    if scores.settings.mean != "macro":
        raise SettingError(f"the gate compares means over queries; --mean {scores.settings.mean} is another summary")


def _answers(scores: Any) -> tuple[str, ...]:
    """What to say of queries that one system answered and the other did not; a system without answers did not run."""
    from rankscope.errors import SettingError

    answered = []
    for system in scores.systems:
        ranks = system.ranks
        answered.append({query for query, there in zip(ranks.queries, ranks.answered.tolist(), strict=True) if there})
        if not answered[-1]:
            raise SettingError(
                f"{system.name} answered none of {len(ranks)} judged queries: it did not run, which is no score of 0. "
                "Check that query ids are the same in both files"
            )
    if scores.settings.queries == "answered":
        return ()
    names = [system.name for system in scores.systems]
    return tuple(
        f"{names[one]} did not answer {len(lacking):,} queries that {names[1 - one]} answered; they count as 0 "
        "(--queries answered leaves them out)"
        for one in (0, 1)
        if (lacking := answered[1 - one] - answered[one])
    )
