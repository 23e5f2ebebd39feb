"""What people compare: every two runs once, sides by lot and kept, a share again with the sides swapped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rankscope.core.errors import SettingError
from rankscope.workbench.preferences import ITEMS_SHOWN, SWAP_AFTER, Comparing, mark_of_choice, mark_of_clicks
from rankscope.workbench.store.events import MarkEvent, Refused
from tests.workbench.projects import QUERIES, small_project

SYSTEMS = ("r0", "r1", "r2")
SIDE, MIXED = "side by side", "interleaved"


def many(seed: int = 0, swap: float = 0.2, queries: int = 200) -> Comparing:
    """Two systems whose lists differ for every query."""
    names = tuple(f"q{number}" for number in range(queries))
    heads = {"one": dict.fromkeys(names, ("a", "b")), "two": dict.fromkeys(names, ("b", "a"))}
    return Comparing(("one", "two"), names, heads, seed, swap=swap)


def test_every_two_runs_are_compared_once_for_every_query(tmp_path: Path) -> None:
    with small_project(tmp_path, swap=0.0) as project:
        room = Comparing.of(project)
        assert room.systems == SYSTEMS
        assert room.heads["r0"]["q1"] == tuple("abcde")
        for mode in (SIDE, MIXED):
            plan = room.plan(2, mode)
            pairs = Counter((each.query, *sorted((each.left, each.right))) for each in plan)
            assert set(pairs.values()) == {1}
            assert len(pairs) == 3 * len(QUERIES)
            assert plan == room.plan(2, mode)


def test_sides_are_by_lot_and_differ_between_people() -> None:
    plans = [many(swap=0.0).plan(who, SIDE) for who in (2, 3)]
    lefts = [{each.query: each.left for each in plan} for plan in plans]
    for one in lefts:
        assert 70 < sum(left == "one" for left in one.values()) < 130
    assert 70 < sum(lefts[0][query] != lefts[1][query] for query in lefts[0]) < 130
    assert [each.query for each in plans[0]] != [each.query for each in plans[1]]


def test_a_share_comes_back_with_the_sides_swapped_and_not_at_once() -> None:
    plan = many().plan(2, SIDE)
    again = [
        place for place, each in enumerate(plan) if each._replace(left=each.right, right=each.left) in plan[:place]
    ]
    assert 20 < len(again) < 62
    for place in again:
        before = plan.index(plan[place]._replace(left=plan[place].right, right=plan[place].left))
        assert place - before >= SWAP_AFTER or before > len(plan) - 2 * SWAP_AFTER  # at the end nothing is left between
    assert len(plan) == 200 + len(again)
    assert not [each for each in many().plan(2, MIXED) if many().plan(2, MIXED).count(each) > 1]


def test_lists_that_are_the_same_are_not_compared() -> None:
    heads = {"one": {"q1": ("a", "b"), "q2": ("a",)}, "two": {"q1": ("a", "b"), "q2": ("b",)}}
    plan = Comparing(("one", "two"), ("q1", "q2"), heads, 0, swap=0.0).plan(2, SIDE)
    assert [each.query for each in plan] == ["q2"]


def test_answers_are_kept_with_why_and_can_be_taken_back(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        room, ann = Comparing.of(project), project.invite("ann").assessor.id
        first, second, *_ = room.plan(ann, SIDE)
        project.save(mark_of_choice(ann, "k1", first, "left", "fresher", ms=1200))
        project.save(mark_of_choice(ann, "k2", second, "both bad"))
        assert project.save(mark_of_choice(ann, "k2", second, "both bad")).again
        with pytest.raises(Refused, match="another mark"):
            project.save(mark_of_choice(ann, "k2", second, "left"))
        assert [each.winner for each in project.preferences()] == [first.left, ""]
        project.save(mark_of_choice(ann, "k3", first, "right"))
        assert [each.winner for each in project.preferences()] == ["", first.right]  # the last answer counts
        project.undo(ann)
        assert [each.winner for each in project.preferences()] == [first.left, ""]


def test_clicks_go_to_the_team_that_brought_the_item(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        room, ann = Comparing.of(project), project.invite("ann").assessor.id
        shown = next(each for each in room.plan(ann, MIXED) if {each.left, each.right} == {"r0", "r2"})
        made = room.interleaved(ann, shown)
        assert made == room.interleaved(ann, shown)
        assert len(made.items) <= ITEMS_SHOWN
        of_left = [item for item, team in zip(made.items, made.teams, strict=True) if team == 0]
        project.save(mark_of_clicks(ann, "k", shown, made, of_left[:2]))
        (said,) = project.preferences()
        assert (said.winner, said.mode) == (shown.left, MIXED)


@pytest.mark.parametrize(
    "detail",
    [
        None,
        {"left": "a", "right": "a", "choice": "left", "mode": SIDE},
        {"left": "a", "right": "b", "choice": "best", "mode": SIDE},
        {"left": "a", "right": "b", "choice": "left", "mode": "upside down"},
        {"left": "a", "right": "b", "choice": "left", "mode": SIDE, "why": "x" * 3000},
        {"left": 1, "right": "b", "choice": "left", "mode": SIDE},
    ],
)
def test_what_is_no_preference_is_refused(tmp_path: Path, detail: dict[str, object] | None) -> None:
    with small_project(tmp_path) as project, pytest.raises(Refused):
        project.save(MarkEvent(assessor=1, key="k", kind="prefer", query="q1", detail=detail))


def test_a_project_with_one_run_has_nothing_to_compare(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        folder = project.folder
    text = (folder / "project.toml").read_text()
    start = text.index("runs = [")
    (folder / "project.toml").write_text(text[:start] + "runs = []" + text[text.index("]", start) + 1 :])
    from rankscope.workbench.project import Project

    with Project.open(folder) as project, pytest.raises(SettingError, match="two systems are compared"):
        Comparing.of(project)
