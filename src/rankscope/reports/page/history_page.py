"""The history of a gate as one page that opens offline: tiles of the last build, every build, graphs with intervals."""

from __future__ import annotations

from rankscope.graphs.build_history import build_history_graph
from rankscope.reports.formats.rows import grid_of
from rankscope.reports.page.contents import Section
from rankscope.reports.page.pages import Shell, environment
from rankscope.reports.page.still_graph import StillGraph
from rankscope.reports.texts.history import chance_note, headline, rows_of, sentences, tile_of, warnings_of
from rankscope.statistics.verdicts.gate_history import GateHistory
from rankscope.version import __version__

FILES = ("page.css", "still.css", "history.css", "page.js")
MOST_GRAPHS = 25


def render(history: GateHistory, title: str = "") -> str:
    """The whole page."""
    drawn = [name for name in history.names if len(history.checks(name)) > 1]
    return str(
        environment()
        .get_template("history.html.j2")
        .render(
            title=title or f"History of a gate: {len(history.builds):,} builds",
            headline=headline(history),
            lines=sentences(history),
            last=history.builds[-1],
            tiles=[tile_of(check) for check in history.builds[-1].checks],
            builds=history.builds,
            graphs=[StillGraph.of(build_history_graph(history, name)) for name in drawn[:MOST_GRAPHS]],
            left_out=drawn[MOST_GRAPHS:],
            note=chance_note(history),
            table=Section("Every build", grid_of(rows_of(history), places=3)),
            warnings=warnings_of(history),
            shell=Shell.of(*FILES),
            version=__version__,
        )
    )
