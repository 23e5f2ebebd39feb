"""Ranks that contradict scores: seen and said; scores of which the smallest is best are read so where it is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rankscope import compare, evaluate, gate
from rankscope.commands.evaluate import evaluate as evaluate_where
from rankscope.commands.ledger import ledger
from rankscope.core.errors import InputError, SettingError
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import Contradiction, contradiction_of
from rankscope.inputs.sources import Source
from rankscope.measures.evaluation.coverage import CONTRADICTED
from rankscope.ranks.storage import load_ranks, save_ranks
from tests.commands.line.inside import finished
from tests.data import data_folder

QRELS = {f"q{query}": {f"d{item}": 1 for item in range(0, 20, query + 2)} for query in range(6)}
Rows = list[tuple[str, str, int, float]]


def rows_of(score: Any) -> Rows:
    """Six queries of ten items, with a score for each rank from 1 on."""
    return [(query, f"d{rank - 1}", rank, score(rank)) for query in QRELS for rank in range(1, 11)]


DISTANCES = rows_of(lambda rank: rank / 8)
SIMILARITIES = rows_of(lambda rank: 2 - rank / 8)
SAID = "ranks and scores run against each other in 6 of 6 queries looked at"


def frame(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["query", "item", "rank", "score"], orient="row")


def written(path: Path, rows: Rows) -> str:
    path.write_text("".join(f"{query} Q0 {item} {rank} {score} {path.stem}\n" for query, item, rank, score in rows))
    return str(path)


def said_of(run: Any, **choices: Any) -> list[str]:
    scores = evaluate(QRELS, run, "AP", **choices)
    return [each.text for each in scores.cautions if each.kind == CONTRADICTED]


def test_distances_are_told_and_read(tmp_path: Path) -> None:
    """By the ranks q0 has d0, d2, d4, d6 and d8 of its ten at 1, 3, 5, 7, 9: AP = (1 + 2/3 + 3/5 + 4/7 + 5/9) / 10."""
    far, near = written(tmp_path / "far.run", DISTANCES), written(tmp_path / "near.run", SIMILARITIES)
    right = evaluate(QRELS, near, "AP")
    assert right.systems[0].columns[0].values[0] == pytest.approx((1 + 2 / 3 + 3 / 5 + 4 / 7 + 5 / 9) / 10)
    assert said_of(near) == []
    assert said_of(far) == [f"{SAID}: scores='ascending' reads the smallest as best, ties='rank' goes by the ranks"]
    assert evaluate(QRELS, far, "AP")["AP"] < right["AP"]
    for choices in ({"scores": "ascending"}, {"ties": "rank"}):
        assert evaluate(QRELS, far, "AP", **choices)["AP"] == right["AP"]  # type: ignore[arg-type]
        assert said_of(far, **choices) == []
    assert said_of(near, scores="ascending") == [
        f"{SAID}: scores='descending' reads the largest as best, ties='rank' goes by the ranks"
    ]


def test_commands_tell_it_and_take_the_option(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{query} 0 {item} 1\n" for query in QRELS for item in QRELS[query]))
    written(tmp_path / "far.run", DISTANCES)
    written(tmp_path / "near.run", SIMILARITIES)
    for command, more in (("evaluate", []), ("compare", []), ("gate", []), ("report", ["-o", "r.html"])):
        runs = ["far.run"] if command == "evaluate" else ["far.run", "far.run"]
        done = finished(command, "qrels", *runs, *more, cwd=tmp_path)
        assert f"{SAID}: --scores ascending reads the smallest as best, --ties rank goes by the ranks" in (
            (done.stdout + done.stderr).decode()
        ), command
    told = finished("evaluate", "qrels", "far.run", "-m", "AP", "--scores", "ascending", cwd=tmp_path).stdout.decode()
    near = finished("evaluate", "qrels", "near.run", "-m", "AP", cwd=tmp_path).stdout.decode()
    assert told.splitlines()[2].split()[1] == near.splitlines()[2].split()[1] == "0.3484"
    assert "run against" not in told
    done = finished("evaluate", "qrels", "far.run", "--scores", "up", cwd=tmp_path)
    assert done.returncode == 2
    assert b"ascending" in done.stderr
    known = finished("evaluate", "qrels", "far.run", "-o", "far.ranks.parquet", cwd=tmp_path)
    assert SAID in known.stderr.decode()
    again = finished("gate", "far.ranks.parquet", "far.ranks.parquet", cwd=tmp_path)
    assert SAID in again.stderr.decode()  # saved ranks know it
    late = finished("evaluate", "far.ranks.parquet", "--scores", "ascending", cwd=tmp_path)
    assert late.returncode == 2
    assert b"far was ranked with --scores descending" in late.stderr


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "arrow"])
def test_tables_with_ranks_tell_it_too(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"far.{suffix}"
    table = frame(DISTANCES)
    write: dict[str, Any] = {
        "csv": table.write_csv,
        "parquet": table.write_parquet,
        "jsonl": table.write_ndjson,
        "arrow": table.write_ipc,
    }
    write[suffix](path)
    assert said_of(path)[0].startswith(SAID)
    assert said_of(table)[0].startswith(SAID)
    near = evaluate(QRELS, frame(SIMILARITIES), "AP")["AP"]
    assert evaluate(QRELS, path, "AP", scores="ascending")["AP"] == near
    assert evaluate(QRELS, table, "AP", scores="ascending")["AP"] == near


def test_equal_scores_beside_ranks_are_told() -> None:
    said = said_of(frame(rows_of(lambda rank: 1.0)))
    assert said == ["all scores are equal in 6 of 6 queries looked at: ties='rank' goes by the ranks"]
    assert said_of(frame(rows_of(lambda rank: 1.0)), ties="rank") == []


@pytest.mark.parametrize(
    "rows",
    [
        SIMILARITIES,
        SIMILARITIES[::-1],  # ranks need not rise along the lines
        DISTANCES[::-1],  # and where lines go with the scores, ranks alone decide nothing
        rows_of(lambda rank: 5 - rank // 4),  # and are free within equal scores
        [(query, item, 1, score) for query, item, _, score in DISTANCES],  # all of one rank: they tell nothing
        [row for row in DISTANCES if row[2] == 1],  # one item has no order
        [*DISTANCES[:30], *SIMILARITIES[30:]],  # half of the queries are not most of them
        [(query, item, rank + 10 * (query > "q2"), score) for query, item, rank, score in SIMILARITIES],
    ],
)
def test_what_is_no_contradiction(rows: Rows) -> None:
    assert contradiction_of(Run.of(frame(rows))) is None


def test_most_queries_decide_and_a_few_exceptions_do_not() -> None:
    rows = [*DISTANCES[:40], *SIMILARITIES[40:]]
    assert contradiction_of(Run.of(frame(rows))) == Contradiction(queries=6, against=4, equal=0)
    noisy = [(query, item, rank, 0.0 if rank == 8 else score) for query, item, rank, score in DISTANCES]
    assert contradiction_of(Run.of(frame(noisy))) == Contradiction(queries=6, against=6, equal=0)
    shuffled = np.random.default_rng(0).permutation(60)
    mixed = [(*row[:3], float(score)) for row, score in zip(DISTANCES, shuffled, strict=True)]
    assert contradiction_of(Run.of(frame(mixed))) is None  # ranks of another order are not the reverse


def test_ranks_that_are_no_numbers_and_runs_without_any_are_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("".join(f"{query} Q0 {item} - {score} x\n" for query, item, _, score in DISTANCES))
    assert said_of(path) == []
    assert said_of({"q1": {"d1": 1.0, "d2": 1.0}}) == []
    assert said_of({"q1": ["d1", "d2"]}) == []


def test_lines_that_must_be_cleaned_first_are_looked_at_too(tmp_path: Path) -> None:
    path = tmp_path / "far.run"
    written(path, DISTANCES)
    path.write_text("# by distance\n\n" + path.read_text().replace(" Q0", "  Q0"))
    assert said_of(path)[0].startswith(SAID)


def test_no_run_is_read_again_to_look_at_its_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    blocks = Source.blocks

    def counted(source: Source, *arguments: Any, **more: Any) -> Any:
        reads.append(source.name)
        return blocks(source, *arguments, **more)

    monkeypatch.setattr(Source, "blocks", counted)
    assert said_of(written(tmp_path / "far.run", DISTANCES))[0].startswith(SAID)
    assert said_of(written(tmp_path / "near.run", SIMILARITIES)) == []
    assert reads == ["far.run", "near.run"]


def test_ascending_scores_are_negated_wherever_they_come_from(tmp_path: Path) -> None:
    """An order alone, as ranks or a list, has no scores to negate, and what is read already is not read twice."""
    nested = {"q1": {"d0": 0.5, "d1": 0.25, "d2": 4.0}}
    reading = Reading(scores="ascending")
    wanted = {"q1": {"d0": -0.5, "d1": -0.25, "d2": -4.0}}
    assert Run.of(nested, reading).to_dict() == wanted
    assert Run.of(Run.of(nested), reading).to_dict() == wanted
    assert Run.of(Run.of(nested, reading), reading).to_dict() == wanted
    assert Run.of({"q1": ["a", "b"]}, reading).to_dict() == {"q1": {"a": 0.0, "b": -1.0}}
    ranked = pl.DataFrame({"query": ["q1", "q1"], "item": ["a", "b"], "rank": [1, 2]})
    assert Run.of(ranked, reading).to_dict() == {"q1": {"a": -1.0, "b": -2.0}}
    (tmp_path / "parts").mkdir()
    for number, some in enumerate((DISTANCES[:30], DISTANCES[30:])):
        written(tmp_path / "parts" / f"{number}.run", some)
    whole = Run.of(tmp_path / "parts", reading).table()
    assert whole["score"].to_list() == [-score for _, _, _, score in DISTANCES]
    (tmp_path / "r.json").write_text(json.dumps(nested))
    assert Run.of(tmp_path / "r.json", reading).to_dict() == wanted
    with pytest.raises(SettingError, match="scores='up'"):
        Reading(scores="up")


def test_every_way_of_reducing_reads_them(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for number, some in enumerate((DISTANCES[:30], DISTANCES[30:])):
        written(tmp_path / "parts" / f"{number}.run", some)
    wanted = evaluate(QRELS, frame(SIMILARITIES), "AP")["AP"]
    ways: tuple[dict[str, Any], ...] = ({}, {"shuffle": "none"}, {"memory": "32MB", "on": "processes:1"})
    for way in ways:
        scores = evaluate_where(QRELS, tmp_path / "parts", "AP", scores="ascending", **way)
        assert scores["AP"] == wanted
        assert scores.settings_in_effect["scores"] == "ascending"
        told = evaluate_where(QRELS, tmp_path / "parts", "AP", **way).warnings()
        assert any("against each other in 3 of 3 queries" in line for line in told)  # those of the first file
    rolled = evaluate(QRELS, frame(DISTANCES), "AP", scores="ascending", roll_up="^(d.*)$")
    assert rolled["AP"] == wanted
    assert any(SAID in line for line in evaluate(QRELS, frame(DISTANCES), "AP", roll_up="^(d.*)$").warnings())
    micro = evaluate(QRELS, frame(DISTANCES), "AP", scores="ascending", mean="micro")["AP"]
    assert micro == evaluate(QRELS, frame(SIMILARITIES), "AP", mean="micro")["AP"]
    both = {"a": frame(DISTANCES), "b": frame(DISTANCES)}
    by_scores, by_ranks = compare(QRELS, both, scores="ascending").main, compare(QRELS, both, ties="rank").main
    assert by_scores.means.mean.tolist() == by_ranks.means.mean.tolist() == [wanted, wanted]
    assert gate(QRELS, list(both.values()), scores="ascending").verdict == "pass"
    far = ledger(QRELS, {"first": frame(DISTANCES), "last": frame(DISTANCES)}, scope=3, scores="ascending")
    near = ledger(QRELS, {"first": frame(SIMILARITIES), "last": frame(SIMILARITIES)}, scope=3)
    assert far.main.account.values == near.main.account.values


def test_what_is_saved_of_it_is_not_believed(tmp_path: Path) -> None:
    ranks = evaluate(QRELS, frame(DISTANCES), "AP").systems[0].ranks
    save_ranks(ranks, tmp_path / "a.ranks.parquet")
    assert said_of_ranks(load_ranks(tmp_path / "a.ranks.parquet"))
    wrongs: tuple[Any, ...] = (None, [], {"queries": "x", "against": 1, "equal": 0}, {"queries": 3})
    for wrong in wrongs:
        facts = {**ranks.provenance["run"], "ranks_against_scores": wrong}
        assert not said_of_ranks(replace(ranks, provenance={**ranks.provenance, "run": facts}))


def said_of_ranks(ranks: Any) -> list[str]:
    return [line for line in evaluate_where(ranks, measures="AP").warnings() if SAID in line]


@pytest.mark.parametrize("name", ["trec-robust03", "trec-covid-r1"])
def test_no_run_that_was_submitted_to_trec_contradicts_itself(name: str) -> None:
    files = sorted((data_folder(name) / "runs").iterdir())
    assert len(files) == {"trec-robust03": 12, "trec-covid-r1": 25}[name]
    found = {file.name: contradiction_of(Run.of(file)) for file in files}
    assert {file: each for file, each in found.items() if each is not None} == {}


def test_lines_that_go_with_the_scores_outvote_the_ranks() -> None:
    """As in SFDC-23April-run1, whose ranks fall from 1000 along falling scores: its official nDCG@10 is by scores."""
    folder = data_folder("trec-covid-r1")
    files = (folder / "qrels-rnd1.txt", folder / "runs" / "SFDC-23April-run1.gz")
    assert f"{evaluate(*files, 'nDCG@10')['nDCG@10']:.4f}" == "0.0689"
    assert f"{evaluate(*files, 'nDCG@10', ties='rank')['nDCG@10']:.4f}" == "0.4085"
    rows = [DISTANCES[place] for place in np.random.default_rng(1).permutation(60)]
    by_query = sorted(rows, key=lambda row: row[0])
    assert contradiction_of(Run.of(frame(by_query))) == Contradiction(
        queries=6, against=6, equal=0
    )  # lines say nothing


def test_no_list_of_a_damaged_file_hides_its_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q1 Q0 d1 1 0.5 x\nq1 Q0 d2 2 n/a x\n")
    with pytest.raises(InputError, match="score must be a number"):
        evaluate(QRELS, path, "AP")
