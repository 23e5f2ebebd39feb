"""The history of a gate as one page that opens offline: tiles of the last build, every build, graphs with intervals."""

from __future__ import annotations

from rankscope.graphs.build_history import build_history_graph
from rankscope.number_texts import how_many
from rankscope.reports.formats.rows import grid_of
from rankscope.reports.page.contents import Section
from rankscope.reports.page.drawn_figures import DrawnFigure, figure_data
from rankscope.reports.page.pages import DRAWING, Shell, environment, packed
from rankscope.reports.texts.history import (
    builds_sentence,
    chance_note,
    check_sentence,
    headline,
    rows_of,
    sentences,
    tile_of,
    warnings_of,
)
from rankscope.statistics.verdicts.gate_history import GateHistory
from rankscope.version import __version__

FILES = ("page.css", "history.css", *DRAWING)
CAPTION = "The candidate of each build with the interval of its value, and the baseline it was tested against."
MOST_GRAPHS = 25


def render(history: GateHistory, title: str = "") -> str:
    """The whole page."""
    drawn = [name for name in history.names if len(history.checks(name)) > 1]
    figures = [_figure(history, name, number) for number, name in enumerate(drawn[:MOST_GRAPHS], 1)]
    return str(
        environment()
        .get_template("history.html.j2")
        .render(
            title=title or f"History of a gate: {how_many(len(history.builds), 'builds')}",
            headline=headline(history),
            lines=[builds_sentence(history)] if len(drawn) == len(history.names) else sentences(history),
            last=history.builds[-1],
            tiles=[tile_of(check) for check in history.builds[-1].checks],
            builds=history.builds,
            graphs=figures,
            data={f"data-{each.id}": packed(figure_data(each, ())) for each in figures},
            left_out=drawn[MOST_GRAPHS:],
            note=chance_note(history),
            table=Section("Every build", grid_of(rows_of(history), places=3)),
            warnings=warnings_of(history),
            shell=Shell.of(*FILES),
            version=__version__,
        )
    )


def _figure(history: GateHistory, name: str, number: int) -> DrawnFigure:
    """A measure over the builds, and in words what moved when."""
    graph = build_history_graph(history, name).described(conclusion=check_sentence(history, name))
    return DrawnFigure.of(f"builds-{number}", "build-history", graph, CAPTION)
