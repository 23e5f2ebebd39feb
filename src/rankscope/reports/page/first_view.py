"""The graphs of a page, and what it shows of them before its script runs, without one and on paper.

The first view is what choice.js, figures.js and conclusions.js make of the same data: the same systems in the same
colours, the same legend, the same words. A test holds both against each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import Any, NamedTuple

from rankscope.core.names import slugs
from rankscope.core.wording import join_words
from rankscope.reports.graphs.graph import SERIES, Graph
from rankscope.reports.graphs.inline import inline_svg, owners_of, page_data
from rankscope.reports.graphs.kinds import explanation_of
from rankscope.reports.page.report import Figure, Report

# The graphs of a page as its script draws them: one for all systems, or one of each system behind a chooser.

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
        return explanation_of(self.kind)

    @classmethod
    def of(cls, id: str, kind: str, graph: Graph, caption: str) -> DrawnFigure:
        """A place for one graph."""
        return cls(id=id, kind=kind, caption=caption, graphs=(graph,), notes=(graph.subtitle,))

    @property
    def title(self) -> str:
        return self.graphs[self.first].title

    @property
    def subtitle(self) -> str:
        return self.notes[self.first]

    @property
    def summary(self) -> str:
        return self.graphs[self.first].summary or f"{self.title}."

    def first_view(self, choice: FirstChoice | None = None) -> FirstView:
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


def figures_data(figures: Sequence[DrawnFigure], systems: Sequence[str] = ()) -> dict[str, Any]:
    """What the script draws and says: the data of all figures of a page, by the ids of the elements that hold them."""
    owners, data = owners_of(systems), {}
    for figure in figures:
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
        data[f"data-{figure.id}"] = {"graphs": graphs, "first": figure.first, **own}
    return data


EQUAL = 0.0005
ON_A_PAGE = 100  # queries of the list before somebody asks for more
GREY = -1
MINUS = "\N{MINUS SIGN}"
DEPENDS = {
    "recall": "how far down a user reads",
    "scope": "how far down a user reads",
    "generality index": "how rare relevant items are",
    "collection size": "how large the collection becomes",
    "round of feedback": "how many rounds a user gives",
}
MARKERS = (  # of slots 0 to 7, 3 pixels to each side; the first two are the same circle
    "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z",
    "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z",
    "M-3 -3h6v6h-6Z",
    "M0 -3.6L3.45 3H-3.45Z",
    "M0 -4.05L4.05 0L0 4.05L-4.05 0Z",
    "M-3 -1h2v-2h2v2h2v2h-2v2h-2v-2h-2Z",
    "M0 3.6L3.45 -3H-3.45Z",
    "M0 -4.05L.97 -1.33L3.85 -1.25L1.57 .51L2.38 3.28L0 1.65L-2.38 3.28L-1.57 .51L-3.85 -1.25L-.97 -1.33Z",
)
Data = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class FirstChoice:
    """Which systems are drawn before anybody chooses, and which colour each has: choice.js starts with the same."""

    systems: Data = field(default_factory=dict)

    @property
    def names(self) -> Sequence[str]:
        names: Sequence[str] = self.systems.get("names", ())
        return names

    @cached_property
    def order(self) -> list[int]:
        return list(self.systems.get("order", ()))

    @cached_property
    def slots(self) -> dict[int, int]:
        """The number of the colour of each system that is shown; the first system has 0."""
        chosen = {0: 0} if self.systems.get("baseline") else {}
        for system in self.order[: self.systems.get("first", 0)]:
            if system not in chosen:
                chosen[system] = max(chosen.values(), default=0) + 1
        return chosen

    @property
    def shown(self) -> list[int]:
        return sorted(self.slots, key=self.order.index)

    @property
    def key(self) -> list[tuple[str, str, str]]:
        """The sample, name and value of each."""
        values, measure = self.systems.get("values", ()), self.systems.get("measure", "")
        named = [
            self.names[each] + (f" ({self.systems['baseline']})" if self.systems.get("baseline") and each == 0 else "")
            for each in self.shown
        ]
        return [
            (sample(self.slots[each]), name, f"{measure} {values[each]}" if values else "")
            for each, name in zip(self.shown, named, strict=True)
        ]

    @property
    def offers(self) -> dict[str, str]:
        """The words of what the key will offer, which keep their place until the script runs."""
        more, shown, most = len(self.names) - len(self.shown), len(self.shown), self.systems.get("most", 0)
        add = f"{most} systems at most" if shown >= most else "Add a system \N{HORIZONTAL ELLIPSIS}"
        back = bool(self.systems.get("values")) and len(self.names) > self.systems.get("first", 0) + 1
        again = f"Best {self.systems['first']} and {self.systems['baseline']}" if back else ""
        return {"add": add if more > 0 else "", "back": again} if more > 0 or back else {}

    def differ(self, one: int, other: int) -> bool:
        different = self.systems.get("different") or ()
        return bool(different) and different[one][other] == "1"


class LegendItem(NamedTuple):
    """A line of the legend: its sample as SVG, and its words."""

    sample: str
    text: str


@dataclass(frozen=True, eq=False)
class FirstView:
    """The graph that a place shows first, with legend and conclusion."""

    figure: DrawnFigure
    choice: FirstChoice

    @property
    def graph(self) -> Graph:
        graph = self.figure.graphs[self.figure.first]
        owners = self._owners
        shown = self.choice.slots
        return graph.only(name for name in graph.series if name not in owners or self._single or owners[name] in shown)

    @property
    def svg(self) -> str:
        graph = self.graph
        return inline_svg(graph, self.figure.id, {name: self._slot(name) for name in graph.series})

    @cached_property
    def marks(self) -> list[Data]:
        shown = self.choice.slots
        whole: list[Data] = self._drawn["marks"]
        return [each for each in whole if self._single or "system" not in each or each["system"] in shown]

    @property
    def legend(self) -> list[LegendItem]:
        """What each series wears and is called."""
        entries: dict[str, dict[str, Any]] = {}
        for mark in self.marks:
            role, name = mark["role"], mark.get("name", "")
            if not name or role not in (*SERIES, "region"):
                continue
            entry = entries.setdefault(
                ("region " if role == "region" else "") + name,
                {"name": name, "system": mark.get("system"), "slot": None if role == "region" else self._slot(name)}
                | {"note": "", "line": False, "mark": False, "swatch": False},
            )
            entry["line"] |= role in ("curve", "span")
            entry["mark"] |= "point" in role or bool(mark.get("markers"))
            entry["swatch"] |= role in ("band", "bar", "region")
            entry["note"] = entry["note"] or mark.get("note", "")
        place = [-1 if each["system"] is None else self.choice.order.index(each["system"]) for each in entries.values()]
        listed = [each for _, each in sorted(zip(place, entries.values(), strict=True), key=lambda pair: pair[0])]
        notes = {each["note"] for each in listed}
        common = notes.pop() if len(listed) > 1 and len(notes) == 1 else ""
        items = [
            LegendItem(
                sample(each["slot"], each["line"], each["mark"], each["swatch"]),
                each["name"] + (f": {each['note']}" if each["note"] and not common else ""),
            )
            for each in listed
        ]
        return [*items, LegendItem("", f"each: {common}")] if common else items

    @property
    def conclusion(self) -> str:
        """Of the graph itself, or of the curves that are shown."""
        if self.figure.conclusion:
            return self.figure.conclusion
        if any(mark["role"] == "curve" for mark in self._drawn["marks"]):
            return conclude_curves(self._drawn, self.marks, self.choice)
        return ""

    @cached_property
    def _drawn(self) -> Data:
        return page_data(self.figure.graphs[self.figure.first], owners_of(self.choice.names))

    @property
    def _single(self) -> bool:
        """Whether each system has a graph of its own, which is drawn whole."""
        return len(self.figure.systems) > 1

    @cached_property
    def _owners(self) -> dict[str, int]:
        return {mark["name"]: mark["system"] for mark in self._drawn["marks"] if "system" in mark}

    def _slot(self, name: str) -> int:
        if name in self._owners:
            return self.choice.slots.get(self._owners[name], GREY)
        others = [each for each in self.figure.graphs[self.figure.first].resolved().series if each not in self._owners]
        return 1 + others.index(name) % 7


def sample(slot: int | None, line: bool = True, mark: bool = True, swatch: bool = False) -> str:
    """What a series wears, drawn for a legend; no slot is a region, and -1 is grey.

    >>> sample(0, mark=False)[44:]
    '<path d="M0 5H30" style="stroke:var(--c0);fill:none" stroke-width="2.4" stroke-dasharray="6 4"/></svg>'
    """
    colour = "var(--line)" if slot is None else "var(--dim)" if slot == GREY else f"var(--c{slot % 8})"
    parts = []
    if swatch:
        parts.append(f'<path d="M2 1H28V9H2Z" style="fill:{colour};fill-opacity:{0.25 if line else 0.85}"/>')
    if line:
        dash = ' stroke-dasharray="6 4"' if slot == 0 else ""
        parts.append(f'<path d="M0 5H30" style="stroke:{colour};fill:none" stroke-width="2.4"{dash}/>')
    if mark:
        shape = MARKERS[2] if slot is None else MARKERS[max(slot, 0) % 8]
        where, style = "translate(15 5)", f"fill:{colour};stroke:{colour}"
        parts.append(f'<path d="{shape}" transform="{where}" style="{style}" stroke-width="1.2"/>')
    return f'<svg viewBox="0 0 30 10" aria-hidden="true">{"".join(parts)}</svg>'


# numbers and words as the script has them


def short(value: float, places: int = 3) -> str:
    """No leading 0, a true minus sign; a half is rounded up, as toFixed does.

    >>> short(0.5), short(-0.25), short(-0.0001), short(0.3125)
    ('.500', '−.250', '.000', '.313')
    """
    text = str(Decimal(abs(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))
    return (MINUS if value < 0 and float(text) else "") + text.removeprefix("0" if text.startswith("0.") else "")


def signed(value: float) -> str:
    """With its sign, but for 0."""
    text = short(value)
    return f"+{text}" if value > 0 and float(text) else text


def axis_number(value: float) -> str:
    """A place on an axis, to three digits.

    >>> axis_number(0.12345), axis_number(528155), axis_number(-3.0)
    ('.123', '528,155', '−3')
    """
    size = abs(value)
    text = f"{math.floor(size + 0.5):,}" if size >= 1000 else f"{float(f'{size:.3g}'):g}"
    return (MINUS if value < 0 else "") + text.removeprefix("0" if text.startswith("0.") else "")


# what to conclude from curves: who leads where, and what the tests say of those who do


@dataclass(eq=False)
class _Curve:
    name: str
    system: int | None
    at: dict[float, float] = field(default_factory=dict)

    @cached_property
    def points(self) -> list[tuple[float, float]]:
        return sorted(self.at.items())

    def height(self, x: float) -> float | None:
        points = self.points
        if x < points[0][0] or x > points[-1][0]:
            return None
        after = next(number for number, point in enumerate(points) if point[0] >= x)
        if points[after][0] == x:
            return points[after][1]
        (a, b), (c, d) = points[after - 1], points[after]
        return b + (d - b) * (x - a) / (c - a)


@dataclass(eq=False)
class _Run:
    """Where one curve leads."""

    curve: _Curve
    start: float
    end: float
    count: int = 1


def conclude_curves(graph: Data, marks: Sequence[Data], choice: FirstChoice) -> str:
    """A sentence on who leads where, and one on what the tests say."""
    curves = _curves(marks)
    along = graph["x"]["quantity"].replace(" of feedback", "")
    mean = "mean " if choice.systems.get("queries", 2) > 1 else ""
    y = graph["y"]
    what = (y["title"] if y["quantity"] == "mean" else mean + y["quantity"]).replace(" = recall", " (= recall)")
    if not curves:
        return "choose a system to see its curve."
    if len(curves) == 1:
        (x, first), (end, last) = curves[0].points[0], curves[0].points[-1]
        at = f"{short(first)} at {along} {axis_number(x)} and {short(last)} at {axis_number(end)}"
        return f"{curves[0].name} has a {what} of {at}."
    lower = bool(y.get("lower"))
    runs, total, alike = _runs(curves, lower)
    lead = f"has the {'lowest' if lower else 'highest'} {what}"
    if not runs:
        return "no curve leads: all differ by less than .001."
    leaders = list(dict.fromkeys(run.curve for run in runs))
    if len(leaders) == 1:
        where = "wherever the curves differ" if alike else f"at every {along}"
        text = f"{leaders[0].name} {lead} {where}."
    elif len(runs) <= 4:
        parts = []
        for number, run in enumerate(runs):
            name = run.curve.name + ("" if number else f" {lead}")
            start = axis_number(run.start)
            where = f"at {along} {start}" if run.start == run.end else f"from {along} {start} to {axis_number(run.end)}"
            parts.append(f"{name} {where}")
        text = join_words(parts) + "."
    else:
        counts = [(sum(run.count for run in runs if run.curve is each), each) for each in leaders]
        (most, first_of), (next_most, second), *rest = sorted(counts, key=lambda pair: -pair[0])
        more = f"; {len(rest)} more {'leads' if len(rest) == 1 else 'lead'} elsewhere" if rest else ""
        text = f"{first_of.name} {lead} at {most} of {total} points, {second.name} at {next_most}{more}."
    return text + _tested(graph, curves, leaders, runs, choice)


def _curves(marks: Sequence[Data]) -> list[_Curve]:
    """Pieces of one curve are one."""
    found: dict[str, _Curve] = {}
    for mark in marks:
        if mark["role"] == "curve":
            own = found.setdefault(mark.get("name", ""), _Curve(mark.get("name", ""), mark.get("system")))
            own.at |= {x: y for x, y in zip(mark["x"], mark["y"], strict=True) if x is not None and y is not None}
    return [each for each in found.values() if each.at]


def _runs(curves: Sequence[_Curve], lower_is_better: bool) -> tuple[list[_Run], int, int]:
    runs: list[_Run] = []
    total = alike = 0
    for x in sorted({point[0] for each in curves for point in each.points}):
        here = [(height, each) for each in curves if (height := each.height(x)) is not None]
        if len(here) < 2 or max(height for height, _ in here) <= 0.001:
            continue
        best = (min if lower_is_better else max)(height for height, _ in here)
        near = [each for height, each in here if abs(height - best) <= EQUAL]
        stays = bool(runs) and runs[-1].curve in near
        if len(near) > 1 and not stays:
            alike += 1
            continue
        total += 1
        if stays:
            runs[-1].end = x
            runs[-1].count += 1
        else:
            runs.append(_Run(near[0], x, x))
    return runs, total, alike


def _tested(
    graph: Data, curves: Sequence[_Curve], leaders: Sequence[_Curve], runs: Sequence[_Run], choice: FirstChoice
) -> str:
    known = [each.system for each in curves if each.system is not None]
    if not choice.systems.get("different") or len(known) < len(curves):
        return ""
    system = dict(zip(curves, known, strict=True))
    tested, place = f" What is tested is {choice.systems['measure']}, not these curves: ", choice.order.index
    if len(leaders) == 1:
        lead = leaders[0]
        others = [each for each in curves if each is not lead]
        unlike = [each for each in others if choice.differ(system[lead], system[each])]
        ahead = [each for each in unlike if place(system[each]) < place(system[lead])]
        still = [each for each in others if each not in unlike]
        if ahead:
            return f"{tested}{ahead[0].name} is significantly better."
        if not still:
            all_of = {1: others[0].name, 2: "both others drawn"}.get(len(others), f"all {len(others)} others drawn")
            return f"{tested}{lead.name} is significantly better than {all_of}."
        some = "any" if len(still) == len(others) else str(len(still))
        from_whom = still[0].name if len(still) == 1 else f"{some} of the {len(others)} others drawn"
        return f"{tested}no significant difference between {lead.name} and {from_whom}."
    one, other = runs[0].curve, leaders[1] if runs[-1].curve is runs[0].curve else runs[-1].curve
    if choice.differ(system[one], system[other]):
        better, worse = sorted((one, other), key=lambda each: place(system[each]))
        return f"{tested}{better.name} is significantly better than {worse.name}."
    depends = DEPENDS.get(graph["x"]["quantity"], "where on this axis a user stands")
    return (
        f"{tested}no significant difference between {one.name} and {other.name}; which to prefer depends on {depends}."
    )
