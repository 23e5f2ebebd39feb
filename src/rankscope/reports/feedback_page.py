"""A feedback study as one page that opens offline: rounds, efficiency, what cannot be learnt, waiting times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankscope.errors import RankscopeError
from rankscope.feedback.normalised import Normalised, normalised
from rankscope.feedback.results import Results
from rankscope.feedback.study import Plan
from rankscope.feedback.summary import Summary, session_rows
from rankscope.files import atomic
from rankscope.graphs.canvases.page import script
from rankscope.graphs.canvases.table import csv_of
from rankscope.graphs.efficiency import efficiency_graph
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import Kind
from rankscope.graphs.rounds import rounds_graph
from rankscope.reports.contents import Section
from rankscope.reports.feedback import SEEN, facts, verdict, warnings
from rankscope.reports.pages import environment, packed, spec_of, text_of, themes
from rankscope.reports.rows import grid_of
from rankscope.statistics.bootstrap import bootstrap_means
from rankscope.statistics.pairwise import compare_pairs
from rankscope.version import __version__

Progress = Callable[[str, float], None]
MOST_CURVES = 8


@dataclass(frozen=True, eq=False)
class Drawn:
    """A graph on the page."""

    id: str
    kind: str
    graph: Graph
    caption: str


def write_page(results: Results, plan: Plan, path: str | Path, *, progress: Progress | None = None) -> int:
    """Compute what is normalised by the possible, and write the page, whole or not at all; tells its size in bytes."""
    made = normalised(plan, None if progress is None else lambda share: progress("baselines", share))
    page = render(results, made).encode()
    with atomic(path, "wb") as file:
        file.write(page)
    return len(page)


def render(results: Results, made: Normalised) -> str:
    """The whole page."""
    main, seen = Summary(results, results.measures[0]), Summary(results, SEEN)
    figures = graphs_of(results, made)
    told = [line.removeprefix("! ") for line in warnings(results)]
    return str(
        environment()
        .get_template("feedback.html.j2")
        .render(
            title=f"Relevance feedback: {len(main.methods)} methods",
            facts=facts(results),
            lines=verdict(main),
            more=verdict(seen),
            warnings=told,
            figures=figures,
            sections=sections_of(results, made),
            settings=_settings(results),
            specs={each.id: packed(spec_of(each.graph)) for each in figures},
            tables={each.id: packed(csv_of(each.graph)) for each in figures},
            style=text_of("report.css"),
            themes=themes(),
            vega=script(),
            code=text_of("report.js"),
            version=__version__,
        )
    )


def graphs_of(results: Results, made: Normalised) -> list[Drawn]:
    """Rounds in three quantities, and efficiency; what cannot be drawn is left out, its table is there."""
    kinds: list[tuple[str, Kind[...], Callable[[], Graph]]] = [
        ("rounds-precision", rounds_graph, lambda: rounds_graph(results)),
        ("rounds-measure", rounds_graph, lambda: rounds_graph(results, results.measures[0])),
        ("rounds-recall", rounds_graph, lambda: rounds_graph(results, SEEN)),
        ("efficiency", efficiency_graph, lambda: _efficiency_graph(made)),
    ]
    drawn = []
    for name, kind, draw in kinds:
        try:
            drawn.append(Drawn(name, kind.name, draw(), kind.sentence))
        except RankscopeError:
            continue
    return drawn


def _efficiency_graph(made: Normalised) -> Graph:
    """Means over feasible topics, of the best methods where there are many."""
    curves = sorted(made.mean_curves(), key=lambda each: -np.nan_to_num(each.mae))
    told = f"mean over {len(made.feasible)} feasible topics; {made.examples} + {made.examples} examples"
    return efficiency_graph(curves[:MOST_CURVES]).described(subtitle=told)


def sections_of(results: Results, made: Normalised) -> list[tuple[str, list[Section]]]:
    """Headings, each with its tables."""
    main, seen = Summary(results, results.measures[0]), Summary(results, SEEN)
    last = "low and high are the 95 % interval of the last round, topics drawn anew; every topic counts the same."
    rounds = [
        Section(f"{main.quantity} of the {results.about['protocol']['scored']} list", grid_of(main.round_rows()), last),
        Section("Relevant items seen so far", grid_of(seen.round_rows()), last),
        Section("Sessions", grid_of(session_rows(results)), "Share of start: of the variance, one-way random effects."),
    ]
    return [
        ("Round by round", rounds),
        ("How much of the possible", [*_efficiency(made), *_infeasible(made)]),
        ("With the answer among the features", _consistency(made)),
        ("How long a user waits", _responses(made)),
    ]


def _efficiency(made: Normalised) -> list[Section]:
    table, fair = made.mae_table(), made.mae_table(corrected=True)
    if not len(table):
        return []
    intervals = bootstrap_means(table.values, resamples=2000)
    order = np.argsort(-np.nan_to_num(intervals.mean), kind="stable").tolist()
    best = table.systems[order[0]]
    pairs = compare_pairs(table.complete(), baseline=best) if len(table.systems) > 1 and len(table.complete()) else None
    p = {} if pairs is None else {each.second: each.adjusted for each in pairs.comparisons}
    rows = [
        {
            "method": table.systems[place], "MAE": float(intervals.mean[place]), "low": float(intervals.low[place]),
            "high": float(intervals.high[place]), "chance-corrected": _mean(fair.values[:, place]),
            "p (Holm) against the best": p.get(table.systems[place]),
        }
        for place in order
    ]  # fmt: skip
    note = (
        f"Mean efficiency over recall from {made.examples} + {made.examples} examples, {len(table)} feasible topics as "
        "blocks; 1 is the best classifier with all labels but those tested."
    )
    if made.topics > len(made.baselines):
        note += f" The first {len(made.baselines)} of {made.topics} topics."
    return [Section("Mean efficiency (MAE)", grid_of(rows), note)]


def _infeasible(made: Normalised) -> list[Section]:
    lost = [each for each in made.baselines if not each.feasibility.feasible]
    if not lost:
        return []
    rows: list[dict[str, object]] = [{"topic": each.topic, "why": "; ".join(each.feasibility.reasons)} for each in lost]
    return [Section("Topics that cannot be learnt from these features", grid_of(rows), "They are not in the means.")]


def _consistency(made: Normalised) -> list[Section]:
    if not made.consistencies:
        return []
    rows: list[dict[str, object]] = []
    for name in made.methods:
        row: dict[str, object] = {"method": name}
        for gain in dict.fromkeys(each.gain for each in made.consistencies):
            own = [each.average_precision for each in made.consistencies if each.method == name and each.gain == gain]
            row["AP without"] = _mean(np.array([each[0] for each in own]))
            row["AP with, 0 or 1" if gain is None else f"AP with, gain {gain:g}"] = _mean(np.array([x[1] for x in own]))
        rows.append(row)
    topics = len({each.topic for each in made.consistencies})
    note = f"{topics} topics; the indicator of the target is one more feature, gains are in mean standard deviations."
    return [Section("Consistency", grid_of(rows), note)]


def _responses(made: Normalised) -> list[Section]:
    rows = [each.row() for each in sorted(made.responses, key=lambda each: each.median)]
    note = f"From feedback to ranking, one session at a time; warm-up not counted. {made.responses[0].hardware}."
    return [Section("Response time", grid_of(rows), note)] if rows else []


def _settings(results: Results) -> list[tuple[str, str]]:
    flat = {name: value for name, value in results.about.items() if not isinstance(value, dict | list)}
    flat |= results.about["protocol"]
    return [
        (name.replace("_", " "), "all" if value is None else str(value)) for name, value in flat.items() if value != ""
    ]


def _mean(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else float("nan")
