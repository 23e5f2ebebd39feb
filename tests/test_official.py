"""Real submitted runs give NIST's own published figures, to the printed digit."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from rankscope.measures.evaluation.evaluate import evaluate
from tests.data import data_folder

ROBUST = {"map": "AP", "Rprec": "Rprec", "P_15": "P@15", "P_100": "P@100", "P_1000": "P@1000"}
COVID = {"ndcg@10": "nDCG@10", "p@5": "P@5", "RBP(p=.5)": "RBP(p=0.5,gain=graded)", "bpref": "bpref", "MAP": "AP"}
OFF_AT_THE_SOURCE = {("THUIRr0301", "Rprec")}  # by .0001, on NIST's own page


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def places(printed: str) -> int:
    return len(printed.partition(".")[2])


def test_robust_2003_runs_have_their_official_values() -> None:
    folder = data_folder("trec-robust03")
    official = rows(folder / "official.csv")
    runs = {row["run"]: folder / "runs" / f"{row['run']}.gz" for row in official}
    scores = evaluate(folder / "qrels.txt.gz", runs, list(ROBUST.values()), compat="trec_eval-9", depth=1000)
    for row in official:
        for column, measure in ROBUST.items():
            if (row["run"], column) not in OFF_AT_THE_SOURCE:
                value = scores[row["run"], measure]
                assert abs(value - float(row[column])) <= 0.5 * 10 ** -places(row[column]) + 1e-9, (row["run"], column)
    assert f"{scores['rutcor03100', 'AP']:.4f}" == "0.0737"


def test_trec_covid_runs_have_their_leaderboard_values() -> None:
    folder = data_folder("trec-covid-r1")
    official = rows(folder / "leaderboard.csv")
    runs = {row["run"]: folder / "runs" / f"{row['run']}.gz" for row in official}
    measures = list(COVID.values())
    scores = evaluate(folder / "qrels-rnd1.txt", runs, measures, compat="trec_eval-9", depth=1000)
    for row in official:
        for column, measure in COVID.items():
            assert f"{scores[row['run'], measure]:.4f}" == row[column], (row["run"], column)


@pytest.mark.parametrize("name", ["qrels.dl19-passage.txt", "qrels.web.201-250.txt"])
def test_real_judgements_with_awkward_grades_are_read(name: str) -> None:
    folder = data_folder("trec-qrels")
    query, _, item, _ = (folder / name).read_text().split(maxsplit=4)[:4]
    scores = evaluate(folder / name, {query: {item: 1.0}}, "nDCG@10")
    assert 0 <= scores["nDCG@10"] <= 1
