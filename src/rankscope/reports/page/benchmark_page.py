"""A benchmark as one page that opens offline, with its graphs and the pictures that each descriptor finds first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rankscope.analysis.comparison.verdict_sentences import join_names
from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.files import atomic
from rankscope.core.rendering import value_text
from rankscope.core.wording import decimal_text
from rankscope.measures.direction import best_first, best_value
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.layout import text_width
from rankscope.reports.page.first_view import DrawnFigure, figures_data
from rankscope.reports.page.found_items import thumbnails
from rankscope.reports.page.pages import DRAWING, render_page, write_page
from rankscope.reports.standings import (
    STANDINGS_FILES,
    Standings,
    standings_facts,
    standings_grid,
    standings_notes,
    standings_verdict,
)

FIRST = 10  # results of each descriptor
SHOWN = 12  # queries
MOST_CLASSES = 24  # of more, the largest
LINES = 12  # warnings told one by one
LARGEST = 2_900_000  # bytes of the page; pictures take what the rest leaves


class Hit(NamedTuple):
    """One result: which picture, at which rank and distance, and whether it is of the query's class."""

    row: int
    rank: int
    distance: str
    relevant: bool
    id: str
    label: str


class FoundPictures(NamedTuple):
    """What one descriptor finds first for one query."""

    descriptor: str
    value: str  # of the measure
    best: bool
    hits: tuple[Hit, ...]

    @property
    def right(self) -> int:
        return sum(hit.relevant for hit in self.hits)


class Shown(NamedTuple):
    choice: ShownQuery
    row: int
    label: str
    found: tuple[FoundPictures, ...]


def write_benchmark_page(
    standings: Standings, path: str | Path, *, shown: int = SHOWN, first: int = FIRST, seed: int = 0
) -> int:
    return write_page(render_benchmark(standings, shown=shown, first=first, seed=seed), path)


def render_benchmark(standings: Standings, *, shown: int = SHOWN, first: int = FIRST, seed: int = 0) -> str:
    queries = shown_queries(standings, shown, first, seed)
    rows = sorted({row for each in queries for row in (each.row, *(hit.row for one in each.found for hit in one.hits))})
    figures = [DrawnFigure.of(name, name, graph, caption) for name, graph, caption in benchmark_graphs(standings)]
    problems, left_out = standings.benchmark.problems, ": left out" if len(standings.benchmark.problems) == 1 else ""
    unread = [f"{len(problems):,} pictures could not be read and are left out:"] if len(problems) > 1 else []
    unread += [f"{name} {why}{left_out}" for name, why in problems[:LINES]]
    unread += [f"... and {len(problems) - LINES:,} more"] if len(problems) > LINES else []
    tied = [system.name for system in standings.scores.systems if system.ranks.ties.size]
    tie_note = "Pictures at equal distance stand in the order of the collection"
    render = partial(
        render_page,
        "benchmark.html.j2",
        ("page.css", "benchmark.css", *DRAWING),
        figures_data(figures),
        title=standings.benchmark.pictures.name,
        facts=standings_facts(standings),
        verdict=standings_verdict(standings),
        warnings=[*unread, *standings.benchmark.pictures.notes],
        grid=standings_grid(standings),
        lower=standings.lower,
        notes=[*standings_notes(standings), *([f"{tie_note} ({join_names(tied, 6)})."] if tied else [])],
        measure=standings.main,
        figures=figures,
        classes=class_table(standings),
        queries=queries,
        seed=seed,
    )
    room = LARGEST - len(render(pictures={}).encode())
    return render(pictures=thumbnails(standings.benchmark.pictures, rows, room))


def write_benchmark(
    standings: Standings, folder: Path, *, shown: int = SHOWN, first: int = FIRST, seed: int = 0
) -> int:
    """Tables, graphs and the page, each whole or not at all; tells the size of the page in bytes."""
    for name, render_table in STANDINGS_FILES.items():
        with atomic(folder / name) as file:
            file.write(render_table(standings))
    for name, graph, _ in benchmark_graphs(standings):
        graph.save(folder / f"{name}.svg")
    return write_benchmark_page(standings, folder / "report.html", shown=shown, first=first, seed=seed)


def benchmark_graphs(standings: Standings) -> list[tuple[str, Graph, str]]:
    """Quality, and quality against cost: a name, the graph, and what it shows."""
    name, what = standings.measures[0], standings.benchmark.pictures.name
    means = [row.means[name] for row in standings.rows]
    bars = [
        Bar(name=row.name, mean=mean.value, low=mean.low, high=mean.high, cost=row.describe_ms, letters=row.letters)
        for row, mean in zip(standings.rows, means, strict=True)
    ]
    told = f"Means over all queries. {standings.estimates.how}".rstrip()
    found = [("quality", quality_graph(bars, name, what), told)]
    if any(bar.cost > 0 for bar in bars):
        told = "What an answer of this quality costs when pictures are described; cheap and good is at the top left."
        found.append(("cost", cost_graph(bars, name, what), told))
    return found


def shown_queries(standings: Standings, count: int, first: int, seed: int) -> list[Shown]:
    """The chosen queries, each with the first results of every descriptor, best descriptor first."""
    table = standings.table
    choices = choose_queries(table, count, standings.main, seed)
    pictures = standings.benchmark.pictures
    rows = standings.benchmark.rows([each.query for each in choices])
    trials = {trial.name: trial for trial in standings.benchmark.trials}
    lists = {name: trials[name].first(rows, first) for name in table.systems}
    place = {query: at for at, query in enumerate(table.queries)}
    found = []
    for at, (choice, row) in enumerate(zip(choices, rows.tolist(), strict=True)):
        values = table.values[place[choice.query]]
        best = best_value(values, table.lower_is_better)
        answers = []
        for column, name in enumerate(table.systems):
            items, distances = lists[name].items[at].tolist(), lists[name].distances[at].tolist()
            hits = []
            for rank, (item, distance) in enumerate(zip(items, distances, strict=True), start=1):
                right, label = pictures.labels[item] == pictures.labels[row], pictures.labels[item]
                hits.append(Hit(item, rank, distance_text(distance), right, pictures.ids[item], label))
            value = float(values[column])
            answers.append(FoundPictures(name, value_text(value, places=3), value == best, tuple(hits)))
        found.append(Shown(choice, row, pictures.labels[row], tuple(answers)))
    return found


def class_table(standings: Standings) -> dict[str, Any]:
    """The main measure, classes by descriptors, the easiest class first; of many classes the largest."""
    table = standings.table.complete()
    labels = np.array(table.labels, dtype=object)
    size = {name: int((labels == name).sum()) for name in table.class_names}
    kept = sorted(size, key=lambda name: -size[name])[:MOST_CLASSES]
    means = {name: table.values[labels == name].mean(axis=0) for name in kept}
    lower = table.lower_is_better
    order = [kept[each] for each in best_first([means[name].mean() for name in kept], lower)]
    rows = [(name, size[name], means[name].tolist(), best_value(means[name], lower)) for name in order]
    return {"systems": table.systems, "rows": rows, "left_out": len(size) - len(kept)}


def distance_text(distance: float) -> str:
    """Four or five digits, never with an exponent.

    >>> distance_text(98712.0), distance_text(522.79), distance_text(4.5493), distance_text(0.31504), distance_text(0.0)
    ('98,712', '522.8', '4.549', '0.3150', '0')
    """
    if distance == 0:
        return "0"
    size = abs(distance)
    return f"{distance:,.{0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3 if size >= 1 else 4}f}"


# Which queries a benchmark shows with their results: typical ones, the best and the worst classes, and disputes.

TINY, ENOUGH = 5, 6  # queries of a class that says something, and how many such classes there must be


class ShownQuery(NamedTuple):
    """A query and why it is shown."""

    query: str
    why: str


def choose_queries(table: ScoreTable, count: int, measure: str = "", seed: int = 0) -> list[ShownQuery]:
    """Some queries, in turn of each kind; a class that has been shown waits until the others have been.

    Typical ones are drawn with the seed from the middle half of all queries by their mean over descriptors.
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.9, 0.4], "B": [0.1, 0.9, 0.9, 0.4]}, classes=["x", "x", "y", "y"])
    >>> choose_queries(table, 3)[1]
    ShownQuery(query='q3', why='easy class: y, mean AP 0.65')
    """
    whole = table.complete()
    name = measure or table.measure
    kinds = [_typical(whole, name, seed), _classes(whole, name, best=True), _classes(whole, name, best=False)]
    kinds += [_disputed(whole, name)] if len(whole.systems) > 1 else []
    found: dict[str, ShownQuery] = {}
    open_kinds = list(kinds)
    for kind in cycle(kinds):
        if len(found) >= min(count, len(whole)) or not open_kinds:
            break
        if kind not in open_kinds:
            continue
        for each in kind:
            if each.query not in found:
                found[each.query] = each
                break
        else:
            open_kinds.remove(kind)
    reasons = [each.why.split(":")[0] for each in found.values()]  # queries of one kind stand side by side
    ordered = sorted(zip(reasons, found.values(), strict=True), key=lambda each: reasons.index(each[0]))
    return [each for _, each in ordered]


def _typical(table: ScoreTable, measure: str, seed: int) -> Iterator[ShownQuery]:
    means = table.values.mean(axis=1)
    low, high = np.quantile(means, [0.25, 0.75])
    middle = np.flatnonzero((means >= low) & (means <= high))
    order = np.random.default_rng(seed).permutation(middle)
    for row in _spread(order, table).tolist():
        yield ShownQuery(table.queries[row], f"typical query: mean {measure} {value_text(float(means[row]), places=2)}")


def _classes(table: ScoreTable, measure: str, best: bool) -> Iterator[ShownQuery]:
    """Classes from one end, of each the query in the middle; tiny classes only where there are few others."""
    if table.classes is None:
        return
    means = table.gains.mean(axis=1)
    labels = np.array(table.labels, dtype=object)
    of_class = {label: np.flatnonzero(labels == label) for label in table.class_names}
    large = {label: rows for label, rows in of_class.items() if rows.size >= TINY}
    of_class = large if len(large) >= ENOUGH else of_class
    order = sorted(of_class, key=lambda label: float(means[of_class[label]].mean()), reverse=best)
    for label in order:
        rows = of_class[label]
        middle = rows[np.argsort(means[rows], kind="stable")[rows.size // 2]]
        mean = value_text(float(table.values[rows].mean()), places=2)
        which = "easy class" if best else "hard class"
        yield ShownQuery(table.queries[int(middle)], f"{which}: {label}, mean {measure} {mean}")


def _disputed(table: ScoreTable, measure: str) -> Iterator[ShownQuery]:
    """Queries on which the best and the worst descriptor lie furthest apart."""
    order = np.argsort(-np.ptp(table.values, axis=1), kind="stable")
    for row in _spread(order, table).tolist():
        values: FloatArray = table.gains[row]
        high, low = int(values.argmax()), int(values.argmin())
        ends = (f"{table.systems[at]} {value_text(float(table.values[row, at]), places=2)}" for at in (high, low))
        yield ShownQuery(table.queries[row], f"descriptors disagree: {' against '.join(ends)}")


def _spread(order: IntArray, table: ScoreTable) -> IntArray:
    """The same rows, those of one class far from each other."""
    if table.classes is None:
        return order
    seen: dict[str, int] = {}
    turn = np.empty(order.size, dtype=np.int64)
    for place, row in enumerate(order.tolist()):
        label = table.classes[row]
        turn[place] = seen.get(label, 0)
        seen[label] = seen.get(label, 0) + 1
    return order[np.argsort(turn, kind="stable")]


# Graphs of a benchmark: descriptors by quality with their intervals, and quality against cost.

COST_AIR = 1.35  # beyond the first and last cost of a log axis
PLOT_WIDTH, PLOT_HEIGHT = 300.0, 190.0  # about the pixels of the plot, to keep names from each other
NAME_SIZE = 9.5
BESIDE = 6.0  # pixels from a point to its name
RAISED = (0.0, 8.0, -8.0, 15.0, -15.0)
Box: TypeAlias = tuple[float, float, float, float]
Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True)
class Bar:
    """A descriptor's mean with its interval (NaN: none), its cost in milliseconds and its letters."""

    name: str
    mean: float
    low: float
    high: float
    cost: float
    letters: str = ""


def quality_graph(bars: Sequence[Bar], measure: str, what: str = "") -> Graph:
    """Means with 95 % intervals, in the order given from top to bottom; letters stand at the right."""
    count = len(bars)
    rows = np.arange(float(count), 0.0, -1.0)
    ends = np.array([[each.mean, each.low, each.high] for each in bars])
    high = max(float(np.nanmax(ends)), 1e-6)
    letters = any(each.letters for each in bars)
    right = min(1.0, 1.05 * high) if not letters else high * 1.04
    alike = "no significant difference between those that share a letter" if letters else ""
    room = right * (0.03 + 0.025 * max(len(each.letters) for each in bars)) if letters else 0.0
    graph = Graph(
        f"{measure} of {count} descriptor{'s' * (count > 1)}",
        Axis(measure, domain=(0.0, right + room)),
        Axis(
            "descriptor",
            domain=(0.3, count + 0.7),
            ticks=tuple(rows[::-1].tolist()),
            texts=tuple(each.name for each in bars)[::-1],
            rows=1.15,
        ),
        subtitle="; ".join(filter(None, (what, alike))),
        summary=f"{measure} of {', '.join(f'{each.name} {each.mean:.3f}' for each in bars)}.",
        conclusion=_best_words(bars, measure),
    )
    facts = {
        "descriptor": [each.name for each in bars],
        "from": ends[:, 1].tolist(),
        "to": ends[:, 2].tolist(),
        "group": [each.letters or "-" for each in bars],
    }
    name = "mean and 95% interval" if np.isfinite(ends[:, 1]).any() else "mean"
    graph = graph.spans(rows, ends[:, 1], ends[:, 2], name).points(Curve(ends[:, 0], rows), name, facts=facts)
    for row, each in zip(rows.tolist(), bars, strict=True):
        graph = graph.text(right + 0.02 * right, row, each.letters) if each.letters else graph
    return graph


def _best_words(bars: Sequence[Bar], measure: str) -> str:
    """Who has the best mean, and how many share a letter with it."""
    best = max(bars, key=lambda each: each.mean)
    told = f"{best.name} has the best mean {measure}, {decimal_text(best.mean)}"
    if not best.letters:
        return f"{told}."
    alike = sum(bool(set(each.letters) & set(best.letters)) for each in bars) - 1
    if not alike:
        return f"{told}, and is significantly better than all others."
    others = len(bars) - 1
    some = f"all other {others}" if alike == others else f"{alike} of the other {others}"
    who = "the other one" if others == 1 else some
    return f"{told}, but without a significant difference from {who}."


def cost_graph(bars: Sequence[Bar], measure: str, what: str = "") -> Graph:
    """Quality against the processor time of one picture; the line joins those that no cheaper one beats."""
    known = [each for each in bars if np.isfinite(each.cost) and each.cost > 0]
    cost, mean = (np.array([getattr(each, name) for each in known]) for name in ("cost", "mean"))
    domain = (float(cost.min()) / COST_AIR, float(cost.max()) * COST_AIR)
    span = max(float(np.ptp(mean)), 0.05)
    top, bottom = min(1.0, float(mean.max()) + 0.15 * span), max(0.0, float(mean.min()) - 0.15 * span)
    graph = Graph(
        f"{measure} against cost",
        Axis("processor time for one picture, ms", scale="log2", domain=domain),
        Axis(measure, domain=(bottom, top)),
        subtitle="; ".join(filter(None, (what, "the line joins descriptors that no cheaper one beats"))),
        summary=f"{measure} and cost of {', '.join(f'{each.name} {each.cost:.2g} ms' for each in known)}.",
    )
    best = frontier(cost, mean)
    graph = graph.described(conclusion=_cheapest_words([known[each] for each in best], measure))
    if len(best) > 1:
        graph = graph.guides([Curve(cost[best], mean[best])], dashed=True)
    facts = {"descriptor": [each.name for each in known]}
    graph = graph.points(Curve(cost, mean), facts=facts)
    across = np.log(cost / domain[0]) / np.log(domain[1] / domain[0])
    up = (mean - bottom) / (top - bottom)
    for name, x, y, side in _placed([each.name for each in known], across, up, best):
        place = domain[0] * (domain[1] / domain[0]) ** x
        graph = graph.text(place, bottom + y * (top - bottom), name, side)
    return graph


def _cheapest_words(line: Sequence[Bar], measure: str) -> str:
    """What more quality costs, from the cheapest to the best; `line` are those that no cheaper one beats."""
    first, last = line[0], line[-1]
    if first is last:
        return f"{first.name} is both the cheapest and the best."
    return (
        f"{last.name} has the best mean {measure}, {decimal_text(last.mean)}, at {last.cost:.2g} ms; the cheapest, "
        f"{first.name}, has {decimal_text(first.mean)} at {first.cost:.2g} ms: the best takes "
        f"{last.cost / first.cost:.2g} times as long."
    )


def frontier(cost: FloatArray, mean: FloatArray) -> list[int]:
    """Those that are better than everything cheaper, by rising cost.

    >>> frontier(np.array([1.0, 2.0, 3.0, 0.5]), np.array([0.5, 0.4, 0.6, 0.1]))
    [3, 0, 2]
    """
    found: list[int] = []
    for each in np.lexsort((-mean, cost)).tolist():
        if not found or mean[each] > mean[found[-1]]:
            found.append(each)
    return found


def _placed(
    names: Sequence[str], across: FloatArray, up: FloatArray, line: Sequence[int]
) -> list[tuple[str, float, float, Side]]:
    """A place for each name next to its point, where it lies over no name, point or piece of the line if it can."""
    taken = _squares(across, up, 3.0)
    if len(line) > 1:
        steps = np.linspace(0, len(line) - 1, 40 * (len(line) - 1) + 1)
        along, high = (np.interp(steps, np.arange(len(line)), each[line]) for each in (across, up))
        taken += _squares(along, high, 1.0)
    results = []
    for number, name in enumerate(names):
        x, y = float(across[number]) * PLOT_WIDTH, float(up[number]) * PLOT_HEIGHT
        wide = text_width(name, NAME_SIZE)
        sides: tuple[tuple[Side, float], ...] = (("left", BESIDE), ("right", -BESIDE))
        tries = [(side, x + shift, y + raised) for raised in RAISED for side, shift in sides]
        boxes = [_box(side, left, at, wide) for side, left, at in tries]
        cost = [_overlap(box, taken[:number] + taken[number + 1 :]) for box in boxes]
        best = int(np.argmin(cost))
        taken.append(boxes[best])
        side, left, at = tries[best]
        results.append((name, left / PLOT_WIDTH, at / PLOT_HEIGHT, side))
    return results


def _squares(across: FloatArray, up: FloatArray, half: float) -> list[Box]:
    places = zip((across * PLOT_WIDTH).tolist(), (up * PLOT_HEIGHT).tolist(), strict=True)
    return [(x - half, y - half, x + half, y + half) for x, y in places]


def _box(side: str, x: float, y: float, wide: float) -> Box:
    left = x if side == "left" else x - wide
    return left, y - NAME_SIZE / 2, left + wide, y + NAME_SIZE / 2


def _overlap(box: Box, others: Sequence[Box]) -> float:
    """How much of it lies over others, or outside of the plot."""
    outside = max(0.0, -box[0]) + max(0.0, box[2] - PLOT_WIDTH) + max(0.0, -box[1]) + max(0.0, box[3] - PLOT_HEIGHT)
    total = 50.0 * outside
    for left, low, right, high in others:
        wide, tall = min(box[2], right) - max(box[0], left), min(box[3], high) - max(box[1], low)
        total += wide * tall if wide > 0 and tall > 0 else 0.0
    return total
