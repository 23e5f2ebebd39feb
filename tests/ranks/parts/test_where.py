"""The same bytes wherever the parts of a reduction run, and after whatever stopped it."""

from __future__ import annotations

import re
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core import parts as running_parts
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic
from rankscope.core.parts import Home
from rankscope.core.runners import connect_dask
from rankscope.core.settings import Settings
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from rankscope.ranks.parts import reduction, resources
from rankscope.ranks.parts.resources import Where, files_of_run, fits, reduce_where
from rankscope.ranks.reduction import reduce
from tests.clusters import running_cluster
from tests.needs import needed_module
from tests.ranks.parts.test_parts_and_whole import JUDGED, bytes_of, write_parts
from tests.sparks import local_spark
from tests.stopping import killed_at

LAYOUTS = ("by_query", "scattered")
Layout = Literal["by_query", "scattered"]
SMALL = "201MB"  # a few thousand rows in memory


@cache
def frames() -> tuple[pl.DataFrame, dict[str, dict[str, int]]]:
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(120), 100)
    item = np.concatenate([rng.permutation(400)[:100] for _ in range(120)])
    frame = pl.DataFrame({"query": query, "item": item, "score": rng.integers(0, 60, query.size) / 4})
    names = frame.with_columns(pl.format("q{}", "query").alias("query"), pl.format("d{}", "item").alias("item"))
    judged = {f"q{number}": {f"d{each}": int(rng.integers(0, 3)) for each in range(0, 400, 9)} for number in range(125)}
    return names, judged


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def run(layout: str, tmp_path: Path) -> Path:
    frame, _ = frames()
    folder = tmp_path / "bm25"
    folder.mkdir()
    rows = frame if layout == "by_query" else frame.sample(fraction=1, shuffle=True, seed=3)
    for number in range(8):
        rows[number * 1500 : (number + 1) * 1500].write_parquet(folder / f"part-{number}.parquet")
    return folder


def whole(run: Path) -> str:
    return sha256(bytes_of(reduce(frames()[1], run, keep_scores=True))).hexdigest()


def parts(run: Path, **choices: Any) -> str:
    chosen = Where(**{"on": Home(), "memory": SMALL, **choices})
    return sha256(bytes_of(reduce_where(frames()[1], run, keep_scores=True, where=chosen))).hexdigest()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("on", [Home(), "processes:1", "processes:2"])
@pytest.mark.parametrize("shuffle", ["auto", "none"])
def test_home_and_processes_give_the_same_bytes(run: Path, on: Any, shuffle: str) -> None:
    assert parts(run, on=on, shuffle=shuffle) == whole(run)


@pytest.mark.thorough
@pytest.mark.parametrize("shuffle", ["auto", "none"])
def test_a_dask_worker_killed_while_parts_are_worked_on_changes_no_byte(
    run: Path, tmp_path: Path, shuffle: str
) -> None:
    needed_module("distributed", "distributed")
    seen: list[float] = []
    with running_cluster(tmp_path, workers=2) as cluster:
        with connect_dask(cluster.on) as client:
            client.wait_for_workers(2)

        def kill_one(_: str, share: float) -> None:
            seen.append(share)
            if len(seen) == 3:
                cluster.workers[0].kill()

        chosen = Where(on=cluster.on, memory=SMALL, work=tmp_path / "work", shuffle=shuffle)  # type: ignore[arg-type]
        ranks = reduce_where(frames()[1], run, keep_scores=True, where=chosen, progress=kill_one)
        assert cluster.workers[0].wait() == -9
    assert sha256(bytes_of(ranks)).hexdigest() == whole(run)
    assert not (tmp_path / "work").exists()


@pytest.mark.spark
def test_spark_changes_no_byte(run: Path, tmp_path: Path) -> None:
    with local_spark():
        assert parts(run, on="spark", work=tmp_path / "work") == whole(run)


@pytest.mark.thorough
def test_stopped_work_continues_with_the_parts_that_are_finished(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[str] = []

    def stopping(self: Home, work: Any, shared: Any, parts: Any) -> Any:
        for part in parts:
            worked.append(part.digest)
            if len(worked) == 6:
                raise KeyboardInterrupt
            yield part, work(shared, part)

    with monkeypatch.context() as patch:
        patch.setattr(Home, "map", stopping)
        with pytest.raises(KeyboardInterrupt):
            parts(run, on=Home(), work=tmp_path / "work")
    before = list(worked)
    assert parts(run, on="processes:2", work=tmp_path / "work") == whole(run)
    assert len(set(before)) == 6
    assert not (tmp_path / "work").exists()


@pytest.mark.thorough
def test_a_killed_driver_leaves_nothing_half_and_continues(run: Path, tmp_path: Path) -> None:
    judged = tmp_path / "qrels.parquet"
    table = [(query, item, grade) for query, each in frames()[1].items() for item, grade in each.items()]
    pl.DataFrame(table, schema=["query", "item", "grade"], orient="row").write_parquet(judged)
    output = tmp_path / "out.ranks.parquet"
    command = [
        "evaluate",
        str(judged),
        str(run),
        "-o",
        str(output),
        "--memory",
        SMALL,
        "--quiet",
        "--on",
    ]
    killed_at(3, [*command, "processes:2"])
    assert not output.exists()
    result = CliRunner().invoke(cli, [*command, "home"])
    assert result.exit_code == 0, result.output
    assert (
        sha256(output.read_bytes()).hexdigest() == sha256(bytes_of(reduce(judged, run, keep_scores=True))).hexdigest()
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bm25", "out.ranks.parquet", "qrels.parquet"]


def test_a_full_disk_is_told_and_what_is_finished_stays(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def filling(path: Any, mode: Any) -> Any:
        written.append(str(path))
        if len(written) == 4:
            raise SettingError(f"cannot write {path}: No space left on device")
        return atomic(path, mode)

    with monkeypatch.context() as patch:
        patch.setattr(running_parts, "atomic", filling)
        with pytest.raises(SettingError, match="No space left"):
            parts(run, work=tmp_path / "work")
    assert list((tmp_path / "work").iterdir())
    assert parts(run, work=tmp_path / "work") == whole(run)


@pytest.mark.parametrize("layout", ["scattered"], indirect=True)
def test_a_bucket_that_was_damaged_is_named_and_made_anew(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(reduction, "reduce_bucket", stopped)
        with pytest.raises(KeyboardInterrupt):
            parts(run, work=tmp_path / "work")
    bucket = min((tmp_path / "work").rglob("b0*.parquet"))
    bucket.write_bytes(bucket.read_bytes()[:-9])
    with pytest.raises(InputError, match=rf"{bucket.name}: 1 problem\n  a finished part was damaged.*\nRun"):
        parts(run, work=tmp_path / "work")
    assert parts(run, work=tmp_path / "work") == whole(run)


def test_parts_that_are_missing_changed_or_damaged_are_all_named(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (2, 5):
        (run / f"part-{number}.parquet").write_bytes((run / f"part-{number}.parquet").read_bytes()[:-20])
    (run / "part-6.parquet").write_text("q1 Q0 d1 1 1.0 t\n")
    messages = []
    for work in (partial(reduce, frames()[1], run), partial(parts, run)):
        with pytest.raises(InputError) as caught:
            work()
        messages.append(str(caught.value))
    for number in (2, 5, 6):
        assert f"part-{number}.parquet" in messages[0]
    assert "part-6.parquet" in messages[1]


def test_a_run_that_does_not_fit_leaves_memory_by_itself(
    run: Path, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    assert parts(run, on="home", memory="202MB", say=said.append) == whole(run)
    how = "by file in 8 parts" if layout == "by_query" else "shared out by query in 2 parts"  # of 7,767 rows at most
    assert said == [f"bm25: about 12,000 rows in 8 files, {how} within 202 MB"]
    monkeypatch.setattr(resources, "SMALL_FILE", 0)
    monkeypatch.setattr(reduction, "reduce_in_parts", None)  # not needed where it fits
    assert parts(run, on="home", memory="1GB", say=said.append) == whole(run)


@pytest.mark.sampled(1)
def test_the_command_says_what_it_does_and_prints_the_same_means(run: Path, tmp_path: Path) -> None:
    judged = tmp_path / "qrels.txt"
    judged.write_text(
        "".join(f"{query} 0 {item} {grade}\n" for query, each in frames()[1].items() for item, grade in each.items())
    )
    plain = CliRunner().invoke(cli, ["evaluate", str(judged), str(run), "-m", "AP"])
    for more in (["--memory", SMALL], ["--memory", SMALL, "--shuffle", "none"], ["--on", "processes:1"]):
        result = CliRunner().invoke(cli, ["evaluate", str(judged), f"{run}/*.parquet", "-m", "AP", *more])
        assert result.exit_code == 0, result.output
        assert result.stdout.replace("part ", "bm25 ").splitlines()[1:] == plain.stdout.splitlines()[1:]
        assert "rows in 8 files" in result.stderr


def test_what_fits_is_told_by_its_size_or_by_the_memory_that_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"q0 Q0 d1 1 1.0 t\n" * 3
    (tmp_path / "a.run").write_bytes(text)
    files = files_of_run(Run.of(tmp_path / "a.run"))
    assert files is not None
    assert files.alone
    piped = Run.of({"q0": {"d1": 1.0}})
    piped.source = Source("-")
    assert files_of_run(piped) is None  # it can be read once
    memory = resources.BYTES_AT_LEAST + 3 * resources.BYTES_A_ROW
    assert [fits(files, Reading(), Where(memory=each)) for each in (memory - 1, memory)] == [False, True]
    assert not fits(files, Reading(), Where(memory=memory, shuffle="none"))
    assert not fits(files, Reading(), Where(on="processes:1", memory=memory))
    monkeypatch.setattr(resources, "BYTES_AT_LEAST", 1 << 60)
    for small in (len(text), len(text) + 1):
        monkeypatch.setattr(resources, "SMALL_FILE", small)
        assert fits(files, Reading(), Where()) == (small > len(text))


@pytest.mark.parametrize("shuffle", ["auto", "none"])
def test_progress_rises_from_nothing_to_all(run: Path, shuffle: Literal["auto", "none"]) -> None:
    seen: list[float] = []
    chosen = Where(on=Home(), memory=SMALL, shuffle=shuffle)
    reduce_where(frames()[1], run, where=chosen, progress=lambda _, share: seen.append(share))
    assert seen == sorted(set(seen))
    assert seen[0] > 0
    assert seen[-1] == 1.0


@pytest.mark.parametrize("rows", [8, 9])
@pytest.mark.parametrize("ties", ["trec_eval", "rank"])
def test_a_query_that_memory_cannot_hold_is_counted_where_it_lies_unless_ranks_decide(
    ties: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduction, "ROWS_A_BUCKET", 4)
    write_parts([("q0", f"d{number}", number / 4) for number in range(rows)], [3], tmp_path)
    said: list[str] = []
    chosen = Where(on=Home(), memory=resources.BYTES_AT_LEAST + 8 * resources.BYTES_A_ROW, say=said.append)
    ranks = reduce_where(JUDGED, tmp_path, Settings(ties=ties), where=chosen)
    assert bytes_of(ranks) == bytes_of(reduce(JUDGED, tmp_path, Settings(ties=ties)))
    assert [", 9, more than" in each for each in said[1:2]] == [True] * (rows > 8)
    assert any("counted where they lie" in each for each in said) == (rows > 8 and ties == "trec_eval")


@pytest.mark.parametrize("memory_rows", [5, 6])
@pytest.mark.parametrize("ties", ["trec_eval", "rank"])
def test_a_file_whose_queries_are_not_whole_is_gathered_where_memory_holds_it_else_all_is_shared_out(
    ties: str, memory_rows: int, tmp_path: Path
) -> None:
    queries = ["q0", "q0", "q1", "q1", "q2", "q3", "q2", "q3", "q2", "q3"]  # of which the third file has the last six
    write_parts([(query, f"d{number}", number % 3) for number, query in enumerate(queries)], [2, 4], tmp_path)
    said: list[str] = []
    memory = resources.BYTES_AT_LEAST + memory_rows * resources.BYTES_A_ROW
    ranks = reduce_where(JUDGED, tmp_path, Settings(ties=ties), where=Where(on=Home(), memory=memory, say=said.append))
    assert bytes_of(ranks) == bytes_of(reduce(JUDGED, tmp_path, Settings(ties=ties)))
    how = [re.findall("by file|shared out by query", each)[0] for each in said]
    assert how == ["by file", "shared out by query"][: 1 + (memory_rows < 6)]


def test_ranks_that_decide_everything_cannot_be_counted_where_they_lie(run: Path) -> None:
    with pytest.raises(SettingError, match="needs all ranks of a query at once"):
        reduce_where(frames()[1], run, Settings(ties="rank"), where=Where(shuffle="none"))
