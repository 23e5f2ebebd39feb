"""Tables for a paper: never wider than the column, decimals aligned, every name as it is."""

from __future__ import annotations

import itertools
import random
import re
import string
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.analysis.comparison.compare import Compared, compare
from rankscope.analysis.comparison.paper_tables import (
    BETTER,
    WORSE,
    comparison_table,
    marks_of,
    means_grid,
    scores_table,
)
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core import latex
from rankscope.core.errors import SettingError
from rankscope.core.latex import (
    COLUMN,
    PAGE,
    PREAMBLE,
    LatexColumn,
    escape_latex,
    marks_width,
    text_width,
    width_of_columns,
)
from rankscope.core.rendering import Cell, Grid
from rankscope.measures.evaluation.score_tables import query_grid
from tests.reports.examples import scores_of
from tests.typeset import overfull_boxes, typeset, widths_of

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "Rprec", "R@100")
NAMES = ("pircRBa1", "uwmtCR0", "VTcdhgp1", "THUIRr0301", "UAmsT03RDesc")
SPECIAL = "a_b%c&d#e$f{g}h~i^j\\k<l>m|n`o'p\"q--r---s,,t?`u [x] *"
UNICODE = "é ñ ğ ż ß Ł α Ω ≤ – “q” … 10 µm² 中文 ą Я 🙂 x\u0301\u0323 \u202e"


def compared(systems: tuple[str, ...] = NAMES, measures: tuple[str, ...] = MEASURES, queries: int = 60) -> Compared:
    chance = np.random.default_rng(3)
    hard = chance.uniform(0.1, 0.7, queries)
    tables = []
    for measure in measures:
        noise = {name: chance.normal(0.03 * place, 0.05, queries) for place, name in enumerate(systems)}
        tables.append(
            ScoreTable.make({name: np.clip(hard + each, 0, 1) for name, each in noise.items()}, measure=measure)
        )
    return compare(tables, permutations=100, resamples=200)


# never wider than the column


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("options", "columns"), [("", "1"), ("twocolumn,a4paper", "1"), ("", "345"), ("a5paper", "1")])
def test_five_systems_by_six_measures_fit_into_one_column(options: str, columns: str, tmp_path: Path) -> None:
    body = comparison_table(compared(), width_of_columns(columns))
    log = typeset(f"\\begin{{table}}\\centering\n{body}\\end{{table}}\n", tmp_path, options)
    assert overfull_boxes(log) == []


def test_two_columns_fit_into_a_page_of_two_columns(tmp_path: Path) -> None:
    body = comparison_table(compared(), PAGE)
    assert len(re.findall(r"\\toprule", body)) == 1
    log = typeset(f"\\begin{{table*}}\n{body}\\end{{table*}}\n", tmp_path, "twocolumn,a4paper")
    assert overfull_boxes(log) == []


def test_many_systems_long_names_and_every_sign_fit_too(tmp_path: Path) -> None:
    long = "a_run-with.many:parts_" * 5
    names = (SPECIAL, UNICODE, "W" * 80, long, *(f"system {number}" for number in range(56)))
    rows = tuple(
        (
            Cell(name, number=False),
            Cell(f"{place / 70:.3f}", best=place == 2, marks="abcdef"),
            Cell("-"),
            Cell("12,345"),
        )
        for place, name in enumerate(names)
    )
    grid = Grid(("system", "nDCG(gain=exp, rel=2)@1000", "ERR", "num_ret"), rows)
    body = latex.latex_table(grid, COLUMN, [f"Against {long}."])
    assert body.count("\\toprule") == 2, "a page holds 48 rows"
    log = typeset(body, tmp_path, "twocolumn,a4paper")
    assert [line for line in overfull_boxes(log) if "hbox" in line] == []


def test_tables_of_queries_and_of_scores_with_intervals_fit(tmp_path: Path) -> None:
    scores = scores_of("rough_1", "fine")
    body = scores_table(scores) + "\n" + latex.latex_table(query_grid(scores))
    log = typeset(body, tmp_path, "twocolumn,a4paper")
    assert [line for line in overfull_boxes(log) if "hbox" in line] == []


CELLS = st.text(st.sampled_from(string.printable[:95] + "éα中"), min_size=1, max_size=60)


@settings(max_examples=60)
@given(st.lists(CELLS, min_size=1, max_size=5), st.integers(1, 12), st.sampled_from([COLUMN, PAGE, 345.0]))
def test_no_layout_is_wider_than_its_column(names: list[str], measures: int, width: float) -> None:
    rows = tuple((Cell(name, number=False), *(Cell("0.123", marks="ab") for _ in range(measures))) for name in names)
    layout = latex.layout_of(Grid(("system", *(f"nDCG@{place}" for place in range(measures))), rows), width)
    assert layout.width <= width
    assert sum(len(panel) - 1 for panel in layout.panels) == measures


def test_a_column_is_one_of_two_both_or_a_width() -> None:
    assert (width_of_columns("1"), width_of_columns("2"), width_of_columns("347pt")) == (COLUMN, PAGE, 347.0)
    for wrong in ("3", "wide", "-1", "nan"):
        with pytest.raises(SettingError, match="1 \\(one of two\\), 2 \\(both\\) or a width"):
            width_of_columns(wrong)


# widths are what LaTeX sets


@pytest.mark.parametrize("size", [7, 8, 9])
def test_a_text_is_not_wider_than_computed(size: int, tmp_path: Path) -> None:
    chance = random.Random(size)
    texts = ["".join(chance.choices(string.printable[:94], k=20)) for _ in range(40)]
    texts += ["UIowaS_Run3", "NTU_NMLAB_BM25_ALLQQ", "the book opposed dejected cooled", "nDCG(gain=exp)@10", *NAMES]
    real = widths_of([escape_latex(text) for text in texts], size, tmp_path)
    computed = [text_width(text, size) for text in texts]
    for text, wide, thought in zip(texts, real, computed, strict=True):
        assert wide - 0.05 <= thought <= 1.08 * wide + 1, text


def test_signs_are_as_wide_as_computer_modern_has_them() -> None:
    widths = {"-": 3.33, " ": 3.33, "|": 3.33, "0": 5.0, "W": 10.28, "i": 2.78}
    assert {sign: round(text_width(sign, 10), 2) for sign in widths} == widths


def test_marks_and_bold_numbers_are_not_wider_than_computed(tmp_path: Path) -> None:
    marks = ["a", "abc", "abcdef", BETTER, WORSE]
    cells = [Cell("0.262", best=True, marks=each) for each in marks]
    written = [LatexColumn("AP", (cell,)).cell(0, None, 8).lstrip(".") for cell in cells]
    real = widths_of([f"${each}$" for each in written], 8, tmp_path)
    for wide, cell in zip(real, cells, strict=True):
        _, right = LatexColumn("AP", (cell,)).digits(8)
        assert wide <= right * text_width("0", 8)
        assert marks_width(cell.marks, 8) < wide


# what stands in it


def test_systems_are_rows_the_best_is_bold_and_decimals_are_aligned() -> None:
    text = comparison_table(compared(measures=("AP", "P@10")))
    assert re.search(r"\\begin\{tabular\}\{@\{\}lD\{\.\}\{\.\}\{0\.\d\}D", text)
    assert text.count("\\mathbf") == 2
    order = compared(measures=("AP", "P@10")).main.order
    assert re.findall(r"^(\w+) & \.", text, re.M) == list(order)
    assert "0." not in text.split("\\midrule")[1].split("\\bottomrule")[0]


def test_numbers_beyond_one_signs_p_values_and_undefined_ones() -> None:
    column = LatexColumn("x", tuple(map(Cell, ("0.250", "12.5", "-0.250", "<0.001", "1,234", "-", "0.2 [0.1, 0.3]"))))
    assert column.numeric
    assert [column.cell(row, None, 8) for row in range(7)] == [
        ".250 &",
        "12.5 &",
        "-.250 &",
        "{<}.001 &",
        "1{,}234 &",
        r"\multicolumn{1}{c}{--} &",
        ".2 & [.1, .3]",
    ]


def test_letters_say_what_the_tests_say() -> None:
    result = compared()
    marks = marks_of(result).marks
    for one in result.measures:
        for pair in one.pairs:
            shared = set(marks[pair.first, one.measure]) & set(marks[pair.second, one.measure])
            assert bool(shared) is not bool(pair.better)
    assert "share a letter" in marks_of(result).note
    assert str(result.families.primary) in marks_of(result).note


def test_daggers_compare_with_the_baseline() -> None:
    result = compared()
    found = marks_of(result, "daggers")
    first = result.systems[0]
    for one in result.measures:
        for pair in one.pairs:
            if pair.first == first:
                word = {"": "", pair.second: BETTER, first: WORSE}[pair.better]
                assert found.marks.get((pair.second, one.measure), "") == word
    assert found.note.startswith(f"† better and ‡ worse than {first}")


def test_two_systems_and_those_compared_with_the_baseline_alone_have_daggers() -> None:
    two = compared(NAMES[:2])
    assert set("".join(marks_of(two).marks.values())) <= {BETTER, WORSE}
    assert "letter" not in marks_of(two, "letters").note
    assert marks_of(two, "none").marks == {}
    with pytest.raises(SettingError, match="letters"):
        marks_of(two, "stars")


def test_letters_that_cannot_be_read_become_daggers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscope.analysis.comparison.paper_tables.LONGEST", 0)
    assert "†" in marks_of(compared()).note
    assert "letter" in marks_of(compared(), "letters").note


def test_a_repeated_system_has_the_marks_of_the_one_it_equals() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "B": [0.3, 0.4, 0.5, 0.6, 0.7, 0.9]})
    both = ScoreTable.make({**dict(zip(table.systems, table.values.T, strict=True)), "C": table.values[:, 1]})
    marks = marks_of(compare([both])).marks
    assert marks["C", "AP"] == marks["B", "AP"] == BETTER


def test_scores_have_the_marks_of_their_comparison() -> None:
    scores = scores_of("rough_1", "middle", "fine")
    result = compare(scores)
    text = scores_table(scores)
    assert all(f"^{{\\mathrm{{{letters}}}}}" in text for letters in result.main.ranks.letters)  # type: ignore[union-attr]
    assert "^" not in scores_table(scores, marks="none")


def test_grids_keep_their_numbers() -> None:
    result = compared()
    grid = means_grid(result)
    for row, (place, one) in itertools.product(grid.rows, enumerate(result.measures, 1)):
        mean = float(one.means.mean[one.table.number(row[0].text)])
        assert row[place].text == f"{mean:.3f}"


# signs


def test_no_sign_is_taken_for_another_and_none_is_lost(tmp_path: Path) -> None:
    typeset(f"{escape_latex(SPECIAL)}\n\n{PREAMBLE}{escape_latex(UNICODE)}\n", tmp_path)
    assert escape_latex("a--b---c") == "a-{}-b-{}-{}-c"
    assert escape_latex("中") == r"\rankscopesign{中}{U+4E2D}"
    assert escape_latex("e\u0301") == escape_latex("é") == r"\'{e}"
    assert PREAMBLE in latex.latex_table(Grid(("system", "AP"), ((Cell("中", number=False), Cell("0.1")),)))
    assert PREAMBLE not in latex.latex_table(Grid(("system", "AP"), ((Cell("é", number=False), Cell("0.1")),)))
