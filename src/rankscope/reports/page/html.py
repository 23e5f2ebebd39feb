"""The report as one HTML file that opens offline: no address in it is ever asked, and equal inputs give equal bytes.

The page is a text that knows how to show itself in a notebook, instead of half a megabyte at a prompt.
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from rankscope.core.display import Display, Displayed
from rankscope.core.wording import how_many, speaking_to_readers
from rankscope.measures.evaluation.score_tables import coverage_lines
from rankscope.ranks.relevant_ranks import UNKNOWN
from rankscope.reports.page.figures import Figure
from rankscope.reports.page.first_view import FirstChoice, drawn_figures, figures_data
from rankscope.reports.page.headline import family_words
from rankscope.reports.page.pages import render_page, write_page
from rankscope.reports.page.queries import FirstQueries, query_data, system_data
from rankscope.reports.page.report import Report

FILES = (
    "page.css",
    "leaderboard.css",
    "queries.css",
    "page.js",
    "choice.js",
    "leaderboard.js",
    "drawing.js",
    "conclusions.js",
    "figures.js",
    "queries.js",
    "report.js",
)


def render_report(report: Report) -> str:
    figures = drawn_figures(report)
    systems, queries = system_data(report), query_data(report)
    data = {**figures_data(figures, report.systems), "data-systems": systems, "data-queries": queries}
    with speaking_to_readers():
        return render_page(
            "report.html.j2",
            FILES,
            data,
            report=report,
            facts=_facts(report),
            coverage=coverage_lines(report.scores),
            common=[each for each in figures if not each.single],
            single=[each for each in figures if each.single],
            choice=FirstChoice(systems),
            queries=FirstQueries(queries, systems) if queries["queries"] and systems["names"] else None,
            missing=_missing(report),
            origins=_origins(report),
        )


def _facts(report: Report) -> list[str]:
    """What the systems were tried on, in a few words, and over what verdicts are corrected."""
    systems = report.scores.systems
    if not systems:
        return []
    ranks = systems[0].ranks
    facts = [f"{len(systems)} system{'s' * (len(systems) > 1)}", how_many(len(ranks), "judged queries")]
    relevant = ranks.relevant[ranks.relevant > 0]
    if relevant.size:
        low, high = int(relevant.min()), int(relevant.max())
        count = f"{low:,} to {high:,}" if low < high else f"{low:,}"
        items = "relevant item" if high == 1 else "relevant items"
        facts.append(f"{count} {items}" + " each" * (relevant.size > 1))
    known = ranks.collection[ranks.collection != UNKNOWN]
    facts += [f"a collection of {how_many(int(known.max()), 'items')}"] if known.size else []
    return [*facts, *filter(None, [family_words(report.compared)])]


def _origins(report: Report) -> dict[str, Any]:
    """Where numbers come from: what is true of all systems, and a table of what differs."""
    facts = {system: dict(lines) for system, lines in report.provenance}
    names = list(dict.fromkeys(name for own in facts.values() for name in own))
    common = [name for name in names if len({own.get(name) for own in facts.values()}) == 1]
    differ = [name for name in names if name not in common]
    first = next(iter(facts.values()), {})
    rows = [(system, [own.get(name, "") for name in differ]) for system, own in facts.items()]
    return {"common": [(name, first[name]) for name in common], "names": differ, "rows": rows if differ else []}


def _missing(report: Report) -> list[tuple[str, str]]:
    """Kinds of graph that could not be drawn, and why; those of one reason together, of many systems the first."""
    drawn = {figure.kind.name for figure in report.figures if figure.graph is not None}
    lost: dict[str, list[Figure]] = {}
    for figure in report.figures:
        if figure.graph is None:
            lost.setdefault(figure.kind.name, []).append(figure)
    kinds: dict[str, list[str]] = {}
    for name, found in lost.items():
        more = f" (and so of {how_many(len(found) - 1, 'more systems')})" if len(found) > 1 else ""
        label = f"{name} of {found[0].system}" if name in drawn and found[0].system else name
        kinds.setdefault(found[0].reason + more, []).append(label)
    return [(", ".join(names), reason[:1].upper() + reason[1:]) for reason, names in kinds.items()]


# The page of a report as a text that knows how to show itself, instead of half a megabyte at a prompt.

TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
LARGEST_FRAME = 3_000_000  # signs: a larger page would make a notebook slow
FRAME = "width:100%;height:600px;border:1px solid rgba(128,128,128,.45);background:#fff"


class ReportPage(str, Displayed):
    """One HTML page, whole: it is text in every way, opens offline, and a notebook shows it in a frame.

    >>> page = ReportPage("<html><title>Two systems</title></html>")
    >>> page.heading, page
    ('Two systems', Report 'Two systems': a page of 39 bytes, which page.save('report.html') writes)
    """

    __slots__ = ()
    __repr__ = Displayed.__repr__

    @property
    def heading(self) -> str:
        found = TITLE.search(self)
        return unescape(found[1]).strip() if found else ""

    def save(self, path: str | Path) -> int:
        """Write it, whole or not at all; how many bytes it has."""
        return write_page(self, path)

    def _repr_html_(self) -> str:
        said = Displayed._repr_html_(self)
        if len(self) > LARGEST_FRAME:
            return said
        named = f'title="{escape(self.heading)}" sandbox="allow-scripts" style="{FRAME}"'
        return f'{said}<iframe {named} srcdoc="{escape(str(self))}"></iframe>'

    def display(self) -> Display:
        return Display(
            f"Report {self.heading!r}: a page of {len(self.encode()):,} bytes, which page.save('report.html') writes"
        )
