"""`rankscope estimate QRELS RUN...` at the terminal: tables, JSON, graphs, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.analysis.sampling.run_estimates import plan_lines
from rankscope.commands.estimate import estimate_runs
from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError
from rankscope.reports.graphs.judged_samples import estimates_graph, strata_graph
from tests.analysis.sampling.test_machine_judge import judged
from tests.analysis.sampling.test_run_estimates import pooled, runs


def call(*words: object) -> Result:
    return CliRunner().invoke(cli, ["estimate", *map(str, words)])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = pooled(share=0.4).rows()
    (tmp_path / "sample.txt").write_text("".join(f"{q} 0 {i} {g} {pi:g}\n" for q, i, g, pi, _ in rows))
    (tmp_path / "plain.txt").write_text("".join(f"{q} 0 {i} {g}\n" for q, i, g, *_ in rows if g >= 0))
    for name, run in runs().items():
        lines = [f"{q} Q0 {item} {k} {-k} x\n" for q, items in run.items() for k, item in enumerate(items, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def test_tables_say_what_is_estimated_and_what_to_judge(files: Path) -> None:
    done = call(files / "sample.txt", files / "one.run", files / "two.run", "-q")
    assert done.exit_code == 0, done.output
    for words in (
        "12 queries: 360 of 720 items judged",
        "AP, ratio of totals",
        "two minus one",
        "estimate only",
        "What to judge next",
        "one more hit",
        "Each query",
    ):
        assert words in done.output


def test_json_has_every_row(files: Path) -> None:
    done = call(files / "sample.txt", files / "one.run", "--collection-size", 60, "--format", "json", "--more", 20)
    found = json.loads(done.output)
    assert (found["format"], found["queries"], found["judged"]) == ("rankscope.run_estimates", 12, 360)
    assert {each["quantity"] for each in found["means"]} >= {"mean num_rel", "mean generality", "GRiP, G = 1"}
    nothing = [each for each in found["means"] if each["reason"]]
    assert all(each["these"]["low"] is None and each["population"]["high"] is None for each in nothing)
    assert {each["quantity"] for each in nothing} == {"mean AP (xinfAP)", "mean nDCG@10"}
    assert found["plan"]["more"] == 20


def test_a_pool_told_by_an_option_and_graphs(files: Path) -> None:
    drawn = "sample(1-10:all, 11-60:40%)"
    done = call(files / "plain.txt", files / "one.run", "--drawn", drawn, "--graphs", files / "graphs")
    assert done.exit_code == 0, done.output
    assert sorted(each.name for each in (files / "graphs").iterdir()) == ["intervals.svg", "judge-next.svg"]


def test_graphs_and_words_follow_the_numbers() -> None:
    done = estimate_runs(pooled(share=0.4), runs())
    graph = estimates_graph(done)
    widest = max(
        (each for each in done.means if each.quantity.startswith(("R@", "mean P@", "AP,"))),
        key=lambda each: each.spread.population.high - each.spread.population.low,
    )
    assert f"{widest.quantity.removeprefix('mean ').partition(',')[0]}, {widest.run}" in graph.conclusion
    most = max(done.plan.bands, key=lambda each: each.more)
    assert f"{most.more:,} of {done.plan.more:,} judgements go to stratum {most.name}" in strata_graph(done).conclusion
    assert plan_lines(done)[0].startswith(f"{done.plan.more:,} more judgements")
    assert plan_lines(estimate_runs(pooled(), runs())) == ["Everything is judged: nothing is left to chance."]


def test_a_machine_beside_people(files: Path) -> None:
    people, machine = judged(40)
    for name, labels in (("people.txt", dict(list(people.items())[:15])), ("machine.txt", machine)):
        lines = [f"{q} 0 {i} {g}\n" for q, items in labels.items() for i, g in items.items()]
        (files / name).write_text("".join(lines))
    run = files / "letters.run"
    run.write_text("".join(f"q{q} Q0 {item} {k} {-k} x\n" for q in range(40) for k, item in enumerate("hgfedcba", 1)))
    done = call(files / "people.txt", run, "--machine", files / "machine.txt", "-m", "AP,P@5", "--tuned-on", "none")
    assert done.exit_code == 0, done.output
    assert "15 queries judged by people and by the machine, 25 by the machine alone" in done.output
    assert (
        json.loads(call(files / "people.txt", run, "--machine", files / "machine.txt", "--format", "json").output)[
            "others"
        ]
        == 25
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["plain.txt", "one.run"], "does not say how its items were drawn"),
        (["sample.txt"], "at least one run"),
        (["sample.txt", "one.run", "--scope", "10", "--judged", "5"], "--scope is for one query by hand"),
        (["sample.txt", "one.run", "--tuned-on", "none"], "--machine FILE"),
        (["sample.txt", "one.run", "--system", "a", "--system", "b"], "1 needed, got 2"),
        (["sample.txt", "one.run", "--drawn", "mtf(10)"], "no probabilities"),
        (["sample.txt", "one.run", "--machine", "plain.txt", "--more", "4", "--drawn", "collection"], "--more"),
        (["sample.txt", "one.run", "--machine", "plain.txt", "-q"], "--per-query does nothing"),
        (["sample.txt", "one.run", "-m", "RR"], "cannot be estimated"),
    ],
)
def test_mistakes_are_told(files: Path, words: list[str], told: str) -> None:
    paths = [str(files / word) if word.endswith((".txt", ".run")) else word for word in words]
    done = call(*paths)
    assert isinstance(done.exception, RankscopeError)
    assert told in str(done.exception)


def test_without_files_options_of_files_are_refused_and_the_calculator_stays() -> None:
    assert "--measure needs files" in str(call("-m", "AP", "--collection-size", 10).exception)
    assert "QRELS RUN..." in str(call().exception)
    assert (
        "125.4" in call("--collection-size", 20000, "--scope", 100, "--hits", 6, "--judged", 500, "--found", 3).output
    )
