"""What a benchmark says: standings, tables, which queries are shown, and the page."""

from __future__ import annotations

import base64
import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.comparison.pairwise import compare_pairs
from rankscope.analysis.statistics.deciding_test import DECIDING
from rankscope.analysis.statistics.sampling_units import class_sums
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.settings import Settings
from rankscope.engines.images.benchmark import benchmark
from rankscope.engines.images.contenders import contenders
from rankscope.engines.images.picture_set import PictureSet
from rankscope.inputs.collections.collection import KEPT, Collection
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.reports.page.benchmark_page import choose_queries, class_table, render_benchmark, shown_queries
from rankscope.reports.page.found_items import thumbnails
from rankscope.reports.standings import (
    Standings,
    name_of_mean,
    places_text,
    standings_grid,
    standings_latex,
    standings_notes,
    standings_of,
    standings_rows,
    standings_text,
    standings_verdict,
)
from tests.reports.benchmark_examples import standings


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Standings:
    return standings(tmp_path_factory.mktemp("benchmark"))


def test_descriptors_stand_by_their_mean(made: Standings) -> None:
    means = [row.means["MAP"].value for row in made.rows]
    assert means == sorted(means, reverse=True)
    assert [row.place for row in made.rows] == [1, 2, 3]
    assert made.measures == ("MAP", "P@10", "ER", "ANMRR", "Rprec")
    assert made.lower == ("ER", "ANMRR")


def test_places_and_letters_are_those_of_the_test_over_classes(made: Standings) -> None:
    table = ScoreTable.of(made.scores, "AP")
    test = compare_pairs(class_sums(table))
    for row in made.rows:
        pairs = [pair for pair in test.comparisons if row.name in (pair.first, pair.second) and pair.better]
        own = table.number(row.name)
        other = [table.number(p.first if p.second == row.name else p.second) for p in pairs]
        means = table.values.mean(axis=0)
        assert row.best_place == 1 + sum(means[each] > means[own] for each in other)
        assert row.worst_place == 3 - sum(means[each] < means[own] for each in other)
    for one in made.rows:
        for two in made.rows:
            apart = not set(one.letters) & set(two.letters)
            shown = [p for p in test.comparisons if {p.first, p.second} == {one.name, two.name} and p.better]
            assert apart == bool(shown)


def test_one_descriptor_has_no_letters_and_two_have(tmp_path: Path) -> None:
    one = standings(tmp_path / "one", "thumbnail(side=8)")
    assert (one.rows[0].letters, places_text(one.rows[0])) == ("", "1")
    assert standings_verdict(one).endswith(").")
    assert "Tukey" not in standings_text(one)
    two = standings(tmp_path / "two", "thumbnail(side=8),lbp")
    assert all(row.letters for row in two.rows)


def test_the_rule_that_keeps_the_query_comes_first(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    images = np.repeat(random.integers(0, 256, (3, 1, 16, 16)), 4, axis=1).reshape(12, 16, 16)
    images = np.clip(images + random.integers(-90, 91, images.shape), 0, 255).astype(np.uint8)
    labels = tuple(name for name in "abc" for _ in range(4))
    ids = tuple(f"{name}-{place}" for place, name in enumerate(labels))
    rule = {"query_item": KEPT, "measures": ("Bullseye", "AP")}
    shapes = Collection("shapes", ids, labels, images=images, **rule)  # type: ignore[arg-type]
    result = standings_of(benchmark(shapes, contenders("thumbnail(side=8)"), tmp_path))
    assert result.measures[:2] == ("Bullseye", "MAP")
    ranks = result.benchmark.ranks[0]
    by_hand = [(1 + sum(rank + 1 <= 8 for rank in hits)) / 4 for hits in ranks.judged.lists("rank")]
    assert result.rows[0].means["Bullseye"].value == pytest.approx(np.mean(by_hand))
    assert "put back" in standings_text(result)


def test_the_best_of_each_measure_is_marked(made: Standings) -> None:
    grid = standings_grid(made)
    place = grid.header.index("ER")
    best = min(row.means["ER"].value for row in made.rows)
    marked = [row[place].best for row in grid.rows]
    assert marked == [row.means["ER"].value == best for row in made.rows]
    assert r"\mathbf" in standings_latex(made)


def test_a_mean_has_its_own_name_and_an_interval_around_it(made: Standings) -> None:
    assert name_of_mean("NMRR") == "ANMRR"
    for row in standings_rows(made):
        low, mean, high = (float(str(row[name])) for name in ("MAP low", "MAP", "MAP high"))
        assert low <= mean <= high


def test_shown_queries_are_typical_easy_hard_and_disputed() -> None:
    random = np.random.default_rng(1)
    level = np.repeat(np.linspace(0.1, 0.8, 8), 10)
    first, second = (np.clip(level + random.normal(0, 0.05, 80), 0, 1) for _ in "AB")
    second[33] = 1.0
    classes = [f"class {number}" for number in range(8) for _ in range(10)]
    table = ScoreTable.make({"A": first, "B": second}, classes)
    found = choose_queries(table, 8)
    kinds = [each.why.split(":")[0] for each in found]
    order = ["typical query", "easy class", "hard class", "descriptors disagree"]
    assert kinds == [kind for kind in order for _ in range(2)]
    assert "class 7" in found[2].why
    assert "class 0" in found[4].why
    assert found[6].query == "q34"
    assert found == choose_queries(table, 8)
    assert found != choose_queries(table, 8, seed=1)
    assert len({each.query for each in choose_queries(table, 500)}) == 80
    assert choose_queries(table, 0) == []


def test_every_query_shows_the_first_results_of_every_descriptor(made: Standings) -> None:
    shown = shown_queries(made, 4, first=6, seed=0)
    assert len(shown) == 4
    pictures = made.benchmark.pictures
    for query in shown:
        assert [one.descriptor for one in query.found] == [row.name for row in made.rows]
        for one in query.found:
            assert [hit.rank for hit in one.hits] == [1, 2, 3, 4, 5, 6]
            assert query.row not in [hit.row for hit in one.hits]
            assert one.right == sum(pictures.labels[hit.row] == query.label for hit in one.hits)


def test_the_table_of_classes_has_the_means_of_their_queries(made: Standings) -> None:
    found = class_table(made)
    assert {name for name, *_ in found["rows"]} == {"blue", "green", "red"}
    table = made.table
    for name, count, values, best in found["rows"]:
        rows = [at for at, label in enumerate(table.labels) if label == name]
        assert count == len(rows)
        assert values == pytest.approx(table.values[rows].mean(axis=0).tolist())
        assert best == max(values)


def test_the_page_needs_nothing_and_is_the_same_every_time(made: Standings) -> None:
    page = render_benchmark(made, shown=4)
    assert page == render_benchmark(made, shown=4)
    assert len(page) < 3_000_000
    outside = page.split("<script>")[0]
    assert not re.search(r"(src|href)=\"(?!#|data:)", outside)
    assert len(re.findall(r'<li class="hit (?:yes|no)"', page)) == 4 * 3 * 10
    assert page.count('<span class="mark">') == 4 * 3 * 10
    assert 'id="results"' not in render_benchmark(made, shown=0)


def test_names_of_pictures_stay_text(tmp_path: Path) -> None:
    blank = np.arange(4 * 64, dtype=np.uint8).reshape(4, 8, 8)
    ids = ("<script>alert(1)</script>", "b", "c", "d")
    odd = Collection("<b>odd</b>", ids, ("x", "x", "</style>y", "</style>y"), images=blank)
    page = render_benchmark(standings_of(benchmark(odd, contenders("thumbnail(side=4)"), tmp_path)))
    assert "<script>alert(1)" not in page
    assert "</style>y" not in page
    assert "<b>odd" not in page


def test_thumbnails_are_as_large_as_the_room_allows() -> None:
    random = np.random.default_rng(0)
    images = tuple(random.integers(0, 256, (200, 300, 3)).astype(np.uint8) for _ in range(4))
    pictures = PictureSet("noise", tuple("abcd"), ("x",) * 4, images)
    large, small = thumbnails(pictures, [0, 1, 2, 3]), thumbnails(pictures, [0, 1, 2, 3, 3], room=12_000)
    assert [size(each) for each in large.values()] == [(144, 96)] * 4
    assert sum(map(len, small.values())) <= 12_000
    assert len(small) == 4
    icon = PictureSet("icon", ("a",), ("x",), (np.zeros((32, 32), dtype=np.uint8),))
    assert size(thumbnails(icon, [0])[0]) == (32, 32)


def size(address: str) -> tuple[int, int]:
    data = base64.b64decode(address.partition(",")[2])
    with Pillow.open(BytesIO(data)) as picture:
        width, height = picture.size
        return width, height


def test_compare_on_the_files_of_a_benchmark_gives_its_verdict(made: Standings) -> None:
    again = compare(evaluate_ranks(made.benchmark.ranks, ["AP"], Settings()))
    assert {row.name: (row.best_place, row.worst_place, row.letters) for row in made.rows} == again.places()
    assert made.compared is not None
    assert [pair.adjusted for pair in made.compared.main.pairs] == [pair.adjusted for pair in again.main.pairs]
    best, *others = again.main.order
    assert made.rows[0].name == best
    assert [made.shown_better(best, name) for name in others] == [again.shown_better(best, name) for name in others]


def test_the_notes_name_the_test_that_decided_and_what_so_few_classes_cannot_show(made: Standings) -> None:
    notes = " ".join(standings_notes(made))
    assert f"{DECIDING} test of MAP" in notes
    assert made.compared is not None
    assert len(made.compared.main.units) == 3
    smallest = 2 ** (1 - 3)  # by sign flips, of three classes that all favour one descriptor
    assert "3 classes cannot make any difference significant: the smallest p-value" in notes
    assert f"possible is .{100 * smallest:.0f}, .{300 * smallest:.0f} when corrected" in notes
    assert not any(pair.better for pair in made.compared.main.pairs)
