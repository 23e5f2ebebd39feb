"""A benchmark pack as one page that opens offline: topics, every case with its graph, efficiency, adaptation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rankscope.core.files import atomic
from rankscope.feedback.packs.run import PackResult
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.summary import SEEN, Summary
from rankscope.reports.graphs.feedback import rounds_graph
from rankscope.reports.page.feedback_page import figures_data, methods_of
from rankscope.reports.page.first_view import DrawnFigure, FirstChoice
from rankscope.reports.page.pages import DRAWING, Shell, environment
from rankscope.reports.page.report import Section
from rankscope.reports.tables import grid_of
from rankscope.reports.texts.feedback import further_findings, study_verdicts
from rankscope.reports.texts.feedback_answers import CORRECTED_NOTE
from rankscope.reports.texts.pack import (
    ADAPTATION_NOTE,
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
from rankscope.version import __version__


def write_pack_page(result: PackResult, path: str | Path) -> int:
    """Write the page, whole or not at all; its size in bytes."""
    page = render_pack(result).encode()
    with atomic(path, "wb") as file:
        file.write(page)
    return len(page)


def render_pack(result: PackResult) -> str:
    """The whole page."""
    figures = pack_figures(result)
    methods = methods_of(figures)
    told = dict(result.pack.study)
    features = result.pack.tables["features"]
    rows = {"pack": f"{result.pack.name} {result.pack.version}", "SHA-256 of the pack": result.pack.digest}
    rows |= {"descriptor": str(features["descriptor"]), "scaling": str(features.get("scaling", "none"))}
    rows |= {
        name: ", ".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in told.items()
    }
    settings = list(rows.items())
    return str(
        environment()
        .get_template("feedback.html.j2")
        .render(
            title=result.title,
            facts=pack_facts(result),
            lines=[f"{case.name}: {_first_verdict(results)}" for case, results in result.cases],
            more=[f"Cite: {result.citation}"],
            warnings=pack_caveats(result),
            figures=figures,
            sections=pack_sections(result),
            settings=settings,
            data=figures_data(figures, methods),
            choice=FirstChoice(methods),
            shell=Shell.of("page.css", *DRAWING),
            version=__version__,
        )
    )


def _first_verdict(results: Results) -> str:
    """What decides the case, without the sentence on how."""
    told = [line for line in study_verdicts(results) if not line.startswith("Decided by")]
    return told[0] if told else "one method: nothing to compare"


def pack_figures(result: PackResult) -> list[DrawnFigure]:
    """Relevant items seen, round by round, one graph a case."""
    drawn = []
    for case, results in result.cases:
        graph = replace(rounds_graph(results, SEEN), title=f"{case.name}: {SEEN} as feedback goes on")
        drawn.append(DrawnFigure.of(f"case-{case.name}", "rounds", graph, case_words(case)))
    return drawn


def pack_sections(result: PackResult) -> list[tuple[str, list[Section]]]:
    """Headings, each with its tables."""
    rule = str(result.pack.tables["topics"]["rule"])
    cases = [
        Section(f"{case.name}: {case_words(case)}", grid_of(last_round_rows(results)), case_note(results))
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


def case_note(results: Results) -> str:
    """Which intervals these are, the verdict, and whether feedback helps; topics that it harms are in the text."""
    lines = [Summary(results, results.measures[0]).intervals.told, *study_verdicts(results), *further_findings(results)]
    return " ".join(line for line in lines if "topics on which" not in line)
