"""One decision procedure: every command says the same of the same files, with equal p-values, groups and words."""

from __future__ import annotations

import html
import json
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.commands.line.main import cli
from rankscope.core.settings import Settings
from rankscope.measures.evaluation.evaluate import evaluate, evaluate_ranks
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import load_ranks, save_ranks
from rankscope.reports.graphs.differences import rank_intervals_graph
from rankscope.reports.page.report import Report
from tests.data import data_folder

MEASURES = ("AP", "nDCG@10", "P@10", "success@1", "RR", "Rprec")


def run(*args: object) -> Result:
    result = CliRunner().invoke(cli, [str(each) for each in args], catch_exceptions=False)
    assert result.exit_code in (0, 1), result.output
    return result


def judged(folder: Path, *names: str, measures: str = "AP") -> dict[str, object]:
    files = [folder / f"{name}.ranks.parquet" for name in names]
    return dict(json.loads(run("compare", *files, "-m", measures, "--format", "json", "--quiet").stdout))


def drawn(system: str, seed: int, ease: float) -> RelevantRanks:
    """Forty queries of eight classes; the higher `ease`, the nearer to the top relevant items stand."""
    chance = np.random.default_rng(seed)
    ranks = [np.sort(chance.choice(np.arange(1, 60), 4, replace=False) ** (1 / ease)).astype(int) for _ in range(40)]
    results = [(np.unique(each) + np.arange(np.unique(each).size)).tolist() for each in ranks]
    return RelevantRanks.from_ranks(results, collection=200, relevant=[4] * 40, system=system)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("one-verdict")
    for seed, (name, ease) in enumerate((("slow", 1.0), ("middle", 1.15), ("fast", 1.5), ("near", 1.45))):
        save_ranks(drawn(name, seed, ease), where / f"{name}.ranks.parquet")
    return where


@pytest.mark.parametrize("names", [("slow", "fast"), ("fast", "near"), ("slow", "middle", "fast", "near")], ids=str)
def test_measures_that_nobody_asked_for_change_no_verdict(folder: Path, names: tuple[str, ...]) -> None:
    alone, many = judged(folder, *names), judged(folder, *names, measures=",".join(MEASURES))
    assert alone["measures"][0]["pairs"] == many["measures"][0]["pairs"]  # type: ignore[index]
    assert alone["measures"][0]["groups"] == many["measures"][0]["groups"]  # type: ignore[index]
    first = [line for line in many["verdict"] if not line.startswith("Secondary")]  # type: ignore[attr-defined]
    assert first == alone["verdict"]


@pytest.mark.thorough
@pytest.mark.parametrize("names", [("slow", "fast"), ("fast", "near"), ("slow", "middle", "fast", "near")], ids=str)
def test_a_report_says_what_compare_says(folder: Path, names: tuple[str, ...]) -> None:
    systems = [load_ranks(str(folder / f"{name}.ranks.parquet")) for name in names]
    report = Report.of(evaluate_ranks(systems, MEASURES, Settings()))
    alone = compare(evaluate_ranks(systems, ["AP"], Settings()))
    assert report.compared is not None
    assert [each.adjusted for each in report.compared.main.pairs] == [each.adjusted for each in alone.main.pairs]
    assert report.sentences[: len(verdict_sentences(alone))] == verdict_sentences(alone)
    page = folder / f"{'-'.join(names)}.html"
    run("report", *(folder / f"{name}.ranks.parquet" for name in names), "-o", page, "--quiet")
    assert verdict_sentences(alone)[0] in html.unescape(page.read_text())


def test_the_graph_of_ranks_has_the_groups_of_the_table(folder: Path) -> None:
    names = ("slow", "middle", "fast", "near")
    systems = [load_ranks(str(folder / f"{name}.ranks.parquet")) for name in names]
    comparison = compare(evaluate_ranks(systems, ["AP"], Settings()))
    letters = {row["system"]: row["group"] for row in comparison.main.system_rows()}
    for graph in (rank_intervals_graph(systems), rank_intervals_graph(systems, compared=comparison)):
        (facts,) = [found for mark in graph.marks if "group" in (found := getattr(mark, "facts", {}))]
        assert dict(zip(facts["system"], facts["group"], strict=True)) == letters


@pytest.mark.sampled(4)
@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "ER"])
@pytest.mark.parametrize("pair", [("slow", "fast"), ("fast", "slow"), ("fast", "near"), ("middle", "near")], ids=str)
def test_a_gate_never_fails_where_compare_calls_the_candidate_better(
    folder: Path, measure: str, pair: tuple[str, str]
) -> None:
    files = [folder / f"{name}.ranks.parquet" for name in pair]
    better = judged(folder, *pair, measures=measure)["measures"][0]["pairs"][0]["better"]  # type: ignore[index]
    gate = run("gate", *files, "-m", measure, "--quiet", "--min-effect", "0")
    assert not (better == pair[1] and gate.exit_code == 1)
    if gate.exit_code == 1:
        assert better != pair[1]


def test_all_commands_decide_by_the_same_measure_unless_told() -> None:
    context = click.Context(cli)
    options = {
        name: {option.name: option for option in (cli.get_command(context, name) or cli).params}
        for name in ("compare", "gate", "report")
    }
    for name in ("compare", "gate", "report"):
        assert "Default: AP" in str(getattr(options[name]["measures"], "help", ""))


@pytest.mark.thorough
def test_two_runs_of_robust_2003_are_judged_alike_by_compare_and_report(tmp_path: Path) -> None:
    robust = data_folder("trec-robust03")
    files = [robust / "qrels.txt.gz", *(next((robust / "runs").glob(f"*{n}*")) for n in ("UIUC03Rd1", "InexpC2"))]
    shown = json.loads(run("compare", *files, "--format", "json", "--quiet").stdout)
    pair = shown["measures"][0]["pairs"][0]
    report = Report.of(evaluate(files[0], files[1:], MEASURES))
    assert report.compared is not None
    assert report.compared.main.pairs[0].adjusted == pair["p (holm)"] == pytest.approx(0.0193, abs=0.001)
    assert pair["better"]
    assert report.sentences[0] == shown["verdict"][0]


def test_saved_ranks_show_the_settings_they_were_made_with(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "a.run").write_text("q1 Q0 b 1 2 x\nq1 Q0 a 2 2 x\n")
    saved = tmp_path / "a.ranks.parquet"
    run("evaluate", tmp_path / "qrels", tmp_path / "a.run", "--ties", "ascending", "--judged-only", "-o", saved)
    told = run(
        "evaluate",
        tmp_path / "qrels",
        tmp_path / "a.run",
        "--depth",
        "1",
        "--force",
        "-o",
        tmp_path / "b.ranks.parquet",
    )
    assert "--depth: not kept in a saved reduction" in told.stderr
    settings = json.loads(run("evaluate", saved, "--collection-size", "90", "--format", "json").stdout)["settings"]
    assert (settings["ties"], settings["judged_only"], settings["collection_size"]) == ("ascending", True, 90)
    rows = {
        row["name"]: row["value"]
        for row in Report.of(evaluate_ranks([load_ranks(str(saved))], ["AP"], Settings())).settings
    }
    assert rows["ties"] == "ascending"
    other = RelevantRanks.from_ranks([[1]], system="other")
    both = evaluate_ranks([load_ranks(str(saved)), other], ["AP"], Settings()).settings_in_effect
    assert both["ties"] == {"a": "ascending", "other": "trec_eval"}
