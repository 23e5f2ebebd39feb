"""The leaderboard: scales, shades, places, groups and marks, each from the values it stands for."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankscope.analysis.comparison.estimates import Estimate, class_estimates
from rankscope.core.errors import SettingError
from rankscope.reports.page import leaderboard
from rankscope.reports.page.html import render_report
from rankscope.reports.page.leaderboard import MOST_CLASS_COLUMNS, BoardColumn, Scale, board_number, board_of, slots_of
from rankscope.reports.page.report import Report, with_baseline
from tests.reports.examples import many_scores, scores_of


@pytest.mark.parametrize(
    ("ends", "low", "high"),
    [
        ([0.2, 0.341], 0, 0.35),
        ([0.31], 0, 0.35),
        ([0.3], 0, 0.3),
        ([0.451], 0, 0.5),
        ([0.92], 0, 1),
        ([0.021, 0.0], 0, 0.025),
        ([0.0], 0, 1),
        ([-0.21, 0.4], -0.25, 0.4),
        ([1.2, 3.4], 1, 3.5),
        ([math.nan], 0, 1),
    ],
)
def test_a_scale_ends_at_the_next_round_number(ends: list[float], low: float, high: float) -> None:
    scale = Scale.of(ends)
    assert (scale.low, scale.high) == (low, high)
    for each in ends:
        if not math.isnan(each):
            assert scale.low <= each <= scale.high


def test_bars_stand_where_their_values_are() -> None:
    column = BoardColumn.of("m0", "AP", [Estimate(0.2, 0.1, 0.3), Estimate(0.4, 0.35, 0.5)])
    assert column.scale == Scale(0.0, 0.5)
    assert column.cells[0].bar == (20.0, 60.0)
    assert column.cells[0].dot == 40.0
    assert column.baseline == 40.0
    assert column.cells[1].interval == ".350 to .500"
    assert [cell.best for cell in column.cells] == [False, True]


def test_the_best_mean_is_the_lowest_where_lower_is_better_and_equal_means_share_it() -> None:
    values = np.linspace(0.1, 0.7, 7)
    down = BoardColumn.of("m0", "ER", [Estimate(each) for each in values], lower_is_better=True)
    assert [cell.best for cell in down.cells] == [True] + [False] * 6
    same = BoardColumn.of("m0", "AP", [Estimate(0.3)] * 3)
    assert all(cell.best for cell in same.cells)


def test_a_cell_is_coloured_where_the_tests_show_a_difference_and_a_note_says_so() -> None:
    report = Report.of(scores_of("rough", "fine"))
    assert report.board is not None
    page = render_report(report)
    table = page[page.index('id="leaderboard"') : page.index("</table>", page.index('id="leaderboard"'))]
    for column in report.board.others:
        coloured = re.findall(rf'<td class="c-{column.key} (\w*?)(?: best)?" data-v="([\d.e-]+)"', table)
        assert sorted(coloured) == sorted((cell.side, str(cell.value)) for cell in column.cells)
    assert {cell.side for column in report.board.others for cell in column.cells} == {"", "better"}
    assert "▲ on green: significantly better, ▼ on red: significantly worse than the baseline" in page
    css = (Path(leaderboard.__file__).parent / "templates" / "leaderboard.css").read_text(encoding="utf-8")
    assert re.findall(r"^\.board td\.(\w+) \{ background: color-mix\(in srgb, var\(--(\w+)\)", css, re.M) == [
        ("better", "good"),
        ("worse", "bad"),
    ]


def test_nobody_is_called_a_baseline_among_three_systems_unless_somebody_named_it() -> None:
    told = render_report(Report.of(many_scores(3)))
    assert "baseline" not in re.sub(r"<(style|script).*?</\1>", "", told, flags=re.S).replace('class="baseline"', "")
    for words in ("vs first system", "than the first system", "Differences are from the first system, system 0."):
        assert words in told
    assert 'system 0</span><span class="tag" data-short="F">first system</span>' in told
    assert "than the baseline" in render_report(Report.of(many_scores(3), baseline="system 1"))
    assert "than the baseline" in render_report(Report.of(many_scores(2)))


def test_numbers_have_three_decimals_no_leading_zero_and_a_true_minus() -> None:
    assert [board_number(each) for each in (0.2625, -0.25, 1.0, 0.0)] == [".263", "\N{MINUS SIGN}.250", "1.000", ".000"]
    assert board_number(math.pi) == "3.142"


def test_a_letter_has_one_slot_in_every_row() -> None:
    slots = slots_of(["a", "ab", "abd", "c", "d"])
    assert {len(each) for each in slots} == {4}
    for place, letter in enumerate("abcd"):
        assert {each[place] for each in slots} <= {letter, " "}


def test_rows_stand_by_the_first_measure_and_say_what_the_tests_say() -> None:
    report = Report.of(many_scores(6), baseline="system 2")
    board, compared = report.board, report.compared
    assert board is not None
    assert compared is not None
    means = [board.primary.cells[row.number].value for row in board.rows]
    assert means == sorted(means, reverse=True)
    assert [row.place for row in board.rows] == [1, 2, 3, 4, 5, 6]
    assert [row.system for row in board.rows if row.baseline] == ["system 2"]
    places = compared.places()
    for row in board.rows:
        low, high, letters = places[row.system]
        assert row.standing is not None
        assert row.standing.slots.replace(" ", "") == letters
        assert row.standing.with_best == (low == 1)
        assert row.difference is not None
        pair = [each for each in compared.main.pairs if {each.first, each.second} == {"system 2", row.system}]
        better = pair[0].better if pair else ""
        assert row.difference.side == ("" if not better else "better" if better == row.system else "worse")
        assert high >= low
    others = {one.measure: one for one in compared.measures}["P@10"]
    for row in board.rows:
        pair = [each for each in others.pairs if {each.first, each.second} == {"system 2", row.system}]
        better = pair[0].better if pair else ""
        side = board.others[0].cells[row.number].side
        assert side == ("" if not better else "better" if better == row.system else "worse")


@pytest.mark.thorough
def test_with_too_many_letters_ranks_stand_in_their_place() -> None:
    report = Report.of(many_scores(6))
    assert report.compared is not None
    ranks = report.compared.main.ranks
    assert ranks is not None
    letters = tuple("abcdefghijklmnopq"[: 17 - number] for number in range(6))
    main = replace(report.compared.main, ranks=replace(ranks, letters=letters))
    many = replace(report.compared, measures=(main, *report.compared.measures[1:]))
    board = board_of(report.scores, report.estimates, many)
    assert board is not None
    assert (report.board and report.board.groups, board.groups) == ("letters", "ranks")
    assert all(row.standing is not None and row.standing.ranks for row in board.rows)


def test_one_system_has_neither_letters_nor_marks_and_one_query_no_interval() -> None:
    one = Report.of(many_scores(1)).board
    assert one is not None
    assert (one.groups, one.with_differences, one.rows[0].standing) == ("", False, None)
    assert one.primary.has_intervals
    single = Report.of(many_scores(3, queries=1)).board
    assert single is not None
    assert not single.primary.has_intervals
    assert (single.groups, single.with_differences) == ("", False)


def test_classes_that_were_given_have_columns_with_their_means() -> None:
    scores = many_scores(3)
    kinds = {query: "short" if row % 2 else "long" for row, query in enumerate(scores.systems[0].ranks.queries)}
    systems = tuple(replace(each, ranks=each.ranks.with_classes(kinds)) for each in scores.systems)
    wanted = replace(scores, systems=systems, by_class_wanted=True)
    board = Report.of(wanted).board
    assert board is not None
    columns = {column.title: column for column in board.columns if column.role == "class"}
    assert set(columns) == {"long", "short"}
    for each in class_estimates(wanted):
        assert [cell.value for cell in columns[each.label].cells] == [mean.value for mean in each.means]
    rows = [row for row, query in enumerate(systems[0].ranks.queries) if kinds[query] == "short"]
    assert columns["short"].cells[1].value == pytest.approx(systems[1].columns[0].values[rows].mean())


def test_many_classes_have_no_columns() -> None:
    scores = replace(scores_of("rough", "fine"), by_class_wanted=True)
    assert len(set(scores.systems[0].ranks.classes or ())) > MOST_CLASS_COLUMNS
    board = Report.of(scores).board
    assert board is not None
    assert {column.role for column in board.columns} == {"primary", "measure"}


def test_a_baseline_that_is_not_there_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(
        SettingError, match=r"no system 'system 9' \(did you mean 'system 1'\?\)\. There are: system 0, system 1"
    ):
        with_baseline(many_scores(2), "system 9")


def test_the_share_not_judged_is_the_one_of_the_warning() -> None:
    from rankscope.measures.evaluation.evaluate import evaluate

    judged = {f"q{n}": {"a": 1, "b": 0} for n in range(4)}
    runs = {name: {query: {"a": 3.0, **dict.fromkeys(more, 1.0)} for query in judged} for name, more in RUNS.items()}
    report = Report.of(evaluate(judged, runs, ["AP"]))
    assert report.board is not None
    (kind,) = [each for each in report.warnings if each.name == "Not judged"]
    told = dict(kind.systems)
    for row in report.board.rows:
        assert row.unjudged is not None
        if row.unjudged.share:
            assert told[row.system] == row.unjudged.text
    assert "up to 67 %" in kind.summary
    assert "(2 systems; more than 30 % in 2)" in kind.summary


RUNS = {"one": ("x", "y"), "two": ("x",), "three": ("b",)}
