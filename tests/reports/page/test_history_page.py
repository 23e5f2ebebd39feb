"""The page of a gate's history: what it says is what the records hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankscope.analysis.comparison.gate import Outcome
from rankscope.analysis.comparison.gate_history import (
    BuildRecord,
    CheckRecord,
    GateHistory,
    builds_sentence,
    chance_note,
    check_sentence,
    history_headline,
    history_rows,
    history_warnings,
)
from rankscope.core.errors import Problem, SettingError
from rankscope.reports.graphs.graph import Dots, ShadedRegion
from rankscope.reports.page.result_pages import build_history_graph, render_history


def check(change: float, value: float = 0.5, measure: str = "AP", verdict: Outcome = "pass") -> CheckRecord:
    return CheckRecord(
        measure=measure,
        label="",
        value=value,
        value_low=value - 0.05,
        value_high=value + 0.05,
        baseline=value - change,
        change=change,
        low=change - 0.02,
        high=change + 0.02,
        level=0.95,
        min_effect=0.01,
        queries=50,
        verdict=verdict,
    )


def judged(change: float) -> Outcome:
    """A loss beyond .02 fails, another is undecided."""
    return "fail" if change < -0.02 else "pass" if change >= 0 else "undecided"


def history_of(*changes: float) -> GateHistory:
    """Builds 1, 2, ... with these changes."""
    builds = [
        BuildRecord(
            build=str(number),
            date=f"2026-11-{number:02}",
            baseline="main",
            candidate="branch",
            reason="why",
            checks=(check(change, 0.5 + change, verdict=judged(change)),),
        )
        for number, change in enumerate(changes, 1)
    ]
    return GateHistory(tuple(builds))


def test_what_moved_and_when_follows_from_the_limits() -> None:
    history = history_of(0.0, 0.03, -0.05, 0.01)
    assert check_sentence(history, "AP") == (
        "AP went from .500 [.450, .550] at build 1 to .510 [.460, .560] at build 4; against the baseline of the time "
        "it shows a gain at 2 (+.030, better) and a loss at 3 (\u2212.050, worse)."
    )
    still = history_of(0.0, 0.01)
    assert check_sentence(still, "AP").endswith("; at none of 2 builds is a change from the baseline shown.")
    alone = history_of(0.01)
    assert check_sentence(alone, "AP") == (
        "AP is .510 [.460, .560]; it changed by +.010, better [\u2212.010, +.030] against its baseline."
    )


def test_many_moves_are_counted_and_the_last_ones_named() -> None:
    sentence = check_sentence(history_of(*[0.03] * 9), "AP")
    assert (
        "a gain at 9 builds, lately 6 (+.030, better), 7 (+.030, better), 8 (+.030, better) and 9 (+.030, better)"
        in sentence
    )


def test_builds_are_counted() -> None:
    assert history_headline(history_of(0.0, -0.05)) == "Build 2 of 2026-11-02 fails the gate."
    assert history_headline(history_of(0.0, -0.01)) == "Build 2 of 2026-11-02 is undecided by the gate."
    assert builds_sentence(history_of(0.0, -0.05, 0.0)) == (
        "3 builds from 2026-11-01 to 2026-11-03: 2 passed, 1 failed (2)."
    )
    assert builds_sentence(history_of(0.0, 0.0)) == "2 builds from 2026-11-01 to 2026-11-02: all passed."
    assert builds_sentence(history_of(0.0, -0.01)).endswith(": 1 passed, 1 undecided, none failed.")
    assert builds_sentence(history_of(-0.01, -0.05)).endswith(": 0 passed, 1 undecided, 1 failed (2).")
    assert builds_sentence(history_of(0.0)) == "1 build on 2026-11-01."
    assert "the last of them 3, 4, 5 and 6" in builds_sentence(history_of(*[-0.05] * 6))


def test_chance_is_counted_from_the_levels() -> None:
    note = chance_note(history_of(0.0, 0.03, -0.05, 0.01))
    assert "about 0.4 of these 4 checks would show a gain or a loss by chance; 2 do" in note


def test_the_graph_has_every_value_its_interval_and_hollow_points_where_it_failed() -> None:
    history = history_of(0.0, 0.03, -0.05)
    graph = build_history_graph(history, "AP")
    (band,) = [mark for mark in graph.marks if isinstance(mark, ShadedRegion)]
    np.testing.assert_allclose(band.low, [0.45, 0.48, 0.40])
    hollow, filled = sorted((mark for mark in graph.marks if isinstance(mark, Dots)), key=lambda mark: mark.x.size)
    assert filled.x.tolist() == [1, 2]
    assert (hollow.x.tolist(), hollow.y.tolist(), hollow.role) == ([3], [0.45], "open point")
    with pytest.raises(SettingError, match="one build has no history"):
        build_history_graph(history_of(0.0), "AP")


def test_a_check_that_came_later_begins_later() -> None:
    history = history_of(0.0, 0.01, 0.02)
    later = replace(history.builds[2], checks=(*history.builds[2].checks, check(0.1, measure="P@10")))
    history = replace(history, builds=(*history.builds[:2], later))
    assert history.names == ("AP", "P@10")
    assert [row["P@10"] for row in history_rows(history)] == [0.5, None, None]
    assert "P@10 is .500" in check_sentence(history, "P@10")


def test_damaged_lines_stand_on_the_page() -> None:
    history = replace(history_of(0.0, 0.01), damaged=(Problem("line 7", "not a whole line of JSON"),), repeated=1)
    assert history_warnings(history)[0] == "line 7: not a whole line of JSON"
    page = render_history(history)
    assert "line 7: not a whole line of JSON" in page
    assert "1 earlier record of builds" in page


def test_names_are_text_and_nothing_is_asked_from_the_net() -> None:
    nasty = "<script>alert(1)</script>\"'"
    history = history_of(0.0, 0.01)
    builds = tuple(replace(each, build=nasty + each.build, reason=nasty) for each in history.builds)
    page = render_history(replace(history, builds=builds), title=nasty)
    assert "<script>alert" not in page
    assert page.count("<script>") == 1
    assert "src=" not in page.replace("default-src", "").replace("script-src", "")


def test_a_build_that_is_undecided_is_shown_as_such() -> None:
    page = render_history(history_of(0.0, -0.05, -0.01))
    assert '<li class="undecided" title="3, 2026-11-03: undecided">' in page
    assert '<li class="tile undecided"><span class="verdict">undecided</span>' in page
    assert [row["gate"] for row in history_rows(history_of(0.0, -0.05, -0.01))] == ["undecided", "fail", "pass"]


def test_where_lower_is_better_the_same_moves_are_told_with_signs_turned() -> None:
    plain = history_of(0.0, 0.03, -0.05)
    lower = replace(
        plain,
        builds=tuple(replace(each, checks=tuple(_twin(check) for check in each.checks)) for each in plain.builds),
    )
    said, turned = check_sentence(plain, "AP"), check_sentence(lower, "AP")
    assert said.partition(";")[2] == (
        " against the baseline of the time it shows a gain at 2 (+.030, better) and a loss at 3 (\u2212.050, worse)."
    )
    assert turned.partition(";")[2] == (
        " against the baseline of the time it shows a gain at 2 (\u2212.030, better) and a loss at 3 (+.050, worse)."
    )
    assert [row["gate"] for row in history_rows(lower)] == [row["gate"] for row in history_rows(plain)]


def _twin(check: CheckRecord) -> CheckRecord:
    return replace(check, change=-check.change, low=-check.high, high=-check.low, lower_is_better=True)


def test_equal_histories_give_equal_pages() -> None:
    assert render_history(history_of(0.0, 0.01)) == render_history(history_of(0.0, 0.01))
