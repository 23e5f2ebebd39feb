"""Pools: the worked example, real runs, and samples with the probabilities that they claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from rankscope.analysis.sampling.pools import (
    POOL_TYPES,
    POOLS,
    AdaptivePool,
    Bandit,
    Lists,
    MoveToFront,
    PoolPlan,
    Rankings,
    SampledRanks,
    lists_of_origins,
)
from rankscope.core.errors import SettingError
from tests.data import data_folder

LISTS = (tuple("abcde"), tuple("axfbg"), tuple("hijka"))
RELEVANT = "abcf"


def example() -> Rankings:
    return Rankings.of([{"q": items} for items in LISTS])


@pytest.mark.parametrize(("method", "order"), [("mtf(5)", "abcdxhefgijk"), ("bandit(5)", "abcdxehfgijk")])
def test_adaptive_pools_judge_in_the_order_of_the_worked_example(method: str, order: str) -> None:
    pool = POOLS.parse(method)
    assert isinstance(pool, AdaptivePool)
    assert "".join(pool.order(LISTS, RELEVANT)) == order


def test_depth_takes_the_union_by_best_rank_then_by_run() -> None:
    table = PoolPlan.parse("depth(5)").candidates(example(), seed=0)
    assert "".join(table.get_column("item")) == "ahbxicfjdkeg"
    assert set(table.get_column("pi")) == {1.0}
    assert "".join(PoolPlan.parse("depth(2)").candidates(example(), seed=0).get_column("item")) == "ahbxi"


@pytest.mark.parametrize(
    "text",
    [
        "depth(20)",
        "mtf(100)",
        "bandit(100)",
        "sample(1-10:all,11-100:20%,101-1000:5%)",
        "sample(1-10:12.5%)",
        "bandit(100) + sample(101-1000:2%)",
        "depth(10) + mtf(50) + sample(11-100:20%)",
        "decide(10)",
    ],
)
def test_a_pool_prints_as_it_is_written(text: str) -> None:
    assert str(PoolPlan.parse(text)) == text
    assert PoolPlan.parse(str(PoolPlan.parse(text))) == PoolPlan.parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("depht(20)", "did you mean 'depth'"),
        ("depth", "lacks k"),
        ("depth(0)", "at least 1"),
        ("depth(10) + ", "is no pool"),
        ("sample", "no bands"),
        ("sample(1-10)", "'1-10' is no band"),
        ("sample(10-1:all)", "ranks rise"),
        ("sample(1-10:0%)", "above 0"),
        ("sample(1-10:120%)", "at most 100%"),
        ("sample(1-10:1.2.3%)", "is no share"),
        ("sample(1-10:all, 10-20:5%)", "overlap"),
        ("sample(1-10:all) + depth(3)", "as the last part"),
        ("sample(1-10:all) + sample(11-20:all)", "one sample at most"),
    ],
)
def test_what_is_no_pool_is_told(text: str, words: str) -> None:
    with pytest.raises(SettingError) as caught:
        PoolPlan.parse(text)
    assert words in str(caught.value)


def test_every_pool_says_what_it_is() -> None:
    assert [name for name, about in POOLS.listing() if len(about) < 20] == []
    assert list(POOL_TYPES) == ["depth", "mtf", "bandit", "sample", "decide"]


def test_only_pools_with_probabilities_say_so() -> None:
    known = ["depth(3)", "sample(1-3:all)", "bandit(3) + sample(4-9:50%)", "mtf(3)", "bandit(3)", "depth(2) + mtf(3)"]
    assert [PoolPlan.parse(text).gives_probabilities for text in known] == [True, True, True, False, False, False]


lists_of_items = st.lists(st.permutations("abcdefgh").map(lambda items: tuple(items[:5])), min_size=1, max_size=4)


@pytest.mark.parametrize("pool", [MoveToFront(5), Bandit(5)], ids=str)
@given(lists=lists_of_items.map(tuple), relevant=st.sets(st.sampled_from("abcdefgh")))
def test_an_adaptive_pool_judges_every_item_once(pool: AdaptivePool, lists: Lists, relevant: set[str]) -> None:
    order = pool.order(lists, relevant)
    assert sorted(order) == sorted({item for items in lists for item in items})


@pytest.mark.parametrize("pool", [MoveToFront(5), Bandit(5)], ids=str)
@given(lists=lists_of_items.map(tuple), relevant=st.sets(st.sampled_from("abcdefgh")), data=st.data())
def test_items_on_loan_are_passed_over(
    pool: AdaptivePool, lists: Lists, relevant: set[str], data: st.DataObject
) -> None:
    order = pool.order(lists, relevant)
    judged = {item: item in relevant for item in order[: data.draw(st.integers(0, len(order)))]}
    lent: set[str] = set()
    while (item := pool.choose(lists, judged, lent)) is not None:
        assert item not in judged
        lent.add(item)
    assert lent == set(order) - set(judged)


def plain_mtf(lists: Lists, relevant: str) -> list[str]:
    """As the paper says it, with lists that shrink and a table of priorities."""
    left = [list(items) for items in lists]
    priority, done = [0] * len(lists), list[str]()
    while any(left):
        run = max((each for each in range(len(left)) if left[each]), key=lambda each: (priority[each], -each))
        item = left[run].pop(0)
        if item not in done:
            done.append(item)
            priority[run] -= item not in relevant
    return done


@given(lists=lists_of_items.map(tuple), relevant=st.text("abcdefgh"))
def test_move_to_front_is_that_of_a_plain_table(lists: Lists, relevant: str) -> None:
    assert MoveToFront(5).order(lists, relevant) == plain_mtf(lists, relevant)


def test_a_sample_takes_its_share_of_each_band() -> None:
    runs = [{query: [f"{query}-{number}" for number in range(200)] for query in ("q1", "q2")}]
    table = PoolPlan.parse("sample(1-10:all, 11-100:20%, 101-200:5%)").candidates(Rankings.of(runs), seed=3)
    drawn = table.filter(table.get_column("drawn"))
    assert Counter(drawn.select("query", "stratum").rows()) == {
        (query, stratum): size
        for query in ("q1", "q2")
        for stratum, size in (("1-10", 10), ("11-100", 18), ("101-200", 5))
    }
    assert dict(zip(table.get_column("stratum"), table.get_column("pi"), strict=True)) == {
        "1-10": 1.0,
        "11-100": 0.2,
        "101-200": 0.05,
    }
    assert table.height == 400  # those that were not drawn are in the pool too: infAP wants them


def test_the_share_of_times_that_an_item_is_drawn_is_its_probability() -> None:
    times = 2000
    items = [f"i{number:02}" for number in range(30)]
    rankings = Rankings.of([{f"q{query}": items for query in range(times)}])
    drawn = PoolPlan.parse("sample(1-30:20%)").candidates(rankings, seed=0).get_column("drawn").to_numpy()
    counts = drawn.reshape(times, 30).sum(axis=0)
    assert counts.sum() == 6 * times
    spread = ((counts - 0.2 * times) ** 2).sum() / (0.2 * 0.8 * times) * 29 / 30  # a simple random sample of 6 of 30
    assert stats.chi2(29).sf(spread) > 0.001


def test_an_item_is_drawn_by_its_best_rank() -> None:
    table = PoolPlan.parse("sample(1-1:all, 2-5:50%)").candidates(example(), seed=0)
    first = table.filter(table.get_column("stratum") == "1-1")
    assert set(first.get_column("item")) == {"a", "h"}


@pytest.mark.parametrize(("candidates", "size"), [(0, 0), (1, 1), (2, 2), (10, 2), (50, 3), (1000, 50)])
def test_a_stratum_that_is_not_judged_in_full_has_two_at_least(candidates: int, size: int) -> None:
    assert SampledRanks(101, 1000, 0.05).size(candidates) == size


def found_after(orders: Mapping[str, list[str]], relevant: Mapping[str, set[str]]) -> NDArray[np.int64]:
    """How many relevant items 50, 100 and 200 judgements of each topic find."""
    hits = [np.isin(order, list(relevant[topic])) for topic, order in orders.items()]
    return np.array([sum(int(each[:number].sum()) for each in hits) for number in (50, 100, 200)])


def robust_pools() -> tuple[dict[str, dict[str, str]], dict[str, set[str]]]:
    """Origins of the candidates of the first 40 topics, and which are relevant."""
    from rankscope.inputs.qrels import Qrels
    from rankscope.workbench.sources import read_ranking

    folder = data_folder("trec-robust03")
    judged = Qrels.of(str(folder / "qrels.txt.gz")).to_dict()
    topics = list(judged)[:40]
    tables = [read_ranking(path) for path in sorted((folder / "runs").glob("*.gz"))]
    origins: dict[str, dict[str, str]] = {}
    for row in PoolPlan.parse("depth(100)").candidates(Rankings.of_tables(tables, topics), 0).iter_rows(named=True):
        origins.setdefault(row["query"], {})[row["item"]] = row["origin"]
    return origins, {topic: {item for item, grade in judged[topic].items() if grade >= 1} for topic in topics}


@pytest.mark.thorough
def test_robust_2003_finds_as_many_relevant_items_as_the_specification_says() -> None:
    origins, relevant = robust_pools()
    orders = {"depth": {topic: list(items) for topic, items in origins.items()}}
    for pool in (MoveToFront(100), Bandit(100)):
        orders[pool.name] = {
            topic: pool.order(lists_of_origins(items, 12, 100), relevant[topic], 200)
            for topic, items in origins.items()
        }
    whole = sum(len(relevant[topic] & items.keys()) for topic, items in origins.items())
    shares = {name: found_after(some, relevant) / whole for name, some in orders.items()}
    assert shares["depth"] == pytest.approx([0.31, 0.46, 0.70], abs=0.015)
    assert shares["mtf"] == pytest.approx([0.35, 0.52, 0.76], abs=0.015)
    assert shares["bandit"] == pytest.approx([0.39, 0.63, 0.87], abs=0.015)
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "judge-in-a-project.md").read_text(encoding="utf-8")
    for name, some in shares.items():
        assert f"`{name}` {' '.join(f'{each:.2f}'[1:] for each in some)}" in page


def test_decide_draws_what_only_one_of_the_first_two_runs_has() -> None:
    """First 3 of `abcde` and `axfbg`: a is shared, b and c are the first's, x and f the second's; h, i, j belong to
    neither."""
    table = PoolPlan.parse("decide(3)").candidates(example(), seed=0)
    drawn = dict(zip(table.get_column("item"), table.get_column("drawn"), strict=True))
    assert drawn == {"a": False, "b": True, "c": True, "x": True, "f": True}
    assert table.get_column("pi").to_list() == [1.0 if drawn[item] else None for item in table.get_column("item")]


def test_decide_stands_alone() -> None:
    with pytest.raises(SettingError, match="decide stands alone"):
        PoolPlan.parse("depth(5) + decide(10)")
