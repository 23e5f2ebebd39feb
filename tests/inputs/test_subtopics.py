"""Judgements of subtopics: the forms they come in, what is refused, and how evaluation reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, MeasureError, SettingError
from rankscope.core.settings import Settings
from rankscope.inputs.subtopics import Subtopics
from rankscope.measures.evaluation.evaluate import evaluate, evaluate_ranks
from rankscope.ranks.reduction import reduce

ROWS = [("q1", "1", "a", 1), ("q1", "2", "a", 0), ("q1", "2", "b", 2), ("q2", "x", "c", 1), ("q2", "y", "b", 1)]
LINES = "".join(f"{query} {subtopic} {item} {grade}\n" for query, subtopic, item, grade in ROWS)
NESTED = {"q1": {"1": {"a": 1}, "2": {"a": 0, "b": 2}}, "q2": {"x": {"c": 1}, "y": {"b": 1}}}
RUN = {"q1": {"x": 3.0, "b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
RUN_LINES = "q1 Q0 x 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 a 3 1 t\nq2 Q0 c 1 1 t\n"
FRAME = pl.DataFrame(ROWS, schema=["topic", "subtopic", "docno", "rel"], orient="row")


def forms(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "div.qrels").write_text(LINES)
    FRAME.write_csv(tmp_path / "div.csv")
    return {
        "trec": tmp_path / "div.qrels",
        "csv": tmp_path / "div.csv",
        "nested": NESTED,
        "frame": FRAME,
        "pandas": FRAME.to_pandas(),
        "tuples": ROWS,
    }


@pytest.mark.parametrize("form", ["trec", "csv", "nested", "frame", "pandas", "tuples"])
def test_every_form_says_the_same(form: str, tmp_path: Path) -> None:
    read, plain = Subtopics.of(forms(tmp_path)[form]), Subtopics.of(ROWS)
    assert read.queries == plain.queries == ("q1", "q2")
    assert read.item == plain.item
    for name in ("query_row", "item_number", "subtopic", "grade"):
        np.testing.assert_array_equal(getattr(read, name), getattr(plain, name))
    assert read.flat().to_dict() == {"q1": {"a": 1, "b": 2}, "q2": {"b": 1, "c": 1}}
    scores = evaluate(forms(tmp_path)[form], RUN, ["StRecall", "StRecall@2", "AP"])
    assert scores["StRecall"] == pytest.approx((1 + 1 / 2) / 2)
    assert scores["StRecall@2"] == pytest.approx(1 / 2)
    assert scores["AP"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2)


def test_plain_judgements_may_stand_beside_them() -> None:
    qrels = {"q1": {"b": 1}, "q2": {"c": 1}}
    both = evaluate(qrels, RUN, ["AP", "StRecall"], subtopics=NESTED)
    assert both["AP"] == pytest.approx((1 / 2 + 1) / 2)
    assert both["StRecall"] == pytest.approx(3 / 4)


def test_junk_leaves_the_judgements_of_subtopics_too() -> None:
    with_junk = evaluate(NESTED, RUN, ["StRecall", "alpha_nDCG@3"], junk={"q1": ["b"]})
    without = evaluate(
        {**NESTED, "q1": {"1": {"a": 1}, "2": {"a": 0}}}, {**RUN, "q1": {"x": 3.0, "a": 1.0}}, ["StRecall"]
    )
    assert with_junk["StRecall"] == without["StRecall"]


def test_depth_and_judged_items_only_work_as_for_plain_measures() -> None:
    assert evaluate(NESTED, RUN, "StRecall", depth=1)["StRecall"] == pytest.approx((0 + 1 / 2) / 2)
    assert evaluate(NESTED, RUN, "P_IA@1", judged_only=True)["P_IA@1"] == pytest.approx(1 / 2)


def test_equal_scores_are_ordered_by_rule_or_averaged() -> None:
    judged = {"q": {"1": {"a": 1}, "2": {"b": 1}}}
    tied = {"q": {"a": 1.0, "x": 1.0}}
    assert evaluate(judged, tied, "StRecall@1", ties="ascending")["StRecall@1"] == 1 / 2
    assert evaluate(judged, tied, "StRecall@1")["StRecall@1"] == 0.0
    column = evaluate(judged, tied, "StRecall@1", ties="expected").systems[0].columns[0]
    assert column.summary == pytest.approx(1 / 4, abs=4 * column.summary_error + 1e-9)


ITEMS_FIRST = {
    "q1": {"a": {"1": 1, "2": 0}, "b": {"2": 2}},
    "q2": {"c": {"x": 1}, "b": {"y": 1}},
}
ASKED = ["StRecall@2", "alpha_nDCG@3", "D#-nDCG@3"]


def test_nested_dictionaries_are_told_apart_by_the_items_that_runs_return() -> None:
    tuples = evaluate(ROWS, RUN, [*ASKED, "AP"])
    for nested in (NESTED, ITEMS_FIRST):
        scores = evaluate(nested, RUN, [*ASKED, "AP"])
        assert [scores[str(each)] for each in scores.measures] == [tuples[str(each)] for each in tuples.measures]
    plain = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1, "b": 1}}
    beside = [evaluate(plain, RUN, ASKED, subtopics=each) for each in (NESTED, ITEMS_FIRST)]
    assert [each[name] for each in beside for name in beside[0].measures] == 2 * [
        tuples[name] for name in beside[0].measures
    ]
    several = evaluate(ITEMS_FIRST, {"one": {"q1": ["zz"]}, "two": RUN}, "StRecall@2")
    assert several["two"]["StRecall@2"] == tuples["StRecall@2"]


@pytest.mark.parametrize(
    ("run", "which"), [({"q1": ["1", "a"], "q2": ["c"]}, "both"), ({"q1": ["k"], "q2": ["k"]}, "neither")]
)
@pytest.mark.parametrize("nested", [NESTED, ITEMS_FIRST])
def test_where_runs_do_not_tell_the_items_both_readings_are_named(run: Any, which: str, nested: Any) -> None:
    words = (
        r"(?s)may mean \{query: \{subtopic: \{item: grade\}\}\} or \{query: \{item: \{subtopic: grade\}\}\}: "
        rf"runs return items of {which} of these.*tuples \(query, subtopic, item, grade\).*subtopics="
    )
    with pytest.raises(InputError, match=words):
        evaluate(nested, run, ASKED)
    assert evaluate(ROWS, run, "StRecall")["StRecall"] == (1 / 2 if which == "both" else 0)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"q": {"a": 1}}, r"query q: needs \{subtopic: \{item: grade\}\}"),
        ([("q", "a", 1)], r"row 1: needs \(query, subtopic, item, grade\)"),
        ([], "holds no judgements"),
        (7, "cannot read judgements of subtopics from a int"),
        ([*ROWS, ROWS[0]], "item 'a' is judged twice, before in row 1"),
        ([("q", "1", "a", "high"), ("q", "2", "a", 1)], "grade must be a number"),
        (FRAME.drop("subtopic"), "no column for the subtopic"),
    ],
)
def test_what_cannot_be_read_is_told(data: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Subtopics.of(data)


@pytest.mark.parametrize(("policy", "grade"), [("best", 2.0), ("first", 1.0), ("last", 0.0)])
def test_judgements_that_come_twice_are_settled_as_asked(policy: str, grade: float) -> None:
    rows = [("q", "1", "a", 1), ("q", "1", "a", 2), ("q", "1", "a", 0)]
    assert Subtopics.of(rows, duplicates=policy).grade.tolist() == [grade]


def test_what_evaluation_refuses() -> None:
    one = [(query, "0", item, grade) for query, _, item, grade in ROWS if (item, grade) != ("a", 0)]
    with pytest.raises(InputError, match=r"(?s)no query has more than one subtopic here.*give one with subtopics="):
        evaluate(one, RUN, "alpha_nDCG@5")
    with pytest.raises(SettingError, match=r"only measures of diversity read subtopics"):
        evaluate({"q1": {"a": 1}}, RUN, "AP", subtopics=NESTED)
    with pytest.raises(InputError, match=r"query q2 has judgements of subtopics, but no plain ones"):
        evaluate({"q1": {"a": 1}}, RUN, "StRecall", subtopics=NESTED)
    with pytest.raises(MeasureError, match="needs judgements of subtopics"):
        evaluate_ranks([reduce({"q1": {"a": 1}}, RUN)], ["StRecall"], Settings())


def asked(tmp_path: Path, *options: str) -> Any:
    (tmp_path / "div.qrels").write_text(LINES)
    (tmp_path / "plain.qrels").write_text("q1 0 b 1\nq2 0 c 1\n")
    (tmp_path / "a.run").write_text(RUN_LINES)
    return CliRunner().invoke(
        cli, ["evaluate", *options, "-m", "AP,StRecall", "--format", "csv"], catch_exceptions=False
    )


def test_the_command_takes_a_diversity_file_alone_or_beside_plain_judgements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    alone = asked(tmp_path, "div.qrels", "a.run")
    assert alone.exit_code == 0, alone.output
    assert "0.75" in alone.output
    beside = asked(tmp_path, "plain.qrels", "a.run", "--subtopics", "div.qrels")
    assert beside.exit_code == 0, beside.output
    same = asked(tmp_path, "div.qrels", "a.run", "--subtopics", "div.qrels")
    assert same.output == alone.output
    with pytest.raises(InputError, match=r"give one with --subtopics FILE"):
        asked(tmp_path, "plain.qrels", "a.run")
