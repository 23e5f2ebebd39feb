"""The class matrix: numbers on tiles, in the right row, readable in both themes."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import vl_convert
from click.testing import CliRunner

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.commands.line.main import cli
from rankscope.core.errors import SettingError
from rankscope.ranks.storage import save_ranks
from rankscope.reports.graphs import class_matrix_graph
from rankscope.reports.graphs.classes import class_table
from rankscope.reports.graphs.graph import Axis, Graph, Tiles
from rankscope.reports.graphs.layout import DARK, LIGHT, Look, Theme, ink_on, layout_of, shade_colour, text_width
from rankscope.reports.graphs.saving import graph_csv
from rankscope.reports.graphs.vega_lite import VERSION
from tests.reports.graphs.class_examples import FIVE, classed, pair
from tests.reports.graphs.examples import TWO
from tests.reports.graphs.test_layout import contrast

LONG = {f"a class with quite a long name, number {number}": 3 + number for number in range(10)}


def tiles(graph: Graph) -> dict[str, Tiles]:
    return {mark.name: mark for mark in graph.marks if isinstance(mark, Tiles)}


def test_two_systems_have_a_column_for_their_difference() -> None:
    graph = class_matrix_graph(pair(FIVE))
    found = tiles(graph)
    assert list(found) == ["first", "second", "difference"]
    assert "difference: second minus first" in graph.subtitle
    three = class_matrix_graph([*pair(FIVE), classed("third", 3, FIVE)])
    assert list(tiles(three)) == ["first", "second", "third"]


def test_differences_have_the_limits_of_compare_in_each_class_and_over_all_queries() -> None:
    systems = pair(FIVE)
    table = class_table(systems, "AP", 10, "it").table
    graph = class_matrix_graph(systems)
    assert graph.y.texts is not None
    facts = tiles(graph)["difference"].facts
    for row, label in enumerate(facts["class"]):
        part = table if label == "all" else table.where(str(label))
        limits = compare([replace(part, classes=None)]).main.pairs[0]
        assert facts["mean"][row] == pytest.approx(part.values[:, 1].mean() - part.values[:, 0].mean())
        assert (facts["low"][row], facts["high"][row]) == pytest.approx((limits.low, limits.high))
        assert graph.y.texts[row] == f"{'all queries' if label == 'all' else label} ({len(part)})"


def test_means_of_classes_have_the_bounded_interval_of_their_queries_and_the_subtitle_says_so() -> None:
    table = class_table(pair(FIVE), "AP", 10, "it").table
    graph = class_matrix_graph(pair(FIVE))
    facts = tiles(graph)["first"].facts
    for row, label in enumerate(facts["class"]):
        made = mean_intervals((table if label == "all" else table.where(str(label))).values[:, :1])
        assert (facts["low"][row], facts["high"][row]) == pytest.approx((made.low[0], made.high[0]))
        assert facts["kind of interval"][row] == ("BCa" if label == "all" else "bounded")
    assert "95% interval (bounded, BCa; difference: limits of the tests that decide)" in graph.subtitle


def test_names_stand_in_the_row_of_their_numbers() -> None:
    graph = class_matrix_graph(pair(FIVE))
    picture = str(vl_convert.vegalite_to_svg(graph.vega_lite(), vl_version=VERSION))
    found = re.findall(r"translate\([\d.-]+,([\d.-]+)\)[^>]*>([^<>]+)</text>", picture)
    rows = [float(y) for label in graph.y.texts or () for y, text in found if text == label]
    assert rows == sorted(rows)
    assert len(rows) == 6
    for mark in tiles(graph).values():
        for row, word in zip(rows, mark.words, strict=True):
            assert any(text == word and abs(float(y) - row) < 10 for y, text in found)


def test_the_largest_mean_is_the_darkest_and_a_loss_has_the_other_colour() -> None:
    found = tiles(class_matrix_graph(pair(FIVE)))
    means = np.concatenate([found[name].facts["mean"] for name in ("first", "second")])
    shades = np.concatenate([found[name].shade for name in ("first", "second")])
    np.testing.assert_array_equal(np.argsort(means), np.argsort(shades))
    np.testing.assert_allclose(shades, 0.1 + 0.9 * means)  # of what AP can be, so that .704 and .703 look alike


def test_a_difference_is_coloured_where_its_limits_leave_out_0() -> None:
    graph = class_matrix_graph(list(reversed(pair(FIVE))))
    turned = tiles(graph)["difference"]
    mean, low, high = (np.array(turned.facts[name], dtype=np.float64) for name in ("mean", "low", "high"))
    shown = (low > 0) | (high < 0)
    assert 0 < shown.sum() < shown.size
    np.testing.assert_array_equal(np.sign(turned.shade), np.where(shown, np.sign(mean), 0))
    np.testing.assert_allclose(turned.shade[shown], mean[shown] / np.abs(mean).max())
    assert "; colour: means from 0.000 to 1.000, differences whose own limits leave out 0" in graph.subtitle
    three = class_matrix_graph([*pair(FIVE), classed("third", 3, FIVE)], measure="num_rel")
    assert three.subtitle.endswith(f"; colour: means from 0.000 to {max(map(float, tiles(three)['first'].words)):.3f}")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: str(theme.name))
def test_ink_can_be_read_on_every_shade(theme: Theme) -> None:
    for shade in np.linspace(-1, 1, 41).tolist():
        colour = shade_colour(shade, theme)
        assert contrast(ink_on(colour), colour) >= 4.5
    assert shade_colour(float("nan"), theme) == theme.paper


def test_a_class_of_one_query_has_no_interval() -> None:
    mark = tiles(class_matrix_graph(pair({"one": 1, "more": 5})))["first"]
    assert sorted(each == "no interval" for each in mark.below) == [False, False, True]


@pytest.mark.parametrize("width", ["column", "full"])
def test_long_names_fit(width: str) -> None:
    graph = class_matrix_graph([classed(f"a system with a long name {i}", i, LONG) for i in range(3)]).resolved()
    look = Look.of(width=width)
    box = layout_of(graph, look)
    assert box.left + box.width + box.right == pytest.approx(look.width)
    assert box.width > 0.45 * look.width
    lines = [line for text in box.y.texts for line in text.split("\n")]
    assert all(text_width(line, look.small) <= box.left for line in lines)
    assert box.y.lines * look.line <= box.height / len(box.y.texts) + 1
    for text in box.x.texts:
        assert all(text_width(line, look.small) <= box.width / 3 for line in text.split("\n"))


def test_a_narrow_matrix_of_many_systems_leaves_the_intervals_out() -> None:
    spec = class_matrix_graph([classed(f"s{number}", number, FIVE) for number in range(12)]).vega_lite()
    picture = str(vl_convert.vegalite_to_svg(spec, vl_version=VERSION))
    assert " to 0." not in picture
    assert " to 0." in str(vl_convert.vegalite_to_svg(class_matrix_graph(pair(FIVE)).vega_lite(), vl_version=VERSION))


def test_the_data_name_class_and_system() -> None:
    text = graph_csv(class_matrix_graph(pair(FIVE))).split("\n", 1)[1]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 18
    assert {row["name"] for row in rows} == {"first", "second", "difference"}
    assert rows[-1]["class"] == "all"


def test_equal_means_are_all_of_one_shade() -> None:
    same = pair(FIVE)[0]
    found = tiles(class_matrix_graph([same, same], measure="num_rel"))
    assert len(set(found["first"].shade.tolist())) == 1
    assert set(found["difference"].shade.tolist()) == {0.0}


def test_without_classes_there_is_one_row() -> None:
    assert class_matrix_graph(TWO).y.texts == ("all queries (12)",)


def test_the_command_takes_the_largest_classes(tmp_path: Path) -> None:
    systems = pair(FIVE)
    paths = [str(tmp_path / f"{each.system}.ranks.parquet") for each in systems]
    for each, path in zip(systems, paths, strict=True):
        save_ranks(each, path)
    target = tmp_path / "matrix.csv"
    done = CliRunner().invoke(
        cli, ["graph", "class-matrix", *paths, "-o", str(target), "--largest", "2", "-m", "P@5", "--level", "0.9"]
    )
    assert done.exit_code == 0, done.output
    text = target.read_text()
    assert text.startswith("# P@5 by class: first, second")
    assert "castles" in text
    assert "boats" not in text


def test_names_without_ticks_and_levels_that_cannot_be_are_refused() -> None:
    with pytest.raises(SettingError, match="2 names for 1 ticks"):
        Axis("class", ticks=(1.0,), texts=("a", "b"))
    with pytest.raises(SettingError, match="between 0 and 1"):
        class_matrix_graph(TWO, level=0.0)
