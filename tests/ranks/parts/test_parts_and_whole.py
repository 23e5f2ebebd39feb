"""In parts or as a whole: the same ranks, the same messages, whatever the parts are."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError
from rankscope.core.parts import Home
from rankscope.core.settings import SETTINGS, Settings
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.parts import part_files
from rankscope.inputs.reading import Reading
from rankscope.inputs.run_rows import RunBlock, RunRows
from rankscope.inputs.sources import MAX_RATIO
from rankscope.ranks.parts import resources
from rankscope.ranks.parts.reduction import portions
from rankscope.ranks.parts.resources import Where, reduce_where
from rankscope.ranks.parts.work import parts_of_files
from rankscope.ranks.reduction import reduce
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS, RelevantRanks
from rankscope.ranks.storage import about_ranks, ranks_to_frame, write_frame

Row = tuple[str, str, float]
P = TypeVar("P")
R = TypeVar("R")
QUERIES, ITEMS = [f"q{number}" for number in range(6)], [f"d{number}" for number in range(12)]
ROWS = st.lists(
    st.tuples(st.sampled_from(QUERIES), st.sampled_from(ITEMS), st.sampled_from([0.0, 0.5, 1.0, 2.0])), min_size=1
)
JUDGED = {
    query: {item: (number + place) % 3 for place, item in enumerate(ITEMS[:7])}
    for number, query in enumerate(QUERIES[:5])
}
SHUFFLES: tuple[Literal["auto", "none"], ...] = ("auto", "none")
JUNK = [("q0", "d1"), ("q2", "d9")]
TIES = next(each.choices for each in SETTINGS if each.name == "ties")
DUPLICATES = next(each.choices for each in SETTINGS if each.name == "duplicates")


def bytes_of(ranks: RelevantRanks) -> bytes:
    file = io.BytesIO()
    write_frame(ranks_to_frame(ranks), about_ranks(ranks), file)
    return file.getvalue()


def outcome(work: Any) -> bytes | str:
    """What comes of a reduction: all its bytes, or its message."""
    try:
        return bytes_of(work())
    except InputError as error:
        return str(error)


def write_parts(rows: list[Row], cuts: list[int], folder: Path) -> None:
    frame = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row").with_columns(
        pl.int_range(1, pl.len() + 1).over("query").alias("rank")
    )
    borders = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    for number, (start, end) in enumerate(pairwise(borders)):
        frame[start:end].write_parquet(folder / f"part-{number:02}.parquet")


def in_parts(
    folder: Path, chosen: Settings, memory_rows: int, shuffle: Literal["auto", "none"] = "auto", **more: Any
) -> RelevantRanks:
    memory = resources.BYTES_AT_LEAST + memory_rows * resources.BYTES_A_ROW
    where = Where(on=Home(), memory=memory, shuffle=shuffle)
    return reduce_where(JUDGED, folder, chosen, where=where, **more)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=ROWS,
    cuts=st.lists(st.integers(0, 40), max_size=4),
    memory_rows=st.sampled_from([1, 3, 1000]),
    ties=st.sampled_from(TIES),
    duplicates=st.sampled_from(DUPLICATES),
    query_item=st.sampled_from(["kept", "removed", "counted"]),
    keep_scores=st.booleans(),
    junk=st.booleans(),
)
def test_parts_of_any_size_give_the_bytes_and_messages_of_the_whole(
    rows: list[Row],
    cuts: list[int],
    memory_rows: int,
    ties: str,
    duplicates: str,
    query_item: str,
    keep_scores: bool,
    junk: bool,
) -> None:
    if duplicates == "error":
        rows = list({(query, item): (query, item, score) for query, item, score in rows}.values())
    chosen = Settings(ties=ties, duplicates=duplicates, query_item=query_item)
    more: dict[str, Any] = {"keep_scores": keep_scores, "junk": JUNK if junk else ()}
    with TemporaryDirectory() as name:
        folder = Path(name) / "run"
        folder.mkdir()
        write_parts(rows, cuts, folder)
        whole = outcome(lambda: reduce(JUDGED, folder, chosen, **more))
        assert outcome(lambda: in_parts(folder, chosen, memory_rows, **more)) == whole


def is_judged(row: Row, junk: bool) -> bool:
    return row[1] in JUDGED.get(row[0], {}) and not (junk and row[:2] in JUNK)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=ROWS,
    cuts=st.lists(st.integers(0, 40), max_size=4),
    memory_rows=st.sampled_from([1, 3, 1000]),
    ties=st.sampled_from([each for each in TIES if each != "rank"]),
    duplicates=st.sampled_from(DUPLICATES),
    width=st.sampled_from([32, 64]),
    keep_scores=st.booleans(),
    junk=st.booleans(),
)
def test_rows_counted_where_they_lie_give_the_bytes_and_messages_of_the_whole(
    rows: list[Row],
    cuts: list[int],
    memory_rows: int,
    ties: str,
    duplicates: str,
    width: int,
    keep_scores: bool,
    junk: bool,
) -> None:
    last = {row[:2]: number for number, row in enumerate(rows)}  # what is not judged must not come twice
    rows = [row for number, row in enumerate(rows) if is_judged(row, junk) or last[row[:2]] == number]
    chosen = Settings(ties=ties, duplicates=duplicates, score_width=width)
    more: dict[str, Any] = {"keep_scores": keep_scores, "junk": JUNK if junk else ()}
    with TemporaryDirectory() as name:
        folder = Path(name) / "run"
        folder.mkdir()
        write_parts(rows, cuts, folder)
        whole = outcome(partial(reduce, JUDGED, folder, chosen, **more))
        assert outcome(partial(in_parts, folder, chosen, memory_rows, shuffle="none", **more)) == whole


@pytest.mark.parametrize(("duplicates", "rank"), [("best", 1), ("first", 3), ("last", 2)])
def test_a_judged_item_ranked_twice_counts_where_the_setting_says(duplicates: str, rank: int, tmp_path: Path) -> None:
    rows = [("q0", "d1", 0.5), ("q0", "d8", 1.5), ("q0", "d9", 0.75), ("q0", "d1", 2.0), ("q0", "d1", 1.0)]
    write_parts(rows, [2, 4], tmp_path)
    chosen = Settings(duplicates=duplicates)
    for memory_rows in (1, 1000):
        ranks = in_parts(tmp_path, chosen, memory_rows, shuffle="none", keep_scores=True)
        assert ranks.ranks.tolist() == [rank]
        assert bytes_of(ranks) == bytes_of(reduce(JUDGED, tmp_path, chosen, keep_scores=True))


class Backwards(Home):
    """The last part first, so that what comes first in the run is the last to be counted."""

    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        yield from super().map(work, shared, parts[::-1])


@pytest.mark.parametrize("runner", [Home(), Backwards()], ids=["forwards", "backwards"])
@pytest.mark.parametrize("levels", [1, 5, 2000])
def test_of_more_distractors_than_are_kept_the_first_are_kept_whichever_part_is_counted_first(
    runner: Home, levels: int, tmp_path: Path
) -> None:
    several = [("q0", KEPT_DISTRACTORS + 1), ("q1", 3 * KEPT_DISTRACTORS), ("q2", KEPT_DISTRACTORS), ("q3", 5)]
    rows = [(query, f"x{number}", number * 7 % levels / 4) for query, count in several for number in range(count)]
    rows = [(query, item, score or (-0.0 if item < "x3" else 0.0)) for query, item, score in rows]
    rows = [rows[place] for place in np.random.default_rng(0).permutation(len(rows))]
    write_parts(rows, [400, 450, 1000], tmp_path)
    where = Where(on=runner, memory=resources.BYTES_AT_LEAST + resources.BYTES_A_ROW, shuffle="none")
    for ties in ("trec_eval", "given"):
        chosen = Settings(ties=ties)
        counted = reduce_where(JUDGED, tmp_path, chosen, keep_scores=True, where=where)
        assert counted.distractors is not None
        assert counted.distractors.lengths.tolist() == [KEPT_DISTRACTORS] * 3 + [5, 0]
        assert bytes_of(counted) == bytes_of(reduce(JUDGED, tmp_path, chosen, keep_scores=True))


@settings(max_examples=40)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from([*QUERIES, ""]), st.sampled_from(ITEMS), st.sampled_from([0.5, 1.0, float("nan")])),
        min_size=1,
        max_size=60,
    ),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    memory_rows=st.sampled_from([1, 1000]),
)
def test_bad_rows_give_the_same_message_in_any_parts(rows: list[Row], cuts: list[int], memory_rows: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "run"
        folder.mkdir()
        write_parts(rows, cuts, folder)
        for ties in ("trec_eval", "rank"):
            chosen = Settings(ties=ties)
            whole = outcome(partial(reduce, JUDGED, folder, chosen))
            assert outcome(partial(in_parts, folder, chosen, memory_rows)) == whole


@pytest.mark.parametrize("suffix", [".run", ".jsonl", ".csv", ".run.gz"])
@pytest.mark.parametrize("memory_rows", [1, 1000])
def test_text_runs_go_through_the_same_buckets(tmp_path: Path, suffix: str, memory_rows: int) -> None:
    from rankscope.inputs.formats.registry import write_file
    from rankscope.inputs.run import Run

    rows = [(QUERIES[number % 4], ITEMS[number % 11], float(number % 3)) for number in range(44)]
    frame = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row").unique(
        ["query", "item"], maintain_order=True
    )
    path = tmp_path / f"bm25{suffix}"
    write_file(Run.of(frame, name="bm25"), path)
    whole = reduce(JUDGED, path, keep_scores=True)
    assert bytes_of(in_parts(path, Settings(), memory_rows, keep_scores=True)) == bytes_of(whole)


def test_blocks_are_taken_together_until_they_have_so_many_rows() -> None:
    rows = RunRows(TextIds.of(["d1", "d2"]), np.array([2.0, 1.0]), range(1, 3))
    pair = RunBlock(TextIds.of(["q1", "q1"]), rows)
    assert [list(map(len, each)) for each in portions([pair] * 5, 4)] == [[2, 2], [2, 2], [2]]


def files_with_order(folder: Path, *with_scores: bool) -> None:
    for number, scored in enumerate(with_scores):
        frame = pl.DataFrame({"query": f"q{number}", "item": ["d1", "d8", "d2"], "rank": [1, 2, 3]})
        more = pl.DataFrame({"score": [3.0, 2.0, 1.0]}) if scored else pl.DataFrame()
        pl.concat([frame, more], how="horizontal").write_parquet(folder / f"part-{number}.parquet")


@pytest.mark.parametrize("keep_scores", [False, True])
def test_an_order_without_scores_is_the_same_in_parts_and_beside_scores_refused(
    keep_scores: bool, tmp_path: Path
) -> None:
    for name, mixed in (("alike", False), ("mixed", True)):
        folder = tmp_path / name
        folder.mkdir()
        files_with_order(folder, mixed, False)
        whole = outcome(partial(reduce, JUDGED, folder, keep_scores=keep_scores))
        assert isinstance(whole, str) == mixed
        for shuffle in SHUFFLES:
            found = partial(in_parts, folder, Settings(), 1, shuffle, keep_scores=keep_scores)
            assert outcome(found) == whole, shuffle


def test_a_table_is_cut_between_groups_of_rows_where_it_has_more_rows_than_are_wanted(tmp_path: Path) -> None:
    for name, rows in (("a", 4), ("b", 5)):
        frame = pl.DataFrame({"query": "q1", "item": [f"d{n}" for n in range(rows)], "score": 1.0})
        frame.write_parquet(tmp_path / f"{name}.parquet", row_group_size=2)
    files = part_files(tmp_path, MAX_RATIO)
    assert files is not None
    cut = parts_of_files(files, Reading(), {}, 4)
    assert [(each.number, each.rows) for each in cut] == [(0, None), (1, (0, 4)), (1, (4, 1))]
    assert [each.begins_file for each in cut] == [True, True, False]


def test_files_that_cannot_be_read_are_all_named_before_the_work_begins(tmp_path: Path) -> None:
    write_parts([("q1", "d1", 1.0)], [], tmp_path)
    (tmp_path / "part-01.parquet").write_bytes(b"PAR1")
    (tmp_path / "part-02.run").write_text("q1 Q0 d1 1 1.0 t\n")
    (tmp_path / "part-03.parquet").write_bytes(b"")
    (tmp_path / "_SUCCESS").write_text("")
    whole, parts = outcome(partial(reduce, JUDGED, tmp_path)), outcome(partial(in_parts, tmp_path, Settings(), 1))
    for message in (str(whole), str(parts)):
        assert "part-02.run: is trec, where the first file is parquet" in message
    assert "part-01.parquet: cannot be read as Parquet" in str(whole)
