"""Where did my recall go? Every relevant item followed through the stages of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Unpack

from rankscope.commands.line.questions import (
    INTERVALS,
    LATEX_COLUMNS,
    LEVEL_OPTION,
    RESAMPLES,
    Argument,
    Request,
    command,
)
from rankscope.core.errors import InputError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.options import DECIDES, OUTPUT, NumberRange, Option, Writes
from rankscope.core.settings import LEVEL, MAX_RATIO, SETTINGS, Choices, Settings
from rankscope.core.validation import COUNT, SHARE, OneOf, Optional, plain_values
from rankscope.core.wording import setting_usage, setting_value

if TYPE_CHECKING:
    from rankscope.analysis.pipeline.ledger import Ledger
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.run import Run
    from rankscope.ranks.reduction import Progress


T = TypeVar("T")
SETTINGS_OF_A_LEDGER = (
    "rel",
    "depth",
    "judged_only",
    "ties",
    "scores",
    "duplicates",
    "score_width",
    "query_item",
    "comments",
    "seed",
)


@strict_keywords
def ledger(
    qrels: Any,
    stages: Any,
    *,
    scope: Annotated[
        int | None,
        Option(
            "Follow items within the first K of each list.",
            metavar="K",
            default="as many as the query has relevant items, where precision = recall",
        ),
    ] = None,
    classes: Any = None,
    unit: Annotated[
        str,
        Option(
            "What intervals rest on: queries, or their classes, for queries of one class that look for the same.",
            choices=("queries", "classes"),
            panel=DECIDES,
        ),
    ] = "queries",
    intervals: Annotated[str, INTERVALS] = "auto",
    level: Annotated[float, LEVEL_OPTION] = LEVEL,
    resamples: Annotated[int | None, RESAMPLES] = None,
    junk: Any = None,
    format: str | None = None,
    encoding: str = "utf-8",
    max_ratio: float = MAX_RATIO,
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
    progress: Progress | None = None,
    **settings: Unpack[Choices],
) -> Ledger:
    """Which stage of a pipeline loses the relevant items, and how much recall each one costs.

    `stages` are the runs behind each stage in their order, {name: run} or ["name=file", ...]: the complete exact run,
    the approximate list, the filter, the re-ranker, the final list. Every relevant item is followed by id. Recall
    within `scope` items (None: as many as the query has relevant items, where precision = recall), p = r and recall of
    the whole list are divided among the stages: what each takes adds up to the whole loss exactly, and a stage that
    brings items back takes less than 0. `classes`: the class of each query; the loss is told for each, and with
    `unit="classes"` the intervals rest on classes, for queries of one class that look for the same items.
    `columns`, `map_qrels` and `map_runs` as in `evaluate`.
    >>> judged = {"q": dict.fromkeys("abcd", 1)}
    >>> path = {"exact": {"q": list("abcd")}, "ann": {"q": list("abdx")}, "rerank": {"q": list("axydb")}}
    >>> told = ledger(judged, path)
    >>> [str(each) for each in told.main.account.values], [str(each) for each in told.main.account.losses]
    (['1', '3/4', '1/2'], ['1/4', '1/4'])
    >>> told.worst()[0].where
    'ann: c; rerank: b (rank 5)'
    """
    from rankscope.analysis.pipeline.ledger import ledger_of
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.run import all_problems
    from rankscope.ranks.item_ranks import item_ranks

    given = {"scope": scope, "unit": unit, "intervals": intervals, "level": level, "resamples": resamples}
    plain, problems = plain_values(_rules(), given)
    named, unnamed = _named_stages(stages)
    chosen = None
    try:
        chosen = _chosen_settings(settings)
    except SettingError as error:
        problems += error.problems
    problems += [*unnamed, *_problems_together(named, bool(unnamed), plain.get("unit"), classes)]
    if problems or chosen is None:
        raise SettingError.of(problems)
    reading = reading_with(
        columns, None, format, encoding, chosen.comments, max_ratio, map_qrels, map_runs, chosen.scores
    )
    judged, runs, unwanted, labels = _read_inputs(qrels, named, junk, classes, reading)
    with all_problems(runs.values()):
        ranks = item_ranks(judged, runs, chosen, unwanted, progress)
    made = ledger_of(ranks, rel=chosen.rel, classes=labels, seed=chosen.seed, **plain)
    if made.classes is not None and not any(made.classes):
        raise SettingError(
            f"{setting_usage('classes')}: it names none of the queries that are followed, which are called "
            f"{', '.join(made.queries[:3])}, ..."
        )
    return made


def _rules() -> dict[str, Any]:
    from rankscope.analysis.statistics.mean_intervals import WAYS

    return {
        "scope": Optional(COUNT),
        "unit": OneOf(("queries", "classes")),
        "intervals": OneOf(tuple(WAYS)),
        "level": SHARE,
        "resamples": Optional(COUNT),
    }


def _chosen_settings(given: Choices) -> Settings:
    """The settings; those that a ledger cannot respect are refused, and an order of equal scores must be one order."""
    chosen = Settings(**given)
    wrong = [
        f"{setting_value(name, getattr(chosen, name))}: a ledger has no use for it; leave it out"
        for name in sorted(chosen.given - {*SETTINGS_OF_A_LEDGER})
    ]
    if chosen.ties == "expected":
        wrong.append(f"{setting_value('ties', 'expected')}: items are followed in one order; choose another")
    if wrong:
        raise SettingError.of(wrong)
    return chosen


def _named_stages(stages: Any) -> tuple[list[tuple[str, Any]], list[str]]:
    """The runs by name, and a line for each stage that has none.

    >>> _named_stages(["exact=a.run", "b.run"])
    ([('exact', 'a.run')], ["'b.run': a stage is written name=RUN, as ann=b.run"])
    """
    if isinstance(stages, Mapping):
        return [(str(name), run) for name, run in stages.items()], []
    named: list[tuple[str, Any]] = []
    problems = []
    for each in stages if isinstance(stages, list | tuple) else [stages]:
        name, sign, path = each.partition("=") if isinstance(each, str) else ("", "", "")
        if name.strip() and sign and path:
            named.append((name.strip(), path))
        else:
            shown = repr(each) if isinstance(each, str) else f"a {type(each).__name__}"
            problems.append(f"{shown}: a stage is written name=RUN, as ann={path or (each if not sign else 'b.run')}")
    return named, problems


def _problems_together(named: list[tuple[str, Any]], more: bool, unit: str | None, classes: Any) -> list[str]:
    """What is wrong with the stages as a whole, and with the sampling unit."""
    names = [name for name, _ in named]
    twice = sorted({name for name in names if names.count(name) > 1})
    problems = [f"stage '{name}' is named {names.count(name)} times: each needs a name of its own" for name in twice]
    if len(named) < 2 and not more:
        problems.append(f"a ledger needs at least two stages, got {len(named)}: something must happen between them")
    if unit == "classes" and classes is None:
        problems.append(
            f"{setting_value('unit', 'classes')} needs the class of each query: give "
            f"{setting_usage('classes', 'CLASSES.csv')}"
        )
    return problems


def _read_inputs(
    qrels: Any, named: list[tuple[str, Any]], junk: Any, classes: Any, reading: Reading
) -> tuple[Qrels, dict[str, Run], Iterable[tuple[str, str]], dict[str, str] | None]:
    """Judgements, runs, junk and classes; the problems of all of them at once."""
    from rankscope.inputs.mix_ups import refuse_swapped
    from rankscope.inputs.problems import raise_all
    from rankscope.inputs.qrels import Qrels, read_junk
    from rankscope.inputs.run import Run, all_problems
    from rankscope.inputs.side_tables import read_classes

    errors: list[InputError] = []
    judged = _try(errors, lambda: Qrels.of(qrels, reading))
    runs = {name: _try(errors, partial(Run.of, run, reading, name=name)) for name, run in named}
    unwanted = None if junk is None else _try(errors, lambda: read_junk(junk, reading))
    labels = None if classes is None else _try(errors, lambda: read_classes(classes))
    if errors:
        refuse_swapped(qrels, [run for _, run in named], reading)
    with all_problems([run for run in runs.values() if run is not None]):
        raise_all(errors)
    assert judged is not None
    return judged, {name: run for name, run in runs.items() if run is not None}, unwanted or (), labels


def _try(errors: list[InputError], make: Callable[[], T]) -> T | None:
    try:
        return make()
    except InputError as error:
        errors.append(error)
        return None


# `rankscope ledger`.

TEXTS = {".txt": "table", ".md": "markdown", ".json": "json", ".csv": "csv", ".tex": "latex"}
PICTURES = dict.fromkeys((".svg", ".pdf", ".png", ".html"), "table")  # next to the picture, the table is printed
ITEM_FILES = (".csv", ".parquet")


@command(
    ledger,
    Argument("qrels", "QRELS"),
    Argument("stages", "STAGE=RUN STAGE=RUN...", many=True, named=True),
    short="Where did my recall go, stage by stage?",
    without=[each.name for each in SETTINGS if each.name not in SETTINGS_OF_A_LEDGER],
)
def ledger_command(
    request: Request,
    *,
    limit: Annotated[int, Option("Number of worst queries shown.", kind=NumberRange(0), panel=OUTPUT)] = 10,
    output_format: Annotated[
        Literal["table", "markdown", "json", "csv", "latex"] | None,
        Option(
            "Format of the result.",
            "--format",
            default="by -o's suffix (.txt, .md, .json, .csv, .tex), else a table",
            panel=OUTPUT,
        ),
    ] = None,
    output: Annotated[
        str | None,
        Option(
            "Write the result to this file, as its suffix says; .svg, .pdf and .png draw it, one bar a stage; .html is "
            "a page with graphs and tables that opens offline.",
            "-o --output",
            metavar="FILE",
            kind=Writes(("a picture",)),
            panel=OUTPUT,
        ),
    ] = None,
    per_item: Annotated[
        str | None,
        Option(
            "Write every relevant item at every stage too: its rank, and what became of it (.csv or .parquet).",
            metavar="FILE",
            kind=Writes(),
            panel=OUTPUT,
        ),
    ] = None,
    latex_columns: Annotated[str, LATEX_COLUMNS] = "1",
    quiet: Annotated[bool, Option("No progress and no notes.", panel=OUTPUT)] = False,
) -> None:
    """Where did my recall go? Give the run behind each stage of a pipeline, in order, each under a name.

    Every relevant item is followed by id: kept, lost at a stage (no longer in the list), demoted below the scope,
    promoted or brought back. The loss of recall is divided among the stages, and the shares add up to the whole loss
    exactly; a stage that brings items back has a share below 0. An item that a list does not hold is not retrieved, and
    a query that a stage does not answer has lost all its items there.

    \b
    rankscope ledger qrels.txt exact=exact.run ann=hnsw.run filter=filtered.run rerank=final.run --scope 10
    rankscope ledger qrels.txt exact=exact.run ann=hnsw.run --by kinds.csv -o where.svg
    rankscope ledger qrels.txt exact=exact.run ann=hnsw.run --per-item items.csv
    """
    from rankscope.commands.line.output import chosen_format, say, write_text

    chosen = chosen_format(output, output_format, TEXTS | PICTURES, "table")
    drawn = output is not None and output.lower().endswith(tuple(PICTURES))
    if per_item is not None and not per_item.lower().endswith(ITEM_FILES):
        raise SettingError(f"--per-item {per_item}: items are written as NAME.csv or NAME.parquet")
    with request.progress() as progress:
        told = ledger(**request.keywords, progress=progress)
    write_text(_rendered(told, chosen, limit, not quiet, latex_columns), None if drawn else output)
    if drawn:
        _draw(told, str(output), limit)
    if per_item is not None:
        _write_items(told, per_item)
    if not quiet and chosen in ("json", "csv"):
        for line in told.notes:
            say(f"! {line}")


def _rendered(told: Ledger, format: str, worst: int, notes: bool, columns: str) -> str:
    if format == "latex":
        from rankscope.core.latex import width_of_columns

        return told.presentation(notes=notes).latex(width_of_columns(columns))
    if format == "json":
        from rankscope.core.rendering import as_json

        return as_json(told.record(worst))
    return told.render(format, worst=worst, notes=notes)


def _draw(told: Ledger, path: str, worst: int) -> None:
    if path.lower().endswith(".html"):
        from rankscope.commands.line.output import write_text
        from rankscope.reports.page.result_pages import render_ledger

        write_text(render_ledger(told, worst), path)
        return
    from rankscope.reports.graphs.waterfall import waterfall

    waterfall(told.main).save(path, width="full")


def _write_items(told: Ledger, path: str) -> None:
    from rankscope.core.files import atomic
    from rankscope.reports.output_formats import frame_csv

    frame = told.frame()
    with atomic(path, "wb") as file:
        if path.lower().endswith(".parquet"):
            frame.write_parquet(file)
        else:
            file.write(frame_csv(frame).encode())
