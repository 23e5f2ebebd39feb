"""What is written as other tools write it, shortened or misspelled is answered with the name to use here."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankscope
from rankscope.core.errors import MeasureError, SettingError
from rankscope.measures.notation import ELSEWHERE as MEASURES
from rankscope.measures.notation import meant_measure, parse_measure
from rankscope.reports.graphs.kinds import ELSEWHERE as GRAPHS
from rankscope.reports.graphs.kinds import FEEDBACK_KINDS, KINDS
from tests.commands.line.inside import ended, runs_in

MEANT = {
    "recall_at_5": "R@5",
    "precision_at_10": "P@10",
    "ndcg_at_10": "nDCG@10",
    "mrr_at_10": "RR@10",
    "map_at_100": "AP@100",
    "mrr_cut_10": "RR@10",
    "ndcg_cut10": "nDCG@10",
    "precision_5": "P@5",
    "P5": "P@5",
    "Recal@5": "R@5",
    "Reacll@5": "R@5",
    "precison@10": "P@10",
    "HR@5": "success@5",
    "hit_rate_10": "success@10",
    "recall_at_k": "R@10",
    "bpref_at_10": "bpref",
    "mean_average_precision": "AP",
    "average_precision_score": "AP",
    "nDGC": "nDCG",
}
KIND = {"pr": "precision-recall", "P-R": "precision-recall", "pr_curve": "precision-recall", "power": "power-curve"}


@pytest.mark.parametrize("text", MEANT)
def test_a_measure_as_others_write_it_is_answered_with_ours(text: str) -> None:
    with pytest.raises(MeasureError) as refused:
        parse_measure(text)
    assert f"(did you mean '{MEANT[text]}'?)" in str(refused.value)
    assert str(parse_measure(MEANT[text])) == MEANT[text]


@pytest.mark.parametrize("text", ["map_cut_5", "ndcg_cut_10", "P_5", "recall_5", "recall@5", "MRR@10", "hit_rate@5"])
def test_what_is_understood_needs_no_answer(text: str) -> None:
    assert parse_measure(text)


def test_what_is_like_nothing_gets_no_suggestion() -> None:
    assert [meant_measure(text) for text in ("zzz", "5", "@5", "zzz_at_5", "")] == [""] * 5


def test_every_suggestion_for_a_word_of_others_is_ours() -> None:
    assert [each for each in MEASURES if not meant_measure(each)] == []
    assert set(GRAPHS.values()) <= {*KINDS.own_names(), *FEEDBACK_KINDS.own_names()}


@pytest.mark.parametrize("kind", KIND)
def test_a_kind_of_graph_by_its_abbreviation_is_answered_before_anything_else(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(runs_in(tmp_path))
    said = f"no kind of graph '{kind}' (did you mean '{KIND[kind]}'?). There are: "
    assert ended(monkeypatch, "graph", kind, "qrels.txt", "a.run") == 2
    assert capsys.readouterr().err.startswith(f"rankscope: {said}")
    with pytest.raises(SettingError) as refused:
        rankscope.graph(kind, "qrels.txt", "a.run")
    assert str(refused.value).startswith(said)


def test_a_measure_and_a_command_are_answered_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(runs_in(tmp_path))
    for command in ("evaluate", "compare", "gate", "report"):
        assert ended(monkeypatch, command, "qrels.txt", "a.run", "b.run", "-m", "recall_at_5") == 2
        assert "no measure 'recall_at_5' (did you mean 'R@5'?)" in capsys.readouterr().err
    assert ended(monkeypatch, "plot", "qrels.txt", "a.run") == 2
    assert "no command 'plot' (did you mean 'graph'?)" in capsys.readouterr().err


def test_scores_know_what_was_meant(tmp_path: Path) -> None:
    folder = runs_in(tmp_path)
    scores = rankscope.evaluate(folder / "qrels.txt", [folder / "a.run", folder / "b.run"], ["AP", "R@5"])
    with pytest.raises(KeyError, match=r"did you mean 'R@5'\?"):
        scores["a", "recall_at_5"]
    with pytest.raises(KeyError, match=r"did you mean 'R@5'\?"):
        scores["recall_at_5"]
