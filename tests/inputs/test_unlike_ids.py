"""Item ids of a run and of judgements that do not meet: seen, and said with what would make them meet."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rankscope import compare, evaluate, gate
from rankscope.commands.compare import compare_sequentially
from rankscope.commands.evaluate import evaluate as evaluate_where
from rankscope.commands.gate import gate_sequentially
from rankscope.core.errors import InputError
from rankscope.inputs.mix_ups import UnlikeIds
from rankscope.measures.evaluation.coverage import UNMET
from rankscope.ranks.storage import about_ranks, load_ranks, ranks_to_frame, save_ranks
from tests.commands.line.inside import finished

QUERIES = range(12)
JUDGED = {f"q{query}": {f"D{query:02}{item}": 1 for item in range(4)} for query in QUERIES}
Ids = Callable[[int, int], str]


class Result(NamedTuple):
    """How a command ended, and what it wrote."""

    exit_code: int
    stdout: str
    stderr: str


def answers(ids: Ids) -> dict[str, dict[str, float]]:
    """Twenty items for each query, of which the first four are judged where ids meet."""
    return {f"q{query}": {ids(query, item): 20.0 - item for item in range(20)} for query in QUERIES}


def written(folder: Path, name: str, ids: Ids) -> str:
    lines = [
        f"{query} Q0 {item} {rank} {score} {name}\n"
        for query, found in answers(ids).items()
        for rank, (item, score) in enumerate(found.items(), 1)
    ]
    path = folder / f"{name}.run"
    path.write_text("".join(lines))
    return str(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    judged = [f"{query} 0 {item} 1\n" for query, items in JUDGED.items() for item in items]
    (tmp_path / "qrels").write_text("".join(judged))
    written(tmp_path, "right", lambda query, item: f"D{query:02}{item}")
    written(tmp_path, "old", lambda query, item: f"corpus/D{query:02}{item}")
    written(tmp_path, "new", lambda query, item: f"corpus/D{query:02}{19 - item}")
    return tmp_path


def called(folder: Path, command: str, *arguments: str, stdin: bytes = b"") -> Result:
    done = finished(command, *arguments, stdin=stdin, cwd=folder)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


SAID = "none of its 240 items occurs anywhere in the judgements"
ADVICE = (
    "Item ids of the run: 'corpus/D000', 'corpus/D001', 'corpus/D002'; of the judgements: 'D000', 'D001', 'D002'. "
    "With 'corpus/' cut from the front of those of the run, "
)
PATTERN = "^(?:corpus/)?(.+)"
ROLLED = f"--roll-up '{PATTERN}'"


@pytest.mark.parametrize("command", ["gate", "compare"])
def test_runs_whose_items_do_not_occur_are_neither_passed_nor_compared(folder: Path, command: str) -> None:
    done = called(folder, command, "qrels", "old.run", "new.run")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.count(SAID) == 2
    assert "old.run: 1 problem" in done.stderr
    assert "new.run: 1 problem" in done.stderr
    assert ADVICE in done.stderr
    assert ROLLED in done.stderr
    half = called(folder, command, "qrels", "right.run", "new.run")
    assert (half.exit_code, half.stderr.count(SAID)) == (2, 1)
    assert "new.run: 1 problem" in half.stderr
    assert called(folder, command, "qrels", "right.run", "new.run", "--roll-up", PATTERN).exit_code in (0, 1)


@pytest.mark.parametrize("command", ["gate", "compare"])
def test_looks_and_saved_ranks_know_it_too(folder: Path, command: str) -> None:
    done = called(folder, command, "qrels", "old.run", "new.run", "--sequential", "looks.json")
    assert done.exit_code == 2
    assert SAID in done.stderr
    assert not (folder / "looks.json").exists()
    for name in ("old", "new"):
        assert not called(folder, "evaluate", "qrels", f"{name}.run", "-o", f"{name}.ranks.parquet").exit_code
    done = called(folder, command, "old.ranks.parquet", "new.ranks.parquet")
    assert done.exit_code == 2
    assert done.stderr.count(SAID) == 2
    assert ADVICE in done.stderr


def test_all_else_says_it_first_and_names_each_run(folder: Path) -> None:
    for command, more in (("evaluate", ()), ("report", ("-o", "r.html")), ("graph", ("-o", "g.svg"))):
        kind = ("precision-recall",) if command == "graph" else ()
        done = called(folder, command, *kind, "qrels", "old.run", "right.run", "new.run", *more)
        assert done.exit_code == 0, done.stderr
        said = [line for line in (done.stdout + done.stderr).splitlines() if SAID in line]
        assert [line[:6] for line in said] == ["! old:", "! new:"]
        assert all(ROLLED in line for line in said)
        assert "100% of the first 10" not in done.stdout + done.stderr
    assert SAID in (folder / "r.html").read_text()


def test_standard_input_and_runs_in_parts_say_the_same(folder: Path) -> None:
    said = evaluate(str(folder / "qrels"), str(folder / "old.run")).warnings()[0]
    assert SAID in said
    assert ADVICE in said
    done = called(folder, "evaluate", "qrels", "-", stdin=(folder / "old.run").read_bytes())
    assert ADVICE in done.stdout
    ways: tuple[dict[str, Any], ...] = ({"shuffle": "none"}, {"memory": "32MB", "on": "processes:1"})
    for way in ways:
        again = evaluate_where(str(folder / "qrels"), str(folder / "old.run"), **way)
        assert again.warnings()[0] == said


def test_python_refuses_and_warns() -> None:
    old, new = answers(lambda query, item: f"x{query}-{item}"), answers(lambda query, item: f"y{query}-{item}")
    with pytest.raises(InputError, match=r"old: 1 problem\n  none of its 240 items[^?]*\?\nnew: 1 problem"):
        gate(JUDGED, {"old": old, "new": new})
    with pytest.raises(InputError, match=r"Are these the right files\?"):
        compare(evaluate(JUDGED, {"old": old, "new": new}))
    for look in (gate_sequentially, compare_sequentially):
        with pytest.raises(InputError, match="none of its 240 items"):
            look(JUDGED, {"old": old, "new": new}, sequential="never.json")
    several = evaluate(JUDGED, dict.fromkeys("abcd", old))
    assert [each.system for each in several.cautions if each.kind == UNMET] == ["a", "b", "c", "d"]


def test_few_items_that_meet_are_a_caution() -> None:
    """Of six queries, one of 20,000 items is judged, and is one of 200 judged ones."""
    judged = {"q1": {f"D{item}": 1 for item in range(195)}} | {f"q{query}": {"D1": 1} for query in range(2, 7)}
    run = {"q1": {"D7": 1e6} | {f"x/D{item}": -float(item) for item in range(19_994)}}
    run |= {f"q{query}": {"x/D1": 1.0} for query in range(2, 7)}
    said = evaluate(judged, run).warnings()[0]
    assert said.startswith("run: only 1 of its 20,000 items are judged, of 200 judged ones: do item ids differ?")
    assert "of 10,000 meet: roll_up='^(?:x/)?(.+)'" not in said  # D7 stands first, so that not all begin with x/
    assert "Without what precedes the last '/' in those of the run, 196 of 10,000 meet: roll_up='([^/]+)$'" in said
    assert gate(judged, [run, run]).verdict == "pass"


def test_nothing_judged_among_the_first_is_a_caution_but_sparse_judgements_are_none() -> None:
    late = {"q1": {f"x{item}": -float(item) for item in range(10)} | {"D1": -11.0}}
    said = evaluate({"q1": {"D1": 1}}, late).warnings()[0]
    assert said.startswith("run: none of the first 10 items of any query is judged: do item ids differ? Item ids of ")
    sparse = {f"q{query}": {f"q{query}-{item}": -float(item) for item in range(1000)} for query in QUERIES}
    scores = evaluate({query: {f"{query}-3": 1} for query in sparse}, sparse)
    assert scores["P@10"] == pytest.approx(0.1)
    assert not [each for each in scores.cautions if each.kind == UNMET]


def test_items_that_are_judged_for_other_queries_alone_let_ask_for_query_ids() -> None:
    """The run is that of right ids, each list under the id of the next query."""
    moved = {f"q{(query + 1) % 12}": found for query, found in enumerate(answers(lambda q, i: f"D{q:02}{i}").values())}
    said = evaluate(JUDGED, moved).warnings()[0]
    assert "none of its 240 items is judged for its query, only for other queries: do query ids name the same" in said
    assert gate(JUDGED, [moved, moved]).verdict == "pass"


@pytest.mark.parametrize(
    ("run", "judged", "said"),
    [
        (
            "web/D{}",
            "D{}",
            "With 'web/' cut from the front of those of the run, 100 of 100 meet: roll_up='^(?:web/)?(.+)'",
        ),
        (
            "D{}",
            "web/D{}",
            "With 'web/' cut from the front of those of the judgements, 100 of 100 meet: roll_up='^(?:web/)?(.+)'",
        ),
        (
            "D{}.txt",
            "D{}",
            "With '.txt' cut from the end of those of the run, 100 of 100 meet: roll_up='^(.+?)(?:\\\\.txt)?$'",
        ),
        ("<D{}>", "D{}", "With '<' cut from the front and '>' cut from the end of those of the run, 100 of 100 meet"),
        ("d{}", "D{}", "With capitals and small letters taken for the same, 100 of 100 meet"),
        (
            "D000{}",
            "D{}",
            "With the numbers behind 'D' alone, without zeros in front, 100 of 100 meet: roll_up='^(?:D)?0",
        ),
        ("a-00{}-b", "a-{}-b", "Without zeros in front of numbers, 100 of 100 meet"),
        ("D{}#3", "D{}", "With '#3' cut from the end of those of the run, 100 of 100 meet: roll_up='^(.+?)(?:#3)?$'"),
        (
            "D{}#{}",
            "D{}",
            "Without what follows the last '#' in those of the run, 100 of 100 meet: roll_up='^(.+?)(?:#[^#]*)?$'",
        ),
        (
            "D{}_chunk_{}",
            "D{}",
            "Without what follows the first '_' in those of the run, 100 of 100 meet: roll_up='^([^_]",
        ),
        ("D{}", "D{}#{}", "Without what follows the last '#' in those of the judgements, 100 of 100 meet: roll_up="),
        ("x{}", "y-{}-{}", "Are these the right files?"),
    ],
)
def test_what_would_make_ids_meet(run: str, judged: str, said: str) -> None:
    found = UnlikeIds.of(
        [run.format(number, number % 7) for number in range(1, 101)],
        [judged.format(number, number % 5) for number in range(1, 101)],
    )
    assert said in found.advice("item")


def test_what_is_cut_meets_the_other_side_as_it_is() -> None:
    """Half of the items are not judged, and the last numbers of all ids, cut from both sides, meet by chance."""
    found = UnlikeIds.of([f"x/LA{day}-{day % 90}" for day in range(200)], [f"LA{day}-{day % 90}" for day in range(100)])
    assert "With 'x/' cut from the front of those of the run, 100 of 200 meet" in found.advice("item")


def test_query_ids_are_told_alike(folder: Path) -> None:
    (folder / "padded.run").write_text("Q01 Q0 D000 1 1 x\nQ02 Q0 D001 1 1 x\n")
    done = called(folder, "evaluate", "qrels", "padded.run")
    assert done.exit_code == 2
    assert "Query ids of the run: 'Q01', 'Q02'; of the judgements: 'q0', 'q1', 'q10'. With the numbers" in done.stderr
    assert "2 of 2 meet\n" in done.stderr
    assert "roll" not in done.stderr


def test_what_is_saved_of_ids_is_not_believed(tmp_path: Path) -> None:
    scores = evaluate(JUDGED, answers(lambda query, item: f"x/{query}-{item}"))
    ranks = scores.systems[0].ranks
    save_ranks(ranks, tmp_path / "a.ranks.parquet")
    assert load_ranks(tmp_path / "a.ranks.parquet").unmet == ranks.unmet
    wrongs: tuple[Any, ...] = ({}, [], {"found": 1}, {**about_ranks(ranks)["unmet"], "found": "many"})
    for wrong in wrongs:
        about = json.dumps({**about_ranks(ranks), "unmet": wrong})
        ranks_to_frame(ranks).write_parquet(tmp_path / "b.ranks.parquet", metadata={"rankscope": about})
        with pytest.raises(InputError, match="unmet must be what was seen of item ids"):
            load_ranks(tmp_path / "b.ranks.parquet")


def test_braces_in_ids_are_letters_like_others() -> None:
    with pytest.raises(InputError, match=r"With '\{' cut from the front of those of the run"):
        evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"{q1": {"a": 1.0}, "{q2": {"a": 1.0}}, ["AP"])
