"""Nothing is cut off, no two labels meet, and the picture is as wide as was asked for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.curves.curve import Curve
from rankscope.core.errors import SettingError
from rankscope.reports.graphs.graph import Axis, Graph, tick_text, ticks_of
from rankscope.reports.graphs.layout import (
    DARK,
    LIGHT,
    Look,
    PlotLayout,
    layout_of,
    shorten_text,
    spread,
    text_width,
    wrap_text,
)
from tests.reports.graphs.examples import empty_graph, falling

WIDTHS = ["column", "full", 60]


def laid_out(graph: Graph, width: str | float = "column") -> tuple[PlotLayout, Look]:
    look = Look.of(width=width)
    return layout_of(graph.resolved(), look), look


@pytest.mark.parametrize("width", WIDTHS)
def test_the_picture_is_exactly_as_wide_as_asked_for(width: str | float) -> None:
    graph = empty_graph("A title that is so long that it needs a second line in a narrow column, and perhaps a third")
    graph = graph.curve(falling(), "a", "300 queries, g = 0.01").rule(y=0.1, label="random, g = 0.1")
    box, look = laid_out(graph, width)
    assert box.left + box.width + box.right == pytest.approx(look.width)
    assert box.width > 0.4 * look.width


@pytest.mark.parametrize("width", WIDTHS)
def test_every_word_stands_inside_the_picture(width: str | float) -> None:
    graph = empty_graph("Precision and recall of several systems on the same collection")
    lines = [Curve(np.array([0, min(1, a)]), np.array([0, min(1, a) / a]), f"a = {a}") for a in (0.25, 0.5, 1, 2, 4)]
    graph = graph.guides(lines).rule(y=0.001, label="random").guides([falling("ideal")], at=0.5)
    for name in ("a", "a rather long name of a system with all its parameters, k1 = 1.2, b = 0.75, and more"):
        graph = graph.curve(falling(), name, "3,979 queries, g = 0.0002 to 0.05")
    box, look = laid_out(graph, width)
    for word, size in [(each, look.small) for each in box.guides] + [(each, look.text) for each in box.heading]:
        wide = text_width(word.text, size)
        start = word.x - {"left": 0.0, "center": wide / 2, "right": wide}[word.align]
        assert start >= -box.left - 0.5
        assert start + wide <= box.width + box.right + 0.5
        assert -box.top <= word.y - size / 2
        assert word.y + size / 2 <= box.height + box.bottom
    for row in box.legend:
        assert row.x + 28 + text_width(row.text, look.text) <= box.width + box.right + 0.5
        assert -box.top <= row.y <= 0


def test_labels_at_the_right_edge_do_not_meet() -> None:
    graph = empty_graph().guides(
        [Curve(np.array([0.0, 1.0]), np.array([0.0, y]), f"line {y}") for y in (0.5, 0.51, 0.52)]
    )
    box, look = laid_out(graph)
    places = sorted(word.y for word in box.guides)
    assert all(b - a >= look.small for a, b in pairwise(places))


def test_labels_on_top_are_thinned_until_none_meets_its_neighbour() -> None:
    graph = empty_graph().guides([Curve(np.array([x]), np.array([1.0]), "10,000") for x in np.linspace(0, 1, 20)])
    box, look = laid_out(graph)
    words = sorted(box.guides, key=lambda word: word.x)
    assert 2 <= len(words) < 20
    assert all(b.x - a.x >= text_width("10,000", look.small) for a, b in pairwise(words))


def test_a_label_that_would_fall_below_the_plot_goes_above_its_line() -> None:
    line = Curve(np.array([0.0, 1.0]), np.array([0.001, 0.001]), "random")
    box, _ = laid_out(empty_graph().guides([line], at=0.5, side="below right"))
    assert box.guides[0].y < box.height


def test_the_second_axis_has_round_numbers_of_its_own() -> None:
    graph = Graph("t", Axis("G", domain=(0, 4)), Axis("precision", "p", domain=(0, 0.5)))
    box, _ = laid_out(graph.second_axis(Axis("recall", "r", domain=(0, 1)), factor=2))
    assert box.second is not None
    assert box.second.texts == ("0", "0.2", "0.4", "0.6", "0.8", "1")
    assert box.second.values == (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


@given(
    st.lists(st.tuples(st.floats(0, 100), st.floats(1, 12)), max_size=8),
)
def test_things_moved_apart_do_not_overlap_and_keep_their_order(items: list[tuple[float, float]]) -> None:
    places, sizes = [place for place, _ in items], [size for _, size in items]
    moved = spread(places, sizes, 0.0, 100.0)
    order = sorted(range(len(items)), key=lambda i: places[i])
    for a, b in pairwise(order):
        assert moved[b] - moved[a] >= (sizes[a] + sizes[b]) / 2 - 1e-6


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 9))
def test_ticks_lie_in_the_domain_and_are_not_too_many(low: float, length: float, most: int) -> None:
    axis = Axis("x", domain=(low, low + length)) if low + length > low else Axis("x", domain=(low, low + 1))
    ticks = ticks_of(axis, most)
    assert len(ticks) <= most + 1
    assert all(-1e-6 <= axis.place(tick) <= 1 + 1e-6 for tick in ticks)


def test_ticks_of_a_doubling_axis_are_powers_of_two_written_as_fractions_below_one() -> None:
    axis = Axis("precision", "p", "log2", (1 / 64, 1))
    assert [tick_text(tick, axis) for tick in ticks_of(axis, 4)] == ["1/64", "1/16", "1/4", "1"]


def test_numbers_on_the_axis_do_not_meet() -> None:
    curve = Curve(np.array([334.0, 53450.0]), np.array([0.8, 0.5]))
    graph = Graph("t", Axis("collection size", "d", "log2"), Axis("precision", "p", domain=(0, 1))).curve(curve, "a")
    box, look = laid_out(graph)
    axis = graph.resolved().x
    ends = [
        (axis.place(value) * box.width, text_width(text, look.small) / 2)
        for value, text in zip(box.x.values, box.x.texts, strict=True)
    ]
    assert len(ends) >= 2
    assert all(left + half + 6 <= right - other for (left, half), (right, other) in pairwise(ends))


def test_a_minus_is_a_minus_sign() -> None:
    assert tick_text(-0.5, Axis("x")) == "\N{MINUS SIGN}0.5"


def test_long_texts_are_wrapped_or_shortened() -> None:
    assert len(wrap_text("one two three four five", 10, 50)) == 3
    assert shorten_text("abcdefghijklmnopqrstuvwxyz", 10, 60).count("...") == 1
    assert text_width(shorten_text("abcdefghijklmnopqrstuvwxyz", 10, 60), 10) <= 60
    assert shorten_text("short", 10, 1) == "short"


def test_an_equation_is_broken_only_where_it_is_too_long_for_a_line() -> None:
    text = "the query in the middle of those with c = 8, at w = c"
    for room in range(60, 300, 7):
        lines = wrap_text(text, 10, room)
        assert " ".join(lines) == text
        assert not [line for line in lines if line.startswith("=") or line.endswith("=")]
    assert wrap_text("precision = recall", 10, 30) == ["precision", "=", "recall"]


def test_series_differ_in_colour_dash_and_shape() -> None:
    for theme in (LIGHT, DARK):
        dresses = [Look(theme).dress(number) for number in range(8)]
        assert len({dress.colour for dress in dresses}) == 8
        assert len({dress.dash for dress in dresses}) == 8
        assert len({dress.shape for dress in dresses}) == 8
        many = {(d.colour, d.dash, d.shape) for d in (Look(theme).dress(number) for number in range(24))}
        assert len(many) == 24


@pytest.mark.parametrize("colour", [*LIGHT.series, LIGHT.words, LIGHT.ink])
def test_colours_of_the_light_theme_stand_out_from_the_paper(colour: str) -> None:
    assert contrast(colour, LIGHT.paper) >= 2.2


@pytest.mark.parametrize("colour", [*DARK.series, DARK.words, DARK.ink])
def test_colours_of_the_dark_theme_stand_out_from_the_paper(colour: str) -> None:
    assert contrast(colour, DARK.paper) >= 4.0


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("given", [{"theme": "drak"}, {"width": "narrow"}, {"width": 5}, {"width": float("nan")}])
def test_a_look_that_cannot_be_is_refused_with_what_there_is(given: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=r"light, dark|column \(85 mm\)"):
        Look.of(**given)
