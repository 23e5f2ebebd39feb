"""Worked values, what is chosen on other queries only, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, SettingError
from rankscope.measures.fusion.tuning import fold_of
from tests.measures.fusion.lists import random_judgements, random_runs

TWO = [{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 9.0, "c": 5.0, "d": 1.0}}]


@pytest.mark.parametrize(
    ("method", "norm", "expected"),
    [
        ("rrf", "none", {"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 63 + 1 / 62, "d": 1 / 63}),
        ("sum", "min-max", {"a": 1.0, "b": 1.5, "c": 0.5, "d": 0.0}),
        ("mnz", "min-max", {"a": 1.0, "b": 3.0, "c": 1.0, "d": 0.0}),
        ("bordafuse", "none", {"a": 4 + 1, "b": 3 + 4, "c": 2 + 3, "d": 1 + 2}),
        ("condorcet", "none", {"b": 4, "c": 3, "a": 2, "d": 1}),
        ("isr", "none", {"a": 1.0, "b": 2 * (1 / 4 + 1), "c": 2 * (1 / 9 + 1 / 4), "d": 1 / 9}),
        ("rbc(phi=0.5)", "none", {"a": 0.5, "b": 0.25 + 0.5, "c": 0.125 + 0.25, "d": 0.125}),
    ],
)
def test_worked_values(method: str, norm: str, expected: dict[str, float]) -> None:
    assert rankscope.fuse(TWO, method, norm=norm).to_dict()["q"] == pytest.approx(expected)


def test_a_circle_of_majorities_ends_in_one_order() -> None:
    orders = ["abc", "bca", "cab"]
    runs = [{"q": {item: float(-place) for place, item in enumerate(order)}} for order in orders]
    once = rankscope.fuse(runs, "condorcet").table().rows()
    assert once == rankscope.fuse(runs[::-1], "condorcet").table().rows()


@pytest.mark.parametrize("method", ["wsum", "rrf", "slidefuse", "bayesfuse"])
def test_judgements_of_a_query_do_not_touch_how_it_is_fused(method: str) -> None:
    """All judgements of one part of the queries are turned round: exactly its own lists stay as they were."""
    runs, judged = random_runs(queries=12, seed=1), random_judgements(queries=12, seed=1)
    given: dict[str, Any] = {"method": method, "tune": method != "bayesfuse", "folds": 3, "seed": 4}
    before = rankscope.fuse(runs, qrels=judged, **given)
    part = set(before.choices[0].queries)
    turned = {
        q: {item: 1 - grade for item, grade in items.items()} if q in part else items for q, items in judged.items()
    }
    after = rankscope.fuse(runs, qrels=turned, **given)
    assert {query: before.to_dict()[query] for query in part} == {query: after.to_dict()[query] for query in part}
    assert before.choices[0] == after.choices[0]
    assert any(each != other for each, other in zip(before.choices[1:], after.choices[1:], strict=True))


def test_every_query_is_in_one_part_and_chosen_on_the_others() -> None:
    runs, judged = random_runs(queries=11, seed=2), random_judgements(queries=11, seed=2)
    choices = rankscope.fuse(runs, "wsum", qrels=judged, tune=True).choices
    assert sorted(query for each in choices for query in each.queries) == sorted(judged)
    assert all(each.chosen_on == 11 - len(each.queries) for each in choices)
    assert all(sum(each.weights) == pytest.approx(1) for each in choices)


def test_where_lower_is_better_the_same_weights_are_chosen() -> None:
    """The error rate is 1 - success at 1."""
    runs, judged = random_runs(systems=2, queries=20, seed=3), random_judgements(queries=20, seed=3)
    higher, lower = (
        rankscope.fuse(runs, "wsum", qrels=judged, tune=True, measure=each).choices for each in ("success@1", "ER")
    )
    assert [each.weights for each in lower] == [each.weights for each in higher]
    assert [each.value for each in lower] == pytest.approx([1 - each.value for each in higher])


def test_what_is_tuned_has_the_largest_mean_on_the_others() -> None:
    runs, judged = random_runs(systems=2, queries=10, seed=3), random_judgements(queries=10, seed=3)
    choice = rankscope.fuse(runs, "wsum", qrels=judged, tune=True, measure="nDCG").choices[0]
    others = {query: items for query, items in judged.items() if query not in choice.queries}
    means = []
    for tenth in range(11):
        fused = rankscope.fuse(runs, "wsum", weights=[tenth / 10, 1 - tenth / 10])
        means.append(rankscope.evaluate(others, fused, ["nDCG"])["nDCG"])
    assert choice.value == pytest.approx(max(means))


def test_queries_that_some_run_lacks_are_fused_from_the_others() -> None:
    runs = [{"q": {"a": 2.0}, "r": {"a": 1.0}}, {"q": {"b": 1.0}}]
    assert rankscope.fuse(runs, "sum", norm="none").to_dict() == {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"method": "rff"}, "did you mean 'rrf'"),
        ({"norm": "minmax!"}, "no normalization"),
        ({"method": "rrf", "weights": [1, 2]}, "rrf has none"),
        ({"method": "wsum", "weights": [1, 2, 3]}, "one for each of 2 systems, got 3"),
        ({"method": "wsum", "weights": [-1, 2]}, "numbers from 0 on"),
        ({"method": "bayesfuse"}, "bayesfuse needs judgements"),
        ({"method": "wsum", "tune": True}, "needs judgements"),
        ({"method": "sum", "tune": True, "qrels": {"q": {"a": 1}}}, "nothing to be tuned"),
        ({"method": "wsum", "tune": True, "qrels": {"q": {"a": 1}}}, "one query alone"),
        ({"method": "rrf", "qrels": {"q": {"a": 1}}}, "learns nothing"),
        ({"folds": 1, "depth": 0}, "2 settings cannot be so"),
    ],
)
def test_what_cannot_be_is_told(given: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingError, match=told.replace("(", r"\(")):
        rankscope.fuse(TWO, **given)


def test_one_run_is_not_enough_and_repeated_items_are_named() -> None:
    with pytest.raises(SettingError, match="at least two runs, got 1"):
        rankscope.fuse([TWO[0]])
    twice = (["q", "q", "q"], ["a", "a", "b"], [3.0, 2.0, 1.0])
    with pytest.raises(InputError, match="item a"):
        rankscope.fuse([twice, TWO[0]])


def test_parts_are_drawn_without_a_look_at_judgements() -> None:
    assert fold_of(10, 5, seed=1).tolist() == fold_of(10, 5, seed=1).tolist()
    assert len(set(fold_of(3, 5, seed=1).tolist())) == 3


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rankscope.inputs.formats.registry import write_file

    monkeypatch.chdir(tmp_path)
    runs, judged = random_runs(systems=2, queries=8, seed=5), random_judgements(queries=8, seed=5)
    for name, run in zip(("a.run", "b.run"), runs, strict=True):
        write_file(rankscope.Run.of(run), name)
    write_file(rankscope.Qrels.of(judged), "qrels.txt")
    done = CliRunner().invoke(cli, ["fuse", "a.run", "b.run", "-o", "both.run", "--depth", "5"])
    assert (done.exit_code, "8 queries, 2 runs, rrf" in done.output) == (0, True), done.output
    assert {len(items) for items in rankscope.Run.of("both.run").to_dict().values()} == {5}
    words = ["fuse", "a.run", "b.run", "--method", "wsum", "--tune", "--qrels", "qrels.txt", "-o", "tuned.run"]
    done = CliRunner().invoke(cli, words)
    assert (done.exit_code, done.output.count("other queries")) == (0, 5), done.output
    assert CliRunner().invoke(cli, ["fuse", "--list"]).output.count("[judgements]") == 6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["a.run", "b.run"], "needs -o FILE"),
        (["a.run", "none.run", "-o", "x.run"], "none.run"),
        (["a.run", "b.run", "-o", "x.run", "--weights", "a,b"], "numbers separated by commas"),
    ],
)
def test_mistakes_at_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.run", "b.run"):
        Path(name).write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    done = CliRunner().invoke(cli, ["fuse", *words])
    assert told in f"{done.output} {done.exception}"
    assert not Path("x.run").exists()
