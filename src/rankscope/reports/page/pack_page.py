"""A benchmark pack as one page that opens offline: topics, every case with its graph, efficiency, adaptation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rankscope.core.rendering import grid_of
from rankscope.feedback.answers import CORRECTED_NOTE
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
from rankscope.feedback.study.findings import further_findings, study_verdicts
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.summary import SEEN, Summary
from rankscope.reports.graphs.feedback import rounds_graph
from rankscope.reports.page.feedback_page import render_methods
from rankscope.reports.page.first_view import DrawnFigure
from rankscope.reports.page.pages import write_page
from rankscope.reports.page.report import Section


def write_pack_page(result: PackResult, path: str | Path) -> int:
    """Write the page, whole or not at all; its size in bytes."""
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


def pack_sections(result: PackResult) -> list[tuple[str, list[Section]]]:
    """Headings, each with its tables."""
    rule = str(result.pack.tables["topics"]["rule"])
    cases = [
        Section(f"{case.name}: {case_words(case)}", grid_of(last_round_rows(results)), _case_note(results))
        for case, results in result.cases
    ]
    adapted = [Section("Feedback adapts to its giver", grid_of(adaptation_rows(result)), ADAPTATION_NOTE)]
    return [
        ("Topics", [Section("What users look for", grid_of(topic_rows(result)), rule)]),
        ("Cases", cases),
        (
            "How much of the possible",
            [
                Section("Efficiency", grid_of(efficiency_rows(result)), efficiency_words(result)),
                Section("By topic, corrected for chance", grid_of(corrected_rows(result)), CORRECTED_NOTE),
            ],
        ),
        ("Several assessors", adapted if result.adaptations else []),
    ]


def _case_note(results: Results) -> str:
    """Which intervals these are, the verdict, and whether feedback helps; topics that it harms are in the text."""
    lines = [Summary(results, results.measures[0]).intervals.told, *study_verdicts(results), *further_findings(results)]
    return " ".join(line for line in lines if "topics on which" not in line)
