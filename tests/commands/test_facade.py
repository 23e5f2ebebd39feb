"""Every verb works whatever was imported before, and has its command's options with the same defaults."""

from __future__ import annotations

import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import MeasureError, SettingError
from rankscope.measures import AP, Bpref, P, nDCG
from rankscope.measures.evaluation.scores import Scores

QRELS = {f"q{number}": {"a": 1, "b": 1} for number in range(16)}
GOOD = {query: {"a": 3.0, "b": 2.0, "x": 1.0} for query in QRELS}
BAD = {query: {"x": 3.0, "a": 2.0, "b": 1.0} for query in QRELS}
VECTORS = np.random.default_rng(0).normal(size=(40, 4)) + np.repeat(np.eye(4), 10, axis=0) * 3
LABELS = np.repeat(["p", "q", "r", "s"], 10).tolist()


def as_frame(nested: dict[str, dict[str, Any]], value: str) -> pl.DataFrame:
    rows = [(query, item, float(one)) for query, items in nested.items() for item, one in items.items()]
    return pl.DataFrame(rows, schema={"query": pl.String, "item": pl.String, value: pl.Float64}, orient="row")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "good.run"
    qrels.write_text("".join(f"{query} 0 {item} 1\n" for query, items in QRELS.items() for item in items))
    lines = [f"{query} Q0 {item} 1 {score} good\n" for query, items in GOOD.items() for item, score in items.items()]
    run.write_text("".join(lines))
    return str(qrels), str(run)


CALLS = """
scores = rankscope.evaluate(QRELS, {"bad": BAD, "good": GOOD})
assert scores["good", "AP"] == 1.0 and scores.measures == ("AP", "nDCG@10", "P@10", "RR", "Rprec")
assert rankscope.compare(scores).main.pairs[0].better == "good"
assert not rankscope.gate(QRELS, [GOOD, BAD]).passed
assert "<html" in rankscope.report(QRELS, GOOD)
ranks = rankscope.reduce(QRELS, GOOD)
assert rankscope.graph("precision-recall", ranks).title == "Precision and recall"
assert rankscope.evaluate(ranks)["AP"] == 1.0
ranked = rankscope.rank(VECTORS, LABELS)
assert rankscope.forecast_growth(ranked, to="4x", measures="Rprec", force=True).target == 156
assert rankscope.estimate(collection_size=20000, scope=100, hits=6, judged=500, found=3).relevant.value > 125
assert rankscope.needed_sample(20000, 64, 0.2).rows()
studied = rankscope.simulate_feedback(VECTORS, LABELS, methods="rocchio", starts=1, rounds=1, scope=5, on="home")
assert studied.frame.height
assert callable(rankscope.describe) and callable(rankscope.benchmark)
for name in rankscope.__all__:
    assert not inspect.ismodule(getattr(rankscope, name)), name
"""


@pytest.mark.thorough
def test_every_name_works_after_every_submodule_was_imported() -> None:
    """A submodule that is called as a function of the facade would take its place when it is imported."""
    code = f"""
import importlib, inspect, pkgutil, rankscope
for each in pkgutil.walk_packages(rankscope.__path__, "rankscope."):
    if not each.name.endswith("__main__"):
        try:
            importlib.import_module(each.name)
        except ImportError as error:
            assert error.name and not error.name.startswith("rankscope"), error
from tests.commands.test_facade import *
{CALLS}
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_public_name_is_a_module() -> None:
    top = {each.name for each in pkgutil.iter_modules(rankscope.__path__)}
    assert not top & set(rankscope.__all__)


def test_importing_everything_shadows_nothing_of_python() -> None:
    assert not set(rankscope.__all__) & (sys.stdlib_module_names | set(dir(__builtins__)))


TWINS = {  # options whose name in Python is another one
    "by": "classes",
    "input_format": "format",
    "measure": "measures",
    "list": "scored",
    "junk_label": "junk_labels",
    "descriptor": "descriptors",
    "test": "tests",
    "assessor": "assessors",
    "map": "columns",
    "covariate": "covariates",
}
ELSEWHERE = {  # options that need no twin: what prints, writes and speaks, and what Python does in another way
    "quiet",
    "help",
    "help_all",
    "debug",
    "format",
    "per_query",
    "every_pair",
    "graphs",
    "report",
    "keep_ranks",
    "force",
    "system",
    "output",
    "theme",
    "width",
    "flat",
    "needed",
    "limit",
    "explain",  # rankscope.explain_query
    "baselines",  # of a page; rankscope.ask_feedback("efficiency", ...) has them
    "relevant",
    "latex_columns",
    "latex_marks",
    "verbose",  # Scores.warnings() tells all
    "explain_by",  # rankscope.explain_by
    "undecided",  # the exit code: SequentialResult.is_decided
    "per_item",  # Ledger.frame()
}
VERBS: dict[str, Callable[..., Any]] = {
    "evaluate": rankscope.evaluate,
    "compare": rankscope.compare,
    "gate": rankscope.gate,
    "report": rankscope.report,
    "rank": rankscope.rank,
    "feedback": rankscope.simulate_feedback,
    "forecast": rankscope.forecast_growth,
    "describe": rankscope.describe,
    "benchmark": rankscope.benchmark,
    "gather": rankscope.gather,
    "estimate": rankscope.estimate,
    "index": rankscope.index,
    "search": rankscope.search,
    "reuse": rankscope.pool_reuse,
    "labels": rankscope.check_labels,
    "fuse": rankscope.fuse,
    "ledger": rankscope.ledger,
    "stability": rankscope.stability,
    "components": rankscope.variance_components,
    "plan": rankscope.plan_judging,
}


MORE_VERBS: dict[str, tuple[Callable[..., Any], ...]] = {  # commands that ask several questions
    "estimate": (rankscope.estimate_runs, rankscope.estimate_with_machine),
    "compare": (rankscope.compare_sequentially,),
    "gate": (rankscope.gate_sequentially,),
}


def options_of(command: str) -> dict[str, Any]:
    import click

    params = cli.get_command(click.Context(cli), command).params  # type: ignore[union-attr]
    options = [each for each in params if isinstance(each, click.Option)]
    return {max(each.opts, key=len).removeprefix("--").replace("-", "_"): each for each in options}


@pytest.mark.parametrize("command", VERBS)
def test_every_option_of_a_command_has_its_twin_with_the_same_default(command: str) -> None:
    asked = (VERBS[command], *MORE_VERBS.get(command, ()))
    twins = {name: twin for verb in asked for name, twin in inspect.signature(verb).parameters.items()}
    options = options_of(command)
    for name, option in options.items():
        if name in ELSEWHERE and (name not in twins or f"input_{name}" in options):
            continue  # --format is that of the output next to --input-format
        if name == "list" and command in ("describe", "fuse"):
            continue  # `rankscope.engines.images.descriptors.DESCRIPTORS`, `rankscope.measures.fusion.method.FUSIONS`
        if name == "write_up":
            continue  # a method of what comes back
        twin = TWINS.get(name, name) if name not in twins else name
        assert twin in twins, f"--{name}"
        usual = option.to_info_dict()["default"]
        if twin in twins and twins[twin].default is not inspect.Parameter.empty and option.show_default:
            default = twins[twin].default
            same = usual == default or usual in ((default,), [default]) or list(usual or ()) == default
            assert same or name == "output", f"--{name}: {usual} and {default}"


def test_reduce_takes_what_evaluate_takes(files: tuple[str, str]) -> None:
    expected = rankscope.evaluate(QRELS, GOOD).systems[0].ranks.judged.lists("rank")
    frames = as_frame(QRELS, "grade"), as_frame(GOOD, "score")
    for qrels, run in ((QRELS, GOOD), files, frames, (rankscope.Qrels.of(QRELS), rankscope.Run.of(GOOD))):
        assert rankscope.reduce(qrels, run).judged.lists("rank") == expected
    without = rankscope.reduce(QRELS, GOOD, junk={query: ["a"] for query in QRELS})
    assert without.judged.lists("rank")[0] == [1]


def test_saved_ranks_stand_in_for_judgements_and_runs(tmp_path: Path) -> None:
    path = tmp_path / "good.ranks.parquet"
    rankscope.save_ranks(rankscope.reduce(QRELS, GOOD), path)
    assert rankscope.evaluate(path)["AP"] == rankscope.evaluate(QRELS, GOOD)["AP"]
    both = {"one": path, "two": rankscope.reduce(QRELS, BAD)}
    assert [each.name for each in rankscope.evaluate(both, measures="AP").systems] == ["one", "two"]
    with pytest.raises(SettingError, match="take no such choice"):
        rankscope.evaluate(path, junk={"q0": ["a"]})
    with pytest.raises(SettingError, match="alone is neither"):
        rankscope.evaluate(QRELS["q0"]["a"])


def test_measures_are_written_as_in_ir_measures() -> None:
    scores = rankscope.evaluate(QRELS, BAD, [AP, P @ 2, nDCG(gain="exp") @ 20, P(rel=2) @ 10])
    assert scores.measures == ("AP", "P@2", "nDCG(gain=exp)@20", "P(rel=2)@10")
    assert P @ 10 == P(10) == P(scope=10)
    assert scores["P@2"] == rankscope.evaluate(QRELS, BAD, "P@2")["P@2"] == 0.5


def test_a_measure_without_the_cut_off_that_it_needs_is_refused() -> None:
    for lacking in (P, P(rel=2)):
        with pytest.raises(MeasureError, match="needs a cut-off, for instance"):
            rankscope.evaluate(QRELS, BAD, [lacking])
    with pytest.raises(MeasureError, match="takes no cut-off"):
        Bpref @ 10
    with pytest.raises(MeasureError, match="at least 1"):
        P @ 0


def test_a_report_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    page = rankscope.report(QRELS, {"bad": BAD, "good": GOOD}, "AP", output=tmp_path / "page.html", title="Both")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert "<title>Both" in page


def test_the_options_of_a_graph_are_those_of_its_kind_and_of_the_settings() -> None:
    drawn = rankscope.graph("grip", QRELS, GOOD, way="bins", collection_size=100)
    assert "queries by class size" in drawn.subtitle
    with pytest.raises(SettingError, match="no setting 'wya'"):
        rankscope.graph("grip", QRELS, GOOD, wya="bins")


def test_compare_and_gate_take_scores_too() -> None:
    scores = rankscope.evaluate(QRELS, {"bad": BAD, "good": GOOD}, "AP")
    table = rankscope.ScoreTable.of(scores)
    assert rankscope.compare([table]).main.pairs[0].better == rankscope.compare(scores).main.pairs[0].better == "good"
    assert rankscope.gate(scores).passed
    with pytest.raises(SettingError, match="the scores are there already"):
        rankscope.compare(scores, depth=3)
    with pytest.raises(SettingError, match="depth: the scores are there already"):
        rankscope.compare([table], depth=3)
    with pytest.raises(SettingError, match="compares two systems"):
        rankscope.gate(QRELS, GOOD)


def test_messages_speak_python() -> None:
    scores: Scores = rankscope.evaluate(QRELS, {"bad": BAD, "good": GOOD}, "AP", mean="geometric")
    with pytest.raises(SettingError, match="mean='geometric'"):
        rankscope.gate(scores)
    with pytest.raises(SettingError, match="mean='geometric'"):
        rankscope.compare(replace(scores))


def test_ranks_are_saved_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "mine.ranks.parquet"
    ranks = rankscope.rank(VECTORS, LABELS, metric="l2", output=path)
    assert ranks.system == "mine"
    assert rankscope.load_ranks(path).judged.lists("rank") == ranks.judged.lists("rank")
    with pytest.raises(SettingError, match="memory must be at least 32MB"):
        rankscope.rank(VECTORS, LABELS, memory="1MB")
    with pytest.raises(SettingError, match="needs labels"):
        rankscope.rank(VECTORS)


def test_pictures_become_vectors_ranks_and_standings(tmp_path: Path) -> None:
    from PIL import Image

    for label, light in (("dark", 0), ("light", 120)):
        (tmp_path / "pictures" / label).mkdir(parents=True)
        for number in range(4):
            pixels = np.random.default_rng(number).integers(0, 120, (24, 24, 3), dtype=np.uint8) + np.uint8(light)
            Image.fromarray(pixels).save(tmp_path / "pictures" / label / f"{number}.png")
    described = rankscope.describe(tmp_path / "pictures", "rgb-histogram")
    ranks = rankscope.rank(described["rgb-histogram"])
    assert rankscope.evaluate(ranks, measures="AP")["AP"] == 1.0
    standings = rankscope.benchmark(tmp_path / "pictures", tmp_path / "tried", descriptors="rgb-histogram", show=1)
    assert [each.name for each in standings.rows] == ["rgb-histogram"]
    assert (tmp_path / "tried" / "report.html").exists()


def test_scores_are_compared_with_the_seed_they_were_made_with() -> None:
    qrels = {f"q{number}": {"a": 1, "b": 1} for number in range(30)}
    runs = {
        name: {query: {"a": 2.0, "x": (n * k) % 4, "b": 1.0} for n, query in enumerate(qrels)}
        for name, k in (("a", 1), ("b", 3))
    }
    for seed in (0, 7):
        scores = rankscope.evaluate(qrels, runs, "AP", seed=seed)
        one, other = rankscope.compare(scores), rankscope.compare(qrels, runs, "AP", seed=seed)
        assert one.main.pairs == other.main.pairs
        assert one.seed == other.seed == seed


BOTH: dict[str, Any] = {"bad": BAD, "good": GOOD}


def test_a_system_alone_gives_all_its_means() -> None:
    scores = rankscope.evaluate(QRELS, BOTH, ["AP", "P@2"])
    assert scores["good"] == {"AP": scores["good", "AP"], "P@2": scores["good", "P@2"]}
    assert [{"system": "bad", **scores["bad"]}, {"system": "good", **scores["good"]}] == scores.means().to_dicts()


def test_a_name_of_a_measure_and_of_a_system_means_the_measure_where_there_is_one_system() -> None:
    measures = ["AP", "P@2"]
    alone = rankscope.evaluate(QRELS, {"AP": BAD}, measures)
    assert alone["AP"] == alone["map"] == alone["AP", "AP"]
    assert rankscope.evaluate(QRELS, {"mine": BAD}, measures)["mine"] == {each: alone[each] for each in measures}
    several = rankscope.evaluate(QRELS, {"AP": BAD, "good": GOOD}, measures)
    assert several["AP"] == {"AP": alone["AP"], "P@2": alone["P@2"]}


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("godo", r"no system or measure 'godo' \(did you mean 'good'\?\)\. Systems: bad, good; measures: AP, P@2"),
        ("P@20", r"no system or measure 'P@20' \(did you mean 'P@2'\?\)\. Systems: bad, good; measures: AP, P@2"),
        ("map", r"'map' is a measure of 2 systems: write scores\[system, 'map'\]"),
        (("godo", "AP"), r"no system 'godo' \(did you mean 'good'\?\)\. There are: bad, good"),
        (("good", "APP"), r"no measure 'APP' \(did you mean 'AP'\?\)\. There are: AP, P@2"),
    ],
)
def test_a_wrong_name_is_answered_with_systems_and_measures(key: Any, said: str) -> None:
    scores = rankscope.evaluate(QRELS, BOTH, ["AP", "P@2"])
    with pytest.raises(KeyError, match=said):
        scores[key]
