"""Two readers of lines, one answer: simple text by its blanks, any text by cleaning it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.readers import cut_at_lines, first_difference, mangled_text, read_blocks
from rankscope.inputs.formats import trec
from rankscope.inputs.lines import simple_rows

GOLDEN = sorted(path for path in (Path(__file__).parents[1] / "golden").rglob("*") if path.is_file())
LINES = [
    b"q1 Q0 a 1 2.5 t\n",
    b"q1 Q0 b 2 2.25 t\n",
    b"q2  Q0\tc 1 -0.0 t \r\n",
    b"q2 Q0 c%d 2 1e-3 t\n" % 10**30,
    b"q3 Q0 \xc3\xa9 1 17.283899307250977 t",
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seeds", [range(start, start + 50) for start in range(0, 400, 50)], ids=str)
def test_the_readers_agree_on_mangled_files(seeds: range) -> None:
    assert [difference for difference in map(first_difference, seeds) if difference] == []


def test_some_mangled_files_are_simple_and_most_are_not() -> None:
    simple = sum(simple_rows(mangled_text(seed), trec.RUN_LINE, True, 1) is not None for seed in range(400))
    assert 20 <= simple <= 200


@pytest.mark.parametrize("size", range(1, len(LINES) + 1))
def test_blocks_of_every_size_give_the_same_rows(size: int) -> None:
    text = b"".join(LINES)
    expected = read_blocks([text], trec.RUN_LINE, True, simple=False)
    assert [row[-1] for row in expected.rows] == [1, 2, 3, 4, 5]
    assert read_blocks(cut_at_lines(text, size), trec.RUN_LINE, True, simple=True) == expected


@pytest.mark.sampled(15)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_readers_agree_on_the_golden_files(path: Path) -> None:
    text = path.read_bytes()[: 1 << 18]
    for layout in (trec.RUN_LINE, trec.QRELS_LINE):
        expected = read_blocks([text], layout, True, simple=False)
        for lines in (1, 7, 100) if text.count(b"\n") < 400 else (100, 1000):
            assert read_blocks(cut_at_lines(text, lines), layout, True, simple=True) == expected


@pytest.mark.parametrize(
    "text",
    [
        b"1 Q0 a 1 2.5 t\n2 Q0 b 2 -1 t\n",
        b"1 Q0 a 1 2.5 t\n2 Q0 b 2 -1 t",
        b"1\tQ0\ta\t1\t2.5\tt\n2\tQ0\tb\t2\t-1\tt\n",
        b"1  Q0   a 1\t 2.5 t\n   2 Q0 b 2 -1 t   \n",
        b"1 Q0 a 1 2.5 t\r\n2 Q0 b 2 -1 t\r\n",
    ],
)
def test_repeated_blanks_tabs_and_returns_are_read_at_full_speed(text: bytes) -> None:
    rows = simple_rows(text, trec.RUN_LINE, comments=True, first_line=1)
    assert rows is not None
    assert rows.texts["item"].to_list() == ["a", "b"]
    assert rows.numbers["score"].tolist() == [2.5, -1.0]
    assert rows.last == "t"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"# c\n1 Q0 a 1 2.5 t\n",
        b" # c Q0 a 1 2.5 t\n",
        b"1 Q0 a 1 2.5 t\n\n",
        b"1 Q0 a 1 2.5 t more\n",
        b"1 Q0 a 1 2.5\n",
        b"1 Q0 a 1 2.5 t\n2 Q0 b 1 t 7 3 Q0 c 1 2 t\n",
        b"1 Q0 a\x01 1 2.5 t\n",
        b"1 Q0 \xff 1 2.5 t\n",
        b"1 Q0 a 1 nan t\n",
    ],
)
def test_what_is_not_simple_is_left_to_the_other_reader(text: bytes) -> None:
    assert simple_rows(text, trec.RUN_LINE, comments=True, first_line=1) is None
