"""Files that come in portions give the rows, lines and problems that they give at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError
from rankscope.inputs import sources
from rankscope.inputs.problems import Problems
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import line_numbers
from rankscope.ranks.reduction import reduce
from tests.inputs.examples import Make, run_error

LINES = {
    "csv": ["1,d1,0.5", "1,d2", "", '1,"two\nlines",x', '2,"a,b",7', "2,é,1", "3,x,nan", "3,y,1,2"],
    "jsonl": [
        '{"query": "1", "item": "d1", "score": 0.5}',
        '{"query": 2, "item": "d2", "score": "x"}',
        "{",
        "",
        '{"query": "3", "item": "d1", "score": 0.5, "more": [1]}',
        '{"query": "3", "item": "d2"}',
    ],
}
QUICK = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def everything(path: Path, block: int) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Rows with their lines, and problems; none of the rows where a portion has a problem."""
    run = Run.of(path)
    problems = Problems("a")
    rows: list[tuple[Any, ...]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", block)
        for each in run.blocks(problems):
            columns = (each.query.to_list(), each.rows.item.to_list(), each.rows.score.tolist())
            rows += zip(*columns, line_numbers(each.rows.line).tolist(), strict=True)
    return rows, [str(problem) for _, problem in sorted(problems.kept, key=lambda kept: kept[0])]


@pytest.mark.parametrize("format", LINES)
@QUICK
@given(data=st.data(), block=st.integers(1, 60))
def test_portions_of_any_size_give_the_same(format: str, block: int, data: st.DataObject, tmp_path: Path) -> None:
    lines = data.draw(st.lists(st.sampled_from(LINES[format]), max_size=8))
    good = LINES[format][:1]
    text = "\n".join([*(["query,item,score"] if format == "csv" else []), *good, *lines])
    path = tmp_path / f"a.{format}"
    path.write_text(text + data.draw(st.sampled_from(["", "\n"])), newline="")
    rows, problems = everything(path, block)
    whole_rows, whole_problems = everything(path, 1 << 20)
    assert problems == whole_problems
    if not problems:
        assert rows == whole_rows


def test_scores_that_begin_late_are_a_problem(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK", 20)
    lines = ['{"query": "1", "item": "a", "rank": 1}', '{"query": "1", "item": "b", "rank": 2, "score": 3}']
    assert "line 2: has a score, the lines before have none" in run_error(make("a.jsonl", "\n".join(lines)))


@pytest.mark.parametrize("rows_at_once", [1, 3, 10, 1000])
def test_a_table_in_groups_is_reduced_as_a_whole_one(
    rows_at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankscope.inputs.formats.columnar.ROWS_AT_ONCE", rows_at_once)
    random = np.random.default_rng(0)
    query = np.repeat(np.arange(20), 10)
    frame = pl.DataFrame(
        {"qid": query, "docno": [f"d{n}" for n in random.permutation(200)], "text": ["t"] * 200}
    ).with_columns(score=pl.Series(random.normal(size=200).round(1)))
    qrels = {str(n): {str(item): 1 for item in frame.filter(pl.col("qid") == n)["docno"][:3]} for n in range(20)}
    path = tmp_path / "a.parquet"
    frame.write_parquet(path, row_group_size=7)
    whole, again = reduce(qrels, frame), reduce(qrels, path)
    assert again.judged.lists("rank") == whole.judged.lists("rank")
    assert again.ties.lists("size") == whole.ties.lists("size")
    scattered = frame.sample(fraction=1, shuffle=True, seed=1)
    scattered.write_parquet(path, row_group_size=7)
    assert reduce(qrels, path).judged.lists("rank") == reduce(qrels, scattered).judged.lists("rank")


def test_bad_rows_of_all_portions_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscope.inputs.formats.columnar.ROWS_AT_ONCE", 2)
    path = tmp_path / "a.parquet"
    pl.DataFrame({"query": ["1", None, "2", "2", ""], "item": list("abcde"), "score": [1.0] * 5}).write_parquet(
        path, row_group_size=2
    )
    with pytest.raises(InputError, match=r"row 2: query is empty\n.*row 5: query is empty"):
        Run.of(path).table()
