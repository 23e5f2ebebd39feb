"""The report as one HTML file that opens offline: no address in it is ever asked, and equal inputs give equal bytes."""

from __future__ import annotations

from typing import NamedTuple

from rankscope.number_texts import how_many
from rankscope.ranks.relevant_ranks import UNKNOWN
from rankscope.reports.formats.grid import coverage_lines
from rankscope.reports.page.contents import Report
from rankscope.reports.page.drawn_figures import drawn_figures, figure_data
from rankscope.reports.page.figures import Figure
from rankscope.reports.page.first_queries import FirstQueries
from rankscope.reports.page.first_view import FirstChoice
from rankscope.reports.page.pages import Shell, environment, packed
from rankscope.reports.page.query_data import query_data, system_data
from rankscope.reports.texts.headline import family_words
from rankscope.version import __version__
from rankscope.wording import speaking_to_readers

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


def render(report: Report) -> str:
    """The whole page."""
    figures = drawn_figures(report)
    systems, queries = system_data(report), query_data(report)
    data = {f"data-{each.id}": packed(figure_data(each, report.systems)) for each in figures}
    data |= {"data-systems": packed(systems), "data-queries": packed(queries)}
    template = environment().get_template("report.html.j2")
    with speaking_to_readers():
        return template.render(
            report=report,
            facts=_facts(report),
            coverage=coverage_lines(report.scores),
            common=[each for each in figures if not each.single],
            single=[each for each in figures if each.single],
            choice=FirstChoice(systems),
            queries=FirstQueries(queries, systems) if queries["queries"] and systems["names"] else None,
            missing=_missing(report),
            origins=_origins(report),
            data=data,
            shell=Shell.of(*FILES),
            version=__version__,
        )


def _facts(report: Report) -> list[str]:
    """What the systems were tried on, in a few words, and over what verdicts are corrected."""
    systems = report.scores.systems
    if not systems:
        return []
    ranks = systems[0].ranks
    queries = "1 judged query" if len(ranks) == 1 else f"{len(ranks):,} judged queries"
    facts = [f"{len(systems)} system{'s' * (len(systems) > 1)}", queries]
    relevant = ranks.relevant[ranks.relevant > 0]
    if relevant.size:
        low, high = int(relevant.min()), int(relevant.max())
        count = f"{low:,} to {high:,}" if low < high else f"{low:,}"
        items = "relevant item" if high == 1 else "relevant items"
        facts.append(f"{count} {items}" + " each" * (relevant.size > 1))
    known = ranks.collection[ranks.collection != UNKNOWN]
    facts += [f"a collection of {how_many(int(known.max()), 'items')}"] if known.size else []
    return [*facts, *filter(None, [family_words(report.compared)])]


class Origins(NamedTuple):
    """Where numbers come from: what is true of all systems, and a table of what differs."""

    common: list[tuple[str, str]]
    names: list[str]
    rows: list[tuple[str, list[str]]]


def _origins(report: Report) -> Origins:
    facts = {system: dict(lines) for system, lines in report.provenance}
    names = list(dict.fromkeys(name for own in facts.values() for name in own))
    common = [name for name in names if len({own.get(name) for own in facts.values()}) == 1]
    differ = [name for name in names if name not in common]
    first = next(iter(facts.values()), {})
    rows = [(system, [own.get(name, "") for name in differ]) for system, own in facts.items()]
    return Origins([(name, first[name]) for name in common], differ, rows if differ else [])


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
