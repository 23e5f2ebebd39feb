"""The ledger of a pipeline as one page that opens offline: the sentence, a graph of each quantity, the tables."""

from __future__ import annotations

from rankscope.graphs.waterfall import waterfall
from rankscope.pipeline.ledger import Ledger
from rankscope.reports.formats.rows import grid_of
from rankscope.reports.page.contents import Section
from rankscope.reports.page.drawn_figures import DrawnFigure, figure_data
from rankscope.reports.page.pages import DRAWING, Shell, environment, packed
from rankscope.reports.texts.ledger import MEANINGS, basis_line, parts_of
from rankscope.version import __version__

FILES = ("page.css", *DRAWING)
CAPTION = "From the value of the first stage to that of the last: what each stage takes, or gives back."


def render(ledger: Ledger, worst: int = 10) -> str:
    """The whole page."""
    figures = [
        DrawnFigure.of(f"ledger-{number}", "ledger", waterfall(each), _caption(each.name))
        for number, each in enumerate(ledger.statements, 1)
    ]
    headline, *more = ledger.sentences
    return str(
        environment()
        .get_template("ledger.html.j2")
        .render(
            title=f"Where {ledger.main.name} goes: {' > '.join(ledger.stages)}",
            headline=headline,
            lines=[*more, f"{basis_line(ledger)}."],
            warnings=ledger.notes,
            graphs=figures,
            data={f"data-{each.id}": packed(figure_data(each, ())) for each in figures},
            tables=[Section(heading, grid_of(rows)) for heading, rows in parts_of(ledger, worst)],
            shell=Shell.of(*FILES),
            version=__version__,
        )
    )


def _caption(name: str) -> str:
    meaning = MEANINGS.get(name)
    return f"{CAPTION} {name} is {meaning}." if meaning else CAPTION
