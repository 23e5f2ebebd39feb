"""The ledger against the specification's case, and against a brute force that follows one item after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope
from rankscope.analysis.pipeline.account import LOSSES
from rankscope.analysis.pipeline.ledger import Ledger, ledger_of
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.core.errors import InputError, SettingError
from rankscope.core.wording import decimal_text
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.ranks.item_ranks import item_ranks

Lists = dict[str, list[str]]
QUARTER, ONE = Fraction(1, 4), Fraction(1)
FOUR = {"q": dict.fromkeys("abcd", 1)}
CHECK: dict[str, Lists] = {
    "exact": {"q": list("abcd")},
    "approximate": {"q": list("abdx")},
    "filter": {"q": list("abx")},
    "rerank": {"q": list("axyzb")},
}
ITEMS = [f"d{number}" for number in range(8)]
few = settings(max_examples=60)


@st.composite
def pipelines(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, Lists]]:
    """Up to four queries of up to eight items, and up to five stages of any lists; a stage may lack a query."""
    queries = [f"q{number}" for number in range(draw(st.integers(1, 4)))]
    judged = {query: draw(st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 2), min_size=1)) for query in queries}
    judged[queries[0]][ITEMS[0]] = 1
    lists = st.lists(st.sampled_from([*ITEMS, "x", "y", "z"]), unique=True)
    stages = {}
    for number in range(draw(st.integers(2, 5))):
        answered = draw(st.lists(st.sampled_from(queries), unique=True, min_size=1))
        stages[f"s{number}"] = {query: draw(lists.filter(bool)) for query in answered}
    return judged, stages


def told(judged: Mapping[str, Any], stages: Any, **more: Any) -> Ledger:
    return rankscope.ledger(judged, stages, resamples=100, **more)


def brute(judged: dict[str, dict[str, int]], lists: Lists, scope: int | str) -> Fraction:
    """Mean recall of one stage, item by item."""
    shares = []
    for query, grades in judged.items():
        relevant = [item for item, grade in grades.items() if grade >= 1]
        if relevant:
            depth = {"c": len(relevant), "all": 99}.get(str(scope), scope)
            first = lists.get(query, [])[: int(depth)]
            shares.append(Fraction(sum(item in first for item in relevant), len(relevant)))
    return sum(shares, Fraction(0)) / len(shares)


def test_the_case_of_the_specification() -> None:
    done = told(FOUR, CHECK)
    assert done.main.name == "p = r"
    assert done.main.account.values == (ONE, 3 * QUARTER, 2 * QUARTER, QUARTER)
    assert done.main.account.losses == (QUARTER, QUARTER, QUARTER)
    assert done.main.account.loss == 3 * QUARTER
    _, *later, whole = done.main.entries
    moved = [(each.lost, each.demoted, each.promoted, each.brought_back) for each in later]
    assert moved == [(1, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)]
    assert (whole.lost, whole.demoted, whole.part) == (2, 1, 1.0)
    assert done.worst()[0].where == "approximate: c; filter: d; rerank: b (rank 5)"
    assert done.statement("recall").account.values == (ONE, 3 * QUARTER, 2 * QUARTER, 2 * QUARTER)


@few
@given(pipelines(), st.integers(1, 9))
def test_the_shares_of_every_quantity_add_up_exactly_and_equal_a_brute_force(case: Any, scope: int) -> None:
    judged, stages = case
    done = told(judged, stages, scope=scope)
    assert [each.name for each in done.statements] == [f"recall@{scope}", "p = r", "recall"]
    limits: tuple[int | str, ...] = (scope, "c", "all")
    for each, limit in zip(done.statements, limits, strict=True):
        account = each.account
        assert account.values == tuple(brute(judged, lists, limit) for lists in stages.values())
        assert sum(account.losses, Fraction(0)) == account.loss == account.values[0] - account.values[-1]
        gross = account.gross
        net = gross["lost"] + gross["demoted"] - gross["promoted"] - gross["brought back"]
        assert np.array_equal(net, -np.diff(account.hits, axis=1))


@few
@given(pipelines(), st.integers(1, 9))
def test_every_item_is_followed_as_a_loop_would_follow_it(case: Any, scope: int) -> None:
    judged, stages = case
    rows = told(judged, stages, scope=scope).frame().rows(named=True)
    relevant = [(query, item) for query, own in sorted(judged.items()) for item in sorted(own) if own[item] >= 1]
    assert [(row["query"], row["item"], row["stage"]) for row in rows] == [
        (*pair, stage) for pair in relevant for stage in stages
    ]
    within, present = False, False
    for row in rows:
        listed = stages[row["stage"]].get(row["query"], [])
        rank = listed.index(row["item"]) + 1 if row["item"] in listed else None
        assert row["rank"] == rank
        now = rank is not None and rank <= scope
        if row["stage"] != "s0":
            assert (row["step"] == "lost") == (within and rank is None)
            assert (row["step"] == "demoted") == (within and rank is not None and not now)
            assert (row["step"] == "promoted") == (now and present and not within)
            assert (row["step"] == "brought back") == (now and not present)
            assert (row["step"] == "kept") == (now and within)
        within, present = now, rank is not None
        if row["stage"] == [*stages][-1]:
            assert (row["fate"] in ("kept", "gained", "recovered")) == now


@few
@given(pipelines(), st.randoms())
def test_other_irrelevant_items_change_nothing(case: Any, random: Any) -> None:
    judged, stages = case
    relevant = {query: {item for item in own if own[item] >= 1} for query, own in judged.items()}
    names = [f"other {number}" for number in range(20)]

    def renamed(query: str, items: list[str]) -> list[str]:
        fresh = iter(random.sample(names, len(items)))
        return [item if item in relevant[query] else next(fresh) for item in items]

    swapped = {stage: {query: renamed(query, own) for query, own in lists.items()} for stage, lists in stages.items()}
    one, other = told(judged, stages, scope=3), told(judged, swapped, scope=3)
    assert one.frame().equals(other.frame())
    assert one.main.entries[-1].loss == other.main.entries[-1].loss


@few
@given(pipelines())
def test_accounts_equal_the_measures_of_evaluate(case: Any) -> None:
    judged, stages = case
    done = told(judged, stages, scope=2)
    scores = rankscope.evaluate(judged, stages, ["R@2", "Rprec"])
    for name, measure in (("recall@2", "R@2"), ("p = r", "Rprec")):
        values = [float(each) for each in done.statement(name).account.values]
        assert values == pytest.approx([scores[stage, measure] for stage in stages], abs=1e-12)


def test_one_stage_has_nothing_to_divide_and_the_verb_says_so() -> None:
    alone = ledger_of(item_ranks(Qrels.of(FOUR), {"exact": Run.of({"q": list("abxc")})}))
    assert alone.main.account.losses == ()
    assert alone.main.account.loss == 0
    assert alone.main.account.never_found == QUARTER
    assert alone.worst() == ()
    with pytest.raises(SettingError, match="at least two stages, got 1"):
        told(FOUR, {"exact": CHECK["exact"]})


def test_a_filter_of_irrelevant_items_promotes_and_a_stage_that_brings_back_has_a_share_below_0() -> None:
    stages = {
        "exact": {"q": list("axybcd")},
        "filter": {"q": list("abcd")},
        "cut": {"q": list("ab")},
        "union": {"q": list("abcd")},
    }
    done = told(FOUR, stages)
    assert done.main.account.values == (2 * QUARTER, ONE, 2 * QUARTER, ONE)
    assert done.main.account.losses == (-2 * QUARTER, 2 * QUARTER, -2 * QUARTER)
    entries = done.main.entries
    assert (entries[1].promoted, entries[2].lost, entries[3].brought_back) == (2, 2, 2)
    assert done.sentences[0] == (
        "p = r rises by .500 from exact (.500) to union (1.000): cut takes .500; filter adds .500 and union adds .500."
    )


def test_a_query_that_a_stage_does_not_answer_has_lost_all_there_and_others_are_left_out() -> None:
    judged = {"q": {"a": 1, "b": 1}, "r": {"c": 1}, "empty": {"d": 0}}
    stages = {
        "exact": {"q": ["a", "b"], "r": ["c"], "empty": ["d"]},
        "ann": {"q": ["a", "b"], "strange": ["z"]},
        "final": {"q": ["a", "b"], "r": ["c"]},
    }
    done = told(judged, stages)
    assert done.main.account.values == (ONE, 2 * QUARTER, ONE)
    assert done.notes == (
        "ann does not answer 1 query: all their relevant items (1) count as absent there",
        "ann has 1 query without judgements, left out",
        "1 query without a relevant item left out: there is nothing to follow",
    )


def test_a_scope_smaller_than_a_class_is_told_and_limits_what_can_be_found() -> None:
    done = told(FOUR, {"exact": {"q": list("axbc")}, "ann": {"q": list("axbc")}}, scope=2)
    assert done.main.account.reachable == Fraction(1, 2)
    assert done.main.account.never_found == QUARTER
    assert done.notes == (
        "1 of 1 query has more relevant items than the scope of 2: no list can hold all of them within it",
    )
    assert done.sentences == (
        "No stage changes recall@2: from exact (.250) to ann (.250).",
        "Never found: .250 of the .500 within reach is missing at exact already; no later stage pays for it.",
    )


def test_intervals_are_those_of_every_other_command_over_queries_or_classes() -> None:
    chance = np.random.default_rng(3)
    judged = {f"q{n}": dict.fromkeys("abc", 1) for n in range(12)}
    classes = {query: "xyz"[n % 3] for n, query in enumerate(judged)}
    stages = {
        name: {query: chance.permutation(list("abcxyz"))[: chance.integers(2, 6)].tolist() for query in judged}
        for name in ("one", "two", "three")
    }
    for unit, drawn in (("queries", None), ("classes", [classes[query] for query in sorted(judged)])):
        done = told(judged, stages, classes=classes, unit=unit, seed=5)
        account = done.main.account
        expected = mean_intervals(account.lost_shares, drawn, resamples=100, seed=5, bounds=LOSSES)
        assert done.main.of_losses.unit == unit
        assert [each.loss_low for each in done.main.entries[1:]] == expected.low.tolist()
        assert [each.value_high for each in done.main.entries[:3]] == (
            mean_intervals(account.shares, drawn, resamples=100, seed=5).high.tolist()
        )
    by_class = {each.label: each for each in done.by_class}
    assert [*by_class] == ["x", "y", "z"]
    total = sum((each.account.loss * each.queries for each in done.by_class), Fraction(0))
    assert total / 12 == done.main.account.loss
    assert all(np.isnan(each.entries[-1].loss_low) for each in done.by_class)
    bounded = told(judged, stages, intervals="bounded")
    assert bounded.main.entries[-1].loss_low <= bounded.main.entries[-1].loss <= bounded.main.entries[-1].loss_high


def test_settings_are_heeded_as_everywhere() -> None:
    judged = {"q": {"a": 2, "b": 1, "n": 0}}
    stages = {"one": {"q": list("nxab")}, "two": {"q": list("naxb")}}
    assert told(judged, stages, rel=2).items.item == ("a",)
    assert told(judged, stages, depth=3).items.rank.tolist() == [[3, 2], [0, 0]]
    assert told(judged, stages, judged_only=True).items.rank.tolist() == [[2, 2], [3, 3]]
    assert told(judged, stages, junk={"q": ["n"]}).items.rank.tolist() == [[2, 1], [3, 3]]
    with pytest.raises(InputError, match="ranked twice"):
        told(judged, {**stages, "three": (["q", "q"], ["a", "a"], [2.0, 1.0])})


def test_ranks_of_items_equal_the_reduction_however_the_rows_come() -> None:
    chance = np.random.default_rng(0)
    judged = {f"q{n}": {f"d{k}": int(chance.integers(0, 3)) for k in range(6)} for n in range(9)}
    rows = [(query, f"d{k}", float(chance.integers(0, 4))) for query in judged for k in range(9)]
    for order in (rows, [rows[place] for place in chance.permutation(len(rows))]):
        run = Run.of(tuple(list(column) for column in zip(*order, strict=True)))
        ranks = item_ranks(Qrels.of(judged), {"run": run})
        reduced = rankscope.reduce(judged, run)
        for row, expected in enumerate(reduced.judged.lists("rank")):
            assert sorted(ranks.rank[ranks.query_row == row, 0].tolist()) == expected


def test_what_cannot_be_is_refused_all_at_once() -> None:
    with pytest.raises(SettingError) as caught:
        told(FOUR, ["one=a.run", "one=b.run", "c.run"], scope=0, ties="expected", mean="micro", unit="classes")
    assert caught.value.problems == (
        "scope=0: must be a whole number of at least 1 and below 2^63",
        "mean='micro': a ledger has no use for it; leave it out",
        "ties='expected': items are followed in one order; choose another",
        "'c.run': a stage is written name=RUN, as ann=c.run",
        "stage 'one' is named 2 times: each needs a name of its own",
        "unit='classes' needs the class of each query: give classes=CLASSES.csv",
    )
    with pytest.raises(SettingError, match="no query has a relevant item at grade 3"):
        told(FOUR, CHECK, rel=3)
    with pytest.raises(SettingError, match="names none of the queries"):
        told(FOUR, CHECK, classes={"other": "x"})
    with pytest.raises(SettingError, match="no quantity 'AP' in this ledger; there are: p = r, recall"):
        told(FOUR, CHECK).statement("AP")


def test_the_sentence_is_made_from_the_values_that_it_tells() -> None:
    done = told(FOUR, CHECK)
    assert done.sentences == (
        "Of .750 lost in p = r from exact (1.000) to rerank (.250), .250 is lost at approximate, .250 at filter and "
        ".250 at rerank.",
    )
    assert repr(done) == (
        "Ledger of p = r, 1 query: exact 1.000 > approximate 0.750 > filter 0.500 > rerank 0.250\n" + done.sentences[0]
    )
    judged = {f"q{n}": dict.fromkeys("abcd", 1) for n in range(5)}
    path = {name: dict.fromkeys(judged, lists["q"]) for name, lists in CHECK.items()}
    path["approximate"]["q0"] = list("xyzw")
    again = told(judged, path)
    largest = max(again.main.entries[1:-1], key=lambda each: each.loss)
    loss, low, high = map(decimal_text, (largest.loss, largest.loss_low, largest.loss_high))
    assert again.sentences[1] == f"The largest loss is that of {largest.stage}: {loss}, 95% interval {low} to {high}."


def test_the_worst_queries_are_those_of_the_largest_loss() -> None:
    judged = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}, "q3": dict.fromkeys("abcdefg", 1), "q4": {"a": 1}}
    stages = {"one": {query: sorted(own) for query, own in judged.items()}}
    stages["two"] = {"q1": ["x"], "q2": ["a", "x"], "q3": ["x"], "q4": ["a"]}
    worst = told(judged, stages).worst()
    assert [(each.query, each.loss) for each in worst] == [("q3", 1.0), ("q1", 1.0), ("q2", 0.5)]
    assert worst[0].where == "two: a, b, c, d, e and 2 more"
    assert [each.query for each in told(judged, stages).worst(1)] == ["q3"]


def test_one_run_may_be_two_stages() -> None:
    run = Run.of(CHECK["exact"])
    done = told(FOUR, {"before": run, "after": run})
    assert done.stages == ("before", "after")
    assert replace(done).main.account.loss == 0
