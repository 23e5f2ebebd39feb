"""Plans of judging: widths by hand, what a budget buys, deeper pools, other collections."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student

from rankscope import Run, evaluate
from rankscope.analysis.comparison.pairwise import compare_pairs
from rankscope.analysis.curves.thinning import expected_value
from rankscope.analysis.sampling.judged_run import ranking_table
from rankscope.analysis.sampling.judging_plan import (
    Costs,
    JudgingDesign,
    JudgingPlans,
    PoolDepths,
    WidthForecast,
    plan_sentences,
    plans_text,
    pool_depths,
)
from rankscope.analysis.sampling.pools import Rankings
from rankscope.analysis.statistics.collection_band import ThinnedRuns
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.variance_components import Components, FactorTable, components
from rankscope.commands.stability import plan_judging
from rankscope.core.errors import SettingError
from rankscope.measures import P

QUERY, ASSESSOR = np.divmod(np.arange(80), 4)


def pilot(assessor: float = 0.1, seed: int = 0) -> Components:
    chance = np.random.default_rng(seed)
    values = chance.normal(0.4, 0.2, 20)[QUERY] + assessor * chance.normal(size=4)[ASSESSOR] + chance.normal(0, 0.1, 80)
    return components(FactorTable.of(values, {"query": QUERY, "assessor": ASSESSOR}, what="AP of bm25"))


def test_the_width_is_that_of_the_components_by_hand() -> None:
    found = pilot()
    query, assessor, rest = (each.variance for each in found.parts)
    forecast = WidthForecast(found, Costs(), judgements=10)
    design = JudgingDesign(queries=50, assessors=2)
    expected = 2 * student.ppf(0.975, 49) * math.sqrt(query / 50 + assessor / 2 + rest / 100)
    assert forecast.width(design) == pytest.approx(expected)
    deep = WidthForecast(found, Costs(), 10, PoolDepths(40, {40: 100.0, 80: 190.0}, (0.08, 0.04)))
    assert deep.width(JudgingDesign(50, 2, depth=80)) == pytest.approx(expected + 2 * 0.02)
    assert deep.cost(JudgingDesign(50, 2, depth=80)) == 50 * 2 * 190


@pytest.mark.parametrize("queries", [12, 20, 50])
@pytest.mark.parametrize("skewed", [False, True])
def test_the_width_of_a_difference_is_that_of_the_limits_of_compare(queries: int, skewed: bool) -> None:
    """What is there already has the width that compare has; plans are made by the same rule."""
    chance = np.random.default_rng(queries)
    names = [f"q{number:02d}" for number in range(queries)]
    first = chance.uniform(0.3, 0.5, queries)
    second = first + (0.1 * chance.exponential(size=queries) if skewed else chance.normal(0.05, 0.1, queries))
    columns = {"query": [*names, *names], "system": ["A"] * queries + ["B"] * queries}
    values = pl.DataFrame({**columns, "measure": "AP", "value": np.concatenate([first, second])})
    plans = plan_judging(values, budget=100, judgements=10)
    table = ScoreTable.make({"A": first, "B": second}, queries=names, bounds=(0.0, 1.0))
    (pair,) = compare_pairs(table).comparisons
    assert plans.now.width == pytest.approx(pair.high - pair.low, rel=1e-9)
    t = 2 * student.ppf(0.975, queries - 1) * (second - first).std(ddof=1) / math.sqrt(queries)
    assert plans.now.width > 1.02 * t
    more = plans.forecast.width(JudgingDesign(queries=4 * queries))
    assert t / 2 * 0.9 < more < plans.now.width / 2
    alone = plan_judging(values, budget=100, judgements=10, of="A")
    assert alone.forecast.differences is None
    assert alone.now.width == pytest.approx(
        2 * student.ppf(0.975, queries - 1) * first.std(ddof=1) / math.sqrt(queries), rel=1e-6
    )


def test_the_part_that_pools_may_move_is_told_and_compare_has_none_of_it() -> None:
    pools = PoolDepths(40, {40: 100.0, 80: 190.0}, (0.08, 0.04))
    apart = np.random.default_rng(1).normal(size=20)
    for differences, words in ((apart, "; compare, which takes the judgements as they are, has "), (None, " move.")):
        plans = JudgingPlans(WidthForecast(pilot(), Costs(), 10, pools, differences=differences), budget=3_000)
        told = next(line for line in plan_sentences(plans) if "outside of the pools" in line)
        assert told.startswith(f"{plans.now.of_pools:.4f} of the present width of {plans.now.width:.4f} is what")
        assert words in told
        assert (f"has {plans.now.width - plans.now.of_pools:.4f} for" in told) == (differences is not None)


def test_costs_are_added_up() -> None:
    forecast = WidthForecast(pilot(), Costs.parse("query=5, judgement=2, assessor=7, seed=3"), judgements=10)
    assert forecast.cost(JudgingDesign(queries=3, assessors=2, seeds=2)) == 3 * 5 + 3 * 2 * 10 * 2 + 2 * 7 + 2 * 3
    assert Costs.parse("") == Costs()
    for wrong, told in (("query", "reads NAME=NUMBER"), ("pages=3", "no cost of pages"), ("query=-1", "from 0 on")):
        with pytest.raises(SettingError, match=told):
            Costs.parse(wrong)


def test_each_plan_spends_what_it_may_and_the_narrowest_comes_first() -> None:
    plans = JudgingPlans(WidthForecast(pilot(0.3), Costs(query=2), judgements=10), budget=900)
    assert [each.width for each in plans.plans] == sorted(each.width for each in plans.plans)
    by_name = {each.name: each for each in plans.plans}
    assert by_name["more queries"].design.queries == 20 + 900 // 42
    assert by_name["more assessors"].design.assessors == 4 + 900 // 200
    assert all(each.cost <= 900 and each.narrower > 0 for each in plans.plans)
    assert plans.best is plans.plans[0]
    assert by_name["more assessors"].width < by_name["more queries"].width


def test_more_queries_never_widen_the_interval_and_a_mixture_may_be_best() -> None:
    forecast = WidthForecast(pilot(0.15), Costs(), judgements=10)
    widths = [forecast.width(JudgingDesign(queries=count, assessors=4)) for count in (20, 40, 400)]
    assert widths == sorted(widths, reverse=True)
    plans = JudgingPlans(forecast, budget=4_000)
    mixed = [each for each in plans.plans if each.name == "mixed"]
    assert mixed
    assert mixed[0].width == min(each.width for each in plans.plans)


def test_what_the_budget_does_not_reach_and_what_data_do_not_say() -> None:
    plans = JudgingPlans(WidthForecast(pilot(), Costs(), judgements=10), budget=50)
    assert plans.too_dear == (("more assessors", 200.0),)
    words = plan_sentences(plans)
    best = plans.best
    assert best is not None
    assert f"({best.design}) narrow the 95% interval most" in words[0]
    assert f"{best.narrower / plans.now.width:.1%} less" in words[0]
    assert any("more assessors: the least costs 200" in line for line in words)
    assert any("nothing is said of deeper pools" in line for line in words)
    for shown in ("table", "markdown", "json"):
        assert "more queries" in plans_text(plans, shown)
    assert len(repr(plans).splitlines()) <= 10
    assert JudgingPlans(WidthForecast(pilot(), Costs(), judgements=10), budget=1).best is None


def test_equal_values_leave_nothing_to_narrow() -> None:
    found = components(FactorTable.of([0.5] * 4, {"query": range(4)}))
    plans = JudgingPlans(WidthForecast(found, Costs(), judgements=1), budget=100)
    assert plans.best is None
    assert "All values are equal" in plan_sentences(plans)[0]


def test_pools_of_doubled_depths_by_hand() -> None:
    """One run of 40 items, the first 20 judged: means at depths 5, 10, 20 move by -.1 and -.05, so -.05 is to come."""
    rankings = Rankings.of([{"q": [f"d{place}" for place in range(40)]}])
    judged = pl.DataFrame({"query": "q", "item": [f"d{place}" for place in range(20)], "grade": 1.0})
    means = {5: 0.6, 10: 0.5, 20: 0.45}
    found = pool_depths(rankings, judged, lambda some: means[len(some)])
    assert found is not None
    assert (found.depth, found.deeper, found.size(40)) == (20, (40,), 40.0)
    assert found.moved == pytest.approx((-0.1, -0.05))
    assert found.shift(20) == pytest.approx(-0.05)
    assert found.shift(40) == pytest.approx(-0.025)
    told = pool_depths(rankings, judged, lambda some: 0.0, depth=40)
    assert told is not None
    assert (told.depth, told.shift(40)) == (40, 0.0)
    assert pool_depths(rankings, judged.head(8), lambda some: 0.0) is None


def chance_run(seed: int, queries: int = 6, items: int = 30) -> dict[str, dict[str, float]]:
    chance = np.random.default_rng(seed)
    return {
        f"q{query}": {f"d{item}": float(score) for item, score in enumerate(chance.permutation(items) // 2)}
        for query in range(queries)
    }


QRELS = {f"q{query}": {f"d{item}": int(item % 5 == query % 5) for item in range(0, 30, 2)} for query in range(6)}


def test_other_collections_are_those_of_runs_without_the_items_evaluated_again() -> None:
    runs = {name: Run.of(chance_run(seed), name=name) for seed, name in enumerate(("A", "B"))}
    scores = evaluate(QRELS, runs, ["AP"])
    thinned = ThinnedRuns.of(scores, {name: ranking_table(run) for name, run in runs.items()})
    items = sorted({item for run in runs.values() for items in run.to_dict().values() for item in items})
    chance = np.random.default_rng(4)
    for table in thinned.draws(0.4, 3, seed=4):
        gone = {items[each] for each in chance.choice(len(items), round(0.4 * len(items)), replace=False)}
        left = {
            name: {
                query: {item: score for item, score in found.items() if item not in gone or QRELS[query].get(item, 0)}
                for query, found in run.to_dict().items()
            }
            for name, run in runs.items()
        }
        again = ScoreTable.of(evaluate(QRELS, left, ["AP"]))
        assert table.values == pytest.approx(again.values, nan_ok=True)


def test_random_halves_have_the_exact_variance_of_thinning() -> None:
    """The mean over queries of the variance over draws, next to the exact one of `analysis.curves.thinning`."""
    runs = {"A": Run.of(chance_run(3), name="A")}
    scores = evaluate(QRELS, runs, ["P@5"], collection_size=30)
    thinned = ThinnedRuns.of(scores, {"A": ranking_table(runs["A"])})
    drawn = np.stack([table.values[:, 0] for table in thinned.draws(0.5, 600, seed=1)])
    ranks = scores.systems[0].ranks
    exact = [expected_value(ranks, (30 - ranks.relevant) // 2, P(5)).variance]
    assert np.nanmean(drawn.var(axis=0)) == pytest.approx(float(np.nanmean(exact)), rel=0.15)


def test_lists_that_were_shortened_are_refused() -> None:
    run = Run.of(chance_run(1), name="A")
    scores = evaluate(QRELS, {"A": run}, ["AP"], depth=10)
    with pytest.raises(SettingError, match="items were removed from its lists"):
        ThinnedRuns.of(scores, {"A": ranking_table(run)})
