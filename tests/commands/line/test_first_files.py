"""The files that newcomers bring, and what they are told: columns left out, decimal commas, a folder of systems."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, RankscopeError

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 2.5 s\nq1 Q0 b 2 1.5 s\nq2 Q0 c 1 3 s\n"
SHORT_RUNS = {  # a run with columns left out, and how it is read
    "q1 a 2.5\nq1 b 1.5\nq2 c 3.1\n": "query=1,item=2,score=3",
    "q1 a 1\nq1 b 2\nq2 c 1\n": "query=1,item=2,rank=3",
    "q1 a 1 2.5\nq1 b 2 1.5\nq2 c 1 3\n": "query=1,item=2,rank=3,score=4",
    "q1 a 2.5 s\nq1 b 1.5 s\nq2 c 3 s\n": "query=1,item=2,score=3",
    "q1 Q0 a 2.5\nq1 Q0 b 1.5\nq2 Q0 c 3\n": "query=1,item=3,score=4",
    "q1 Q0 a 1\nq1 Q0 b 2\nq2 Q0 c 1\n": "query=1,item=3,rank=4",
    "q1 a 1 2.5 s\nq1 b 2 1.5 s\nq2 c 1 3 s\n": "query=1,item=2,rank=3,score=4",
    "q1 Q0 a 2.5 s\nq1 Q0 b 1.5 s\nq2 Q0 c 3 s\n": "query=1,item=3,score=4",
    "# a comment\n\nq1\ta,x 2.5\nq1 b 1.5\nq2 c 3.1\n": "query=1,item=2,score=3",
    "q1,a,2.5\nq1,b,1.5\nq2,c,3\n": "query=1,item=2,score=3",
    "q1,a,1\nq1,b,2\nq2,c,1\n": "query=1,item=2,rank=3",
    "q1,Q0,a,1,2.5,s\nq1,Q0,b,2,1.5,s\nq2,Q0,c,1,3,s\n": "query=1,item=3,rank=4,score=5",
}
SHORT_QRELS = {
    "q1 a 1\nq1 b 0\nq2 c 1\n": "query=1,item=2,grade=3",
    "q1 a,x 1\nq1 b 0\nq2 c 1\n": "query=1,item=2,grade=3",
    "q1 a 1.5\nq2 c 1\n": "query=1,item=2,grade=3",
    "q1\ta\t2\nq1\tb\t0\nq2\tc\t1\n": "query=1,item=2,grade=3",
    "q1\ta\t1\nq1\tb\t2\nq2\tc\t1\n": "query=1,item=2,grade=3",
    "q1,0,a,2\nq1,0,b,0\nq2,0,c,1\n": "query=1,item=3,grade=4",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "good.run").write_text(RUN)
    return tmp_path


def asked(folder: Path, *words: str) -> Result:
    with contextlib.chdir(folder):
        return CliRunner().invoke(cli, [*words])


def refusal(folder: Path, *words: str) -> str:
    done = asked(folder, *words)
    assert isinstance(done.exception, RankscopeError), done.output
    return str(done.exception)


def python_refusal(qrels: Any, runs: Any) -> str:
    with pytest.raises(InputError) as caught:
        rankscope.evaluate(qrels, runs, "AP")
    return str(caught.value)


@pytest.mark.parametrize(("text", "columns"), SHORT_RUNS.items())
def test_a_run_that_lacks_columns_is_read_as_its_message_says(text: str, columns: str, folder: Path) -> None:
    (folder / "short.run").write_text(text)
    told = refusal(folder, "evaluate", "qrels.txt", "short.run", "-m", "AP")
    advice = re.findall(r"--map-runs \S+(?=\.)", told)
    assert advice == [f"--map-runs {columns}"], told
    done = asked(folder, "evaluate", "qrels.txt", "short.run", "-m", "AP", *shlex.split(advice[0]))
    assert done.exit_code == 0, done.exception
    assert ("0.5000" if "a,x" in text else "1.0000") in done.output
    assert "short " in done.output  # the system, without its suffix
    told = python_refusal(folder / "qrels.txt", folder / "short.run")
    assert f"map_runs='{columns}'" in told
    python = rankscope.evaluate(folder / "qrels.txt", folder / "short.run", "AP", map_runs=columns)
    assert python["AP"] == (0.5 if "a,x" in text else 1)


@pytest.mark.parametrize(("text", "columns"), SHORT_QRELS.items())
def test_judgements_that_lack_columns_are_read_as_their_message_says(text: str, columns: str, folder: Path) -> None:
    (folder / "short.txt").write_text(text)
    told = refusal(folder, "evaluate", "short.txt", "good.run", "-m", "AP")
    advice = re.findall(r"--map-qrels \S+(?=\.)", told)
    assert advice == [f"--map-qrels {columns}"], told
    done = asked(folder, "evaluate", "short.txt", "good.run", "-m", "num_q", *shlex.split(advice[0]))
    assert done.exit_code == 0, done.exception
    assert "mapped" not in done.output
    assert f"map_qrels='{columns}'" in python_refusal(folder / "short.txt", folder / "good.run")
    assert rankscope.evaluate(folder / "short.txt", folder / "good.run", "num_q", map_qrels=columns)["num_q"] == 2


def test_missing_columns_are_named_once_for_each_file(folder: Path) -> None:
    (folder / "three.txt").write_text("q1 a 1\nq1 b 0\n" * 50)
    (folder / "three.run").write_text("q1 a 2.5\nq1 b 1.5\n")
    told = refusal(folder, "evaluate", "three.txt", "three.run", "-m", "AP")
    assert "three.txt: 1 problem\n  has 3 columns (query item grade), not 4: the iteration column is missing" in told
    assert "three.run: 1 problem\n  has 3 columns (query item score), not 6: Q0, rank and tag are missing" in told
    told = refusal(folder, "evaluate", "qrels.txt", "qrels.txt", "-m", "AP")
    assert "judgements in place of a run?" in told
    (folder / "mixed.run").write_text(RUN + "q2 Q0 d\n")
    assert "line 4: has 3 of 6 fields (rank, score, tag missing)" in refusal(
        folder, "evaluate", "qrels.txt", "mixed.run"
    )


def test_a_run_without_a_tag_is_read_and_called_after_its_file(folder: Path) -> None:
    (folder / "untagged.run").write_text(RUN.replace(" s\n", "\n"))
    done = asked(folder, "evaluate", "qrels.txt", "untagged.run", "-m", "AP,runid", "--format", "trec")
    assert done.exit_code == 0, done.exception
    assert re.search(r"runid\s+all\s+untagged", done.output)
    scores = rankscope.evaluate(folder / "qrels.txt", folder / "untagged.run", "AP")
    assert (scores["AP"], scores.systems[0].ranks.tag) == (1, "untagged")
    (folder / "cut.run").write_text("q1 Q0 a 1 2.")
    assert "line 1: has 5 of 6 fields (tag missing)" in refusal(folder, "evaluate", "qrels.txt", "cut.run", "-m", "AP")
    (folder / "late.run").write_text(RUN.replace(" s\n", "\n") + "q3 Q0 a 1 x\nq3 Q0 b 2 1 s\n")
    told = refusal(folder, "evaluate", "qrels.txt", "late.run", "-m", "AP")
    assert "line 4: score must be a number, got 'x'" in told
    assert "line 5: has 6 fields instead of 5" in told


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("a.run", RUN.replace("2.5", "2,5"), "line 1: score must be a number, got '2,5', with a decimal comma"),
        ("a.csv", "query;item;score\nq1;a;2,5\n", "line 2: score must be a number, got '2,5', with a decimal comma"),
        ("a.tsv", "query\titem\tscore\nq1\ta\t-,5\n", "line 2: score must be a number, got '-,5', with a decimal"),
        (
            "b.csv",
            "query,item,score\nq1,a,2,5\n",
            "line 2: has 4 fields, but the header has 3: is 2,5 one number, with",
        ),
        ("c.csv", 'query,item,score\nq1,a,"2,5"\n', "line 2: score must be a number, got '2,5', with a decimal comma"),
        ("a.json", '{"q1": {"a": "2,5"}}', "query q1, item a: score must be a number, got '2,5', with a decimal comma"),
    ],
)
def test_decimal_commas_are_named_with_their_places(name: str, text: str, where: str, folder: Path) -> None:
    (folder / name).write_text(text)
    for told in (
        refusal(folder, "evaluate", "qrels.txt", name, "-m", "AP"),
        python_refusal(folder / "qrels.txt", folder / name),
    ):
        assert told.startswith(f"{name}: 1 problem\n  {where}")
        assert told.count("write 0.75 for 0,75") == 1


def test_decimal_commas_of_grades_are_named_too(folder: Path) -> None:
    (folder / "q.txt").write_text(QRELS.replace("a 1", "a 0,75"))
    told = refusal(folder, "evaluate", "q.txt", "good.run", "-m", "AP")
    assert "line 1: grade must be a number, got '0,75', with a decimal comma" in told
    assert "write 0.75 for 0,75" in python_refusal({"q1": {"a": "0,75"}}, {"q1": ["a"]})
    assert "comma" not in refusal(folder, "evaluate", "qrels.txt", "good.run", "--map", "query=1,item=3,score=3")


def test_responses_by_query_are_a_run(folder: Path) -> None:
    def response(*items: str) -> dict[str, Any]:
        hits = [{"_id": item, "_score": 9.0 - place, "_source": {"sku": item * 2}} for place, item in enumerate(items)]
        return {"hits": {"total": {"value": len(hits), "relation": "eq"}, "hits": hits}, "took": 3, "timed_out": False}

    class Answer:  # what the client of Elasticsearch gives
        def __init__(self, body: dict[str, Any]) -> None:
            self.body = body

    run = {"q1": response("x", "a", "b"), "q2": response("c"), "q3": response()}
    clients = {query: Answer(body) for query, body in run.items()}
    (folder / "es.json").write_text(json.dumps(run, indent=1))
    (folder / "es.jsonl").write_text("".join(json.dumps({query: body}) + "\n" for query, body in run.items()))
    for name in ("es.json", "es.jsonl"):
        done = asked(folder, "evaluate", "qrels.txt", name, "-m", "AP")
        assert "es      0.7500" in done.output, done.exception
        assert "no ids" not in done.output
        done = asked(folder, "evaluate", "qrels.txt", name, "-m", "AP", "--map-runs", "item=_source.sku")
        assert "es      0.0000" in done.output, done.exception
    for given in (run, clients, {"mine": run}, {"mine": clients}):
        assert rankscope.evaluate(folder / "qrels.txt", given, "AP")["AP"] == 0.75
    failed = {**run, "q4": {"error": {"type": "index_not_found_exception"}, "status": 404}, "q5": {"a": 1}}
    told = python_refusal(folder / "qrels.txt", failed)
    assert "query q4: is an error: 'index_not_found_exception'" in told
    assert "query q5: must have a response as the others do, got {'a': 1}" in told
    assert "holds a run and not judgements" in python_refusal(run, run)


def test_a_folder_of_several_systems_is_told_in_one_line(folder: Path) -> None:
    (folder / "runs").mkdir()
    for name in ("one", "two", "six"):
        (folder / "runs" / f"{name}.run").write_text(RUN.replace(" s\n", f" {name}\n"))
    for given, how in (("runs", "runs/* in place of runs"), ("runs/*.run", "runs/*.run without quotes")):
        told = refusal(folder, "evaluate", "qrels.txt", given, "-m", "AP")
        what, advice = told.split("\n  ")[1].split("\n")
        assert told.startswith(f"{given}: 1 problem\n")
        assert what.startswith(
            "6 duplicates between files: does each file hold another system? The first: query q1: item"
        )
        assert f"Give several systems as several files: {how}." in advice
    assert "as a list of their paths" in python_refusal(folder / "qrels.txt", folder / "runs")
    (folder / "runs" / "one.run").write_text(RUN + "q1 Q0 a 3 1 one\n")
    told = refusal(folder, "evaluate", "qrels.txt", "runs", "-m", "AP")
    assert "query q1: item 'a' is ranked twice (one.run, line 1 and one.run, line 4)" in told
    assert "6 duplicates between files" in told


BAD = ("bad.txt", "bad1.run", "bad2.run")
COMMANDS = (
    ("evaluate", *BAD, "-m", "AP", "--junk", "bad.txt"),
    ("evaluate", "bad.txt", "bad1.run", "-o", "a.ranks.parquet"),
    ("compare", *BAD),
    ("fuse", *BAD[1:], "--tune", "--qrels", "bad.txt", "-o", "fused.run"),
    ("estimate", *BAD),
    ("estimate", *BAD, "--machine", "bad.txt"),
    ("reuse", *BAD),
    ("ledger", "bad.txt", "a=bad1.run", "b=bad2.run"),
    ("agreement", "bad.txt", "bad.txt", "--runs", "bad1.run", "--runs", "bad2.run"),
    ("prefer", "interleave", *BAD[1:], "-o", "lists.csv"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=[" ".join(words[:2]) for words in COMMANDS])
def test_all_problems_of_all_files_are_told_once(words: tuple[str, ...], folder: Path) -> None:
    (folder / "bad.txt").write_text(QRELS.replace("a 1", "a z"))
    (folder / "bad1.run").write_text(RUN.replace("2.5", "x"))
    (folder / "bad2.run").write_text(RUN.replace("1.5", "y"))
    told = refusal(folder, *words)
    named = [name for name in BAD if any(name in word for word in words)]
    assert re.findall(r"^(\S+): 1 problem$", told, re.MULTILINE) == named, told


def test_what_is_said_of_a_file_is_said_once(folder: Path) -> None:
    (folder / "m.json").write_text('{"responses": [{"hits": {"hits": [{"_id": "a", "_score": 1}]}}]}')
    (folder / "q.txt").write_text("1 0 a 1\n")
    done = asked(folder, "evaluate", "q.txt", "m.json", "m.json", "-m", "AP")
    assert done.output.count("numbered 1 to 1 in their order") == 1
