"""Our numbers in the forms of BEIR, PyTerrier and MTEB are those that the libraries themselves wrote."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscope
from rankscope.commands.adapters import beir, mteb, pyterrier
from tests.commands.adapters.golden.make_golden import K_VALUES
from tests.commands.adapters.shared import GOLDEN, example, golden
from tests.commands.line.inside import ended
from tests.needs import needed_module

CUT = {"ndcg": "nDCG", "map": "AP", "recall": "R", "precision": "P", "mrr": "RR", "hit_rate": "success"}


@pytest.mark.parametrize("ignore", [True, False])
def test_beir_gives_the_same_four_dictionaries(ignore: bool) -> None:
    qrels, run, _ = example()
    before = json.dumps(run)
    assert list(beir.evaluate(qrels, run, K_VALUES, ignore_identical_ids=ignore)) == golden("beir")[str(ignore)]
    assert json.dumps(run) == before


@pytest.mark.parametrize("metric", beir.CUSTOM)
def test_beir_gives_the_same_custom_metrics(metric: str) -> None:
    qrels, run, _ = example()
    assert beir.evaluate_custom(qrels, run, K_VALUES, metric) == golden("beir")[metric]


def test_compat_gives_beirs_custom_metrics_too() -> None:
    qrels, run, _ = example()
    scores = rankscope.evaluate(qrels, run, ["CappedRecall@5", "success@5"], compat="beir", query_item="kept")
    wanted = golden("beir")
    assert scores["CappedRecall@5"] == pytest.approx(wanted["recall_cap"]["R_cap@5"], abs=5e-6)
    assert scores["success@5"] == pytest.approx(wanted["accuracy"]["Accuracy@5"], abs=5e-6)


def test_a_metric_that_beir_counts_otherwise_is_refused() -> None:
    with pytest.raises(rankscope.SettingError, match="there are mrr, recall_cap, accuracy"):
        beir.evaluate_custom({"q": {"a": 1}}, {"q": {"a": 1.0}}, [1], "hole")


def test_a_folder_of_beir_gives_the_split_asked_for(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    for split, grade in (("test", 1), ("train", 2)):
        (tmp_path / "qrels" / f"{split}.tsv").write_text(f"query-id\tcorpus-id\tscore\nq1\ta\t{grade}\n")
    assert beir.to_qrels(beir.from_folder(tmp_path)) == {"q1": {"a": 1}}
    assert beir.to_qrels(beir.from_folder(tmp_path, "train")) == {"q1": {"a": 2}}


def frames_of_pyterrier() -> dict[str, Any]:
    pandas = needed_module("pandas", "pandas")
    return {
        name: pandas.read_json(io.StringIO(json.dumps(data)), orient="split", precise_float=True)
        for name, data in golden("pyterrier").items()
    }


def test_pyterriers_experiment_gives_the_same_frames() -> None:
    wanted = frames_of_pyterrier()
    qrels, first, second = example()
    scores = rankscope.evaluate(qrels, {"first": first, "second": second}, ["AP", "nDCG@10"], compat="ir_measures")
    averages, per_query = pyterrier.to_experiment(scores, perquery="both", baseline="first")
    for ours, theirs in ((averages, wanted["averages"]), (per_query, wanted["perquery"])):
        assert list(ours.columns) == list(theirs.columns)
        for name in ours.columns:
            if name in ("name", "qid", "measure"):
                assert ours[name].tolist() == theirs[name].tolist()
            else:
                np.testing.assert_allclose(ours[name].astype(float), theirs[name].astype(float), rtol=0, atol=1e-12)


def test_pyterriers_rounding_is_by_measure_or_for_all() -> None:
    scores = rankscope.evaluate(*example()[:2], ["AP", "nDCG@10"])
    assert pyterrier.to_experiment(scores, round=2).loc[0, ["AP", "nDCG@10"]].tolist() == [
        round(scores["AP"], 2),
        round(scores["nDCG@10"], 2),
    ]
    one = pyterrier.to_experiment(scores, perquery=True, round={"AP": 1})
    assert (one.loc[one.measure == "AP", "value"] * 10 % 1).abs().max() == 0
    assert (one.loc[one.measure == "nDCG@10", "value"] * 10 % 1).abs().max() > 0
    with pytest.raises(rankscope.SettingError, match=r"there is no such system\. There are: run"):
        pyterrier.to_experiment(scores, baseline="bm25")


def test_our_measures_are_computed_within_ir_measures_and_so_within_pyterrier() -> None:
    ir_measures = needed_module("ir_measures", "peers")
    qrels, run, _ = example()
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    frames = (pyterrier.to_qrels(qrels).rename(columns=names), pyterrier.to_results(run).rename(columns=names))
    wanted = rankscope.evaluate(qrels, run, ["nDCG(gain=exp)@10", "AP"], ties="expected")
    measures = [pyterrier.measure(each, ties="expected") for each in wanted.measures]
    found = ir_measures.calc_aggregate(measures, *frames)
    assert {str(each): value for each, value in found.items()} == pytest.approx(
        {each: wanted[each] for each in wanted.measures}, abs=1e-12
    )


def test_mteb_gives_the_same_results() -> None:
    qrels, first, second = example()
    written = [f"{ours}@{k}" for ours in CUT.values() for k in K_VALUES]
    for model, run in {"first": first, "second": second}.items():
        scores = rankscope.evaluate(qrels, run, written, compat="pytrec_eval")
        ours = mteb.to_results(scores, "SciFact", revision="none")
        theirs = json.loads((GOLDEN / "mteb" / model / "SciFact.json").read_text())
        assert ours["task_name"] == theirs["task_name"]
        entry, wanted = ours["scores"]["test"][0], theirs["scores"]["test"][0]
        numbers = [f"{name}_at_{k}" for name in CUT for k in K_VALUES]
        assert {name: entry[name] for name in numbers} == pytest.approx({n: wanted[n] for n in numbers}, abs=6e-6)
        assert entry["main_score"] == wanted["main_score"]
        assert set(ours) <= set(theirs)
        assert {"main_score", "hf_subset", "languages"} <= set(entry)


def test_mtebs_results_are_a_table_of_tasks_that_can_be_compared() -> None:
    models = {name: GOLDEN / "mteb" / name for name in ("first", "second")}
    table = mteb.from_results(models, "nDCG@10")
    assert table.queries == ("ArguAna", "NFCorpus", "SciFact")
    assert table.values[2].tolist() == [
        json.loads((folder / "SciFact.json").read_text())["scores"]["test"][0]["ndcg_at_10"]
        for folder in models.values()
    ]
    assert np.array_equal(table.values, mteb.from_results(models).values)
    assert rankscope.compare([table]).main.table.systems == ("first", "second")
    files = {name: sorted(map(str, folder.iterdir())) for name, folder in models.items()}
    assert np.array_equal(mteb.from_results(files, "ndcg_at_10").values, table.values)


def test_several_splits_are_rows_of_their_own() -> None:
    entries = [{"hf_subset": name, "main_score": value, "note": "x"} for name, value in (("en", 0.5), ("de", 0.25))]
    table = mteb.from_results({"A": {"task_name": "T", "scores": {"test": entries}}})
    assert table.queries == ("T (test, de)", "T (test, en)")
    assert table.values.ravel().tolist() == [0.25, 0.5]


def test_what_is_wrong_with_results_is_told(tmp_path: Path) -> None:
    with pytest.raises(rankscope.InputError, match=r"first, SciFact: has no map_at_7\nThey have: .*ndcg_at_1, "):
        mteb.from_results({"first": GOLDEN / "mteb" / "first" / "SciFact.json"}, "AP@7")
    with pytest.raises(rankscope.InputError, match=r"need a dictionary \{model: results\}, got str"):
        mteb.from_results("results")  # type: ignore[arg-type]
    (tmp_path / "other.json").write_text('{"q1": {"a": 1.0}}')
    with pytest.raises(rankscope.InputError, match="holds no MTEB results"):
        mteb.from_results({"A": tmp_path / "other.json"})
    with pytest.raises(rankscope.InputError, match="hold no task"):
        mteb.from_results({"A": tmp_path})
    (tmp_path / "cut.json").write_text('{"task_name": ')
    with pytest.raises(rankscope.InputError, match=r"cut\.json: 1 problem\n  is no JSON"):
        mteb.from_results({"A": tmp_path})
    with pytest.raises(rankscope.InputError, match="No such file"):
        mteb.from_results({"A": "nowhere.json"})


def test_one_model_and_a_main_score_are_needed_for_results() -> None:
    scores = rankscope.evaluate({"q": {"a": 1}}, {"A": {"q": ["a"]}, "B": {"q": ["b"]}}, ["AP"])
    with pytest.raises(rankscope.SettingError, match="give system=, one of A, B"):
        mteb.to_results(scores, "T")
    with pytest.raises(rankscope.SettingError, match=r"main='ndcg_at_10': was not computed\. There are: AP"):
        mteb.to_results(scores, "T", system="A")


def test_predictions_without_the_part_asked_for_list_what_there_is() -> None:
    with pytest.raises(rankscope.InputError, match="have no default/dev; there are: default/test"):
        mteb.from_predictions({"default": {"test": {}}}, split="dev")


def test_results_given_as_a_run_are_said_to_be_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    file = GOLDEN / "mteb" / "first" / "SciFact.json"
    assert ended(monkeypatch, "evaluate", tmp_path / "qrels.txt", file) == 2
    shown = capsys.readouterr().err
    assert "holds MTEB results, the means of a task, and no rankings" in shown
    assert "rankscope.commands.adapters.mteb.from_results" in shown
