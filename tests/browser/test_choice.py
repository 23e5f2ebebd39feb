"""One choice of systems for every graph, one colour a system, and conclusions that follow from what is drawn."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.browser.opened import Opened

DATA = """async id => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), sign => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}"""

WORN = """() => [...document.querySelectorAll("figure:not([hidden]) .legend li")].map(each => {
  const sample = each.querySelector("svg [style]");
  const name = each.textContent.split(":")[0].replace(" is better", "");
  return [name, sample ? sample.getAttribute("style").match(/var\\(--\\w+\\)/)[0] : ""];
})"""


def drawn(opened: Opened, figure: str) -> list[str]:
    names = opened.page.locator(f"#graph-{figure} .legend li:not(.dim) span").all_inner_texts()
    return [name.split(":")[0] for name in names if name != "cannot be reached"]


def test_the_best_three_and_the_baseline_are_drawn_at_first_and_a_tick_adds_a_system(board: Opened) -> None:
    best = [*board.systems()[:3], "system 4"]
    for figure in ("precision-recall", "recall-scope", "grip", "forecast"):
        assert drawn(board, figure) == best
    board.page.check('input[aria-label="Show system 0 in the graphs"]', force=True)
    for figure in ("precision-recall", "recall-scope", "grip", "forecast"):
        assert set(drawn(board, figure)) == {*best, "system 0"}
    board.page.get_by_role("button", name="Remove system 0").click()
    assert not board.page.is_checked('input[aria-label="Show system 0 in the graphs"]')


def test_at_most_eight_curves_and_a_system_keeps_its_colour(board: Opened) -> None:
    colour = """name => [...document.querySelectorAll('#key li')].find(each => each.textContent.includes(name))
        .querySelector('path').getAttribute('style')"""
    first = board.systems()[0]
    before = board.page.evaluate(colour, first)
    for number in (0, 1, 2, 3):
        board.page.check(f'input[aria-label="Show system {number} in the graphs"]', force=True)
    assert board.page.locator("#key li .name").count() == 8
    assert board.page.locator('input[aria-label="Show system 5 in the graphs"]').is_disabled()
    assert board.page.evaluate(colour, first) == before
    styles = board.page.locator("#key li path:first-child").evaluate_all(
        "all => all.map(each => each.getAttribute('style'))"
    )
    assert len(set(styles)) == 8
    board.page.get_by_role("button", name="Best 3 and baseline").click()
    assert board.page.locator("#key li .name").count() == 4


def test_colour_belongs_to_a_system_in_every_graph(board: Opened) -> None:
    keys = board.page.evaluate(WORN)
    systems = set(board.systems())
    worn: dict[str, set[str]] = {}
    for name, colour in keys:
        if name in systems:
            worn.setdefault(name, set()).add(colour)
    assert len(worn) >= 4
    assert all(len(colours) == 1 for colours in worn.values()), worn
    assert worn["system 4"] == {"var(--c0)"}


def test_one_chooser_serves_all_graphs_of_single_systems(board: Opened) -> None:
    wanted = board.systems()[5]
    board.page.select_option("#single", label=wanted)
    for figure in ("per-query-differences", "power-curve", "band", "grep"):
        assert wanted in board.page.locator(f"#graph-{figure} h3").inner_text()


def leaders(graph: dict[str, Any], shown: list[int]) -> list[tuple[str, float]]:
    """Independent of the page: who is highest at each x, by the data that it holds."""
    curves: dict[int, dict[float, float]] = {}
    for mark in graph["marks"]:
        if mark["role"] == "curve" and mark.get("system") in shown:
            points = zip(mark["x"], mark["y"], strict=True)
            curves.setdefault(mark["system"], {}).update({x: y for x, y in points if y is not None})
    grid = sorted({x for curve in curves.values() for x in curve})
    found = []
    for x in grid:
        here = {}
        for system, curve in curves.items():
            xs = sorted(curve)
            if xs[0] <= x <= xs[-1]:
                here[system] = float(np.interp(x, xs, [curve[each] for each in xs]))
        top = sorted(here.values(), reverse=True)
        if len(top) > 1 and top[0] > 0.001 and top[0] - top[1] > 0.0005:
            found.append((str(max(here, key=lambda each: here[each])), x))
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("figure", ["precision-recall", "precision-scope", "recall-scope", "grip"])
def test_what_to_conclude_follows_from_the_data(board: Opened, figure: str) -> None:
    data = board.page.evaluate(DATA, f"data-{figure}")
    systems = board.page.evaluate(DATA, "data-systems")
    shown = [*systems["order"][:3], 0]
    graph = data["graphs"][data["first"]]
    ahead = [int(name) for name, _ in leaders(graph, list(dict.fromkeys(shown)))]
    names = {systems["names"][each] for each in ahead}
    text = board.page.locator(f"#graph-{figure} .conclusion").inner_text()
    told = text.removeprefix("What to conclude: ")
    if len(names) == 1:
        assert told.startswith(f"{names.pop()} has the highest mean")
        assert "at every" in told or "wherever the curves differ" in told
    elif " points, " in told:
        counts = {systems["names"][each]: ahead.count(each) for each in set(ahead)}
        first = max(counts, key=lambda each: counts[each])
        assert told.startswith(f"{first} has the highest mean")
    else:
        assert told.startswith(f"{systems['names'][ahead[0]]} has the highest mean")
        assert names <= {name for name in systems["names"] if name in told}
    assert re.search(r"significant(ly better| difference)", told)
    pair = re.search(r"no significant difference between (system \d+) and (system \d+)[.;]", told)
    if pair:
        one, other = (systems["names"].index(each) for each in pair.groups())
        assert systems["different"][one][other] == "0"
    better = re.search(r"(?:(system \d+)|it) is significantly better than (system \d+)", told)
    if better:
        one = better[1] or systems["names"][ahead[0]]
        assert systems["different"][systems["names"].index(one)][systems["names"].index(better[2])] == "1"


# saving and pointing
