"""Who judges what: never one too many, loans that lapse, an own order for each, questions asked twice."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from rankscope.workbench.judging import REPEAT_AFTER
from rankscope.workbench.project import Project
from rankscope.workbench.sources import ItemNumbers
from rankscope.workbench.store.events import MarkEvent
from tests.workbench.projects import ANN, BOB, CAT, RELEVANT, judge_all, judged_project, small_project, write_sources

ALL_PAIRS = 24  # twelve items of each of two queries lie within depth 5


def with_pool(folder: Path, method: str = "depth(5)", **how: Any) -> Project:
    return judged_project(folder, method, names="ann bob cat", **how)


def marks_of_pairs(project: Project) -> Counter[tuple[str, str]]:
    return Counter({pair: len(project.state.counted(pair)) for pair in project.state.answers})


@pytest.mark.parametrize("per_item", [1, 2, 3])
def test_every_item_gets_as_many_marks_as_asked_for(tmp_path: Path, per_item: int) -> None:
    with with_pool(tmp_path, per_item=per_item) as project:
        judge_all(project, ANN, BOB, CAT)
        assert set(marks_of_pairs(project).values()) == {per_item}
        assert len(marks_of_pairs(project)) == ALL_PAIRS


def test_a_share_of_the_items_is_judged_by_two(tmp_path: Path) -> None:
    with with_pool(tmp_path, double=0.5) as project:
        judge_all(project, ANN, BOB)
        counts = Counter(marks_of_pairs(project).values())
        assert sum(counts.values()) == ALL_PAIRS
        assert 4 <= counts[2] <= 20
        assert not any(each.is_surplus for each in project.state.events)


def test_each_assessor_has_an_own_order_and_keeps_it(tmp_path: Path) -> None:
    with with_pool(tmp_path, per_item=3) as project:
        orders = defaultdict(list)
        for who, query, item in judge_all(project, ANN, BOB, CAT):
            orders[who].append((query, item))
        assert len({tuple(each) for each in orders.values()}) == 3
        for order in orders.values():
            assert [query for query, _ in order] == [order[0][0]] * 12 + [order[-1][0]] * 12  # one query at a time


def test_the_order_does_not_depend_on_the_ranks(tmp_path: Path) -> None:
    seen = []
    for name, swap in (("one", False), ("two", True)):
        folder = tmp_path / name
        folder.mkdir()
        given = write_sources(folder)
        if swap:
            given["runs"] = given["runs"][::-1]
        with Project.new(folder / "project", **given, double=0.0, repeat=0.0) as project:
            project.make_pool("depth(5)")
            project.invite("ann")
            seen.append(judge_all(project, ANN))
    assert seen[0] == seen[1]


def test_a_tab_keeps_its_items_and_others_get_others(tmp_path: Path) -> None:
    with with_pool(tmp_path) as project:
        first = project.next_items(ANN, 3, tab="one")
        assert project.next_items(ANN, 3, tab="one") == first
        second = project.next_items(ANN, 3, tab="two")
        other = project.next_items(BOB, 3)
        pairs = [each.pair for each in (*first, *second, *other)]
        assert len(set(pairs)) == 9


def test_a_closed_tab_gives_its_items_back(tmp_path: Path) -> None:
    with with_pool(tmp_path) as project:
        lent = {each.pair for each in project.next_items(ANN, 24)}
        assert len(lent) == ALL_PAIRS
        assert project.next_items(BOB) == []
        project.release(ANN, "")
        assert {each.pair for each in project.next_items(BOB, 24)} == lent


def test_loans_lapse_one_after_the_other(tmp_path: Path) -> None:
    with with_pool(tmp_path) as project:
        now = [0.0]
        project.assignment.clock = lambda: now[0]
        minutes = 60 * project.file.loan_minutes
        lent = []
        for who in (ANN, BOB):
            lent += [each.pair for each in project.next_items(who)]
            now[0] += minutes / 2
        for left in (lent[1:], []):
            now[0] += 1
            project.next_items(CAT)
            assert [pair for pair in lent if {ANN, BOB} & project.assignment.loans.get(pair, {}).keys()] == left
            now[0] += minutes / 2


def test_a_loan_lapses_and_a_late_mark_is_kept_as_surplus(tmp_path: Path) -> None:
    with with_pool(tmp_path) as project:
        now = [0.0]
        project.assignment.clock = lambda: now[0]
        (loan,) = project.next_items(ANN)
        project.next_items(BOB, 23)
        now[0] = 599.0
        assert len(project.next_items(BOB, 24)) == 23
        now[0] = 601.0
        project.next_items(BOB, 24)
        project.grade(BOB, loan.query, loan.item, 1)
        late = project.grade(ANN, loan.query, loan.item, 0)
        assert late.event.is_surplus
        assert [each.assessor for each in project.state.counted(loan.pair)] == [BOB]


def test_a_late_mark_counts_where_nobody_else_has_the_item(tmp_path: Path) -> None:
    with with_pool(tmp_path) as project:
        now = [0.0]
        project.assignment.clock = lambda: now[0]
        (loan,) = project.next_items(ANN)
        now[0] = 601.0
        assert not project.grade(ANN, loan.query, loan.item, 0).event.is_surplus


def test_a_mark_on_what_somebody_else_has_before_the_eyes_is_surplus(tmp_path: Path) -> None:
    with with_pool(tmp_path) as project:
        (loan,) = project.next_items(ANN)
        assert project.grade(BOB, loan.query, loan.item, 0).event.is_surplus
        assert not project.grade(ANN, loan.query, loan.item, 0).event.is_surplus


def test_marking_an_own_item_again_replaces_the_mark(tmp_path: Path) -> None:
    with with_pool(tmp_path) as project:
        (loan,) = project.next_items(ANN)
        project.grade(ANN, loan.query, loan.item, 0)
        assert not project.grade(ANN, loan.query, loan.item, 2).event.is_surplus
        assert [each.grade for each in project.state.counted(loan.pair)] == [2]


def test_what_is_undone_is_offered_again(tmp_path: Path) -> None:
    with with_pool(tmp_path) as project:
        done = judge_all(project, ANN)
        assert project.next_items(BOB) == []
        project.undo(ANN)
        assert [each.pair for each in project.next_items(BOB)] == [done[-1][1:]]


@pytest.mark.parametrize("kind", ["skip", "unsure"])
def test_skipped_and_unsure_items_stay_open_for_others(tmp_path: Path, kind: Any) -> None:
    with with_pool(tmp_path) as project:
        (loan,) = project.next_items(ANN)
        project.save(MarkEvent(assessor=ANN, key="k", kind=kind, query=loan.query, item=loan.item))
        assert (ANN, *loan.pair) not in judge_all(project, ANN)
        assert [each.pair for each in project.next_items(BOB, 9)] == [loan.pair]


def test_single_gives_a_query_to_one_assessor(tmp_path: Path) -> None:
    with with_pool(tmp_path, single=True, double=1.0) as project:
        owners = defaultdict(set)
        for who, query, _ in judge_all(project, ANN, BOB, CAT):
            owners[query].add(who)
        assert [len(each) for each in owners.values()] == [1, 1]
        stranger = next(each for each in (ANN, BOB, CAT) if each not in owners["q1"])
        assert project.grade(stranger, "q1", "a", 1).event.is_surplus


def test_a_share_of_own_items_comes_back_and_the_first_answer_stays(tmp_path: Path) -> None:
    with with_pool(tmp_path, repeat=1.0) as project:
        done = judge_all(project, ANN)
        times = Counter(done)
        again = [each for each, number in times.items() if number == 2]
        assert len(times) == ALL_PAIRS
        assert len(again) >= ALL_PAIRS - REPEAT_AFTER
        assert set(project.state.repeats) == {each[1:] for each in again}
        repeats = [each for each in project.state.events if each.is_repeat]
        assert len(repeats) == len(again)
        for event in repeats:
            first = next(each for each in project.state.events if each[5:7] == event[5:7])
            assert event.id - first.id >= REPEAT_AFTER
            assert project.state.answer(ANN, (event.query or "", event.item or "")) == first


def test_no_question_comes_back_where_none_is_to(tmp_path: Path) -> None:
    with with_pool(tmp_path, repeat=0.0) as project:
        assert max(Counter(judge_all(project, ANN)).values()) == 1


@pytest.mark.parametrize("method", ["mtf(5)", "bandit(5)"])
def test_an_adaptive_pool_is_judged_in_its_order(tmp_path: Path, method: str) -> None:
    order = {"mtf(5)": "abcdxhefgijk", "bandit(5)": "abcdxehfgijk"}[method]
    with with_pool(tmp_path, method) as project:
        done = judge_all(project, ANN)
        for query in ("q1", "q2"):
            assert "".join(item for _, asked, item in done if asked == query) == order


def test_a_budget_ends_an_adaptive_pool(tmp_path: Path) -> None:
    with with_pool(tmp_path, "bandit(5)", budget=4) as project:
        done = judge_all(project, ANN, BOB, CAT)
        assert Counter(query for _, query, _ in done) == {"q1": 4, "q2": 4}


def test_several_assessors_of_an_adaptive_pool_get_different_items(tmp_path: Path) -> None:
    with with_pool(tmp_path, "bandit(5)") as project:
        lent = [each.pair for who in (ANN, BOB, CAT) for each in project.next_items(who, 4, query="q1")]
        assert len(set(lent)) == 12
        assert project.next_items(ANN, 5, tab="other", query="q1") == []


def test_the_sample_of_a_sum_is_drawn_from_what_is_left(tmp_path: Path) -> None:
    with with_pool(tmp_path, "bandit(5) + sample(1-5:50%)", budget=4) as project:
        judge_all(project, ANN, BOB)
        assert project.pool is not None
        for query in ("q1", "q2"):
            draw = project.state.draws[1, query]
            assert draw.details["strata"] == {"1-5": [8, 4]}
            first = [each.item for each in project.state.events if each.query == query and each.id < draw.id]
            rows = project.pool.by_query[query]
            drawn = [item for item, row in rows.items() if row.place in draw.details["drawn"]]
            assert len(first) == len(drawn) == 4
            assert not set(first) & set(drawn)
            assert {project.pool.probability((query, str(item)), project.state)[1] for item in first} == {1.0}
            assert {project.pool.probability((query, item), project.state)[1] for item in drawn} == {0.5}
        assert len(project.state.answers) == 16
        before = dict(project.state.draws)
        while list(project.state.history(ANN)):
            project.undo(ANN)
        assert len(judge_all(project, CAT)) >= 6  # what had been judged before the draw comes back, too
        assert project.state.draws == before
        assert sum(bool(project.state.counted(pair)) for pair in project.state.answers) == 16


def test_what_everybody_gave_up_on_does_not_hold_up_the_sample(tmp_path: Path) -> None:
    with with_pool(tmp_path, "mtf(1) + sample(2-5:50%)") as project:
        for loan in project.next_items(ANN, 2, query="q1"):
            project.save(MarkEvent(assessor=ANN, key=loan.item, kind="skip", query=loan.query, item=loan.item))
        project.next_items(ANN)
        assert (1, "q1") in project.state.draws


def test_many_at_once_give_no_mark_too_many_and_lose_none(tmp_path: Path) -> None:
    with with_pool(tmp_path, per_item=2, double=0.5) as project:
        judges = [project.invite(f"judge {number}").assessor.id for number in range(12)]
        acknowledged: list[int] = []

        def judge(who: int) -> None:
            while loans := project.next_items(who, 2):
                for loan in loans:
                    acknowledged.append(project.grade(who, *loan.pair, int(loan.item in RELEVANT)).event.id)

        threads = [threading.Thread(target=judge, args=(who,)) for who in judges]
        for each in threads:
            each.start()
        for each in threads:
            each.join(60)
        assert sorted(acknowledged) == list(range(1, 2 * ALL_PAIRS + 1))
        assert set(marks_of_pairs(project).values()) == {2}
        assert not any(each.is_surplus for each in project.state.events)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 255, 1000])
def test_item_numbers_are_a_permutation_that_the_key_decides(count: int) -> None:
    one, other = ItemNumbers(b"one", count), ItemNumbers(b"other", count)
    numbers = [one.number(place) for place in range(count)]
    assert sorted(numbers) == list(range(count))
    assert [one.place(number) for number in numbers] == list(range(count))
    if count > 5:
        assert numbers != [other.number(place) for place in range(count)]
        assert numbers != list(range(count))
    for wrong in (-1, count):
        with pytest.raises(IndexError):
            one.place(wrong)


def test_what_is_certain_comes_first_and_a_drawn_sample_last(tmp_path: Path) -> None:
    with with_pool(tmp_path, "depth(2) + bandit(3) + sample(1-5:99%)", budget=7) as project:
        done = [item for _, query, item in judge_all(project, ANN) if query == "q1"]
        assert sorted(done[:5]) == sorted("ahbxi")
        assert sorted(done[5:7]) == sorted("cf") or set(done[5:7]) < set("cfj")
        assert sorted(done) == sorted("abcdefghijkx")


def test_a_skipped_item_does_not_use_up_the_budget(tmp_path: Path) -> None:
    with with_pool(tmp_path, "bandit(5) + sample(1-5:50%)", budget=4) as project:
        for loan in project.next_items(ANN, 2, query="q1"):
            project.save(MarkEvent(assessor=ANN, key=loan.item, kind="skip", query=loan.query, item=loan.item))
        judge_all(project, ANN)
        draw = project.state.draws[1, "q1"]
        assert len(draw.details["taken"]) == 4
        assert draw.details["strata"] == {"1-5": [8, 4]}


def test_a_pair_of_the_frame_that_was_judged_on_the_side_keeps_its_probability(tmp_path: Path) -> None:
    with with_pool(tmp_path, "bandit(5) + sample(1-5:50%)", budget=4) as project:
        judge_all(project, ANN)
        assert project.pool is not None
        draw = project.state.draws[1, "q1"]
        known = {*draw.details["drawn"], *draw.details["taken"]}
        beside = next(item for item, row in project.pool.by_query["q1"].items() if row.place not in known)
        project.import_labels({"q1": {beside: 1}}, "carl")
        assert project.pool.probability(("q1", beside), project.state) == ("1-5", 0.5)


def test_labels_of_a_machine_fill_no_place_of_a_person(tmp_path: Path) -> None:
    with small_project(tmp_path, double=0.0) as project:
        project.make_pool("depth(5)")
        whole = len(project.next_items(project.invite("ann").assessor.id, 100))
        project.release(project.assessor_named("ann").id)
        project.import_labels({"q1": dict.fromkeys("abcdefg", 1)}, "gpt", "machine")
        assert len(project.next_items(project.assessor_named("ann").id, 100)) == whole
        assert project.progress().open == whole
