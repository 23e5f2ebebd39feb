"""The graph of looks shows what the state holds, as data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankscope.analysis.comparison.sequential_state import LookCheck, LookRecord, Question, SequentialState
from rankscope.core.errors import SettingError
from rankscope.reports.graphs.graph import Guide, ShadedRegion
from rankscope.reports.graphs.interim_analyses import sequential_graph


def state_of(kind: str = "gate", systems: tuple[str, ...] = ("old", "new")) -> SequentialState:
    pairs = tuple((first, second) for first in range(len(systems)) for second in range(first + 1, len(systems)))
    question = Question(
        kind=kind,  # type: ignore[arg-type]
        measures=("AP",),
        better=("higher",),
        min_effect=(0.01 if kind == "gate" else 0.0,),
        pairs=pairs,
        alpha=0.05,
        unit="query",
    )
    limits = ((-0.02, -0.9, 0.8, "not yet"), (-0.03, -0.2, 0.1, "not yet"), (-0.04, -0.08, -0.01, "worse"))
    looks = [
        LookRecord(count, tuple(LookCheck(*each) for _ in pairs))  # type: ignore[arg-type]
        for count, each in zip((10, 50, 200), limits, strict=True)
    ]
    return SequentialState(question, systems, {}, tuple(looks))


def test_band_line_and_points_are_the_looks() -> None:
    graph = sequential_graph(state_of())
    assert graph.title == "AP: new minus old"
    assert graph.summary == "AP at the last look: -.040 (worse) from -.080 to -.010, decided: worse."
    assert graph.x.domain == (0.0, 208.0)
    assert graph.y.domain == pytest.approx((-0.23, 0.23))  # the first look, as wide as nothing known, does not count
    band = next(mark for mark in graph.marks if isinstance(mark, ShadedRegion))
    assert list(band.low) == pytest.approx([-0.23, -0.2, -0.08])
    assert list(band.high) == pytest.approx([0.23, 0.1, -0.01])
    texts = str(graph.marks)
    assert "no change" in texts
    assert "loss .01" in texts


def test_a_comparison_names_its_pairs_and_too_many_are_refused() -> None:
    assert sequential_graph(state_of("compare")).title == "new minus old"
    three = sequential_graph(state_of("compare", ("A", "B", "C")))
    assert three.series == ("B minus A", "C minus A", "C minus B")
    with pytest.raises(SettingError, match="6 pairs and measures make no readable graph"):
        sequential_graph(state_of("compare", ("A", "B", "C", "D")))


def test_a_loss_lies_above_0_where_lower_is_better() -> None:
    state = state_of()
    question = replace(state.question, measures=("ER",), better=("lower",))
    lower = sequential_graph(replace(state, question=question))
    assert lower.summary == "ER at the last look: -.040 (better) from -.080 to -.010, decided: worse."
    assert {mark.name: mark.y[0] for mark in lower.marks if isinstance(mark, Guide)} == {
        "no change": 0,
        "loss .01": 0.01,
    }
    question = replace(
        question, measures=("AP", "P@5", "ER"), better=("higher", "higher", "lower"), min_effect=(0.01,) * 3
    )
    looks = tuple(replace(look, checks=look.checks * 3) for look in state.looks)
    both = sequential_graph(replace(state, question=question, looks=looks))
    rules = {mark.name: mark.y[0] for mark in both.marks if isinstance(mark, Guide)}
    assert rules == {"no change": 0, "loss .01 of AP and P@5": -0.01, "loss .01 of ER": 0.01}


def test_one_look_is_a_graph_too() -> None:
    state = state_of()
    assert sequential_graph(replace(state, looks=state.looks[:1])).x.domain == (0.0, 10.4)
