"""What to conclude: each sentence says what the data of its graph say."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rankscope.analysis.comparison.compare import compare
from rankscope.core.settings import Settings
from rankscope.core.wording import decimal_text
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs import (
    band_graph,
    class_matrix_graph,
    even_growth_graph,
    grep_graph,
    per_query_differences_graph,
    power_curve_graph,
    precision_recall_graph,
    rank_intervals_graph,
    score_distribution_graph,
)
from rankscope.reports.graphs.graph import Dots, Graph, ShadedRegion, Stroke, SurfaceMark, Tiles
from rankscope.reports.graphs.kinds import reader_chooses
from rankscope.reports.page.benchmark_page import Bar, cost_graph, quality_graph
from tests.reports.examples import many_scores, scores_of

SYSTEMS = [system.ranks for system in many_scores(5).systems]
LABELLED = [system.ranks for system in scores_of("rough", "fine").systems]


@pytest.mark.parametrize("measure", ["AP", "ER"])
def test_wins_and_losses_are_those_of_the_bars_also_where_lower_is_better(measure: str) -> None:
    graph = per_query_differences_graph(LABELLED, measure)
    values = {each.name: each.columns[0].values for each in evaluate_ranks(LABELLED, [measure], Settings()).systems}
    gains = (values["fine"] - values["rough"]) * (-1 if measure == "ER" else 1)
    won, lost = int((gains > 1e-9).sum()), int((gains < -1e-9).sum())
    assert graph.conclusion.startswith(f"fine is better on {won} of 60 queries, rough on {lost}")
    counts = {mark.name: mark.x.size for mark in graph.marks if mark.role == "bar"}  # type: ignore[attr-defined]
    assert {name: count for name, count in counts.items() if count} == {
        name: count for name, count in (("rough is better", lost), ("fine is better", won)) if count
    }
    if won:
        best = LABELLED[0].queries[int(np.argmax(gains))]
        top = gains == gains.max()
        named = re.search(r"largest win of fine is query (item \d+)", graph.conclusion)
        assert named is not None
        assert named[1] == best or top[LABELLED[0].queries.index(named[1])]


def test_queries_needed_are_those_at_the_open_points() -> None:
    graph = power_curve_graph(SYSTEMS[:2])
    points = {mark.name: mark.facts["queries needed"][0] for mark in graph.marks if isinstance(mark, Dots)}
    found = re.findall(r"a true difference of (\.\d+) takes ([\d,]+) queries", graph.conclusion)
    assert len(found) == 2
    for effect, count in found:
        assert points[f"difference of {float(effect):g}"] == int(count.replace(",", ""))
    enough = [float(name.split()[-1]) for name, count in points.items() if int(str(count)) <= 24]
    assert ("enough for none of these" in graph.conclusion) == (not enough)


def test_a_difference_is_told_where_its_band_leaves_out_0() -> None:
    graph = band_graph(LABELLED, difference=True)
    (band,) = [mark for mark in graph.marks if isinstance(mark, ShadedRegion)]
    above = band.low > 0
    assert above.any()
    assert "fine has the higher precision" in graph.conclusion
    ends = band.x[above]
    first = f"recall {ends[0]:g}".replace("0.", ".")
    assert first in graph.conclusion
    alike = band_graph([SYSTEMS[0], SYSTEMS[0]], difference=True)
    assert "no significant difference" in alike.conclusion or alike.conclusion == ""


def test_precision_on_the_surface_is_read_at_half_of_the_recall() -> None:
    graph = grep_graph(LABELLED[0])
    (mark,) = [mark for mark in graph.marks if isinstance(mark, SurfaceMark)]
    told = re.search(
        r"At recall \.500 precision \w+ from (\S+) at G = (\S+) to (\S+) at G = ([\d.]+),", graph.conclusion
    )
    assert told is not None
    for value, level in ((told[1], told[2]), (told[3], told[4])):
        row = int(np.argmin(np.abs(mark.x[:, 0] - float(level))))
        assert float(np.interp(0.5, mark.y[row], mark.z[row])) == pytest.approx(float(value), abs=0.0006)


def test_a_threshold_keeps_the_share_that_scores_above_the_distractors() -> None:
    graph = score_distribution_graph(LABELLED[1])
    ranks = LABELLED[1]
    assert ranks.distractors is not None
    hits = ranks.judged["score"][ranks.judged["grade"] >= 1]
    share = float((hits > np.quantile(ranks.distractors["score"], 0.99)).mean())
    assert f"keeps {100 * share:.0f} % of the relevant items" in graph.conclusion
    assert f"{share:.0%} of the relevant items" in graph.subtitle


def test_who_may_be_the_best_is_counted() -> None:
    compared = compare(many_scores(5))
    graph = rank_intervals_graph(SYSTEMS, compared=compared)
    ranks = compared.main.ranks
    assert ranks is not None
    best = int((ranks.low == 1).sum())
    assert (f"{best} of 5 systems can be the best" if best > 1 else "alone can be the best") in graph.conclusion


def test_classes_won_are_counted() -> None:
    graph = class_matrix_graph(LABELLED)
    tiles = {
        mark.name: np.array(mark.facts["mean"][:-1], dtype=float) for mark in graph.marks if isinstance(mark, Tiles)
    }
    won = int((tiles["fine"] > tiles["rough"]).sum())
    assert f"fine has the best mean in {won} of {tiles['fine'].size} classes" in graph.conclusion


def test_descriptors_that_share_a_letter_cannot_be_distinguished() -> None:
    bars = [Bar("a", 0.5, 0.4, 0.6, 10.0, "a"), Bar("b", 0.45, 0.4, 0.5, 1.0, "ab"), Bar("c", 0.2, 0.1, 0.3, 2.0, "b")]
    told = quality_graph(bars, "AP").conclusion
    assert told == "a has the best mean AP, .500, but without a significant difference from 1 of the other 2."
    assert (
        "a has the best mean AP, .500, at 10 ms; the cheapest, b, has .450 at 1 ms" in cost_graph(bars, "AP").conclusion
    )


def test_a_description_may_hold_more_systems_than_a_picture_and_keeps_those_asked_for() -> None:
    systems = [RelevantRanks.from_ranks([[1, 3], [2]], system=f"s{number}") for number in range(20)]
    with pytest.raises(Exception, match="1 to 12 systems, got 20"):
        precision_recall_graph(systems)
    with reader_chooses():
        graph: Graph = precision_recall_graph(systems)
    assert len(graph.series) == 20
    assert graph.only(["s3", "s7"]).series == ("s3", "s7")
    assert len([mark for mark in graph.only([]).marks if mark.role == "guide"]) > 0
    with pytest.raises(Exception, match="got 20"):
        precision_recall_graph(systems)


def test_growth_is_told_from_the_ends_of_both_curves() -> None:
    graph = even_growth_graph(LABELLED[0])
    curves = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    ends = [decimal_text(float(mark.y[place])) for mark in curves for place in (0, -1)]
    assert re.findall(r"\.\d{3}", graph.conclusion) == ends
