"""Judgements in and out: qrels, tables, whole journals; nothing twice, nothing of somebody who was not asked for."""

from __future__ import annotations

import copy
import hashlib
import json
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankscope import evaluate
from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.workbench.project import Project
from rankscope.workbench.store.events import MarkEvent, json_text
from tests.postgres import Cluster
from tests.workbench.projects import ANN, BOB, RELEVANT, judge_all, judged_project, write_sources


def lines(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


def test_qrels_have_every_grade_and_minus_one_for_what_is_pooled_only(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        judge_all(project, ANN, BOB, most=4)
        done = project.export(tmp_path / "qrels.txt")
        assert (done.judged, done.unjudged) == (8, 8)
        for query, zero, item, grade in lines(tmp_path / "qrels.txt"):
            answers = project.state.counted((query, item))
            assert (zero, int(grade)) == ("0", answers[0].grade if answers else -1)


def test_an_export_is_what_evaluate_reads(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        judge_all(project, ANN)
        project.export(tmp_path / "qrels.txt")
        project.export(tmp_path / "qrels.parquet")
    values = [
        evaluate(str(tmp_path / name), str(tmp_path / "r0.run"), "P@5")["P@5"]
        for name in ("qrels.txt", "qrels.parquet")
    ]
    assert values == [0.6, 0.6]


def test_where_assessors_differ_the_export_stops_with_the_list(tmp_path: Path) -> None:
    with judged_project(tmp_path, per_item=2) as project:
        for assessor, grade in ((ANN, 1), (BOB, 0)):
            project.grade(assessor, "q1", "a", grade)
            project.grade(assessor, "q2", "b", 2 * grade)
        with pytest.raises(InputError) as caught:
            project.export(tmp_path / "qrels.txt")
        assert "query q1, item a: ann 1, bob 0" in str(caught.value)
        assert "query q2, item b: ann 2, bob 0" in str(caught.value)
        assert not list(tmp_path.glob("qrels*"))
        project.export(tmp_path / "qrels.txt", assessor="bob")
        assert ["q1", "0", "a", "0"] in lines(tmp_path / "qrels.txt")


def test_surplus_machine_unsure_and_skip_are_no_grades(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        project.next_items(ANN, 20)
        project.grade(BOB, "q1", "a", 1)  # ann has it before the eyes
        project.save(MarkEvent(assessor=ANN, key="u", kind="unsure", query="q1", item="b"))
        project.save(MarkEvent(assessor=ANN, key="s", kind="skip", query="q1", item="c"))
        project.import_labels({"q1": {"h": 2}}, "robot", "machine")
        project.export(tmp_path / "qrels.txt")
        assert {grade for *_, grade in lines(tmp_path / "qrels.txt")} == {"-1"}
        project.export(tmp_path / "robot.txt", assessor="robot")
        assert ["q1", "0", "h", "2"] in lines(tmp_path / "robot.txt")


@pytest.mark.parametrize(
    ("method", "budget"), [("sample(1-1:all, 2-3:50%)", None), ("bandit(3) + sample(1-5:50%)", 3), ("depth(2)", None)]
)
def test_probabilities_come_as_a_fifth_column(tmp_path: Path, method: str, budget: int | None) -> None:
    with judged_project(tmp_path, method, budget) as project:
        judge_all(project, ANN)
        assert project.pool is not None
        free = [
            item for item in project.pool.by_query["q1"] if not project.pool.is_certain(("q1", item), project.state)
        ]
        project.import_labels({"q1": dict.fromkeys(["z", *free[:1]], 1)}, "carl")  # in no pool; in it, and not drawn
        done = project.export(tmp_path / "qrels.txt", probabilities=True)
        rows = lines(tmp_path / "qrels.txt")
        assert done.left_out == 1 + len(free[:1])
        for query in ("q1", "q2"):
            own = [(int(grade), float(pi)) for asked, _, _, grade, pi in rows if asked == query]
            judged = [pi for grade, pi in own if grade >= 0]
            assert len(own) == pytest.approx(sum(1 / pi for pi in judged))  # the frame, estimated from the sample
            assert all(0 < pi <= 1 for _, pi in own)


def test_an_export_with_probabilities_comes_back_in(tmp_path: Path) -> None:
    with judged_project(tmp_path, "sample(1-1:all, 2-3:50%)") as project:
        judge_all(project, ANN)
        judged = project.export(tmp_path / "qrels.txt", probabilities=True).judged
        assert project.import_labels(tmp_path / "qrels.txt", "carl")[:2] == (judged, judged)
        assert project.import_labels(tmp_path / "qrels.txt", "carl")[:2] == (judged, 0)
        (tmp_path / "qrels.txt").write_text("q1 0 a 1 0.5\nq1 0 b 1\n")
        with pytest.raises(InputError, match="line 2"):
            project.import_labels(tmp_path / "qrels.txt", "dora")


def test_a_pool_without_probabilities_gives_none(tmp_path: Path) -> None:
    with judged_project(tmp_path, "mtf(3)") as project:
        with pytest.raises(SettingError, match=r"gives no probabilities: add a sample"):
            project.export(tmp_path / "qrels.txt", probabilities=True)
        assert not list(tmp_path.glob("qrels*"))


def test_a_table_has_all_columns(tmp_path: Path) -> None:
    with judged_project(tmp_path, "sample(1-1:all, 2-3:50%)") as project:
        judge_all(project, ANN)
        project.export(tmp_path / "qrels.parquet")
    table = pl.read_parquet(tmp_path / "qrels.parquet")
    assert table.columns == [
        "query",
        "item",
        "grade",
        "pi",
        "stratum",
        "origin",
        "pool",
        "marks",
        "at_us",
        "guideline",
        "merged_by",
    ]
    assert set(table.get_column("stratum")) == {"1-1", "2-3"}
    assert set(table.filter(pl.col("grade") >= 0).get_column("guideline")) == {1}


def test_provenance_says_where_the_grades_come_from_without_names(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        judge_all(project, ANN, BOB)
        project.export(tmp_path / "qrels.txt")
        text = (tmp_path / "qrels.txt.provenance.json").read_text()
        found = json.loads(text)
        assert "ann" not in text
        assert found["journal"] == {"digest": project.journal_digest, "events": 16}
        assert found["pool"]["method"] == "depth(3)"
        assert [each["run"] if "run" in each else each["name"] for each in found["pool"]["runs"]] == ["r0", "r1", "r2"]
        assert found["guidelines"][0]["pairs"] == 16
        assert [each["name"] for each in found["assessors"]] == ["assessor 1", "assessor 2"]
        assert found["pairs"]["judged"] == sum(sum(each["grades"].values()) for each in found["assessors"]) == 16
        project.export(tmp_path / "named.txt", names=True)
        assert '"ann"' in (tmp_path / "named.txt.provenance.json").read_text()
        before = (tmp_path / "qrels.txt.provenance.json").read_bytes()
        project.export(tmp_path / "qrels.txt")
        assert (tmp_path / "qrels.txt.provenance.json").read_bytes() == before


def test_labels_come_in_once(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c -1\n")
    with judged_project(tmp_path) as project:
        assert project.import_labels(tmp_path / "labels.txt", "carl") == (2, 2, 1)
        assert project.import_labels(tmp_path / "labels.txt", "carl") == (2, 0, 1)
        assert project.import_labels(tmp_path / "labels.txt", "dora") == (2, 2, 1)
        assert project.state.last == 4
        assert not any(each.is_surplus for each in project.state.events)


def test_labels_that_do_not_fit_are_told_whole_and_none_comes_in(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("q1 0 a 1\nq9 0 a 1\nq1 0 nobody 1\nq1 0 b 7\n")
    with judged_project(tmp_path) as project:
        with pytest.raises(InputError) as caught:
            project.import_labels(tmp_path / "labels.txt", "carl")
        assert [line.split(":")[0].strip() for line in str(caught.value).splitlines()[1:]] == [
            "line 2",
            "line 3",
            "line 4",
        ]
        assert project.state.last == 0
        assert "carl" not in {each.name for each in project.assessors.values()}


def test_somebody_is_a_person_or_a_machine(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        with pytest.raises(SettingError, match="'ann' is human"):
            project.import_labels({"q1": {"a": 1}}, "ann", "machine")
        with pytest.raises(SettingError, match="must be one of human, machine"):
            project.import_labels({"q1": {"a": 1}}, "carl", "robot")


def eventful_project(folder: Path) -> Project:
    """Marks, undos, comments, skips, a sample drawn late, a second pool and a second guideline."""
    project = judged_project(folder, "bandit(5) + sample(1-5:50%)", 10, double=1.0, repeat=1.0)
    judge_all(project, ANN, most=6)
    project.undo(ANN)
    project.add_guideline("Relevant is what is good.")
    judge_all(project, ANN, BOB)
    project.undo(BOB)
    project.undo(BOB)
    project.save(MarkEvent(assessor=BOB, key="c", kind="comment", query="q1", item="a", detail={"text": "über"}))
    project.save(MarkEvent(assessor=BOB, key="s", kind="skip", query="q1", item="y"))
    project.add_query("q3", "cats")
    project.grade(ANN, "q3", "z", 2)
    project.import_labels({"q1": {"a": 1}}, "robot", "machine")
    project.make_pool("depth(2)")
    project.grade(ANN, "q1", "i", 2)
    return project


def test_a_journal_goes_out_and_comes_back_the_same(tmp_path: Path) -> None:
    with eventful_project(tmp_path) as project:
        digest = project.export_journal(tmp_path / "journal.jsonl")
        project.export(tmp_path / "before.txt", assessor="ann")
        repeats = len(project.state.repeats)
        before = project.state
    assert repeats
    assert before.draws
    given = write_sources(tmp_path)
    with Project.new(tmp_path / "other", **given, double=1.0, repeat=1.0) as other:
        assert other.import_journal(tmp_path / "journal.jsonl") == before.last
        assert other.journal_digest == digest
        assert other.state == before
        assert other.import_journal(tmp_path / "journal.jsonl") == 0
        other.export(tmp_path / "after.txt", assessor="ann")
        other.export_journal(tmp_path / "again.jsonl")
    assert (tmp_path / "after.txt").read_bytes() == (tmp_path / "before.txt").read_bytes()
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "journal.jsonl").read_bytes()


def test_a_journal_moves_to_postgresql_and_keeps_its_digest(tmp_path: Path, cluster: Cluster) -> None:
    with eventful_project(tmp_path) as project:
        digest = project.export_journal(tmp_path / "journal.jsonl")
    given = write_sources(tmp_path)
    with Project.new(tmp_path / "other", **given, database=cluster.address) as other:
        other.import_journal(tmp_path / "journal.jsonl")
        assert other.journal_digest == digest


def test_a_journal_comes_into_a_project_that_has_marks_of_its_own(tmp_path: Path) -> None:
    with eventful_project(tmp_path) as project:
        project.export_journal(tmp_path / "journal.jsonl")
        events = project.state.last
    with Project.new(tmp_path / "other", **write_sources(tmp_path)) as other:
        other.make_pool("depth(1)")
        mine = other.grade(other.invite("zoe").assessor.id, "q1", "a", 2).event
        assert other.import_journal(tmp_path / "journal.jsonl") == events
        assert other.state.last == events + 1
        assert other.state.answer(mine.assessor, ("q1", "a")) == mine
        assert [each.method for each in other.designs] == ["depth(1)", "bandit(5) + sample(1-5:50%)", "depth(2)"]


@pytest.mark.parametrize("spoil", ["cut", "changed", "nonsense", "another item", "no head"])
def test_a_journal_that_was_changed_does_not_come_in(tmp_path: Path, spoil: str) -> None:
    with eventful_project(tmp_path) as project:
        project.export_journal(tmp_path / "journal.jsonl")
    rows = (tmp_path / "journal.jsonl").read_text().splitlines()
    spoiled = {
        "cut": rows[:-1],
        "changed": [*rows[:-1], rows[-1].replace('"grade":2', '"grade":1')],
        "nonsense": [*rows, "{"],
        "another item": [row.replace('"item":"i"', '"item":"nobody"') for row in rows],
        "no head": rows[1:],
    }[spoil]
    (tmp_path / "journal.jsonl").write_text("\n".join(spoiled) + "\n")
    with Project.new(tmp_path / "other", **write_sources(tmp_path)) as other:
        with pytest.raises(InputError):
            other.import_journal(tmp_path / "journal.jsonl")
        assert other.state.last == 0
        assert list(other.assessors) == [0, 1]


def test_no_token_is_in_a_journal(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        invited = project.invite("eve")
        project.export_journal(tmp_path / "journal.jsonl")
        text = (tmp_path / "journal.jsonl").read_text()
        assert invited.token not in text
        assert str(invited.assessor.token_hash) not in text


def test_a_backup_is_a_whole_project_file(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        judge_all(project, ANN)
        project.backup(tmp_path / "copy.db")
        project.grade(ANN, "q1", "z", 0)
        with pytest.raises(SettingError, match="is there already"):
            project.backup(tmp_path / "copy.db")
    (tmp_path / "copy.db").replace(tmp_path / "project" / "judgements.db")
    with pytest.raises(InputError, match="1 is lost\nIs an older copy of the journal here on purpose"):
        Project.open(tmp_path / "project")
    (tmp_path / "project" / "judgements.last").unlink()
    with Project.open(tmp_path / "project") as again:
        assert again.state.last == project.state.last - 1
        assert again.integrity() == "ok"


def test_ids_with_spaces_go_into_tables_only(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": "a b", "text": "x"}\n{"id": "c", "text": "y"}\n')
    with Project.new(tmp_path / "p", texts=tmp_path / "docs.jsonl") as project:
        project.add_query("q", "words")
        project.grade(1, "q", "a b", 1)
        with pytest.raises(InputError, match=r"\.parquet"):
            project.export(tmp_path / "qrels.txt")
        project.export(tmp_path / "qrels.parquet")


def test_relevant_grades_of_the_example_are_as_the_assessors_said(tmp_path: Path) -> None:
    with judged_project(tmp_path, "depth(5)") as project:
        judge_all(project, ANN)
        project.export(tmp_path / "qrels.txt")
    assert {item for _, _, item, grade in lines(tmp_path / "qrels.txt") if grade == "1"} == set(RELEVANT)


def signed_again(lines: list[dict[str, Any]]) -> str:
    """A journal whose digests fit what was changed in it."""
    events = [json_text(each) for each in lines[1:] if "event" in each]
    tables = [json.dumps(each) for each in lines[1:] if "event" not in each]
    for name, texts in (("digest", events), ("tables", tables)):
        whole = "".join(f"{each}\n" for each in texts)
        lines[0][name] = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
    return "\n".join(json.dumps(each) for each in lines) + "\n"


def test_a_journal_with_odd_values_is_refused_in_words(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        judge_all(project, ANN, most=2)
        project.undo(ANN)
        project.add_guideline("As you like.")
        project.export_journal(tmp_path / "journal.jsonl")
    whole = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    kinds = {next(iter(each)): number for number, each in enumerate(whole) if number}
    odd: tuple[Any, ...] = (None, [], {}, 1.5, True, "\ud800", "x", [[1]])
    refused = 0
    with Project.open(tmp_path / "project") as again:
        for kind, number in kinds.items():
            for name, value in product(whole[number][kind], odd):
                lines = copy.deepcopy(whole)
                lines[number][kind][name] = value
                (tmp_path / "odd.jsonl").write_text(signed_again(lines))
                try:
                    again.import_journal(tmp_path / "odd.jsonl")
                except RankscopeError:
                    refused += 1
    assert refused > 100


def test_a_journal_whose_people_were_changed_is_refused(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        project.export_journal(tmp_path / "journal.jsonl")
        text = (tmp_path / "journal.jsonl").read_text()
        (tmp_path / "journal.jsonl").write_text(text.replace('"text":"foxes"', '"text":"boxes"'))
        with pytest.raises(InputError, match="people, queries, guidelines or pools are not those"):
            project.import_journal(tmp_path / "journal.jsonl")
