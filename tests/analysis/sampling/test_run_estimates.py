"""Estimates of whole runs: with everything judged they are what `evaluate` says; samples are read in every form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankscope.analysis.curves.generality import grip
from rankscope.analysis.sampling.estimate import EstimatedRange
from rankscope.analysis.sampling.frame import Frame
from rankscope.analysis.sampling.judged_run import JudgedRun, ranking_table
from rankscope.analysis.sampling.run_estimates import RunEstimates, inspections, plan_of_budget, plan_of_shrinkage
from rankscope.commands.estimate import estimate_runs
from rankscope.core.errors import InputError, MeasureError, RankscopeError, SettingError
from rankscope.inputs.run import Run
from rankscope.inputs.sampled_qrels import SampledQrels
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.incomplete_judgements import InfAP
from rankscope.ranks.reduction import reduce

ITEMS = [f"d{number:03}" for number in range(60)]


def runs(seed: int = 0, queries: int = 12) -> dict[str, dict[str, list[str]]]:
    chance = np.random.default_rng(seed)
    return {
        name: {f"q{number}": [ITEMS[each] for each in chance.permutation(60)] for number in range(queries)}
        for name in ("one", "two")
    }


def pooled(seed: int = 0, share: float = 1.0, queries: int = 12) -> pl.DataFrame:
    """All items of each query in two strata by their rank in the first run; a share of the lower one is judged."""
    chance = np.random.default_rng(seed + 1)
    rows = []
    for query, ranking in runs(seed, queries)["one"].items():
        drawn = set(chance.permutation(50)[: round(50 * share)].tolist())
        for rank, item in enumerate(ranking, 1):
            grade = int(chance.random() < 3 / (rank + 4)) * int(chance.integers(1, 3))
            judged = rank <= 10 or rank - 11 in drawn
            band = "1-10" if rank <= 10 else "11-60"
            rows.append((query, item, grade if judged else -1, 1.0 if rank <= 10 else share, band))
    return pl.DataFrame(rows, schema=["query", "item", "grade", "pi", "stratum"], orient="row")


def values(done: RunEstimates, run: str, quantity: str, queries: Sequence[str] = ()) -> list[float]:
    """The estimates of a quantity, in the order of these queries."""
    found = {
        str(row["query"]): float(str(row["estimate"]))
        for row in done.query_rows()
        if (row["run"], row["quantity"]) == (run, quantity)
    }
    return [found[query] for query in queries or found]


def judgements(rows: pl.DataFrame) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for query, item, grade in rows.select("query", "item", "grade").iter_rows():
        found.setdefault(query, {})[item] = grade
    return found


def test_with_everything_judged_the_estimates_are_the_values() -> None:
    whole = pooled()
    qrels = judgements(whole)
    done = estimate_runs(whole, runs(), "num_rel,R@20,P@10,nDCG@10,AP", collection_size=60)
    scores = evaluate(qrels, runs(), ["num_rel", "R@20", "P@10", "nDCG@10", "AP"])
    for system in scores.systems:
        for name, column in zip(("R@20", "P@10", "nDCG@10", "AP"), system.columns[1:], strict=True):
            asked = values(done, system.name, name, system.ranks.queries)
            assert asked == pytest.approx(column.values.tolist(), abs=2e-5, nan_ok=True)
    first = scores.systems[0]
    assert values(done, "", "num_rel", first.ranks.queries) == first.columns[0].values.tolist()
    for each in done.means:
        if each.quantity.startswith(("R@", "mean P@", "mean num", "AP,")):
            assert each.spread.these.low == pytest.approx(each.spread.these.high)
            assert each.spread.population.low < each.spread.population.high
    assert done.plan.more == 0


def test_with_everything_judged_grip_is_that_of_the_curves() -> None:
    whole = pooled()
    qrels = judgements(whole)
    ranks = evaluate(qrels, runs()["one"], "num_rel", collection_size=60).systems[0].ranks
    for row, query in enumerate(ranks.queries[:4]):
        curve = grip(ranks.take(np.array([row])), levels=[1], members="varying")
        own = estimate_runs(whole.filter(pl.col("query") == query), runs()["one"], "GRiP", collection_size=60)
        level, *_, full = (each.spread.value for each in own.means)
        assert (level, full) == pytest.approx(tuple(curve.recall.tolist()), abs=1e-9)


def test_inferred_ap_of_one_stratum_is_trec_evals() -> None:
    sample = pooled(share=0.4).with_columns(grade=pl.when(pl.int_range(pl.len()) % 3 == 0).then(-1).otherwise("grade"))
    qrels = judgements(sample)
    done = estimate_runs(qrels, runs()["one"], "AP")
    ranks = reduce(qrels, runs()["one"])
    assert values(done, "run", "AP", ranks.queries) == pytest.approx(InfAP().of(ranks).tolist(), nan_ok=True)


def test_the_worked_inferred_values() -> None:
    run = {"q": list("abcdefgh")}
    one = {"q": {**dict.fromkeys("abcdefghxy", -1), "a": 1, "c": 0, "d": 1, "g": 0, "x": 1}}
    assert values(estimate_runs(one, run, "AP"), "run", "AP") == pytest.approx([0.541667], abs=5e-7)
    grades = {"a": 1, "b": 0, "c": 1, "d": 0, "e": -1, "f": 1, "g": -1, "h": 0, "x": 0, "y": -1}
    two = pl.DataFrame(
        [("q", item, grade, "1" if item in "abcd" else "2") for item, grade in grades.items()],
        schema=["query", "item", "grade", "stratum"],
        orient="row",
    )
    done = estimate_runs(two, run, "AP,num_rel")
    assert values(done, "run", "AP") == pytest.approx([0.708333], abs=5e-7)
    assert values(done, "", "num_rel") == [4.0]


def test_the_same_sample_in_every_form_says_the_same(tmp_path: Path) -> None:
    sample = pooled(share=0.4)
    expected = [astuple(each.spread) for each in estimate_runs(sample, runs()).means]
    rows = sample.rows()
    (tmp_path / "probs.txt").write_text("".join(f"{q} 0 {i} {g} {pi:g}\n" for q, i, g, pi, _ in rows))
    (tmp_path / "strata.txt").write_text("".join(f"{q} 0 {i} {int(pi < 1)} {g}\n" for q, i, g, pi, _ in rows))
    (tmp_path / "prels.txt").write_text("".join(f"{q} {i} {g} 1 {pi:g}\n" for q, i, g, pi, _ in rows))
    sample.write_csv(tmp_path / "sample.csv")
    sample.write_parquet(tmp_path / "sample.parquet")
    sample.write_ndjson(tmp_path / "sample.jsonl")
    for name in ("probs.txt", "strata.txt", "prels.txt", "sample.csv", "sample.parquet", "sample.jsonl"):
        found = [astuple(each.spread) for each in estimate_runs(tmp_path / name, runs()).means]
        np.testing.assert_equal(found, expected, name)  # unlike ==, it takes nan for nan


def test_a_pool_of_the_runs_can_be_told() -> None:
    sample, one = pooled(share=0.4), runs()["one"]
    judged = sample.filter(pl.col("grade") >= 0).select("query", "item", "grade")
    told = estimate_runs(judged, one, drawn="sample(1-10:all, 11-60:40%)")
    told_means, means = (
        [(*each[:2], *astuple(each.spread), each.reason) for each in done.means]
        for done in (told, estimate_runs(sample, one))
    )
    np.testing.assert_equal(told_means, means)
    assert not told.warnings
    less = estimate_runs(judged, {q: items[:30] for q, items in one.items()}, drawn="sample(1-10:all, 11-60:40%)")
    assert any("outside of this pool" in line for line in less.warnings)


def test_a_sample_of_the_whole_collection() -> None:
    chance = np.random.default_rng(3)
    relevant = [set(chance.choice(2000, 60).tolist()) for _ in range(3)]
    judged = {
        f"q{q}": {f"i{i}": int(i in relevant[q]) for i in chance.choice(2000, 400, replace=False)} for q in range(3)
    }
    run = {f"q{q}": [f"i{i}" for i in range(100)] for q in range(3)}
    done = estimate_runs(judged, run, "num_rel,R@100,generality", drawn="collection", collection_size=2000)
    for row in done.query_rows():
        if row["quantity"] == "num_rel":
            query = int(str(row["query"])[1:])
            assert float(str(row["low"])) <= len(relevant[query]) <= float(str(row["high"]))
            assert float(str(row["certain high"])) == 1600 + sum(judged[str(row["query"])].values())
        if row["quantity"] == "R@100":
            assert 0 <= float(str(row["low"])) < float(str(row["high"])) <= 1


@pytest.mark.parametrize(
    ("qrels", "choices", "words"),
    [
        ({"q": {"a": 1, "b": 0}}, {}, "does not say how its items were drawn"),
        ({"q": {"a": 1, "b": 0}}, {"drawn": "bandit(10)"}, "sample"),
        ({"q": {"a": 1, "b": 0}}, {"drawn": "collection"}, "collection_size=D"),
        ({"q": {"a": 1, "b": -1, "c": -1}}, {}, "query q, stratum pool: 1 judged of 3"),
        ({"query": ["q", "q"], "item": ["a", "b"], "grade": [1, 0], "pi": [1.0, 1.5]}, {}, "above 0 and at most 1"),
        ({"query": ["q", "q"], "item": ["a", "a"], "grade": [1, 0], "pi": [1.0, 1.0]}, {}, "is there twice"),
        ({"q": {"a": 1, "b": 0, "c": -1}}, {"measures": "RR,P@5"}, "RR cannot be estimated"),
        ({"q": {"a": 1, "b": 0, "c": -1}}, {"measures": "GRiP"}, "size of the collection"),
    ],
)
def test_what_allows_no_estimate_is_refused(qrels: object, choices: dict[str, object], words: str) -> None:
    with pytest.raises(RankscopeError, match=words):
        _ = estimate_runs(qrels, {"q": ["a", "b"]}, **choices).means  # type: ignore[arg-type]


def test_strata_not_fully_judged_are_noted() -> None:
    sample = pooled(share=0.4)
    lacking = sample.with_columns(
        grade=pl.when((pl.col("stratum") == "11-60") & (pl.int_range(pl.len()) % 4 == 0)).then(-1).otherwise("grade")
    )
    assert any("drawn and are not judged" in line for line in estimate_runs(lacking, runs()).warnings)


def strata_frame(cells: list[tuple[int, int, int]]) -> Frame:
    rows = [
        ("q", f"{band}-{number}", str(band), 1 if number < found else 0 if number < judged else -1)
        for band, (size, judged, found) in enumerate(cells)
        for number in range(size)
    ]
    return Frame.of(pl.DataFrame(rows, schema=["query", "item", "stratum", "grade"], orient="row"))


def test_a_budget_is_spent_where_the_variance_falls_most() -> None:
    cells = [(12, 3, 1), (20, 4, 1), (6, 6, 3), (15, 2, 1)]
    plan = plan_of_budget(strata_frame(cells), 12)
    best = min(
        (allocation for allocation in product(range(10), range(13), (0,), range(13)) if sum(allocation) <= 12),
        key=lambda added: sum(_variance(cell, cell[1] + more) for cell, more in zip(cells, added, strict=True)),
    )
    added = (plan.target - plan.strata.judged).tolist()
    reached, least = (
        sum(_variance(cell, cell[1] + more) for cell, more in zip(cells, each, strict=True)) for each in (added, best)
    )
    assert reached <= 1.03 * least
    assert sum(added) == 12
    assert added[2] == 0


def _variance(cell: tuple[int, int, int], judged: int) -> float:
    size, n, found = cell
    share = (found + 0.5) / (n + 1)
    return size**2 * share * (1 - share) * (1 / judged - 1 / size)


def test_the_fewest_judgements_that_halve_the_interval() -> None:
    plan = plan_of_shrinkage(strata_frame([(90, 18, 4), (900, 45, 2)]))
    assert plan.shrinks_to <= 0.5
    assert plan_of_budget(strata_frame([(90, 18, 4), (900, 45, 2)]), plan.more - 4).shrinks_to > 0.495
    assert plan.bands[0].name == "1"
    assert plan.bands[0].variance_share > 0.9


def test_items_to_inspect_are_those_between_hits() -> None:
    whole = pooled(queries=4)
    frame = Frame.of(whole.select("query", "item", "stratum", "grade"))
    ranking = ranking_table(Run.of(runs(queries=4)["one"]))
    first = next(inspections(JudgedRun.of("one", frame, ranking)))
    hits = whole.filter((pl.col("stratum") == "1-10") & (pl.col("grade") > 0)).height
    assert (
        first.these == pytest.approx(EstimatedRange(40 / hits, 40 / hits, 40 / hits))
        if hits
        else math.isinf(first.these.value)
    )


def test_a_name_that_is_no_quantity_is_told_with_those_that_are() -> None:
    with pytest.raises(MeasureError, match="GRiP"):
        estimate_runs({"q": {"a": -1}}, {"q": ["a"]}, "MRR")


def test_bad_text_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "sample.txt"
    path.write_text("q 0 a 1 0.5\nq 0 b x 0.5\n")
    with pytest.raises(InputError, match="line 2"):
        SampledQrels.of(path)
    with pytest.raises(SettingError, match="level"):
        estimate_runs({"q": {"a": -1}}, {"q": ["a"]}, level=2.0)
