from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from rankscope.core.errors import SettingError
from rankscope.inputs import sources
from rankscope.inputs.formats import trec
from rankscope.inputs.lines import LineRows, rows_of_lines
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from tests.inputs.examples import Make, qrels_error, run_error, run_rows

ROWS = [("1", "a", 2.5), ("2", "b", -1.0)]
BLANKS = " \t\v\f\r"


@pytest.mark.parametrize(
    "text",
    [
        "1 Q0 a 1 2.5 t\n2 Q0 b 2 -1 t\n",
        "1 Q0 a 1 2.5 t\n2 Q0 b 2 -1 t",
        "1\tQ0\ta\t1\t2.5\tt\n2\tQ0\tb\t2\t-1\tt\n",
        "1 Q0\ta 1 2.5 t\n2 Q0 b 2 -1 t\n",
        "1  Q0   a 1\t 2.5 t\n   2 Q0 b 2 -1 t   \n",
        "1 Q0 a 1 2.5 t\r\n2 Q0 b 2 -1 t\r\n",
        "\ufeff1 Q0 a 1 2.5 t\n2 Q0 b 2 -1 t\n",
        "\n1 Q0 a 1 2.5 t\n\n \t \n2 Q0 b 2 -1 t\n\n",
        "# a comment\n1 Q0 a 1 2.5 t\n  # another one\n2 Q0 b 2 -1 t\n#\n",
        "#a,b\n1 Q0 a 1 2.5 t\n2 Q0 b 2 -1 t\n",
        "1 Q0 a 1 2.5 my tag\n2 Q0 b 2 -1 my tag\n",
        "1 Q0 a x 2.5 t\n2 Q0 b y -1 t\n",
        "1 Q0 a 1 2.5 t # 7\n2 Q0 b 2 -1 t\n",
    ],
)
def test_blanks_blank_lines_and_comments_do_not_matter(text: str, make: Make) -> None:
    path = make("a.run", text)
    assert run_rows(path) == ROWS
    assert run_rows(make("a.run", text.replace("2.5", "+2.50e0"))) == ROWS


def test_without_comments_a_hash_is_an_ordinary_character(make: Make) -> None:
    path = make("a.run", "#1 Q0 a 1 2.5 t\n2 Q0 b 2 -1 t\n")
    assert run_rows(path) == ROWS[1:]
    assert run_rows(path, Reading(comments=False)) == [("#1", "a", 2.5), ROWS[1]]
    assert "line 2: has 2 of 6 fields" in run_error(make("b", "1 Q0 a 1 2 t\n# x\n"), Reading(comments=False))


def test_quotes_are_ordinary_characters(make: Make) -> None:
    path = make("a.run", '"1 Q0 a" 1 2.5 t\n"2 Q0 \'b 2 -1 "t\n')
    assert run_rows(path) == [('"1', 'a"', 2.5), ('"2', "'b", -1.0)]


def test_the_tag_is_known_once_the_run_is_read(make: Make) -> None:
    run = Run.of(make("a.run", "1 Q0 a 1 2.5 my tag\n"))
    run.table()
    assert (run.name, run.tag) == ("a", "my")


@pytest.mark.parametrize("before", ["", "\n\n", "# x\n\n", " \n#\n"])
@pytest.mark.parametrize("bad", ["n/a", "nan", "NaN", "-nan", "1_000", "0x10", "１", "--1", "1e"])
def test_a_score_that_is_no_number_is_named_with_its_line(before: str, bad: str, make: Make) -> None:
    text = f"{before}1 Q0 a 1 2.5 t\n1 Q0 b 2 {bad} t\n1 Q0 c 3 1 t\n"
    line = before.count("\n") + 2
    error = run_error(make("a.run", text))
    assert error == f"a.run: 1 problem\n  line {line}: score must be a number, got '{bad}'\n{trec.RUN_LINE.reads}"


@pytest.mark.parametrize("good", ["inf", "-inf", "Infinity", "1e400", "-0.0", ".5", "5.", "1E5"])
def test_numbers_are_those_of_c(good: str, make: Make) -> None:
    assert run_rows(make("a.run", f"1 Q0 a 1 {good} t\n")) == [("1", "a", float(good))]


@pytest.mark.parametrize("size", [1, 7, 16, 40, 1000])
def test_line_numbers_hold_in_later_blocks(size: int, monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    monkeypatch.setattr(sources, "BLOCK", size)
    lines = [f"{number} Q0 d{number} 1 {number}.5 t" for number in range(1, 41)]
    path = make("a.run", "\n".join(lines) + "\n")
    assert run_rows(path) == [(str(number), f"d{number}", number + 0.5) for number in range(1, 41)]
    lines[4:4] = ["", "# x"]
    lines[20] = "17 Q0 d17 1 x t"
    lines[30] = "27 Q0 d27"
    lines[40] = "37 Q0 d\0 1 1 t"
    error = run_error(make("a.run", "\n".join(lines) + "\n"), Reading(format="trec"))
    assert "a.run: 3 problems\n  line 21: score must be a number, got 'x'\n  line 31: has 3 of 6 fields" in error
    assert "line 41: holds a NUL byte" in error


def test_lines_of_the_rows_are_those_of_the_file(make: Make) -> None:
    path = make("a.qrels", "\n1 0 a 1\n# x\n\n1 0 b 0\n\n2 0 c 1")
    assert Qrels.of(path).line.tolist() == [2, 5, 7]


def test_too_few_fields_are_named(make: Make) -> None:
    error = run_error(make("a.run", "1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5\nx\n"))
    assert "line 2: has 5 of 6 fields (tag missing): '1 Q0 b 2 1.5'" in error
    assert "line 3: has 1 of 6 fields (Q0, item, rank, score, tag missing): 'x'" in error
    assert "line 1: has 3 of 4 fields (grade missing)" in qrels_error(make("a.qrels", "1 0 a\n"))


def test_too_many_fields_are_refused_in_judgements(make: Make) -> None:
    for text in ("1 0 a 1\n1 0 b 1 x\n", "1 0 a  1\n1 0 b 1 x\n"):
        assert "line 2: has 5 fields instead of 4: '1 0 b 1 x'" in qrels_error(make("a.qrels", text))


def test_one_row_with_too_many_fields_does_not_make_up_for_one_with_too_few(make: Make) -> None:
    error = qrels_error(make("a.qrels", "1 0 a 1\n1 0 b 1 x\n1 0 c\n"))
    assert "a.qrels: 2 problems" in error


def test_a_last_line_that_was_cut_off_is_named_as_such(make: Make) -> None:
    assert "line 2: has 3 of 6 fields" in run_error(make("a.run", "1 Q0 a 1 2.5 t\n1 Q0 b"))
    assert "was it cut off?" in run_error(make("a.run", "1 Q0 a 1 2.5 t\n1 Q0 b"))
    assert "cut off" not in run_error(make("a.run", "1 Q0 a 1 2.5 t\n1 Q0 b\n"))


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "# nothing\n", "\ufeff"])
def test_an_empty_file_is_refused(text: str, make: Make) -> None:
    assert run_error(make("a.run", text)) == f"a.run: 1 problem\n  is empty\n{trec.RUN_LINE.reads}"
    assert qrels_error(make("a.qrels", text)) == f"a.qrels: 1 problem\n  is empty\n{trec.QRELS_LINE.reads}"


def test_bytes_that_are_not_utf_8_are_named_with_their_line(make: Make) -> None:
    error = run_error(make("a.run", b"\n1 Q0 a 1 2.5 t\n1 Q0 caf\xe9 2 1.5 t\n1 Q0 \xff 2 1.5 t\n"))
    assert "a.run: 2 problems\n  line 3: byte 9 is not UTF-8 text (b'\\xe9')\n  line 4: byte 6" in error
    assert "encoding=NAME" in error


def test_another_encoding_may_be_named(make: Make) -> None:
    path = make("a.run", "1 Q0 café 1 2.5 t\n".encode("latin-1"))
    assert run_rows(path, Reading(encoding="latin-1")) == [("1", "café", 2.5)]
    assert "line 1: byte 9 of the file is not ascii text" in run_error(path, Reading(encoding="ascii"))
    with pytest.raises(SettingError, match="encoding='klingon': must be a text encoding"):
        Reading(encoding="klingon")
    with pytest.raises(SettingError, match="encoding='base64': must be a text encoding"):
        Reading(encoding="base64")


def test_a_nul_is_no_text(make: Make) -> None:
    error = run_error(make("a.run", "1 Q0 a 1 2.5 t\n1 Q0 \0b 2 1.5 t\n"), Reading(format="trec"))
    assert "line 2: holds a NUL byte: is this a binary file?" in error
    error = run_error(make("a.run", "1 Q0 a 1 2.5 t\n1 Q0 \0b 2 1.5 t\n"))
    assert "it is not text (a NUL byte in line 2)" in error


def test_line_ends_of_old_are_not_taken_for_blanks(make: Make) -> None:
    assert "ends its lines with carriage returns" in run_error(make("a.run", "1 Q0 a 1 2.5 t\r1 Q0 b 2 1.5 t\r"))


def test_infinite_grades_are_refused(make: Make) -> None:
    assert "line 2: grade must be a finite number, got inf" in qrels_error(make("a.qrels", "1 0 a 1\n1 0 b inf\n"))


def test_ranks_are_read_only_when_asked_for_and_must_be_whole_then(make: Make) -> None:
    path = make("a.run", "1 Q0 a 1.5 2.5 t\n1 Q0 b x 1.5 t\n1 Q0 c inf 1 t\n1 Q0 d 4 1 t\n")
    assert len(run_rows(path)) == 4
    problems = Problems("a.run")
    blocks = list(Run.of(path).blocks(problems, rank=True))
    assert problems.count == 3
    assert "line 1: rank must be a whole number, got 1.5" in str(problems.report())
    assert "line 2: rank must be a number, got 'x'" in str(problems.report())
    assert "line 3: rank must be a whole number, got inf" in str(problems.report())
    assert [block.rows.rank.tolist() for block in blocks if block.rows.rank is not None] == [[0, 0, 4]]


def test_many_problems_are_counted_and_the_first_ones_shown(make: Make) -> None:
    error = run_error(make("a.run", "1 Q0 a 1 x t\n" * 500))
    assert "a.run: 500 problems" in error
    assert "... and 480 more" in error


def reference(text: str, fields: int, number: int, comments: bool) -> tuple[list[tuple[str, str, float]], list[int]]:
    """Good rows and bad lines, as simply as can be: fields are what C's isspace leaves."""
    rows, bad = [], []
    for line, content in enumerate(text.split("\n"), 1):
        found = "".join(" " if each in BLANKS else each for each in content).split(" ")
        found = [each for each in found if each]
        if not found or (comments and found[0].startswith("#")):
            continue
        try:
            value = float(found[number])
        except (IndexError, ValueError):
            value = math.nan
        if len(found) < fields or math.isnan(value) or (fields == 4 and len(found) > 4):
            bad.append(line)
        else:
            rows.append((found[0], found[2], value))
    return rows, bad


WORD = st.sampled_from(["1", "q", "é", "#", '"', "2.5", "-1", "nan", "inf", "x,y", "\x1f", "#1"])
BLANK = st.one_of(
    st.just(" "), st.just(" "), st.just("\t"), st.text(st.sampled_from(" \t\v\f\r"), min_size=1, max_size=3)
)
TIDY_LINE = st.builds(
    lambda words, score: " ".join([*words[:4], score, *words[4:]]),
    st.lists(WORD, min_size=5, max_size=5),
    st.sampled_from(["1", "2.5", "x"]),
)
WILD_LINE = st.lists(st.tuples(WORD, BLANK), max_size=8).map(lambda pairs: "".join(map("".join, pairs)))
TEXT = st.one_of(st.lists(TIDY_LINE, max_size=5), st.lists(st.one_of(TIDY_LINE, WILD_LINE), max_size=6)).map("\n".join)
QUICK = settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def rows_in(part: LineRows, number: str) -> list[tuple[str, str, float]]:
    return list(
        zip(part.texts["query"].to_list(), part.texts["item"].to_list(), part.numbers[number].tolist(), strict=True)
    )


@QUICK
@given(
    text=st.builds(str.__add__, TEXT, st.sampled_from(["", "\n"])),
    comments=st.booleans(),
    size=st.sampled_from([5, 30, 1 << 20]),
)
@example(text="1 0 a 1\n1 0 b 1 x\n1 0 c\n", comments=False, size=1 << 20)
def test_reading_agrees_with_the_simplest_parser(text: str, comments: bool, size: int, tmp_path: Path) -> None:
    assume("\n" in text or "\r" not in text)
    path = tmp_path / "a"
    path.write_bytes(text.encode())
    for layout, number in ((trec.RUN_LINE, 4), (trec.QRELS_LINE, 3)):
        rows, bad = reference(text, len(layout.fields), number, comments)
        problems = Problems("a")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sources, "BLOCK", size)
            whole = replace(layout, shorter=())  # what a file of fewer columns is told is tested with the commands
            parts = list(rows_of_lines(Source(str(path)), whole, problems, Reading(comments=comments)))
        found = [row for part in parts for row in rows_in(part, layout.fields[number])]
        assert found == rows
        assert sorted(order for order, _ in problems.kept) == bad


@pytest.mark.parametrize("query", ["x^1", "x\x01", "(q", "x"])
def test_an_id_that_looks_like_packed_data_is_still_an_id(query: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(f"{query} Q0 a 1 2.0 tag\n")
    assert Run.of(path).table().rows() == [(query, "a", 2.0)]
