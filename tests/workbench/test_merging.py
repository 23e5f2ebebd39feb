"""From several grades to one: every rule, adjudication, open pairs, provenance; and what import brings in once."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.assessors.grades import Merged, MergeRule, decide_open
from rankscope.core.errors import InputError, SettingError
from rankscope.workbench.project import Project
from rankscope.workbench.store.events import Refused
from tests.workbench.projects import ANN, BOB, CAT, judged_project, small_project
from tests.workbench.test_files import lines

GRADES = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 3).map(float), min_size=1)


@given(GRADES, st.sampled_from(["majority", "median", "any", "all", "equal", "weighted(a=2, b=.5)"]))
def test_what_every_rule_keeps(grades: dict[str, float], text: str) -> None:
    """One mind is one grade; a grade is one that somebody gave; no rule is below `all` or above `any`."""
    rule = MergeRule.parse(text)
    found = rule.merge(grades)
    values = sorted(grades.values())
    if len(set(values)) == 1:
        assert found == Merged(values[0])
    options = [found.grade] if found.grade is not None else list(found.between)
    assert set(options) <= set(values)
    assert MergeRule.parse("all").merge(grades).grade == values[0] <= options[0]
    assert MergeRule.parse("any").merge(grades).grade == values[-1] >= options[-1]
    assert (found.grade is None) == (len(options) > 1)
    lower, higher = decide_open(found, "lower"), decide_open(found, "higher")
    assert (lower, higher) == (options[0], options[-1])
    assert decide_open(found, "leave-out") == found.grade
    assert MergeRule.parse(str(rule)) == rule


@given(GRADES)
def test_majority_is_what_counting_gives_and_equal_weights_change_nothing(grades: dict[str, float]) -> None:
    counts = Counter(grades.values()).most_common()
    most = sorted(grade for grade, count in counts if count == counts[0][1])
    found = MergeRule.parse("majority").merge(grades)
    assert found == (Merged(most[0]) if len(most) == 1 else Merged(None, tuple(most)))
    assert MergeRule.parse("weighted(a=1, b=1)").merge(grades) == found


@pytest.mark.parametrize(
    ("rule", "grades", "expected"),
    [
        ("median", [0, 1, 2], Merged(1)),
        ("median", [0, 0, 1, 2], Merged(None, (0, 1))),
        ("median", [0, 1, 1, 2], Merged(1)),
        ("majority", [0, 1, 2], Merged(None, (0, 1, 2))),
        ("equal", [1, 1, 2], Merged(None, (1, 2))),
        ("strictest", [2, 1], Merged(1)),
        ("lenient", [2, 1], Merged(2)),
        ("weighted(a=2)", [0, 1, 1], Merged(None, (0, 1))),
        ("weighted(a=2.5)", [0, 1, 1], Merged(0)),
    ],
)
def test_rules_by_hand(rule: str, grades: list[float], expected: Merged) -> None:
    assert MergeRule.parse(rule).merge(dict(zip("abcd", grades, strict=False))) == expected


@pytest.mark.parametrize(
    "text", ["mode", "weighted", "weighted()", "weighted(a)", "weighted(a=0)", "weighted(a=1,a=2)"]
)
def test_what_is_no_rule_is_told(text: str) -> None:
    with pytest.raises(SettingError):
        MergeRule.parse(text)


def three_opinions(folder: Path) -> Project:
    """On q1: a is agreed, b has a majority, c is open, d has one mark; a machine has said something of all."""
    project = judged_project(folder, "depth(5)", per_item=3)
    project.invite("eve")
    said = {"a": (2, 2, 2), "b": (1, 1, 0), "c": (0, 1, 2), "d": (1, None, None)}
    for item, grades in said.items():
        for assessor, grade in zip((ANN, BOB, CAT), grades, strict=True):
            if grade is not None:
                project.grade(assessor, "q1", item, grade)
    project.import_labels({"q1": dict.fromkeys("abcd", 0)}, "robot", "machine")
    return project


def grades_of(path: Path) -> dict[str, int]:
    return {item: int(grade) for query, _, item, grade, *_ in lines(path) if query == "q1" and int(grade) >= 0}


@pytest.mark.parametrize(
    ("rule", "opened", "expected"),
    [
        ("majority", "lower", {"a": 2, "b": 1, "c": 0, "d": 1}),
        ("majority", "higher", {"a": 2, "b": 1, "c": 2, "d": 1}),
        ("majority", "leave-out", {"a": 2, "b": 1, "d": 1}),
        ("median", None, {"a": 2, "b": 1, "c": 1, "d": 1}),
        ("any", None, {"a": 2, "b": 1, "c": 2, "d": 1}),
        ("all", None, {"a": 2, "b": 0, "c": 0, "d": 1}),
        ("equal", "leave-out", {"a": 2, "d": 1}),
        ("weighted(eve=3)", None, {"a": 2, "b": 0, "c": 2, "d": 1}),
        ("weighted(robot=9)", None, dict.fromkeys("abcd", 0)),
    ],
)
def test_an_export_merges_by_rule(tmp_path: Path, rule: str, opened: str | None, expected: dict[str, int]) -> None:
    with three_opinions(tmp_path) as project:
        project.export(tmp_path / "q.txt", merge=rule, open_pairs=opened)
        assert grades_of(tmp_path / "q.txt") == expected


def test_open_pairs_stop_the_export_and_an_adjudicator_decides_them(tmp_path: Path) -> None:
    with three_opinions(tmp_path) as project:
        with pytest.raises(InputError, match=r"query q1, item c: ann 0, bob 1, eve 2"):
            project.export(tmp_path / "q.txt")
        assert not list(tmp_path.glob("q.txt*"))
        eve = project.invite("eve", "adjudicator").assessor.id
        project.adjudicate(eve, "q1", "c", 2)
        project.adjudicate(eve, "q1", "b", 0)  # against the majority
        done = project.export(tmp_path / "q.txt")
        assert grades_of(tmp_path / "q.txt") == {"a": 2, "b": 0, "c": 2, "d": 1}
        assert done.open == 0
        project.undo(eve)
        assert project.state.ruling(("q1", "b")) is None
        project.adjudicate(eve, "q1", "c", 1)
        project.undo(eve)
        assert (ruling := project.state.ruling(("q1", "c"))) is not None
        assert ruling.grade == 2
        with pytest.raises(Refused, match="none of the grades"):
            project.adjudicate(eve, "q1", "c", 7)


def test_provenance_says_how_every_grade_came_about(tmp_path: Path) -> None:
    with three_opinions(tmp_path) as project:
        project.adjudicate(CAT, "q1", "c", 2)
        project.export(tmp_path / "q.parquet")
        told = json.loads((tmp_path / "q.parquet.provenance.json").read_text())
    assert told["rule"] == "adjudicated, else the only mark, else majority"
    assert told["pairs"]["merged by"] == {"adjudicated": 1, "all equal": 1, "majority": 1, "only mark": 1}
    assert told["pairs"]["open, left out"] == 0
    between = {tuple(each["assessors"]): each for each in told["agreement"]}
    assert between["assessor 1", "assessor 2"]["pairs"] == 3
    assert between["assessor 1", "assessor 2"]["value, low, high"]["raw"][0] == pytest.approx(2 / 3, abs=1e-6)
    assert "ann" not in json.dumps(told)
    table = pl.read_parquet(tmp_path / "q.parquet")
    assert dict(table.filter(pl.col("query") == "q1").select("item", "merged_by").drop_nulls().rows()) == {
        "a": "all equal",
        "b": "majority",
        "c": "adjudicated",
        "d": "only mark",
    }


def test_weights_for_nobody_are_refused(tmp_path: Path) -> None:
    with three_opinions(tmp_path) as project, pytest.raises(SettingError, match="no assessor 'zoe'"):
        project.export(tmp_path / "q.txt", merge="weighted(zoe=2)")


def test_a_journal_with_rulings_and_preferences_moves_whole(tmp_path: Path) -> None:
    from rankscope.workbench.preferences import Comparing, mark_of_choice

    with three_opinions(tmp_path) as project:
        project.adjudicate(CAT, "q1", "c", 2)
        shown = Comparing.of(project).plan(ANN, "side by side")[0]
        project.save(mark_of_choice(ANN, "k", shown, "left", "fresher"))
        digest = project.export_journal(tmp_path / "journal.jsonl")
        project.export(tmp_path / "q.txt")
        said = project.preferences()
    (tmp_path / "other").mkdir()
    with small_project(tmp_path / "other", per_item=3) as copy:
        assert copy.import_journal(tmp_path / "journal.jsonl") > 0
        assert copy.import_journal(tmp_path / "journal.jsonl") == 0
        assert copy.journal_digest == digest
        copy.export(tmp_path / "again.txt")
        assert copy.preferences() == said
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "q.txt").read_bytes()


def test_labels_come_in_once_and_a_corrected_file_and_back_again_is_what_it_says(tmp_path: Path) -> None:
    """The third file says what the first said: that label has been replaced since, so it is no repetition."""
    with judged_project(tmp_path) as project:
        for grade, new in ((1, 1), (1, 0), (0, 1), (1, 1), (1, 0)):
            assert project.import_labels({"q1": {"a": grade}}, "carl").new == new
            mark = project.state.answer(project.assessor_named("carl").id, ("q1", "a"))
            assert mark is not None
            assert mark.grade == grade
        project.undo(project.assessor_named("carl").id)
        assert project.import_labels({"q1": {"a": 0}}, "carl").new == 0  # it stands again
        assert project.import_labels({"q1": {"a": 1}}, "carl").new == 1


def test_an_item_with_two_grades_in_one_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "twice.txt").write_text("q1 0 a 1\nq1 0 b 1\nq1 0 a 0\nq1 0 b 1\n")
    with judged_project(tmp_path) as project, pytest.raises(InputError, match=r"line 3.*two grades, 1 and 0"):
        project.import_labels(tmp_path / "twice.txt", "carl")


MACHINE = """query,item,grade,probability,model,prompt_digest
q1,a,1,0.93,m7,ab12
q1,b,0,,m7,ab12
q2,a,2,0.5,,
"""


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_labels_of_a_machine_keep_what_it_says_of_them(tmp_path: Path, form: str) -> None:
    (tmp_path / "m.csv").write_text(MACHINE)
    table = pl.read_csv(tmp_path / "m.csv")
    if form == "jsonl":
        table.write_ndjson(tmp_path / "m.jsonl")
    if form == "parquet":
        table.write_parquet(tmp_path / "m.parquet")
    with judged_project(tmp_path) as project:
        done = project.import_labels(tmp_path / f"m.{form}", "robot", "machine", tuned_on=["q2"])
        assert (done.labels, done.new) == (3, 3)
        assert project.import_labels(tmp_path / f"m.{form}", "robot", "machine", tuned_on=["q2"]).new == 0
        robot = project.assessor_named("robot").id
        kept = [project.state.answer(robot, pair) for pair in (("q1", "a"), ("q1", "b"), ("q2", "a"))]
        details = [{**each.details} for each in kept if each is not None]
        assert {**details[0], "import": ""} == {"import": "", "probability": 0.93, "model": "m7", "prompt": "ab12"}
        assert "probability" not in details[1]
        assert details[2]["tuned"] is True
        project.export(tmp_path / "robot.txt", assessor="robot")
    (told,) = json.loads((tmp_path / "robot.txt.provenance.json").read_text())["assessors"]
    assert (told["kind"], told["tuned on"]) == ("machine", ["q2"])


def test_what_a_machine_says_badly_is_told_whole_and_nothing_comes_in(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("query,item,grade,probability\nq1,a,1,1.5\nq1,b,0,maybe\n")
    with judged_project(tmp_path) as project:
        with pytest.raises(InputError, match=r"(?s)line 2.*got 1.5.*line 3.*got maybe"):
            project.import_labels(tmp_path / "m.csv", "robot", "machine")
        with pytest.raises(SettingError, match="no query 'q9'"):
            project.import_labels({"q1": {"a": 1}}, "robot", "machine", tuned_on=["q9"])
        with pytest.raises(SettingError, match="only a machine"):
            project.import_labels({"q1": {"a": 1}}, "carl", tuned_on=["q1"])
        assert "robot" not in {each.name for each in project.assessors.values()}


def test_agreement_of_a_project_leaves_out_what_does_not_count(tmp_path: Path) -> None:
    with three_opinions(tmp_path) as project:
        found = project.agreement()
        assert found.found is not None
        assert found.found.marks.assessors == ("ann", "bob", "eve", "robot")
        assert found.found.between("ann", "bob")["raw"].value == pytest.approx(2 / 3)
        (machine,) = found.machines
        assert machine.assessors == ("robot", "people together")
        assert machine.pairs == 3  # c is open
        project.adjudicate(CAT, "q1", "c", 2)
        assert project.agreement().machines[0].pairs == 4
        assert [each.grades for each in found.said] == [4, 3, 3, 4]


def test_settings_of_an_older_project_are_read(tmp_path: Path) -> None:
    with judged_project(tmp_path) as project:
        folder = project.folder
    text = (folder / "project.toml").read_text()
    (folder / "project.toml").write_text("\n".join(line for line in text.splitlines() if not line.startswith("swap")))
    with Project.open(folder) as project:
        assert project.file.swap == 0.2
    shutil.rmtree(folder)
