"""Pages that open offline: a feedback study (rounds, efficiency, what cannot be learnt, waiting times), and a pack."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.analysis.comparison.compare import compare, few_notes
from rankscope.analysis.statistics.deciding_test import DECIDING
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import RankscopeError
from rankscope.core.rendering import HeadedTable
from rankscope.core.wording import how_many
from rankscope.feedback.answers import CORRECTED_NOTE
from rankscope.feedback.normalization.generalisation import Normalised
from rankscope.feedback.packs.run import (
    ADAPTATION_NOTE,
    PackResult,
    adaptation_rows,
    case_words,
    corrected_rows,
    efficiency_rows,
    efficiency_words,
    last_round_rows,
    pack_caveats,
    pack_facts,
    topic_rows,
)
from rankscope.feedback.study.findings import (
    LISTS,
    further_findings,
    of_topics,
    study_facts,
    study_verdicts,
    study_warnings,
)
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.summary import NO_FEEDBACK, SEEN, Summary, compared_methods, session_rows
from rankscope.reports.graphs.feedback import rounds_graph
from rankscope.reports.graphs.kinds import FEEDBACK_KINDS
from rankscope.reports.page.first_view import DrawnFigure, FirstChoice, figures_data
from rankscope.reports.page.pages import DRAWING, render_page, write_page
from rankscope.reports.page.report import MOST_CURVES

HEADLINE = "rounds-recall"  # what users have seen so far: the question of every study
BY_TOPIC = "MAE of each feasible topic; corrected: 0 is a random order, 1 the baseline."


def write_study_page(results: Results, result: Normalised, path: str | Path) -> int:
    """Write the page of a study and what its methods reach of the possible, whole or not at all; its size in bytes."""
    return write_page(render_study(results, result), path)


def render_study(results: Results, result: Normalised) -> str:
    flat = {name: value for name, value in results.about.items() if not isinstance(value, dict | list)}
    flat |= results.about["protocol"]
    settings = [
        (name.replace("_", " "), "all" if value is None else str(value)) for name, value in flat.items() if value != ""
    ]
    return render_methods(
        study_figures(results, result),
        title=f"Relevance feedback: {how_many(len(results.asked), 'method', 'methods')}",
        facts=study_facts(results),
        lines=study_verdicts(results),
        more=further_findings(results),
        warnings=[line.removeprefix("! ") for line in study_warnings(results)],
        sections=study_sections(results, result),
        settings=settings,
    )


def render_methods(figures: list[DrawnFigure], **parts: Any) -> str:
    """A page on methods of feedback: a method has one colour in every graph, no feedback is the baseline."""
    names = list(dict.fromkeys(name for each in figures for name in each.graphs[0].series))
    names.sort(key=lambda name: name != NO_FEEDBACK)
    there = NO_FEEDBACK in names
    methods = {
        "names": names,
        "order": [*range(1, len(names)), 0] if there else [*range(len(names))],
        "first": MOST_CURVES - there,
        "most": MOST_CURVES,
        "baseline": "baseline" if there else "",
    }
    data = {**figures_data(figures, names), "data-systems": methods}
    files, choice = ("page.css", *DRAWING), FirstChoice(methods)
    return render_page("feedback.html.j2", files, data, figures=figures, choice=choice, **parts)


def study_figures(results: Results, result: Normalised) -> list[DrawnFigure]:
    """What each kind shows of a study, cumulative recall first; what cannot be drawn is left out."""
    drawn = []
    for kind in FEEDBACK_KINDS:
        for id, draw in kind.study_graphs(results, result):
            with suppress(RankscopeError):
                drawn.append(DrawnFigure.of(id, kind.name, draw(), kind.sentence))
    return sorted(drawn, key=lambda each: each.id != HEADLINE)


def study_sections(results: Results, result: Normalised) -> list[tuple[str, list[HeadedTable]]]:
    main, seen = Summary(results, results.measures[0]), Summary(results, SEEN)
    last = f"Means over sessions; low and high are of the last round. {main.intervals.told}"
    listed = results.about["protocol"]["scored"]
    rounds = [
        HeadedTable(f"{main.quantity} of the {listed} list", main.round_rows(), f"{_capital(LISTS[listed])}. {last}"),
        HeadedTable("Relevant items seen so far", seen.round_rows(), f"{_capital(SEEN)}. {last}"),
        HeadedTable("Sessions", session_rows(results), "Share of start: of the variance, one-way random effects."),
    ]
    lost = [each for each in result.baselines if not each.feasibility.feasible]
    reasons: list[dict[str, object]] = [
        {"topic": each.topic, "why": "; ".join(each.feasibility.reasons)} for each in lost
    ]
    missing = "Topics that cannot be learnt from these features"
    infeasible = [HeadedTable(missing, reasons, "They are not in the means.")] if lost else []
    waits = [each.row() for each in sorted(result.responses, key=lambda each: each.median)]
    note = f"From feedback to ranking, one session at a time; warm-up not counted. {result.responses[0].hardware}."
    return [
        ("Round by round", rounds),
        ("How much of the possible", [*_efficiency(result, compared_methods(results)), *infeasible]),
        ("Earlier studies next to these baselines", earlier_sections(result)),
        ("With the answer among the features", _consistency(result)),
        ("How long a user waits", [HeadedTable("Response time", waits, note)] if waits else []),
    ]


def _efficiency(result: Normalised, methods: tuple[str, ...]) -> list[HeadedTable]:
    """Means with intervals and letters, all pairs compared as everywhere."""
    chosen = [name for name in methods if name in result.methods]
    if not chosen:
        return []
    table, fair = (result.mae_table(corrected).select(*chosen) for corrected in (False, True))
    if not len(table.complete()):
        return []
    corrected = {name: _mean(column) for name, column in zip(fair.systems, fair.values.T, strict=True)}
    exact = result.mae_table(right=True).select(*chosen) if result.right else None
    right = {} if exact is None else dict(zip(exact.systems, map(_mean, exact.values.T), strict=True))
    ranked, few = _ranked(table.complete())
    rows = [
        {"method" if key == "system" else "MAE" if key == "mean" else key: value for key, value in row.items()}
        | {"chance-corrected": corrected[str(row["system"])]}
        | ({"marked rightly": right[str(row["system"])]} if right else {})
        for row in ranked
    ]
    note = (
        f"Mean efficiency over recall from {result.examples} + {result.examples} examples {_marked_by(result)}, "
        f"{len(table.complete())} feasible topics as blocks; 1 is the best classifier with all true labels but those "
        "tested."
    )
    if len(table.systems) > 1:
        note += f" p: against the best, {DECIDING} tests corrected over all pairs."
    note += "".join(f" {_capital(line)}." for line in few)
    if result.topics > len(result.baselines):
        note += f" The first {len(result.baselines)} of {how_many(result.topics, 'topics')}."
    by_topic = HeadedTable("Efficiency by topic", _topic_rows(result, chosen), BY_TOPIC)
    return [HeadedTable("Mean efficiency (MAE)", rows, note), by_topic]


def _marked_by(result: Normalised) -> str:
    """Whose examples a section is about."""
    if not result.right and result.users == "consistent":
        return "that are all marked rightly"
    return f"as the users of the study mark them ({result.users})"


def _topic_rows(result: Normalised, methods: Sequence[str]) -> list[dict[str, object]]:
    """MAE of each method on each feasible topic, and what is left of it without chance."""
    tables = [result.mae_table(corrected).select(*methods) for corrected in (False, True)]
    return [
        {"topic": topic}
        | {
            f"{name}{words}": float(table.values[row, place])
            for place, name in enumerate(methods)
            for table, words in zip(tables, ("", ", corrected"), strict=True)
        }
        for row, topic in enumerate(tables[0].queries)
    ]


def _ranked(table: ScoreTable) -> tuple[list[dict[str, object]], list[str]]:
    """One row for each method, the best first, of a single one its mean alone; and what so few topics cannot show."""
    if len(table.systems) == 1:
        one = mean_intervals(table.values, table.classes, bounds=table.bounds)
        values = {"mean": float(one.mean[0]), "low": float(one.low[0]), "high": float(one.high[0])}
        return [{"system": table.systems[0], **values}], []
    comparison = compare([table], by_unit=table.classes is not None)
    rows = comparison.main.system_rows()
    best = str(rows[0]["system"])
    p = {frozenset((each.first, each.second)): each.adjusted for each in comparison.main.pairs}
    few = [of_topics(line) for line in few_notes(comparison)]
    return [row | {"p": p.get(frozenset((best, str(row["system"]))))} for row in rows], few


def earlier_sections(result: Normalised) -> list[HeadedTable]:
    """Stored results of other methods against the baselines of now, and which stored baselines were replaced."""
    if result.learnt is None or not result.learnt.earlier:
        return []
    from rankscope.feedback.answers import replaced_lines

    rows = [row for row in result.learnt.mean_rows() if row["from"]]
    said = " ".join(f"{line}." for line in replaced_lines(result.learnt))
    note = f"Means over feasible topics, from examples that are all marked rightly. {said}"
    return [HeadedTable("Re-calibrated results", rows, note.rstrip())]


def _consistency(result: Normalised) -> list[HeadedTable]:
    if not result.consistencies:
        return []
    rows: list[dict[str, object]] = []
    for name in result.methods:
        row: dict[str, object] = {"method": name}
        for gain in dict.fromkeys(each.gain for each in result.consistencies):
            own = [each.average_precision for each in result.consistencies if each.method == name and each.gain == gain]
            row["AP without"] = _mean(np.array([each[0] for each in own]))
            row["AP with, 0 or 1" if gain is None else f"AP with, gain {gain:g}"] = _mean(np.array([x[1] for x in own]))
        rows.append(row)
    topics = len({each.topic for each in result.consistencies})
    note = (
        f"{how_many(topics, 'topics')}, examples {_marked_by(result)}; the indicator of the target is one more "
        "feature, gains are in mean standard deviations."
    )
    return [HeadedTable("Consistency", rows, note)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _mean(values: FloatArray) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else float("nan")


# A benchmark pack as one page: topics, every case with its graph, efficiency, adaptation.


def write_pack_page(result: PackResult, path: str | Path) -> int:
    return write_page(render_pack(result), path)


def render_pack(result: PackResult) -> str:
    figures, lines = [], []
    for case, results in result.cases:  # relevant items seen, round by round, and what decides
        graph = replace(rounds_graph(results, SEEN), title=f"{case.name}: {SEEN} as feedback goes on")
        figures.append(DrawnFigure.of(f"case-{case.name}", "rounds", graph, case_words(case)))
        told = [line for line in study_verdicts(results) if not line.startswith("Decided by")]
        lines.append(f"{case.name}: {told[0] if told else 'one method: nothing to compare'}")
    features = result.pack.tables["features"]
    rows = {"pack": f"{result.pack.name} {result.pack.version}", "SHA-256 of the pack": result.pack.digest}
    rows |= {"descriptor": str(features["descriptor"]), "scaling": str(features.get("scaling", "none"))}
    for name, value in result.pack.study.items():
        rows[name] = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return render_methods(
        figures,
        title=result.title,
        facts=pack_facts(result),
        lines=lines,
        more=[f"Cite: {result.citation}"],
        warnings=pack_caveats(result),
        sections=pack_sections(result),
        settings=list(rows.items()),
    )


def pack_sections(result: PackResult) -> list[tuple[str, list[HeadedTable]]]:
    rule = str(result.pack.tables["topics"]["rule"])
    cases = []
    for case, results in result.cases:
        intervals = Summary(results, results.measures[0]).intervals.told
        lines = [intervals, *study_verdicts(results), *further_findings(results)]
        note = " ".join(line for line in lines if "topics on which" not in line)  # those harmed are in the text
        cases.append(HeadedTable(f"{case.name}: {case_words(case)}", last_round_rows(results), note))
    adapted = [HeadedTable("Feedback adapts to its giver", adaptation_rows(result), ADAPTATION_NOTE)]
    return [
        ("Topics", [HeadedTable("What users look for", topic_rows(result), rule)]),
        ("Cases", cases),
        (
            "How much of the possible",
            [
                HeadedTable("Efficiency", efficiency_rows(result), efficiency_words(result)),
                HeadedTable("By topic, corrected for chance", corrected_rows(result), CORRECTED_NOTE),
            ],
        ),
        ("Several assessors", adapted if result.adaptations else []),
    ]
