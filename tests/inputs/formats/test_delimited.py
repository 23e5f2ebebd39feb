from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core.columns import KNOWN
from rankscope.inputs.formats import registry
from rankscope.inputs.formats.delimited import HeaderRule, TableReader, read_delimited_table
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from tests.inputs.examples import Make, qrels_error, run_error, run_rows

HEADER = HeaderRule("", KNOWN)

ROWS = [("1", "d1", 0.5), ("1", "d2", 0.25)]


@pytest.mark.parametrize(
    "text",
    [
        "query,item,score\n1,d1,0.5\n1,d2,0.25\n",
        "query,item,score\n1,d1,0.5\n1,d2,0.25",
        "query\titem\tscore\n1\td1\t0.5\n1\td2\t0.25\n",
        "query;item;score\n1;d1;0.5\n1;d2;0.25\n",
        "query,item,score\r\n1,d1,0.5\r\n1,d2,0.25\r\n",
        "query,item,score\r1,d1,0.5\r1,d2,0.25\r",
        "\ufeffquery,item,score\n1,d1,0.5\n1,d2,0.25\n",
        '\ufeff"query","item","score"\r\n"1","d1","0.5"\r\n"1","d2","0.25"\r\n',
        "\nquery,item,score\n\n1,d1,0.5\n\n\n1,d2,0.25\n\n",
        "Query_ID, docno ,SIMILARITY\n1,d1,0.5\n1,d2,0.25\n",
        "rank,qid,docno,score,query\n1,1,d1,0.5,what is it\n2,1,d2,0.25,what is it\n",
        "qid,docid,docno,score\n1,77,d1,0.5\n1,78,d2,0.25\n",
    ],
)
def test_a_table_is_read_however_it_is_written(text: str, make: Make) -> None:
    assert run_rows(make("a.run", text)) == ROWS


def test_the_judgements_of_beir_call_the_grade_a_score(make: Make) -> None:
    path = make("test.tsv", "query-id\tcorpus-id\tscore\n1\td1\t2\n")
    assert Qrels.of(path).table.rows() == [("1", "d1", 2.0)]
    assert registry.format_of_file(Source(str(path))).name == "tsv"


def test_without_scores_a_lower_rank_is_better(make: Make) -> None:
    assert run_rows(make("a.csv", "query,item,rank\n1,d1,1\n1,d2,2\n")) == [("1", "d1", -1.0), ("1", "d2", -2.0)]


def test_quoted_fields_may_hold_separators_quotes_and_line_ends(make: Make) -> None:
    path = make("a.csv", 'query,item,score\n1,"a,b",1\n2,"say ""x""",2\n3,"two\r\nlines",3\n')
    assert [row[1] for row in run_rows(path)] == ["a,b", 'say "x"', "two\r\nlines"]


def test_every_ragged_row_and_bad_number_is_named_with_its_line(make: Make) -> None:
    text = "query,item,score\n1,d1,0.5\n1,d2\n\n1,d3,x\n1,d4,1,2\n,d5,1\n1,,nan\n"
    error = run_error(make("a.csv", text))
    assert "a.csv: 6 problems" in error
    assert "line 3: has 2 fields, but the header has 3" in error
    assert "line 5: score must be a number, got 'x'" in error
    assert "line 6: has 4 fields, but the header has 3" in error
    assert "line 7: query is empty" in error
    assert "line 8: item is empty" in error
    assert "line 8: score must be a number, got 'nan'" in error


def test_lines_are_counted_through_quoted_line_ends(make: Make) -> None:
    text = 'query,item,score\n1,"two\nlines",1\n1,d3,x\n1,d4\n1,"d"5,1\n1,d6,y\n'
    error = run_error(make("a.csv", text))
    assert "a.csv: 4 problems" in error
    assert "line 4: score must be a number, got 'x'" in error
    assert "line 5: has 2 fields, but the header has 3" in error
    assert "line 6: has wrong quotes" in error
    assert "line 7: score must be a number, got 'y'" in error


def test_a_quote_that_is_never_closed_is_a_problem_at_its_line(make: Make) -> None:
    assert "line 3: has wrong quotes" in run_error(make("a.csv", 'query,item,score\n1,a,1\n1,"b,1\n1,c,1\n'))


@pytest.mark.parametrize("text", ["q1,d1,0.5\nq1,d2,0.25\n", "q1\td1\t0.5\n", '"q1","d1",1\n', "q1,0,d1,2\n"])
def test_a_table_without_header_is_told_which_header_is_expected(text: str, make: Make) -> None:
    path = make("a.csv", text)
    assert "line 1: must be the header, got" in run_error(path)
    assert "A table begins with a header line: query,item,score." in run_error(path)
    assert "query,item,grade (BEIR: query-id, corpus-id, score)" in qrels_error(path)


def test_missing_columns_are_all_named_with_those_that_are_there(make: Make) -> None:
    error = run_error(make("a.csv", "query,text\n1,x\n"))
    assert "no column for the item (called item, item_id, " in error
    assert "columns: query, text" in error
    assert "no column for the score or the rank" in run_error(make("b.csv", "query,item\n1,x\n"))


def test_a_column_that_is_there_twice_is_refused(make: Make) -> None:
    assert "line 1: column 'score' is there twice" in run_error(make("a.csv", "query,item,score,score\n1,x,1,2\n"))


@pytest.mark.parametrize(
    ("text", "what"), [("", "is empty"), ("\n\n", "is empty"), ("query,item,score\n", "holds no ")]
)
def test_an_empty_table_is_refused(text: str, what: str, make: Make) -> None:
    csv_format = Reading(format="csv")
    assert what in run_error(make("a.csv", text), csv_format)
    assert what in qrels_error(make("a.csv", text), csv_format)


def test_bytes_that_are_no_text_are_named_with_their_line(make: Make) -> None:
    error = run_error(make("a.csv", b"query,item,score\n1,caf\xe9,1\n1,d2,x\n1,\0,3\n"), Reading(format="csv"))
    assert "a.csv: 3 problems" in error
    assert "line 2: byte 6 is not UTF-8 text" in error
    assert "line 3: score must be a number, got 'x'" in error
    assert "line 4: holds a NUL byte" in error


def test_another_encoding_may_be_named(make: Make) -> None:
    text = "query,item,score\n1,café,1\n"
    assert run_rows(make("a.csv", text.encode("latin-1")), Reading(encoding="latin-1")) == [("1", "café", 1.0)]
    assert run_rows(make("b.csv", text.encode("utf-16")), Reading(encoding="utf-16")) == [("1", "café", 1.0)]


def test_infinite_scores_are_read_and_infinite_grades_refused(make: Make) -> None:
    path = make("a.csv", "query,item,score\n1,a,inf\n1,b,-Infinity\n")
    assert [row[2] for row in run_rows(path)] == [float("inf"), float("-inf")]
    assert "line 2: grade must be a finite number, got 'inf'" in qrels_error(path)


def test_duplicates_are_named_by_line_through_blank_lines(make: Make) -> None:
    qrels = Qrels.of(make("a.csv", "query,item,grade\n\n1,a,1\n\n1,a,1\n"))
    assert qrels.word == "line"
    assert qrels.line.tolist() == [3, 5]


FIELD = st.text(st.sampled_from("ab 1é#\t"), max_size=3)


@settings(max_examples=150)
@given(st.lists(st.lists(FIELD, min_size=1, max_size=4), max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_both_ways_of_reading_agree_where_there_is_no_quote(rows: list[list[str]], end: str) -> None:
    text = end.join(",".join(row) for row in [["query", "item", "x"], *rows])
    fast, slow = Problems("a"), Problems("a")
    one, other = TableReader(HEADER, fast).unquoted(text.encode()), TableReader(HEADER, slow).quoted(text)
    assert one is not None
    assert one.frame.equals(other.frame)
    assert one.line.tolist() == other.line.tolist()
    assert fast == slow


@settings(max_examples=60)
@given(st.lists(st.tuples(st.text(st.characters(codec="utf-8", exclude_characters="\0")), FIELD), max_size=5))
def test_what_the_csv_module_writes_is_read(rows: list[tuple[str, str]]) -> None:
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows([("query", "class"), *rows])
    table = TableReader(HEADER, Problems("a")).quoted(written.getvalue())
    assert table.frame.rows() == rows


def test_a_table_keeps_all_its_columns_as_text(make: Make) -> None:
    path: Path = make("a.csv", "query,class,more\n07,1.50,\n")
    table = read_delimited_table(Source(str(path)), Problems("a.csv"))
    assert table.frame.to_dicts() == [{"query": "07", "class": "1.50", "more": ""}]
