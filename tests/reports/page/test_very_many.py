"""Graphs that take long are of the best systems and the baseline, where there are very many; the others hold all."""

from __future__ import annotations

import pytest

from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.page.report import MOST_ALONE, _of_kind

COUNT = 40
ORDER = list(range(COUNT))[::-1]  # the baseline is the worst


@pytest.fixture(scope="module")
def systems() -> list[RelevantRanks]:
    return [RelevantRanks.from_ranks([[1], [2]], collection=64, system=f"s{each}") for each in range(COUNT)]


@pytest.mark.parametrize("name", ["grip", "grnp", "forecast"])
def test_what_takes_long_is_of_the_best_and_the_baseline_and_says_so(name: str, systems: list[RelevantRanks]) -> None:
    (asked,) = _of_kind(graphs.by_name(name), systems, ORDER)
    names = [each.system for each in asked.systems]
    assert names == ["s0", *(f"s{each}" for each in range(COUNT - MOST_ALONE + 1, COUNT))]
    assert asked.note == f"the {MOST_ALONE - 1} best systems and s0, of {COUNT}"


@pytest.mark.parametrize("name", ["precision-recall", "precision-scope", "recall-scope", "precision-window"])
def test_a_reader_finds_every_system_on_the_others(name: str, systems: list[RelevantRanks]) -> None:
    (asked,) = _of_kind(graphs.by_name(name), systems, ORDER)
    assert len(asked.systems) == COUNT
    assert not asked.note


def test_up_to_25_systems_every_graph_has_all(systems: list[RelevantRanks]) -> None:
    some = systems[:MOST_ALONE]
    (asked,) = _of_kind(graphs.by_name("grip"), some, list(range(MOST_ALONE)))
    assert asked.systems == some
    assert not asked.note
