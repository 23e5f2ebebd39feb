"""Leaving a run out of the pool, against sets and sums by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankscope
from rankscope.analysis.sampling.reuse import OutsidePool, Reuse, reuse, reuse_lines
from rankscope.core.errors import InputError, SettingError
from tests.data import data_folder

Judged = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]


def average_precision(judged: dict[str, int], ranked: dict[str, float]) -> float:
    """Straight from the definition."""
    order = sorted(ranked, key=lambda item: (ranked[item], item), reverse=True)
    wanted = {item for item, grade in judged.items() if grade > 0}
    hits = [rank for rank, item in enumerate(order, start=1) if item in wanted]
    return sum(number / rank for number, rank in enumerate(hits, start=1)) / len(wanted) if wanted else 0.0


def left_out(qrels: Judged, runs: dict[str, Ranked], name: str, depth: int) -> float:
    """The mean AP of a run without what only it has among its first items."""
    tops = {
        run: {
            (query, item)
            for query, items in ranked.items()
            for item in sorted(items, key=lambda each: (items[each], each), reverse=True)[:depth]
        }
        for run, ranked in runs.items()
    }
    others = set().union(*(top for run, top in tops.items() if run != name))
    only = tops[name] - others
    kept = {
        query: {item: grade for item, grade in items.items() if (query, item) not in only}
        for query, items in qrels.items()
    }
    counted = [query for query, items in qrels.items() if any(grade > 0 for grade in items.values())]
    return float(np.mean([average_precision(kept[query], runs[name].get(query, {})) for query in counted]))


def drawn(seed: int) -> tuple[Judged, dict[str, Ranked]]:
    chance = np.random.default_rng(seed)
    qrels = {
        f"q{q}": {f"d{d}": int(chance.random() < 0.3) for d in range(30) if chance.random() < 0.7} for q in range(5)
    }
    runs = {
        name: {f"q{q}": {f"d{d}": float(chance.integers(0, 12)) for d in chance.permutation(30)[:20]} for q in range(5)}
        for name in ("a", "b", "c")
    }
    return qrels, runs


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("depth", [3, 8])
def test_every_run_left_out_is_as_counted_by_hand(seed: int, depth: int) -> None:
    qrels, runs = drawn(seed)
    done = {each.system: each for each in reuse(qrels, runs, depth=depth).systems}
    for name in runs:
        assert done[name].outside == pytest.approx(left_out(qrels, runs, name, depth))
        assert done[name].pooled == pytest.approx(rankscope.evaluate(qrels, runs[name], "AP")["AP"])


def test_a_worked_pool() -> None:
    """`one` alone brought in b and c, `two` alone x: without b and c `one` has one hit of one, at rank 1."""
    qrels = {"1": {"a": 1, "b": 1, "c": 1, "x": 0}}
    runs = {"one": {"1": {"a": 4.0, "b": 3.0, "c": 2.0}}, "two": {"1": {"x": 3.0, "a": 2.0}}}
    one, two = reuse(qrels, runs).systems
    assert (one.unique, one.unique_relevant, one.pooled, one.outside) == (2, 2, 1.0, 1.0)
    assert (two.unique, two.unique_relevant) == (1, 0)
    assert two.pooled == two.outside == pytest.approx(1 / 6)
    assert [each.place for each in (one, two)] == [1, 2]


def test_what_a_team_shares_is_left_out_with_all_its_runs() -> None:
    qrels = {"1": {"a": 1, "b": 1}}
    runs = {name: {"1": {"b": 2.0, "a": 1.0}} for name in ("one", "twin")} | {"two": {"1": {"a": 1.0}}}
    alone = {each.system: each.unique for each in reuse(qrels, runs).systems}
    teams = {"one": "us", "twin": "us", "two": "them"}
    together = {each.system: each for each in reuse(qrels, runs, teams=teams).systems}
    assert alone == {"one": 0, "twin": 0, "two": 0}
    assert together["one"].unique == together["twin"].unique == 1
    assert together["one"].outside == pytest.approx(0.5)  # b is no longer judged, a stands at rank 2
    assert together["one"].row()["team"] == "us"


def test_a_query_that_loses_all_its_judgements_counts_as_nothing() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {"one": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "two": {"1": {"a": 1.0}}}
    one = next(each for each in reuse(qrels, runs).systems if each.system == "one")
    assert (one.pooled, one.outside) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("runs", "teams", "told"),
    [
        ({"one": {"1": {"a": 1.0}}}, None, "at least two runs"),
        ({"one": {"1": {"a": 1.0}}, "two": {"1": {"a": 1.0}}}, {"one": "us"}, "not known: two"),
        ({"one": {"1": {"a": 1.0}}, "two": {"1": {"a": 1.0}}}, {"one": "us", "two": "us"}, "of one team"),
    ],
)
def test_what_cannot_be_left_out_is_refused(runs: Any, teams: Any, told: str) -> None:
    with pytest.raises(SettingError, match=told):
        reuse({"1": {"a": 1}}, runs, teams=teams)


def test_sentences_say_what_the_numbers_say() -> None:
    qrels, runs = drawn(1)
    done = reuse(qrels, runs, depth=5)
    lines = " ".join(reuse_lines(done))
    assert f"{done.worst.system}, {done.worst.outside - done.worst.pooled:+.4f}" in lines
    assert f"{abs(done.mean_change):.1%} {'less' if done.mean_change < 0 else 'more'}" in lines
    same = reuse(qrels, {"a": runs["a"], "b": runs["a"]}, depth=5)
    assert "nothing can be learnt" in reuse_lines(same)[-1]
    words = " ".join(reuse_lines(same))
    assert "None of 2 would stand at another place; all values are equal" in words
    assert "has as much as in it; none loses" in words
    assert "nan" not in words


def test_a_run_that_gains_is_not_said_to_lose() -> None:
    gains = OutsidePool(
        system="a", team="a", unique=1, unique_relevant=1, pooled=0.2, outside=0.3, place=1, place_outside=1
    )
    assert "none loses" in " ".join(reuse_lines(Reuse("AP", 5, (gains,), 1.0)))
    assert "largest loss is that of a, +0.1000" in " ".join(
        reuse_lines(Reuse(measure="ER", depth=5, systems=(gains,), tau=1.0, lower_is_better=True))
    )


def test_teams_come_from_a_file(tmp_path: Any) -> None:
    qrels, runs = drawn(2)
    path = tmp_path / "teams.csv"
    path.write_text("run,team\na,us\nb,us\nc,them\n")
    done = rankscope.pool_reuse(qrels, runs, teams=path, pool_depth=5)
    assert {each.system: each.team for each in done.systems} == {"a": "us", "b": "us", "c": "them"}
    path.write_text("run,group\na,us\n")
    with pytest.raises(InputError, match="needs the columns run and team"):
        rankscope.pool_reuse(qrels, runs, teams=path)
    path.write_text("run,team\na,us\na,them\n")
    with pytest.raises(InputError, match="run a has two of team"):
        rankscope.pool_reuse(qrels, runs, teams=path)


@pytest.mark.thorough
def test_a_shallow_pool_of_real_runs_costs_more_than_a_deep_one() -> None:
    covid, robust = data_folder("trec-covid-r1"), data_folder("trec-robust03")
    few = sorted((covid / "runs").glob("*.gz"))[:8]
    shallow = rankscope.pool_reuse(str(covid / "qrels-rnd1.txt"), [str(each) for each in few], pool_depth=7)
    some = sorted((robust / "runs").glob("*.gz"))[:5]
    deep = rankscope.pool_reuse(str(robust / "qrels.txt.gz"), [str(each) for each in some])
    assert shallow.mean_change < -0.05 < deep.mean_change <= 0
