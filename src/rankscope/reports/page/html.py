"""The report as one HTML file that opens offline: no address in it is ever asked, and equal inputs give equal bytes."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from rankscope.evaluation.scores import SystemScores
from rankscope.graphs.canvases.page import script
from rankscope.graphs.canvases.table import csv_of
from rankscope.measures.measure import Measure
from rankscope.ranks.relevant_ranks import UNKNOWN
from rankscope.reports.formats.grid import coverage_lines, number, numeric_columns
from rankscope.reports.page.contents import Report
from rankscope.reports.page.pages import environment, json_of, pack_text, spec_of, text_of, themes
from rankscope.reports.texts.estimates import Estimate
from rankscope.version import __version__

PLACES = 4


def render(report: Report) -> str:
    """The whole page."""
    drawn = [figure for figure in report.figures if figure.graph is not None]
    graphs = {figure.id: figure.drawn for figure in drawn}
    graphs |= {each.id: each.graph for figure in drawn for each in figure.alternatives}
    return str(
        _template().render(
            report=report,
            facts=_facts(report),
            coverage=coverage_lines(report.scores),
            warnings=report.warnings,
            drawn=drawn,
            missing=_missing(report),
            specs={id: pack_text(spec_of(graph)) for id, graph in graphs.items()},
            tables={id: pack_text(csv_of(graph)) for id, graph in graphs.items()},
            queries=pack_text(json_of(query_table(report))),
            style=text_of("report.css"),
            themes=themes(),
            vega=script(),
            code=text_of("report.js"),
            version=__version__,
        )
    )


@cache
def _template() -> Any:
    result = environment().overlay()
    result.filters = {**result.filters, "estimate": estimate_text, "value": value_text}
    return result.get_template("report.html.j2")


# numbers as they are shown


def value_text(value: float, measure: Measure, signed: bool = False) -> str:
    """A value as every table prints it.

    >>> from rankscope.measures.average_precision import AP
    >>> value_text(0.25, AP()), value_text(0.25, AP(), signed=True)
    ('0.2500', '+0.2500')
    """
    text = number(value, measure.counts)
    return f"+{text}" if signed and value > 0 and text != "-" else text.replace("-0.", "\u22120.")


def estimate_text(estimate: Estimate, measure: Measure, signed: bool = False) -> str:
    """The ends of an interval, or nothing."""
    if not estimate.has_interval:
        return ""
    return " to ".join(value_text(each, measure, signed) for each in (estimate.low, estimate.high))


def _facts(report: Report) -> list[str]:
    """What the systems were tried on, in a few words."""
    systems = report.scores.systems
    if not systems:
        return []
    ranks = systems[0].ranks
    facts = [f"{len(systems)} system{'s' * (len(systems) > 1)}", f"{len(ranks):,} judged queries"]
    relevant = ranks.relevant[ranks.relevant > 0]
    if relevant.size:
        low, high = int(relevant.min()), int(relevant.max())
        facts.append(f"{low:,} to {high:,} relevant items each" if low < high else f"{low:,} relevant items each")
    known = ranks.collection[ranks.collection != UNKNOWN]
    facts.append(f"a collection of {int(known.max()):,} items" if known.size else "a collection of unknown size")
    return facts


# graphs


def _missing(report: Report) -> list[tuple[str, str]]:
    """Kinds of graph that could not be drawn, and why; those of one reason together."""
    kinds: dict[str, list[str]] = {}
    for figure in report.figures:
        if figure.graph is None:
            kinds.setdefault(figure.reason, []).append(figure.kind.name)
    return [(", ".join(names), reason[:1].upper() + reason[1:]) for reason, names in kinds.items()]


# values of each query


def query_table(report: Report) -> dict[str, Any]:
    """Everything the table of queries shows, as columns; values in units of 0.0001, null where undefined."""
    systems = report.scores.systems
    names = sorted(
        {query for system in systems for query in (*system.ranks.queries, *system.ranks.not_judged)}, key=str.encode
    )
    place = {query: row for row, query in enumerate(names)}
    classes: list[str | None] = [None] * len(names)
    relevant: list[int | None] = [None] * len(names)
    for system in systems:
        count = system.ranks.relevant.tolist()
        for row, query in enumerate(system.ranks.queries):
            relevant[place[query]] = count[row]
            if system.ranks.classes is not None:
                classes[place[query]] = system.ranks.classes[row]
    labels = sorted({each for each in classes if each})
    code = {label: number for number, label in enumerate(labels)}
    columns = numeric_columns(systems[0]) if systems else []
    return {
        "systems": list(report.systems),
        "measures": [
            {"name": column.asked, "lower": column.measure.lower_is_better, "whole": column.measure.counts}
            for column in columns
        ],
        "queries": names,
        "relevant": relevant,
        "classes": labels,
        "class": [code.get(each or "", -1) for each in classes],
        "status": [_status(system, place) for system in systems],
        "values": [
            [_placed(values.tolist(), system, place) for values in (c.values for c in numeric_columns(system))]
            for system in systems
        ],
    }


STATUS = ("not in it", "answered", "missing", "no relevant", "not judged")


def _status(system: SystemScores, place: dict[str, int]) -> str:
    """One digit per query."""
    codes = ["0"] * len(place)
    for query, status in zip(system.ranks.queries, system.status, strict=True):
        codes[place[query]] = str(STATUS.index(status))
    for query in system.ranks.not_judged:
        codes[place[query]] = str(STATUS.index("not judged"))
    return "".join(codes)


def _placed(values: list[float], system: SystemScores, place: dict[str, int]) -> list[int | None]:
    placed: list[int | None] = [None] * len(place)
    for query, value in zip(system.ranks.queries, values, strict=True):
        placed[place[query]] = round(value * 10**PLACES) if math.isfinite(value) else None
    return placed
