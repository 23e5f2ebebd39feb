"""The graph of rank intervals shows what the tests say, best system first."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.comparison.rank_intervals import rank_intervals
from rankscope.core.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.differences import rank_intervals_graph
from rankscope.reports.graphs.graph import Dots, Spans, TextMark, Tiles
from rankscope.reports.graphs.systems import score_values
from tests.reports.graphs.examples import TWO, ranked


def top(system: str) -> RelevantRanks:
    return RelevantRanks.from_ranks([[1, 2, 3, 4]] * 12, collection=200, depth=200, system=system)


def test_bars_points_and_letters_are_those_of_the_result() -> None:
    systems = [*TWO, top("best")]
    result = rank_intervals(score_values(systems, "AP", "x"))
    graph = rank_intervals_graph(systems)
    (spans,) = [mark for mark in graph.marks if isinstance(mark, Spans)]
    (points,) = [mark for mark in graph.marks if isinstance(mark, Dots)]
    assert (spans.low.tolist(), spans.high.tolist()) == (result.low.tolist(), result.high.tolist())
    assert points.x.tolist() == [1, 2, 3]
    assert [mark.name for mark in graph.marks if isinstance(mark, TextMark)] == list(result.letters) == ["a", "b", "b"]
    assert points.facts["system"] == list(result.systems)


def test_the_best_system_stands_highest_with_its_name() -> None:
    graph = rank_intervals_graph([*TWO, top("best")])
    (points,) = [mark for mark in graph.marks if isinstance(mark, Dots)]
    assert points.y.tolist() == [3, 2, 1]
    assert graph.y.texts is not None
    assert graph.y.texts[-1] == "best"


def test_many_systems_are_counted_not_named() -> None:
    graph = rank_intervals_graph([ranked(f"run {number}", number) for number in range(14)], level=0.9)
    assert graph.subtitle.startswith("14 systems; 12 queries; intervals hold together at 90%")
    assert np.diff(graph.x.ticks or ()).max() <= 2


def test_one_system_has_no_rank() -> None:
    with pytest.raises(SettingError, match="shows 2 to 60 systems, got 1"):
        rank_intervals_graph(TWO[0])


def test_chances_stand_on_tiles_with_the_shares_of_the_result() -> None:
    systems = [*TWO, top("best")]
    result = rank_intervals(score_values(systems, "AP", "x"))
    graph = rank_intervals_graph(systems, show="chances")
    (tiles,) = [mark for mark in graph.marks if isinstance(mark, Tiles)]
    assert np.allclose(tiles.shade.reshape(3, 3), result.chance, atol=0.02)
    assert (tiles.facts["system"][0], tiles.facts["rank"][:3]) == ("best", [1, 2, 3])
    assert tiles.words[0] == "100"
    assert f"best is the best in {result.chance[0, 0]:.1%} of the draws" in graph.conclusion


def test_of_many_systems_the_best_have_tiles() -> None:
    graph = rank_intervals_graph([ranked(f"run {number}", number) for number in range(20)], show="chances")
    (tiles,) = [mark for mark in graph.marks if isinstance(mark, Tiles)]
    assert tiles.x.size == 16 * 16
    assert "the 16 best of 20 systems" in graph.subtitle
