"""The report as one HTML file that opens offline, with the list of its queries.

No address in it is ever asked, and equal inputs give equal bytes. The page is a text that knows how to show itself in a
notebook, instead of half a megabyte at a prompt.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import numpy as np

from rankscope.core.display import Display, Displayed
from rankscope.core.wording import how_many, speaking_to_readers
from rankscope.measures.direction import EQUAL, side_of, turn
from rankscope.measures.evaluation.score_tables import coverage_lines, numeric_columns
from rankscope.measures.evaluation.scores import SystemScores
from rankscope.ranks.relevant_ranks import UNKNOWN
from rankscope.reports.page.first_view import ON_A_PAGE, FirstChoice, drawn_figures, figures_data, short, signed
from rankscope.reports.page.headline import family_words
from rankscope.reports.page.pages import render_page, write_page
from rankscope.reports.page.report import FIRST, MOST_CURVES, Figure, Report

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared


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
            facts=_tried_on(report),
            coverage=coverage_lines(report.scores),
            common=[each for each in figures if not each.single],
            single=[each for each in figures if each.single],
            choice=FirstChoice(systems),
            queries=FirstQueries(queries, systems) if queries["queries"] and systems["names"] else None,
            missing=_missing(report),
            origins=_origins(report),
        )


def _tried_on(report: Report) -> list[str]:
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


# What the script of a report knows: systems with their places and verdicts, and each query with its values.

PLACES, FEWER, MANY = 6, 4, 300_000  # digits of a value; fewer where there are so many values that pages grow
STATUS = ("not in it", "answered", "missing", "no relevant", "not judged")


def natural_key(text: str) -> list[tuple[int, int | str]]:
    """Sorts numbers inside words as numbers.

    >>> sorted(["q10", "q9", "q1b", "q1"], key=natural_key)
    ['q1', 'q1b', 'q9', 'q10']
    """
    parts = re.findall(r"\d+|\D+", text)
    return [(0, int(part)) if part.isdecimal() and part.isascii() else (1, part) for part in parts]


def system_data(report: Report) -> dict[str, Any]:
    """Names, places, values as printed, and which pairs differ; `baseline` is what the first system is called."""
    board = report.board
    order = [row.number for row in board.rows] if board else list(range(len(report.systems)))
    return {
        "names": list(report.systems),
        "order": order,
        "values": [cell.text for cell in board.primary.cells] if board else [],
        "measure": board.primary.title if board else "",
        "different": _different(report.systems, report.compared),
        "baseline": report.reference,
        "queries": max((len(system.ranks) for system in report.scores.systems), default=0),
        "first": FIRST,
        "most": MOST_CURVES,
    }


def _different(names: tuple[str, ...], compared: Compared | None) -> list[str]:
    """A row of 0 and 1 for each system: from which others the primary measure distinguishes it."""
    if compared is None:
        return []
    place = {name: number for number, name in enumerate(compared.systems)}
    table = np.zeros((len(place), len(place)), dtype=np.int64)
    for pair in compared.main.pairs:
        one, other = place[pair.first], place[pair.second]
        table[one, other] = table[other, one] = bool(pair.better)
    own = [place[compared.stands_for(name)] for name in names]
    return ["".join(map(str, row)) for row in table[np.ix_(own, own)].tolist()]


def query_data(report: Report) -> dict[str, Any]:
    """Everything the list of queries shows, as columns; values as whole multiples of 1 / `unit`, or null."""
    systems = report.scores.systems
    names = sorted(
        {query for system in systems for query in (*system.ranks.queries, *system.ranks.not_judged)}, key=natural_key
    )
    place = {query: row for row, query in enumerate(names)}
    relevant, classes = _facts(systems, place)
    labels = sorted({each for each in classes if each}, key=natural_key)
    code = {label: number for number, label in enumerate(labels)}
    columns = numeric_columns(systems[0]) if systems else []
    status = [
        dict(zip(each.ranks.queries, each.status, strict=True)) | dict.fromkeys(each.ranks.not_judged, "not judged")
        for each in systems
    ]
    places = PLACES if len(names) * len(systems) * len(columns) <= MANY else FEWER
    return {
        "queries": names,
        "measures": [
            {"name": column.asked, "lower": column.measure.lower_is_better, "whole": column.measure.counts}
            for column in columns
        ],
        "main": next((place for place, row in enumerate(report.estimates.rows) if row is report.estimates.main), 0),
        "rel": float(report.scores.settings.rel),
        "top": max((system.ranks.top_grade for system in systems), default=1.0),
        "open": "not listed" if any(each.coverage.only_relevant for each in systems) else "not judged",
        "relevant": relevant,
        "classes": labels,
        "class": [code.get(each or "", -1) for each in classes],
        "status": ["".join(str(STATUS.index(own.get(query, STATUS[0]))) for query in names) for own in status],
        "unit": 10**places,
        "values": [
            [_placed(values.tolist(), system, place, places) for values in (c.values for c in numeric_columns(system))]
            for system in systems
        ],
        **report.found.data(names, report.systems),
    }


def _facts(systems: tuple[SystemScores, ...], place: dict[str, int]) -> tuple[list[int | None], list[str | None]]:
    relevant: list[int | None] = [None] * len(place)
    classes: list[str | None] = [None] * len(place)
    for system in systems:
        count = system.ranks.relevant.tolist()
        for row, query in enumerate(system.ranks.queries):
            relevant[place[query]] = count[row]
            if system.ranks.classes is not None:
                classes[place[query]] = system.ranks.classes[row]
    return relevant, classes


def _placed(values: list[float], system: SystemScores, place: dict[str, int], places: int) -> list[int | None]:
    placed: list[int | None] = [None] * len(place)
    for query, value in zip(system.ranks.queries, values, strict=True):
        placed[place[query]] = round(value * 10**places) if math.isfinite(value) else None
    return placed


# The list of queries before any script runs: two systems, where one wins most, and what both have first.

Data = Mapping[str, Any]


class ListedQuery(NamedTuple):
    """A query with its values as printed, and its bar: from which percent, how wide, and whether it is A's win."""

    id: str
    words: str
    question: str
    values: tuple[str, ...]
    difference: str
    bar: tuple[float, float, bool] | None


class FoundItem(NamedTuple):
    """One of the first items of a system: its mark (class, sign, words), and where the other system has it."""

    id: str
    title: str
    text: str
    address: str
    picture: str
    mark: tuple[str, str, str]
    also: str


class FoundList(NamedTuple):
    """What a system has first, or why nothing is shown."""

    heading: str
    note: str
    items: tuple[FoundItem, ...]

    @property
    def pictured(self) -> bool:
        return any(each.picture for each in self.items)


@dataclass(frozen=True, eq=False)
class FirstQueries:
    """`data` and `systems` are what the script gets."""

    data: Data
    systems: Data

    @property
    def several(self) -> bool:
        return len(self.systems["names"]) > 1

    @property
    def heads(self) -> list[tuple[str, str]]:
        name = self.measure["name"]
        first = [("id", "no."), ("words", "query")] if self._worded else [("id alone", "query")]
        values = [("value", f"{name}, A"), ("value", f"{name}, B"), ("less", f"A {chr(0x2212)} B")]
        return [*first, *(values if self.several else [("value", name)])]

    @property
    def wide(self) -> int:
        """Of the column of ids, in characters."""
        return min(14, max((len(each) for each in self.data["queries"]), default=3)) + 2 if self.data["queries"] else 5

    @property
    def count(self) -> str:
        rows = len(self.data["queries"])
        shown = f", the first {ON_A_PAGE:,} shown" if rows > ON_A_PAGE else ""
        return f"{rows:,} {'query' if rows == 1 else 'queries'}{shown}"

    @property
    def lines(self) -> list[ListedQuery]:
        """Those that the list shows, A's largest wins first; of one system the worst first."""
        drawn = self._difference if self.several else lambda row: self._value(self._a, row)
        most = max((abs(drawn(row) or 0.0) for row in range(len(self.data["queries"]))), default=0.0) or 1.0
        return [self._line(row, drawn(row), most) for row in self._rows[:ON_A_PAGE]]

    @property
    def conclusion(self) -> str:
        """On how many queries which system is better, or which are the best and the worst."""
        rows, name = range(len(self.data["queries"])), self.measure["name"]
        names = self.systems["names"]
        if not self.several:
            known = [(gain, row) for row in rows if (gain := self._gain(self._value(self._a, row))) is not None]
            if len(known) < 2:
                return ""
            ordered = [row for _, row in sorted(known, key=lambda pair: -pair[0])]
            outer = (ordered[0], ordered[-1])
            best, worst = (f"{self._named(row)} ({self._text(self._value(self._a, row))})" for row in outer)
            return f"What to conclude: {name} is best on query {best} and worst on {worst}."
        gains = {row: gain for row in rows if (gain := self._gain(self._difference(row))) is not None}
        won = [row for row, gain in gains.items() if gain > EQUAL]
        lost = [row for row, gain in gains.items() if gain < -EQUAL]
        if len(gains) == 1:
            if not won and not lost:
                return f"What to conclude: on this query both have the same {name}."
            pair = (self._b, self._a) if lost else (self._a, self._b)
            values = " against ".join(self._text(self._value(each, next(iter(gains)))) for each in pair)
            better = f"on this query {names[pair[0]]} is better by {name}, {values}"
            return f"What to conclude: {better}; other queries may show the opposite."
        of_all = f"{len(won):,} of {how_many(len(gains), 'queries')}"
        counts = f"{names[self._a]} is better by {name} on {of_all}, {names[self._b]} on {len(lost):,}."
        told_of = f"What to conclude: {counts}"
        ends = [("win", max(won, key=lambda row: gains[row]))] if won else []
        ends += [("loss", min(lost, key=lambda row: gains[row]))] if lost else []
        said = [f"argest {word}: {self._named(row)} ({signed(self._difference(row) or 0.0)})" for word, row in ends]
        return f"{told_of} L{'; l'.join(said)}." if said else told_of

    @property
    def measure(self) -> Data:
        found: Data = self.data["measures"][self.data["main"]]
        return found

    # the query chosen

    @property
    def title(self) -> str:
        return "  ".join(filter(None, (self.data["queries"][self._first], self._words(self._first)[0])))

    @property
    def question(self) -> str:
        return self._words(self._first)[1]

    @property
    def asked(self) -> str:
        """The address of the picture that is the query."""
        return str((self.data.get("pictures") or {}).get(self.data["queries"][self._first], ""))

    @property
    def facts(self) -> str:
        row, count = self._first, self.data["relevant"][self._first]
        kind = self.data["class"][row]
        facts = [] if count is None else [f"{count:,} relevant {'item' if count == 1 else 'items'}"]
        facts += [f"class {self.data['classes'][kind]}"] if kind >= 0 else []
        values = [self._text(self._value(each, row)) for each in ((self._a, self._b) if self.several else (self._a,))]
        told = f"{self.measure['name']} {' and '.join(values)}"
        less = self._difference(row) if self.several else None
        if less is not None:
            better = "A" if side_of(less, self.measure["lower"]) == "better" else "B"
            told += ": no difference" if abs(less) < 0.0005 else f": {better} is better by {short(abs(less))}"
        return ". ".join(filter(None, (", ".join(facts), told))) + "."

    @property
    def found(self) -> list[FoundList]:
        if not self.several:
            return [self._list("A", self._a, None)]
        return [self._list("A", self._a, self._b), self._list("B", self._b, self._a)]

    @property
    def marks(self) -> list[tuple[tuple[str, str, str], str]]:
        grades = [(1, "relevant")]
        if self.data["top"] > 1:
            grades = [(self.data["top"], "relevant"), (max(self.data["rel"], 1), "partly relevant")]
        return [(self._mark(grade), told) for grade, told in [*grades, (0, "not relevant"), (None, self.data["open"])]]

    # parts

    @property
    def _a(self) -> int:
        return int(self.systems["order"][0])

    @property
    def _b(self) -> int:
        return int(self.systems["order"][1]) if self._a == 0 else 0

    @property
    def _worded(self) -> bool:
        return bool(self.data.get("words"))

    @cached_property
    def _rows(self) -> list[int]:
        rows = range(len(self.data["queries"]))
        turn = -1 if self.several else 1
        gains = [self._gain(self._difference(row) if self.several else self._value(self._a, row)) for row in rows]
        return sorted(rows, key=lambda row: (gains[row] is None, turn * (gains[row] or 0.0), row))

    @property
    def _first(self) -> int:
        return self._rows[0]

    def _words(self, row: int) -> Sequence[str]:
        words: Sequence[str] = self.data["words"][row] if self._worded else ("", "")
        return words

    def _named(self, row: int) -> str:
        title = self._words(row)[0]
        quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{title}\N{RIGHT DOUBLE QUOTATION MARK}"
        return quoted if title else self.data["queries"][row]

    def _value(self, system: int, row: int) -> float | None:
        value = self.data["values"][system][self.data["main"]][row]
        return None if value is None else value / self.data["unit"]

    def _difference(self, row: int) -> float | None:
        one, other = self._value(self._a, row), self._value(self._b, row)
        return None if one is None or other is None else one - other

    def _gain(self, value: float | None) -> float | None:
        return None if value is None else value * turn(self.measure["lower"])

    def _text(self, value: float | None) -> str:
        if value is None:
            return "\N{EN DASH}"
        return str(math.floor(value + 0.5)) if self.measure["whole"] else short(value)

    def _line(self, row: int, drawn: float | None, most: float) -> ListedQuery:
        title, question = self._words(row)
        query = self.data["queries"][row]
        systems = (self._a, self._b) if self.several else (self._a,)
        less = self._difference(row) if self.several else None
        bar = None
        if drawn is not None:
            reach, start = drawn / most * (48 if self.several else 98), 50 if self.several else 1
            good = (drawn < 0 if self.measure["lower"] else drawn > 0) or not self.several
            bar = (round(min(start, start + reach), 2), round(abs(reach), 2), good)
        words = title or "\N{EN DASH}" if self._worded else ""
        values = tuple(self._text(self._value(each, row)) for each in systems)
        return ListedQuery(query, words, question, values, "\N{EN DASH}" if less is None else signed(less), bar)

    def _mark(self, grade: float | None) -> tuple[str, str, str]:
        if grade is None:
            return "open", "?", self.data["open"]
        sign, top = f"{grade:g}", self.data["top"]
        if grade < self.data["rel"]:
            low = grade > 0
            return (
                "none",
                sign if low else "\N{MULTIPLICATION SIGN}",
                f"judged not relevant{f', grade {sign}' if low else ''}",
            )
        shown = sign if top > 1 else "\N{CHECK MARK}"
        return "full" if grade >= top else "some", shown, "relevant" + (f", grade {sign}" if top > 1 else "")

    def _list(self, letter: str, system: int, other: int | None) -> FoundList:
        heading = (f"{letter} " if self.several else "") + self.systems["names"][system]
        listed = self.data.get("listed") or {"systems": [], "queries": []}
        row = self._first
        found = listed["queries"][row] if row < len(listed["queries"]) else None
        if system not in listed["systems"] or not found:
            held = len(listed["systems"])
            who = f"the best and the {self.systems['baseline']}"
            return FoundList(heading, f"The lists in this page are of {held} systems: {who}.", ())
        first = found["first"][listed["systems"].index(system)]
        beside = found["first"][listed["systems"].index(other)] if other in listed["systems"] else []
        if not first:
            some = sum(any(each["first"]) for each in listed["queries"])
            known = f"The lists in this page are of {some:,} of {how_many(len(self.data['queries']), 'queries')}."
            missing = STATUS[int(self.data["status"][system][row])] == "missing"
            return FoundList(heading, "The run has no results for this query." if missing else known, ())
        grades = [found["grades"][each] for each in first]
        good = sum(grade is not None and grade >= self.data["rel"] for grade in grades)
        fewer = f" of {len(first)}" if len(first) < listed["count"] else ""
        note = f"{good} relevant, {grades.count(None)} {self.data['open']}{fewer}"
        items = []
        for each, grade in zip(first, grades, strict=True):
            id = found["ids"][each]
            also = beside.index(each) if id and each in beside else -1
            items.append(self._item(id, grade, f"{'B' if letter == 'A' else 'A'} at {also + 1}" if also >= 0 else ""))
        return FoundList(heading, note, tuple(items))

    def _item(self, id: str, grade: float | None, also: str) -> FoundItem:
        link = self.data.get("link") or ""
        known = [str((self.data.get(name) or {}).get(id, "")) for name in ("titles", "texts", "pictures")]
        served = id and link.startswith(("http:", "https:"))
        address = link.replace("{id}", quote(id, safe="!'()*-._~")) if served else ""
        return FoundItem(id or "\N{EN DASH}", known[0], known[1], address, known[2], self._mark(grade), also)
