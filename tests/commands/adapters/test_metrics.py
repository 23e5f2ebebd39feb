"""Dictionaries that trackers of experiments log: names that every one of them takes, numbers those of the reports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope
from rankscope.measures.evaluation.scores import ENDINGS, metric_key, metric_keys
from rankscope.reports.trackers import to_metrics
from tests.commands.adapters.shared import example, golden
from tests.commands.line.inside import ended, runs_in

BOTH_TAKE = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*(/[_a-zA-Z][_a-zA-Z0-9]*)?")  # W&B's rule, which MLflow's contains


def test_mlflow_kept_what_we_gave_it() -> None:
    """Every name and number; limits it was given by BCa, the rule for so few queries then."""
    qrels, first, second = example()
    scores = rankscope.evaluate(qrels, {"first": first, "second": second}, ["AP", "nDCG(gain=exp)@10", "num_q"])
    kept, given = golden("mlflow"), to_metrics(scores)
    assert given.keys() == kept.keys()
    plain = scores.to_metrics()
    assert plain == pytest.approx({name: kept[name] for name in plain}, abs=1e-12)
    by_bca = rankscope.compare(scores, intervals="bca").main.means
    assert [kept["first/AP_low"], kept["second/AP_high"]] == pytest.approx([by_bca.low[0], by_bca.high[1]], abs=1e-12)


def test_numbers_are_those_of_the_comparison() -> None:
    qrels, first, second = example()
    scores = rankscope.evaluate(qrels, {"first": first, "second": second}, ["AP"])
    means = rankscope.compare(scores).main.means
    logged = to_metrics(scores)
    assert [logged["first/AP"], logged["second/AP"]] == pytest.approx(means.mean.tolist())
    assert [logged["first/AP_low"], logged["second/AP_low"]] == pytest.approx(means.low.tolist())
    assert [logged["first/AP_high"], logged["second/AP_high"]] == pytest.approx(means.high.tolist())


def test_scores_give_the_same_without_intervals() -> None:
    scores = rankscope.evaluate(*example()[:2], ["AP", "RBP(p=0.5)"])
    assert scores.to_metrics() == to_metrics(scores, level=None)
    assert list(scores.to_metrics()) == ["AP", "AP_queries", "RBP_p_0_5", "RBP_p_0_5_queries"]
    assert set(to_metrics(scores)) - set(scores.to_metrics()) == {
        "AP_low",
        "AP_high",
        "RBP_p_0_5_low",
        "RBP_p_0_5_high",
    }
    assert to_metrics(scores, level=0.5)["AP_high"] < to_metrics(scores)["AP_high"]


def test_what_is_undefined_and_what_is_a_word_is_left_out() -> None:
    scores = rankscope.evaluate({"q": {"a": 0}}, {"q": ["a"]}, ["AP", "runid", "num_q"])
    assert scores.to_metrics() == {"num_q": 0.0, "num_q_queries": 0.0}
    assert to_metrics(scores) == scores.to_metrics()


NAMES = st.text(min_size=0, max_size=200) | st.text(st.sampled_from("2_:a"), max_size=4)
NUMBERED = NAMES | st.builds("{}{}".format, NAMES, st.sampled_from(["_2", " (2)", "_3", *ENDINGS]))


@given(st.lists(NUMBERED, min_size=1, max_size=8))
@hypothesis.example(["2", ":", ":"])  # the second ":" would be "_2", which "2" is by itself
@hypothesis.example(["bm-25", "bm_25", "bm_25_2"])
@hypothesis.example(["bm_25_2", "bm_25", "bm-25"])
@hypothesis.example(["a" * 101, "a" * 102])  # cut after what they share
@hypothesis.example([*[f"{'a' * 99}-{number}" for number in range(3)], "a" * 99 + "_2"])
@hypothesis.example(["", "_", "__", "_2"])
@hypothesis.example(["AP_low", "AP", "AP", "AP_2_low"])
def test_any_name_becomes_one_that_both_take_and_no_two_the_same(names: list[str]) -> None:
    for endings in [("",), ENDINGS]:
        keys = metric_keys(names, endings)
        logged = [f"{key}{ending}" for key in keys for ending in endings]
        assert len(set(logged)) == len(logged)
        assert all(BOTH_TAKE.fullmatch(key) and len(key) < 120 for key in logged)
        own = [metric_key(name) for name in names]
        assert keys[0] == own[0]
        if endings == ("",):
            assert all(key in keys for key in own), "a number never takes what another name is by itself"


def test_systems_whose_long_names_begin_alike_do_not_overwrite_each_other() -> None:
    qrels, first, second = example()
    names = [f"{'colbert-' * 14}lr={rate}" for rate in (1, 2)]
    scores = rankscope.evaluate(qrels, dict(zip(names, (first, second), strict=True)), ["AP"])
    logged = scores.to_metrics()
    assert [value for key, value in logged.items() if key.endswith("/AP")] == scores.means()["AP"].to_list()
    assert len(to_metrics(scores)) == 8


def test_every_measure_has_a_name_of_its_own() -> None:
    from rankscope.measures import ALL

    keys = [metric_key(each.name) for each in ALL]
    assert len(set(keys)) == len(keys)
    assert metric_key("P@10") != metric_key("P@1")
    assert metric_key("nDCG@10") != metric_key("nDCG(gain=exp)@10")


def test_the_command_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = runs_in(tmp_path)
    files = [folder / name for name in ("qrels.txt", "a.run", "b.run")]
    assert ended(monkeypatch, "evaluate", *files, "-m", "AP,P@3", "--format", "metrics", "--quiet") == 0
    shown = json.loads(capsys.readouterr().out)
    scores = rankscope.evaluate(str(files[0]), [str(each) for each in files[1:]], ["AP", "P@3"])
    assert shown == to_metrics(scores)
    assert ended(monkeypatch, "evaluate", *files, "-m", "AP,P@3", "-o", folder / "x.metrics.json", "--quiet") == 0
    assert json.loads((folder / "x.metrics.json").read_text()) == shown
    assert ended(monkeypatch, "evaluate", *files, "-q", "--format", "metrics") == 2
    assert "metrics are means: leave out --per-query" in capsys.readouterr().err
