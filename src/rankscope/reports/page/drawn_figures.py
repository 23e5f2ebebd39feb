"""The graphs of a page as its script draws them: one for all systems, or one of each system behind a chooser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.graphs.canvases.page_data import owners_of, page_data
from rankscope.graphs.explanations import explanation_of
from rankscope.graphs.graph import Graph
from rankscope.names import slugs
from rankscope.reports.page.contents import Report
from rankscope.reports.page.figures import Figure
from rankscope.reports.page.first_view import FirstChoice, FirstView

Choices = dict[str, list[tuple[int, str, bool]]]  # under each heading: number of the graph, its words, chosen at first


@dataclass(frozen=True, eq=False)
class DrawnFigure:
    """One place for a graph: what stands there first, and all graphs that a choice can put there."""

    id: str
    kind: str
    caption: str
    graphs: tuple[Graph, ...]
    notes: tuple[str, ...]  # beneath the title of each
    first: int = 0
    choose: str = ""
    choices: Choices | None = None
    single: bool = False  # each system has its own; one chooser serves all such figures
    systems: tuple[str, ...] = ()  # of whom each is, where it is single

    @property
    def more(self) -> str:
        """The page of the documentation that explains it, where there is one."""
        return explanation_of(self.kind)

    @classmethod
    def of(cls, id: str, kind: str, graph: Graph, caption: str) -> DrawnFigure:
        """A place for one graph."""
        return cls(id=id, kind=kind, caption=caption, graphs=(graph,), notes=(graph.subtitle,))

    @property
    def title(self) -> str:
        """Of the graph shown first."""
        return self.graphs[self.first].title

    @property
    def subtitle(self) -> str:
        """Of the graph shown first."""
        return self.notes[self.first]

    @property
    def summary(self) -> str:
        """In a sentence, for those who do not see it."""
        return self.graphs[self.first].summary or f"{self.title}."

    def first_view(self, choice: FirstChoice | None = None) -> FirstView:
        """What the page shows of it before its script runs."""
        return FirstView(self, choice or FirstChoice())

    @property
    def conclusion(self) -> str:
        """What the graph shown first allows to conclude; of curves that a reader chooses the script says it."""
        return self.graphs[self.first].conclusion


def drawn_figures(report: Report) -> list[DrawnFigure]:
    """All places in their order; graphs of single systems of one kind share a place."""
    places: dict[str, list[Figure]] = {}
    for figure in report.figures:
        if figure.graph is not None:
            places.setdefault(f"{figure.kind.name} of each" if figure.system else figure.id, []).append(figure)
    ids = slugs([found[0].kind.name if found[0].system else found[0].id for found in places.values()])
    return [
        _of_each(id, found, report) if found[0].system else _of_all(id, found[0])
        for id, found in zip(ids, places.values(), strict=True)
    ]


def _of_all(id: str, figure: Figure) -> DrawnFigure:
    others = figure.alternatives
    graphs = tuple(each.graph for each in others) or (figure.drawn,)
    choices: Choices = {}
    for number, each in enumerate(others):
        choices.setdefault(each.heading, []).append((number, each.text, each.chosen))
    return DrawnFigure(
        id=id,
        kind=figure.kind.name,
        caption=figure.caption,
        graphs=graphs,
        notes=tuple("; ".join(filter(None, (each.subtitle, figure.note))) for each in graphs),
        first=next((number for number, each in enumerate(others) if each.chosen), 0),
        choose=figure.choose,
        choices=choices or None,
    )


def _of_each(id: str, found: list[Figure], report: Report) -> DrawnFigure:
    """The best system but the baseline first."""
    names = tuple(figure.system for figure in found)
    best = [row.system for row in report.board.rows if row.system in names] if report.board else []
    best = [name for name in best if name != report.systems[0]] or best
    return DrawnFigure(
        id=id,
        kind=found[0].kind.name,
        caption=found[0].caption,
        graphs=tuple(figure.drawn for figure in found),
        notes=tuple(figure.subtitle for figure in found),
        first=names.index(best[0]) if best else 0,
        single=len(names) > 1,
        systems=names,
    )


def figure_data(figure: DrawnFigure, systems: Sequence[str]) -> dict[str, Any]:
    """What the script draws and says."""
    owners = owners_of(systems)
    graphs = [
        {
            **page_data(graph, owners),
            "subtitle": note,
            "summary": graph.summary or f"{graph.title}.",
            **({"conclusion": graph.conclusion} if graph.conclusion else {}),
        }
        for graph, note in zip(figure.graphs, figure.notes, strict=True)
    ]
    own = {"systems": [systems.index(name) for name in figure.systems]} if figure.systems else {}
    return {"graphs": graphs, "first": figure.first, **own}
