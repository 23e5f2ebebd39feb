"""The first lines: every count in them is one of the tests behind the groups."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from rankscope.measures.evaluation.scores import SystemScores
from rankscope.measures.evaluation.warning_kinds import warning_kinds
from rankscope.reports.page.headline import Around, family_words, headline_of
from rankscope.reports.page.report import Report
from tests.reports.examples import many_scores, scores_of


@pytest.mark.sampled(1)
@pytest.mark.parametrize("count", [3, 6, 9])
def test_the_answer_counts_whom_the_tests_do_not_distinguish(count: int) -> None:
    report = Report.of(many_scores(count))
    compared = report.compared
    assert compared is not None
    assert compared.main.ranks is not None
    best = compared.main.order[0]
    alike = [name for name in compared.systems if name != best and not compared.shown_better(best, name)]
    answer = report.headline.answer
    assert answer.startswith(f"{best} has the best mean AP, .")
    everyone = "both other systems" if count == 3 else f"all other {count - 1} systems"
    if len(alike) == count - 1:
        assert f", but without a significant difference from {everyone}" in answer
    elif alike:
        assert f"but without a significant difference from {len(alike)} of the other {count - 1} systems" in answer
        beaten = count - 1 - len(alike)
        assert any(
            f"better than {'the other ' + str(beaten) if beaten > 1 else ''}" in line for line in report.headline.limits
        )
    else:
        assert f", and is significantly better than {everyone}" in answer
    letters = dict(zip(compared.main.ranks.systems, compared.main.ranks.letters, strict=True))
    sharing = [name for name in compared.systems if name != best and set(letters[name]) & set(letters[best])]
    assert set(sharing) == set(alike)


@pytest.mark.thorough
def test_the_baseline_is_counted_against_all_others() -> None:
    report = Report.of(many_scores(9), baseline="system 4")
    (line,) = [each for each in report.headline.limits if each.startswith("Against the baseline system 4")]
    compared = report.compared
    assert compared is not None
    better = sum(
        pair.better not in ("", "system 4") for pair in compared.main.pairs if "system 4" in (pair.first, pair.second)
    )
    worse = sum(pair.better == "system 4" for pair in compared.main.pairs)
    told = {
        word: int(count)
        for count, word in re.findall(r"(\d+) (?:systems? (?:is|are) significantly )?(better|worse|without)", line)
    }
    counted = {"better": better, "worse": worse, "without": 8 - better - worse}
    assert told == {word: count for word, count in counted.items() if count or word == "better"}


@pytest.mark.thorough
def test_a_measure_that_disagrees_is_told_with_whom_it_shows_to_be_better() -> None:
    report = Report.of(many_scores(9, measures=("AP", "P@5", "RR")))
    compared = report.compared
    assert compared is not None
    best = compared.main.order[0]
    for one in compared.measures[1:]:
        said = [line for line in report.headline.limits if line.startswith("By ") and one.measure in line]
        assert bool(said) == (one.order[0] != best)
        if said:
            assert f"{one.order[0]}'s" in said[0]
            beaten = len(Around.of(compared, one, one.order[0]).beaten)
            assert f"{beaten}" in said[0] or "no system is significantly worse" in said[0]


def test_equal_systems_are_counted_under_every_name() -> None:
    scores = many_scores(4)
    twin = replace(scores.systems[3], ranks=replace(scores.systems[3].ranks, system="twin"))
    report = Report.of(replace(scores, systems=(*scores.systems, twin)))
    compared = report.compared
    assert compared is not None
    assert compared.same
    around = Around.of(compared, compared.main, compared.main.order[0])
    assert around.count == 4
    assert "of the other 4 systems" in report.headline.answer or "all other 4 systems" in report.headline.answer


def test_two_systems_have_the_verdict_of_compare() -> None:
    report = Report.of(scores_of("rough", "fine"))
    assert report.headline.answer.startswith("fine has the best mean AP")
    assert list(report.headline.limits) == report.sentences


def test_one_system_has_its_interval_and_one_query_has_none() -> None:
    report = Report.of(many_scores(1))
    assert re.fullmatch(r"system 0 has a mean AP of \.\d{3} on 24 queries", report.headline.answer)
    assert re.fullmatch(r"The 95 % interval of the mean is \.\d{3} to \.\d{3}\.", report.headline.limits[0])
    single = Report.of(many_scores(3, queries=1))
    assert "has the highest AP" in single.headline.answer
    assert single.headline.limits == ("One query shows nothing about other queries: there is no interval and no test.",)
    assert single.compared is None


@pytest.mark.thorough
def test_nothing_is_called_equal_and_no_sentence_names_more_than_two_systems() -> None:
    for count in (3, 9):
        report = Report.of(many_scores(count), baseline="system 1")
        for line in (report.headline.answer, *report.headline.limits):
            assert "equal" not in line
            assert len(set(re.findall(r"system \d+", line))) <= 2


@pytest.mark.thorough
def test_the_family_is_stated_with_pairs_and_measures() -> None:
    report = Report.of(many_scores(6, measures=("AP", "P@5", "RR")))
    words = family_words(report.compared)
    assert "Holm over 15 pairs by AP, and separately over 15 × 2 other measures, level .05" in words
    assert report.compared is not None
    assert report.compared.families.primary.size == 15
    assert sum(each.size for each in report.compared.families.secondary) == 30


def test_nothing_to_say_is_said() -> None:
    report = Report.of(many_scores(2))
    empty = replace(report.estimates, rows=())
    assert headline_of(report.systems, empty, None, 24).answer == "Nothing was asked for that is a number"


def test_warnings_are_one_line_a_kind_with_every_system_behind_it() -> None:
    scores = many_scores(5)
    cut = replace(scores, systems=tuple(_missing(each, number) for number, each in enumerate(scores.systems)))
    kinds = {each.name: each for each in warning_kinds(cut)}
    assert (
        kinds["Missing queries"].summary
        == "in 4 systems, 1 to 4 judged queries are missing from the run and count as 0"
    )
    assert [text for _, text in kinds["Missing queries"].systems] == ["4 queries", "3 queries", "2 queries", "1 query"]
    assert len(cut.warnings()) >= 4


def _missing(system: SystemScores, count: int) -> SystemScores:
    answered = system.ranks.answered.copy()
    answered[:count] = False
    columns = tuple(replace(each, values=np.where(answered, each.values, 0.0)) for each in system.columns)
    return replace(system, ranks=replace(system.ranks, answered=answered), columns=columns)
