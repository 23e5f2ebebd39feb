"""Several rankings made one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rankscope.commands.line.questions import Argument, Request, command
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.notation import usage
from rankscope.core.options import DECIDES, INPUT, OUTPUT, NumberRange, Option, Reads, Writes
from rankscope.core.settings import MAX_RATIO
from rankscope.core.validation import COUNT, SEED, Number, WholeNumber, check
from rankscope.core.wording import how_many, setting_usage

if TYPE_CHECKING:
    from rankscope.measures.fusion.candidates import FusedRun, FusionChoice
    from rankscope.measures.fusion.method import FusionMethod


@strict_keywords
def fuse(
    runs: Any,
    method: Annotated[
        str, Option("How runs are fused, as rrf(k=20) or wsum; --list names all.", metavar="NAME")
    ] = "rrf",
    *,
    norm: Annotated[
        str,
        Option(
            "How scores are brought to one scale, query by query; methods that look at ranks alone do not mind.",
            choices=("min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda", "none"),
            panel=DECIDES,
        ),
    ] = "min-max",
    weights: Annotated[
        Sequence[float] | None,
        Option(
            "One for each run, as 0.7,0.3.",
            metavar="NUMBERS",
            many="numbers",
            default="the same for all",
            panel=DECIDES,
        ),
    ] = None,
    qrels: Annotated[
        Any, Option("Judgements to tune by, or for a method that learns.", metavar="FILE", kind=Reads())
    ] = None,
    tune: Annotated[
        bool, Option("Choose weights and options, for each query on other queries only.", panel=DECIDES)
    ] = False,
    measure: Annotated[str, Option("What tuning makes best.", "-m --measure", metavar="NAME", panel=DECIDES)] = "AP",
    rel: Annotated[float, Option("Grade from which on an item is relevant.", panel=DECIDES)] = 1,
    folds: Annotated[
        int,
        Option(
            "Parts of the queries; what is used for one is chosen on the others.", kind=NumberRange(2), panel=DECIDES
        ),
    ] = 5,
    seed: Annotated[int, Option("Seed of the parts.", kind=NumberRange(0), panel=DECIDES)] = 0,
    depth: Annotated[
        int | None, Option("Items of each query.", metavar="K", kind=NumberRange(1), default="all", panel=OUTPUT)
    ] = None,
    output: Annotated[
        str | Path | None,
        Option(
            "The fused run, in the format of its suffix.", "-o --output", metavar="FILE", kind=Writes(), panel=OUTPUT
        ),
    ] = None,
    system: Annotated[
        str | None,
        Option("Name in tables and graphs.", metavar="NAME", default="that of the result's file", panel=OUTPUT),
    ] = None,
    format: Annotated[
        str | None,
        Option("Format of the runs and judgements.", metavar="NAME", default="recognised by itself", panel=INPUT),
    ] = None,
    encoding: str = "utf-8",
    max_ratio: float = MAX_RATIO,
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
    roll_up: Any = None,
) -> FusedRun:
    """One run from several: a list of them, or a dictionary by name.

    `norm` brings scores to one scale, query by query; methods that look at ranks alone do not mind. With judgements
    `tune` chooses weights and options, and methods such as bayesfuse learn, always on the queries of other `folds` than
    those they are used for, so that the fused run may be evaluated with the same judgements. `choices` of the result
    say what was chosen. `columns`, `map_qrels`, `map_runs` and `roll_up` as in `evaluate`.
    >>> both = fuse([{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 9.0, "c": 5.0}}])
    >>> [(item, round(score, 4)) for _, item, score in both.table().rows()]
    [('b', 0.0325), ('c', 0.032), ('a', 0.0164)]
    """
    from rankscope.commands.scores import read_runs
    from rankscope.commands.search import system_name
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.run import all_problems
    from rankscope.measures.fusion.candidates import Candidates, fused_run
    from rankscope.measures.fusion.method import FUSIONS
    from rankscope.measures.fusion.score_methods import NORMALIZATIONS
    from rankscope.measures.fusion.tuning import JudgedCandidates, fuse_across, fuse_as_given, trials_of

    checked = check(
        {"folds": folds, "seed": seed, "depth": 1 if depth is None else depth, "rel": rel},
        folds=WholeNumber(least=2),
        seed=SEED,
        depth=COUNT,
        rel=Number(),
    )
    chosen, scale = FUSIONS.parse(method), NORMALIZATIONS.find(norm)
    _need_judgements(chosen, qrels, tune)
    reading = reading_with(columns, roll_up, format, encoding, True, max_ratio, map_qrels, map_runs)
    judgements = [] if qrels is None else [partial(Qrels.of, qrels, reading)]
    named = read_runs(runs, reading, *judgements)
    if len(named) < 2:
        raise SettingError(f"a fusion needs at least two runs, got {len(named)}")
    with all_problems(named, *judgements):
        lists = scale(Candidates.of(named))
    trials = trials_of(chosen, lists.scores.shape[1], weights, tune)
    if qrels is None:
        scores, choices = fuse_as_given(lists, trials[0])
    else:
        judged = JudgedCandidates(lists, Qrels.of(qrels, reading), measure, checked["rel"])
        scores, choices = fuse_across(judged, trials, checked["folds"], checked["seed"])
    run = fused_run(lists, scores, system_name(system, output, method), choices, depth)
    if output is not None:
        from rankscope.inputs.formats.registry import write_file

        write_file(run, output)
    return run


def _need_judgements(method: FusionMethod, qrels: Any, tune: bool) -> None:
    wanted = [setting_usage("tune")] if tune else [method.name] if method.learns else []
    if wanted and qrels is None:
        raise SettingError(f"{wanted[0]} needs judgements: give {setting_usage('qrels', 'FILE')}")
    if not wanted and qrels is not None:
        raise SettingError(
            f"{setting_usage('qrels')}: {method.name} learns nothing from judgements. "
            f"Give {setting_usage('tune')} to choose its options, or leave them out"
        )


# `rankscope fuse`.


@command(
    fuse,
    Argument("runs", "RUN RUN...", many=True, required=False),
    short="Is it better together? Several runs made one.",
)
def fuse_command(
    request: Request,
    *,
    listed: Annotated[bool, Option("Show the methods with their formulas, and end.", "--list", panel=OUTPUT)] = False,
    quiet: Annotated[bool, Option("No warnings and no messages.", panel=OUTPUT)] = False,
) -> None:
    """Is it better together? Several runs made one, to be evaluated like any other.

    What is tuned or learnt for a query comes from the judgements of other queries only, so that the fused run may be
    evaluated with the same judgements.

    \b
    rankscope fuse bm25.run dense.run -o hybrid.run
    rankscope fuse bm25.run dense.run --method wsum --tune --qrels qrels.txt -o hybrid.run
    """
    from rankscope.commands.line.output import print_result, say

    if listed:
        print_result(methods_text())
        return
    runs, output = list(request.stated["runs"]), request.own["output"]
    if output is None:
        raise SettingError("fuse needs -o FILE for the fused run: rankscope fuse RUN RUN... -o fused.run")
    run = fuse(**request.keywords | {"runs": runs})
    if not quiet:
        for line in _lines(run, output, runs):
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
