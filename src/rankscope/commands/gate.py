"""May the candidate replace the baseline? Once, or at every look (sequentially); and a record of each build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from rankscope.commands import defaults
from rankscope.commands.line.questions import QUIET, Request, command, measure_option
from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import RANKS_SUFFIX
from rankscope.core.options import DECIDES, OUTPUT, NumberRange, Option, Writes
from rankscope.core.settings import InputChoices
from rankscope.core.validation import check_for_each
from rankscope.core.wording import how_many, setting_usage, setting_value

if TYPE_CHECKING:
    from rankscope.analysis.comparison.gate import GateResult
    from rankscope.analysis.comparison.sequential_result import SequentialResult
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduction import Progress


TRIALS = 1_000
SEQUENTIAL_ALPHA = 0.05


@strict_keywords
def gate(
    qrels: Any,
    runs: Any = None,
    measures: Annotated[
        Asked,
        measure_option(
            "Measures that must not get worse: all are corrected together, and each must pass.", defaults.GATE
        ),
    ] = defaults.GATE,
    *,
    min_effect: Annotated[
        float | Sequence[float],
        Option(
            "The smallest loss that matters; once for all measures, or once for each in their order.",
            metavar="E",
            kind=NumberRange(0),
            many=True,
            default=str(defaults.MIN_EFFECT),
            panel=DECIDES,
        ),
    ] = defaults.MIN_EFFECT,
    rule: Annotated[
        Literal["mean", "beyond"],
        Option(
            "What fails: a loss that is shown and whose mean is beyond the smallest effect, or only one that is shown "
            "to be beyond it (the limit itself is).",
            panel=DECIDES,
        ),
    ] = "mean",
    self_test: Annotated[
        int,
        Option(
            f"Swap the systems' labels at random N times (without a number {TRIALS:,}) and say how often the gate "
            "would fail.",
            metavar="[N]",
            kind=NumberRange(1, 1_000_000),
            without_value=TRIALS,
            panel=DECIDES,
        ),
    ] = 0,
    history: Annotated[
        str | Path | None,
        Option(
            "Append what was found to this file, one line of JSON for each build; `rankscope report --history` draws "
            "it.",
            metavar="FILE",
            kind=Writes(),
            panel=OUTPUT,
        ),
    ] = None,
    build: Annotated[str, Option("Name of the build in the history.", metavar="ID", panel=OUTPUT)] = "",
    date: Annotated[str, Option("Date of the build in the history. Default: now.", metavar="DATE", panel=OUTPUT)] = "",
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> GateResult:
    """May I merge it? `verdict` is "fail", "pass" or "undecided", `passed` whether it is "pass".

    Takes what `evaluate` takes, the baseline first and then the candidate, or scores that it gave. `min_effect` is the
    smallest loss that matters, once for all measures or once for each. It fails where a loss is shown whose mean is
    beyond that, with `rule="beyond"` only where the loss is shown to be beyond it; it passes where a loss beyond it is
    ruled out. `self_test`: swap the systems' labels at random
    so many times, and say how often the gate would fail. `history` is a file to which the result is appended as one
    line of JSON under the name of the `build`, with its `date` or the present one.
    >>> qrels = {f"q{n}": {"a": 1} for n in range(12)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> gate(qrels, [good, good]).passed
    True
    """
    from rankscope.analysis.comparison.gate import gate as gate_tables
    from rankscope.analysis.comparison.gate_history import append_record, next_date, record_of
    from rankscope.analysis.statistics.sampling_units import classes_are_targets
    from rankscope.analysis.statistics.score_table import ScoreTable
    from rankscope.commands.scores import scores_asked

    _check_history_options(history, build, date)
    scores = scores_asked(qrels, runs, measures, defaults.GATE, progress=progress, **given)
    _check_gated(scores)
    tables, clusters = [ScoreTable.of(scores, measure) for measure in scores.measures], classes_are_targets(scores)
    result = gate_tables(
        tables,
        min_effect[0] if isinstance(min_effect, Sequence) and len(min_effect) == 1 else min_effect,
        rule=rule,
        by_class=scores.by_class_wanted,
        clusters=clusters,
        self_test=self_test,
        seed=scores.settings.seed,
    )
    result = replace(result, notes=_answer_notes(scores))
    if history is not None:
        append_record(history, record_of(result, tables, build, date or next_date(history), clusters=clusters))
    return result


def _check_gated(scores: Scores) -> None:
    """Refuse what is not two systems, no mean over queries, and runs of other items."""
    from rankscope.commands.compare import need_means, refuse_unmet

    if len(scores.systems) != 2:
        raise SettingError(f"the gate compares two systems, a baseline and a candidate; got {len(scores.systems)}")
    need_means(scores)
    refuse_unmet(scores)


def _answer_notes(scores: Scores) -> tuple[str, ...]:
    """What to say of queries that one system answered and the other did not; a system without answers did not run."""
    import numpy as np

    from rankscope.measures.evaluation.coverage import column_values, counting

    answered = []
    for system in scores.systems:
        ranks = system.ranks
        answered.append({query for query, there in zip(ranks.queries, ranks.answered.tolist(), strict=True) if there})
        if not answered[-1]:
            raise SettingError(
                f"{system.name} answered none of {how_many(len(ranks), 'judged queries')}: it did not run, which "
                "is no score of 0. "
                "Check that query ids are the same in both files"
            )
    if scores.settings.queries == "answered":
        return ()
    notes = []
    for one in (0, 1):
        if lacking := answered[1 - one] - answered[one]:
            system, other = scores.systems[one], scores.systems[1 - one].name
            rows = np.array([query in lacking for query in system.ranks.queries])
            fate = counting([column_values(system, rows)], "count as an empty answer")
            they, them = (
                (f"they {fate}", "them") if len(lacking) > 1 else (f"it {fate.replace('count', 'counts', 1)}", "it")
            )
            notes.append(
                f"{system.name} did not answer {how_many(len(lacking))} that {other} answered; {they}; "
                f"{setting_value('queries', 'answered')} leaves {them} out"
            )
    return tuple(notes)


# The gate that may be looked at after every query.


@strict_keywords
def gate_sequentially(
    qrels: Any,
    runs: Any = None,
    measures: Asked = defaults.GATE,
    *,
    sequential: str | Path,
    min_effect: float | Sequence[float] = defaults.MIN_EFFECT,
    progress: Progress | None = None,
    **given: Unpack[InputChoices],
) -> SequentialResult:
    """May I merge it? Look as often as you like: `failed` is true at any look with a chance of 5 % if nothing is worse.

    Takes what `gate` takes. `sequential` is the file that holds the looks so far, made at the first: a query counts
    once, a new candidate starts anew, another baseline is refused. Values must lie between 0 and 1.
    >>> import tempfile
    >>> qrels = {f"q{n}": {"a": 1} for n in range(40)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> bad = {query: {"x": 2.0, "a": 1.0} for query in qrels}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = gate_sequentially(qrels, [good, bad], sequential=f"{folder}/state.json")
    >>> made.decision, made.failed
    ('worse', True)
    """
    from rankscope.analysis.comparison.gate import EFFECT
    from rankscope.commands.compare import look_at, scores_given

    scores = scores_given(qrels, runs, measures, progress, given)
    _check_gated(scores)
    effects = check_for_each("min_effect", min_effect, len(scores.measures), EFFECT)
    look = look_at(scores, sequential, "gate", effects, ((0, 1),), SEQUENTIAL_ALPHA)
    return replace(look, notes=_answer_notes(scores))


def _check_history_options(history: str | Path | None, build: str, date: str) -> None:
    """Refuse before any work what no record could be made of."""
    if history is None:
        if build or date:
            raise SettingError(f"a build and its date belong to a history: give {setting_usage('history', 'FILE')} too")
        return
    from rankscope.analysis.comparison.gate_history import check_date, read_history

    if not build.strip():
        raise SettingError(f"a history needs the name of the build: give {setting_usage('build', 'ID')}")
    check_date(date)
    if Path(history).exists() and Path(history).stat().st_size:
        read_history(history)


@command(gate, files="QRELS BASELINE CANDIDATE | RANKS.parquet RANKS.parquet", short="May I merge it?")
def gate_command(
    request: Request,
    *,
    sequential: Annotated[
        str | None,
        Option(
            "Look as often as you like (interim analyses): limits that hold at every look, and a file with the queries "
            "that counted. Exit code 1 only where it is decided worse.",
            metavar="STATE.json",
            kind=Writes(),
            panel=DECIDES,
        ),
    ] = None,
    undecided: Annotated[
        Literal["0", "3"],
        Option("The exit code where neither a loss is shown that fails nor one is ruled out.", panel=DECIDES),
    ] = "0",
    output_format: Annotated[
        str | None,
        Option(
            "Format of the result: text, json or markdown. Default: by -o's suffix.",
            "--format",
            metavar="FORMAT",
            panel=OUTPUT,
        ),
    ] = None,
    output: Annotated[
        str | None,
        Option(
            "Write the whole result here too; the verdict is always printed. With --sequential .svg, .png and .pdf "
            "draw all looks.",
            "-o --output",
            metavar="FILE",
            kind=Writes(("a picture",)),
            panel=OUTPUT,
        ),
    ] = None,
    quiet: Annotated[bool, QUIET] = False,
) -> int:
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
    from rankscope.analysis.comparison.gate import GATE_FORMATS, GATE_SUFFIXES, render_gate
    from rankscope.analysis.comparison.sequential_state import answered_part
    from rankscope.commands.compare import PICTURE_SUFFIXES, write_look
    from rankscope.commands.line.output import chosen_format, say_warnings, write_text

    if output_format is not None and output_format not in GATE_FORMATS:
        raise SettingError(unknown_name("output format", output_format, GATE_FORMATS))
    suffixes = GATE_SUFFIXES if sequential is None else GATE_SUFFIXES | PICTURE_SUFFIXES
    chosen = chosen_format(output, output_format, suffixes, "text")
    own = request.own
    _check_history_options(own["history"], own["build"], own["date"])
    if sequential is not None:
        given = {"--self-test": own["self_test"], "--history": own["history"], "--rule": own["rule"] != "mean"}
        if other := [name for name, there in given.items() if there]:
            raise SettingError(f"{' and '.join(other)}: of the gate that looks once; leave it out, or --sequential")
    _need_two(request.files)
    scores = request.scores()
    if sequential is None:
        result = gate(scores, **own)
        write_text(render_gate(result, chosen, not quiet), output, result.sentence)
        code = {"fail": 1, "pass": 0, "undecided": int(undecided)}[result.verdict]
    else:
        scores = answered_part(scores)
        look = gate_sequentially(scores, sequential=sequential, min_effect=own["min_effect"])
        write_look(look, sequential, chosen, output)
        code = 1 if look.failed else 0 if look.is_decided else int(undecided)
    if not quiet:
        say_warnings(scores)
    return code


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
