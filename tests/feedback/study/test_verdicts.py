"""What decides between methods: whole sessions, the same for all; and the same verdict from rankings that are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from rankscope.analysis.comparison.compare import Compared, MeasureCompared
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.commands.line.main import cli
from rankscope.core.wording import decimal_text
from rankscope.engines.images.describing import describe
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.method import Method
from rankscope.feedback.study.experiment import Experiment, ListName, Protocol
from rankscope.feedback.study.findings import further_findings, study_text, study_verdicts
from rankscope.feedback.study.loop import OF_ONE_DISPLAY, SHARES, shared_ranks, simulate_rounds
from rankscope.feedback.study.results import Results, load_results
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.study.summary import (
    SEEN,
    Summary,
    against_none,
    compare_methods,
    compared_methods,
    session_rows,
)
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Noisy, User
from rankscope.inputs import collections
from rankscope.inputs.features import Features
from rankscope.measures import AP
from rankscope.ranks.storage import load_ranks
from rankscope.reports.graphs.feedback import rounds_graph
from tests.data import data_folder
from tests.feedback.cases import clusters

LISTS: tuple[ListName, ListName] = ("residual", "frozen")
ITEMS, TOPICS = clusters()  # 60 items a class: the ideal system has shown all of them after the fourth display


def small(*methods: str, scored: ListName = "frozen", starts: int = 3, rounds: int = 5) -> Results:
    setting = Experiment.of(ITEMS, TOPICS, Noisy(0.1), protocol=Protocol(scope=15, rounds=rounds, scored=scored))
    return study(StudyPlan.of(setting, [METHODS.parse(name) for name in methods], starts=starts), on="home")


# nothing stands above the ideal system


@pytest.mark.parametrize("scored", ["frozen", "full", "split", "residual"])
def test_on_every_curve_in_every_round_the_ideal_system_is_highest(scored: ListName) -> None:
    results = small("svm", "nearest-neighbour", "rocchio", scored=scored)
    for quantity in (*results.measures, *(name for name in SHARES if name not in OF_ONE_DISPLAY)):
        summary = Summary(results, quantity)
        best = summary.means("ideal")[0]
        if quantity in results.measures and scored == "residual":
            assert np.isnan(best).all()  # it has left nothing: no session has a value in every round
            continue
        assert not np.isnan(best).any()
        for name in results.methods:
            assert (summary.means(name)[0] <= best + 1e-12).all(), (quantity, name)


def test_in_the_table_of_sessions_the_ideal_system_is_best() -> None:
    rows = {str(row["method"]): row for row in session_rows(small("svm", "rocchio"))}
    for row in rows.values():
        assert float(str(row["area of recall"])) <= float(str(rows["ideal"]["area of recall"])) + 1e-12
        assert not float(str(row["median round"])) < float(str(rows["ideal"]["median round"]))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("quantity", SHARES)
def test_the_ideal_system_is_drawn_only_where_it_is_a_limit(quantity: str) -> None:
    results = small("svm", "rocchio")
    guides = {mark.name for mark in rounds_graph(results, quantity).marks if mark.role == "guide"}
    assert ("ideal" in guides) == quantity.startswith("cumulative")


# the list that two methods share


def test_what_either_has_shown_is_in_neither_list() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(scope=15, rounds=2, scored="residual"))
    sessions = setting.sessions(2)
    pair = METHODS.parse("svm"), METHODS.parse("query-point")
    ours = [shared_ranks(each, setting, sessions) for each in (pair, pair[::-1])]
    shown, order = _by_hand(setting, sessions, pair)
    for number, ranks in enumerate(ours):
        for row, name in enumerate(sessions.names(TOPICS)):
            left = [item for item in order[number][row] if item not in shown[row]]
            target = TOPICS.targets[sessions.topic[row]]
            wanted = [rank for rank, item in enumerate(left, start=1) if target[item]]
            assert ranks.judged.lists("rank")[ranks.queries.index(name)] == wanted
    assert np.array_equal(ours[0].relevant, ours[1].relevant)
    assert np.array_equal(ours[0].collection, ours[1].collection)


def _by_hand(setting: Experiment, sessions: Any, pair: tuple[Method, Method]) -> tuple[list[set[int]], list[list[Any]]]:
    """What either method showed before the last round, with the query; and each method's last order of all items."""
    from rankscope.feedback.study.loop import SessionBlock

    blocks = [SessionBlock(method, setting, sessions) for method in pair]
    displayed = [[result.displayed for result in block.rounds()] for block in blocks]
    shown = [{int(query)} for query in sessions.query]
    for rounds in displayed:
        for each in rounds[:-1]:
            for row, items in enumerate(each.tolist()):
                shown[row] |= set(items)
    return shown, [np.argsort(-block.current.values, axis=1, kind="stable").tolist() for block in blocks]


def test_two_methods_are_compared_on_it_and_what_is_left_out_is_counted() -> None:
    results = small("svm", "nearest-neighbour", scored="residual", starts=6, rounds=9)
    comparison = compare_methods(results)
    assert comparison is not None
    table = results.table("AP of the shared list", methods=["svm", "nearest-neighbour"])
    gone = int(np.isnan(table.values).any(axis=1).sum())
    assert 0 < gone < len(table)
    assert (np.isnan(table.values).sum(axis=1) != 1).all()  # dropped for both or for none
    assert (comparison.main.measure, comparison.main.left_out) == ("AP", gone)
    lines = study_verdicts(results)
    assert "what neither svm nor nearest-neighbour had shown" in lines[0]
    assert any(line.startswith(f"{gone} of 24 sessions are left out for both") for line in lines)
    none = against_none(results)
    assert none is not None
    assert [one.measure for one in none.measures] == [SEEN]


def test_more_methods_are_not_compared_on_residual_lists() -> None:
    results = small("svm", "nearest-neighbour", "rocchio", scored="residual")
    comparison = compare_methods(results)
    assert comparison is not None
    assert [one.measure for one in comparison.measures] == [SEEN]
    assert study_verdicts(results)[0].startswith("Decided by cumulative recall alone")
    assert Summary(results, "AP").ordered == ("svm", "nearest-neighbour", "rocchio")  # as asked for, not ranked
    assert "--list split" in study_verdicts(results)[0]


@pytest.mark.thorough
def test_a_method_that_found_more_does_not_lose_by_it() -> None:
    """CEDD of Corel-1k: on its own residual list logistic regression looks better, though the SVM has found more."""
    corel = collections.load("corel1k", data_folder("corel1k"))
    assert corel.paths is not None
    (cedd,) = describe(corel.paths, DESCRIPTORS.parse_list("cedd")).described
    items, labels = Items.of(cedd.features, scaling="l2"), np.array(corel.labels)
    topics = Topics.of({name: labels == name for name in sorted(set(corel.labels))})
    methods = [METHODS.parse(name) for name in ("svm", "logistic-regression")]
    residual, frozen = (
        study(StudyPlan.of(Experiment.of(items, topics, protocol=Protocol(scored=scored)), methods, starts=10))
        for scored in LISTS
    )
    found = {name: float(Summary(frozen, SEEN).means(name)[0][-1]) for name in ("svm", "logistic-regression")}
    assert found == pytest.approx({"svm": 0.846, "logistic-regression": 0.754}, abs=5e-4)
    own = {name: np.nanmean(residual.values("AP", name)[:, -1]) for name in found}
    assert own["svm"] < own["logistic-regression"]
    for results in (residual, frozen):
        comparison = compare_methods(results)
        assert comparison is not None
        assert all(one.pairs[0].better == "svm" for one in comparison.measures)
    assert Summary(frozen, "AP").means("svm")[0][-1] == pytest.approx(0.723, abs=5e-4)


# kept rankings give the verdict of the study


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine classes of 5 to 40 items: the small ones have fewer sessions than the others."""
    chance = np.random.default_rng(4)
    label = np.repeat(np.arange(9), [5, 8, 20, 30, 40, 40, 30, 20, 15])
    matrix = 1.2 * chance.normal(size=(9, 5))[label] + chance.normal(size=(label.size, 5))
    path = tmp_path_factory.mktemp("features") / "f.npz"
    np.savez(path, features=matrix, labels=np.array([f"c{each}" for each in label]))
    return path


def run(*words: str | int | Path) -> str:
    done = CliRunner().invoke(cli, [*map(str, words)])
    assert done.exit_code == 0, f"{done.output} {done.exception}"
    return done.output


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("methods", "scored"),
    [
        ("svm,rocchio,query-point,no-such-method", "frozen"),
        ("svm,rocchio", "residual"),
        ("svm,rocchio,retin", "split"),
    ],
)
def test_kept_rankings_compared_give_the_verdict_of_the_study(
    features: Path, tmp_path: Path, methods: str, scored: str
) -> None:
    out, kept = tmp_path / "o.parquet", tmp_path / "kept"
    asked = methods.replace("no-such-method", "retin")
    run(
        "feedback",
        features,
        "--methods",
        asked,
        "--starts",
        10,
        "--rounds",
        2,
        "--scope",
        10,
        "--list",
        scored,
        "-o",
        out,
        "--keep-ranks",
        kept,
        "--on",
        "home",
        "--user",
        "noisy(0.1)",
        "--quiet",
    )
    results = load_results(out)
    comparison = compare_methods(results)
    assert comparison is not None
    files = [kept / f"{name}.ranks.parquet" for name in compared_methods(results)]
    assert sorted(files) == sorted(kept.glob("*.parquet"))  # of methods that rank alike one file
    seen = ",R@30" if scored == "frozen" else ""
    told = json.loads(run("compare", *files, "-m", f"AP{seen}", "--format", "json", "--quiet"))
    whole = comparison if seen else _first_alone(results)
    _equal(told, whole)
    assert told["verdict"] == verdict_sentences(whole)
    if scored != "residual":
        first = kept / "controls" / "no-feedback.ranks.parquet"
        words = ("-m", f"AP{seen}", "--pairs", "baseline", "--format", "json", "--quiet")
        none = against_none(results) if seen else _first_alone(results, baseline="no-feedback")
        assert none is not None
        _equal(json.loads(run("compare", first, *files, *words)), none)


def _first_alone(results: Results, baseline: str | None = None) -> Compared:
    """The primary table alone, where cumulative recall is of another list than the one that is kept."""
    from rankscope.analysis.comparison.compare import compare
    from rankscope.feedback.study.summary import deciding_table

    names = compared_methods(results) if baseline is None else (baseline, *compared_methods(results))
    table = deciding_table(results, names)
    assert table is not None
    return compare([table], by_unit=True, baseline=baseline, every_pair=baseline is None)


def _equal(told: dict[str, Any], made: Compared) -> None:
    for one, own in zip(told["measures"], made.measures, strict=True):
        assert one["left_out"] == own.left_out
        for pair, ours in zip(one["pairs"], own.pairs, strict=True):
            assert (pair["first"], pair["second"], pair["better"]) == (ours.first, ours.second, ours.better)
            assert (pair["p"], pair["p (holm)"]) == pytest.approx((ours.p, ours.adjusted), abs=1e-12)
            assert pair["difference"] == pytest.approx(ours.difference, abs=1e-12)
        assert one["groups"] == _groups(own)
        for row, wanted in zip(one["systems"], own.system_rows(), strict=True):
            assert row["system"] == wanted["system"]
            assert [row[key] for key in ("mean", "low", "high")] == pytest.approx(
                [wanted[key] for key in ("mean", "low", "high")], abs=1e-9
            )


def _groups(one: MeasureCompared) -> list[list[str]]:
    return [] if one.ranks is None else [list(group) for group in one.ranks.groups]


def test_cumulative_recall_is_recall_within_what_the_frozen_list_has_shown(features: Path, tmp_path: Path) -> None:
    out, kept = tmp_path / "o.parquet", tmp_path / "kept"
    run(
        "feedback",
        features,
        "--methods",
        "svm",
        "--starts",
        4,
        "--rounds",
        2,
        "--scope",
        7,
        "-o",
        out,
        "--keep-ranks",
        kept,
        "--on",
        "home",
        "--quiet",
    )
    ranks = load_ranks(kept / "svm.ranks.parquet")
    table = load_results(out).table(SEEN, methods=["svm"])
    assert ranks.queries == table.queries
    assert ranks.hits(7 * 3) / ranks.relevant == pytest.approx(table.values[:, 0])
    assert AP().of(ranks) == pytest.approx(load_results(out).table("AP", methods=["svm"]).values[:, 0])


def test_residual_lists_of_three_methods_are_not_kept(features: Path, tmp_path: Path) -> None:
    words = [
        "feedback",
        features,
        "--methods",
        "svm,rocchio,parzen",
        "--list",
        "residual",
        "-o",
        tmp_path / "o.parquet",
        "--keep-ranks",
        tmp_path / "kept",
    ]
    done = CliRunner().invoke(cli, [*map(str, words)])
    assert "--list frozen or --list split" in str(done.exception)


# what is said with


def test_a_measure_that_no_round_can_change_is_named() -> None:
    setting = Experiment.of(ITEMS, TOPICS, protocol=Protocol(scope=15, rounds=2))
    results = study(StudyPlan.of(setting, [METHODS.parse("svm")], starts=2, measures=["AP", "P@15"]), on="home")
    assert "! P@15 of the frozen list is that of the first display in every round" in study_text(results)
    assert "AP of the frozen list is that of the first display" not in study_text(results)


def test_every_sentence_of_further_names_what_it_rests_on() -> None:
    for line in further_findings(small("svm", "rocchio", "parzen")):
        assert "AP" in line or SEEN in line


# what chance draws, and what goes with the headline


def labelled_study(user: User | None = None) -> tuple[Results, StudyPlan]:
    """Three classes, one of them twice more with a second label."""
    labels = tuple((f"c{row % 3}", "odd") if row % 2 else (f"c{row % 3}",) for row in range(ITEMS.matrix.shape[0]))
    topics = Topics.from_labels(
        Features(matrix=ITEMS.matrix, several=labels, ids=tuple(map(str, range(len(labels))))),
        ["c0", "c1", "c2", "c1 and odd", "c1 and not odd"],
    )
    setting = Experiment.of(ITEMS, topics, user, protocol=Protocol(scope=10, rounds=1))
    plan = StudyPlan.of(setting, [METHODS.parse(name) for name in ("rocchio", "svm")], starts=2)
    return study(plan, on="home"), plan


def test_topics_that_share_a_label_are_one_sampling_unit(tmp_path: Path) -> None:
    results, plan = labelled_study()
    units = {"c0": "c0", "c1": "c1", "c2": "c2", "c1 and odd": "c1", "c1 and not odd": "c1"}
    assert results.units == units
    table = results.table("AP")
    assert table.classes == tuple(units[name.split("/")[0]] for name in table.queries)
    made = compare_methods(results)
    assert made is not None
    assert len(made.main.units) == 3
    text = study_text(results)
    told = "Topics that share a label are one sampling unit (3 groups of topics): c1, c1 and odd and c1 and not odd."
    assert told in text
    assert "3 groups of topics cannot make any difference significant" in text
    values = results.values("AP", "svm")
    by_unit = mean_intervals(values, results.session_units)
    _, low, high = Summary(results, "AP").means("svm")
    assert (low.tolist(), high.tolist()) == (by_unit.low.tolist(), by_unit.high.tolist())
    kept = simulate_rounds(plan.methods[0], plan.setting, plan.sessions).ranks()
    assert kept.classes == table.classes
    results.save(tmp_path / "study.parquet")
    assert load_results(tmp_path / "study.parquet").units == units
    assert small("rocchio").units == {name: name for name in TOPICS.names}
    assert {"units"} & {*small("rocchio").about} == set()


def test_what_nobody_has_judged_stands_in_the_headline() -> None:
    chance = np.random.default_rng(0)
    pool = replace(TOPICS, judged=TOPICS.targets | (chance.random(TOPICS.targets.shape) < 0.5))
    setting = Experiment.of(ITEMS, pool, protocol=Protocol(scope=15, rounds=3))
    results = study(StudyPlan.of(setting, [METHODS.parse(name) for name in ("rocchio", "svm")], starts=2), on="home")
    share = {
        name: float(
            results.frame.filter((pl.col("method") == name) & (pl.col("round") == 3))["unjudged"].to_numpy().mean()
        )
        for name in ("rocchio", "svm")
    }
    least, most = sorted(share, key=lambda name: share[name])
    headline = study_verdicts(results)[1]
    told = f"{decimal_text(share[least])} ({least}) to {decimal_text(share[most])} ({most})"
    assert headline.endswith(f" Of the items shown in the last round, {told} are not judged and count as irrelevant.")
    assert "not judged" not in study_verdicts(small("rocchio", "svm"))[1]


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_limits_are_those_of_the_test_that_decides(level: float) -> None:
    """Ten topics: no pair without a difference has limits on one side of 0, and none leaves what AP can be."""
    items, topics = clusters(items=400, classes=10, seed=3)
    setting = Experiment.of(items, topics, Noisy(0.3), protocol=Protocol(scope=10, rounds=2))
    names = ("rocchio", "svm", "nearest-neighbour", "query-point", "mindreader")
    results = study(StudyPlan.of(setting, [METHODS.parse(name) for name in names], starts=3), on="home")
    made = compare_methods(results, level=level)
    assert made is not None
    pairs = [pair for one in made.measures for pair in one.pairs]
    assert {bool(pair.better) for pair in pairs} == {True, False}
    for pair in pairs:
        assert bool(pair.better) == (pair.low > 0 or pair.high < 0)
        assert -1 <= pair.low <= pair.difference <= pair.high <= 1
        assert pair.adjusted <= 1
