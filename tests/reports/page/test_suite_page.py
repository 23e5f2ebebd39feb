"""The page of a suite: words and cells are those of the suite, and gaps stand open."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import ArrayLike

import rankscope
from rankscope.analysis.comparison.suite import (
    Suite,
    compare_suite,
    suite_headline,
    suite_notes,
    suite_sentences,
    task_rows,
)
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.commands.line.main import cli
from rankscope.commands.suite import suite
from rankscope.core.errors import SettingError
from rankscope.core.wording import decimal_text, signed_text
from rankscope.reports.graphs.graph import Tiles
from rankscope.reports.page.result_pages import render_suite, suite_board, suite_tiles_graph

DOCS = Path(__file__).parents[3] / "docs"


def suite_of(tasks: int = 6, gap: bool = True) -> Suite:
    tables = {}
    for seed in range(tasks):
        chance = np.random.default_rng(seed)
        hard = chance.uniform(0.2, 0.7, 20)
        shifts = {"base": 0.0, "good": 0.08, "late": 0.05}
        names = [name for name in shifts if name != "late" or not gap or seed]
        values: dict[str, ArrayLike] = {name: hard + shifts[name] + chance.normal(0, 0.01, 20) for name in names}
        tables[f"t{seed}"] = ScoreTable.make(values)
    return compare_suite(tables, resamples=500)


def test_the_verdict_says_who_is_better_where_and_who_lacks_what() -> None:
    made = suite_of()
    good = made.system("good")
    mean = f"{decimal_text(good.mean.value)} [{decimal_text(good.mean.low)}, {decimal_text(good.mean.high)}]"
    assert suite_headline(made) == f"good has the best mean AP of the 2 systems that have all 6 tasks, {mean}"
    against, winners, gap = suite_sentences(made)
    change = signed_text(good.difference.value)
    assert against == f"On the whole good ({change}) is significantly better than base."
    assert winners.startswith("The best mean of a task belongs to good on 6 (t0, t1 and t2, ...); on 6 of 6 the winner")
    late = signed_text(made.system("late").difference.value)
    assert gap.startswith(
        f"late lacks t0 and has no mean over tasks and no mean rank; on the 5 tasks that it has it is {late} ["
    )
    assert any("corrected" in line or "correction" in line for line in suite_notes(made))


def test_few_tasks_are_called_few() -> None:
    assert any("3 tasks are few" in line for line in suite_notes(suite_of(3)))
    assert any("One task says nothing" in line for line in suite_notes(suite_of(1, gap=False)))
    assert not any("few" in line for line in suite_notes(suite_of(6)))


def test_cells_are_the_values_and_gaps_are_dashes() -> None:
    made = suite_of()
    board = suite_board([made])
    assert [row.system for row in board.rows] == ["good", "base", "late"]
    assert [row.placed for row in board.rows] == [True, True, False]
    late = board.rows[2]
    assert late.difference is not None
    assert late.difference.text.endswith("(5 of 6)")
    overall, rank, *tasks = board.columns
    assert overall.cells[2].text == rank.cells[2].text == tasks[0].cells[2].text == "\u2013"
    assert [column.title for column in tasks] == [f"t{number}" for number in range(6)]
    assert tasks[1].cells[0].text == f"{made.tasks[1].mean('good'):.3f}".removeprefix("0")
    assert tasks[1].cells[0].side == "better"
    assert rank.cells[0].value == 1.0


def test_tiles_have_a_rank_for_each_system_of_each_task() -> None:
    made = suite_of()
    (tiles,) = [mark for mark in suite_tiles_graph(made).marks if isinstance(mark, Tiles)]
    assert len(tiles.words) == 6 * 3 - 1
    assert [word for word, y in zip(tiles.words, tiles.y, strict=True) if y == 3] == ["1"] * 6


def test_rows_of_tasks_say_who_wins() -> None:
    row = task_rows(suite_of())[0]
    assert (row["task"], row["best mean"], row["significantly better than"]) == ("t0", "good", "1 of 1 others")
    assert str(row["in words"]).startswith("good is significantly better than base")
    assert "significantly better than" in suite_of().render()


def test_names_are_text() -> None:
    nasty = "<script>alert(1)</script>\"'"
    tables = {nasty: ScoreTable.make({nasty: [0.1, 0.2, 0.4], "b": [0.2, 0.4, 0.5]})}
    page = render_suite([compare_suite(tables, resamples=100)], title=nasty, warnings=[nasty])
    assert "<script>alert" not in page
    assert page.count("<script>") == 1


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The example of the documentation with small files."""
    page = (DOCS / "how-to" / "suite.md").read_text(encoding="utf-8")
    text = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert text is not None
    (tmp_path / "suite.toml").write_text(text[1], encoding="utf-8")
    for name in ("cranfield", "npl"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "qrels.txt").write_text("".join(f"q{n} 0 r 1\n" for n in range(9)))
        for place, system in enumerate(("bm25", "dirichlet", "lsi")):
            found = [(n, item, score) for n in range(9) for item, score in (("r", 2 - n % 3 * place), ("x", 1))]
            lines = [f"q{n} Q0 {item} 1 {score} t\n" for n, item, score in found]
            if (name, system) != ("npl", "lsi"):
                (folder / f"{system}.run").write_text("".join(lines))
    return tmp_path


def test_the_example_of_the_documentation_runs(example: Path) -> None:
    target = example / "suite.html"
    done = CliRunner().invoke(cli, ["report", "--suite", str(example / "suite.toml"), "-o", str(target), "--quiet"])
    assert done.exit_code == 0, done.output
    assert "lsi lacks npl" in done.stdout
    page = target.read_text(encoding="utf-8")
    assert "Two text collections" in page
    twin = rankscope.report(suite=example / "suite.toml")
    tables = re.compile(r"<table.*?</table>", re.DOTALL)
    assert tables.findall(twin) == tables.findall(page), "warnings differ: they name options, or arguments"


def test_measures_and_baseline_given_go_before_those_of_the_file(example: Path) -> None:
    found = suite(example / "suite.toml", "P@1", baseline="dirichlet", resamples=100)
    assert (found.main.measure, found.main.baseline, len(found.suites)) == ("P@1", "dirichlet", 1)
    with pytest.raises(SettingError, match="mean over queries"):
        suite(example / "suite.toml", "num_ret")


def test_a_page_of_a_suite_asks_nothing_from_the_net(example: Path) -> None:
    page = rankscope.report(suite=example / "suite.toml")
    assert not re.findall(r'(?:src|href)="https?:', page)
