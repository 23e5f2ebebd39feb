"""Parquet of 20 and of 80 million rows to the mean of AP, against duckdb's SQL for the same."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.measuring import PYTHON, Measured, run
from rankscope.core.arrays import IntArray

QUERIES, DEPTH, ITEMS = 20_000, 1_000, 8_841_823
SQL = """
with judged as (
    select * from read_csv('{qrels}', delim=' ', header=false,
        columns={{'query': 'VARCHAR', 'iteration': 'VARCHAR', 'item': 'VARCHAR', 'grade': 'INT'}})
), ranked as (
    select query, item, row_number() over (partition by query order by score desc, item desc) as rank
    from read_parquet('{run}')
), hits as (
    select query, rank, row_number() over (partition by query order by rank) as found
    from ranked join judged using (query, item) where grade > 0
), ap as (select query, sum(found / rank) as total from hits group by query),
relevant as (select query, count(*) filter (where grade > 0) as number from judged group by query)
select avg(coalesce(total, 0) / number) from relevant left join ap using (query) where number > 0
"""


def report(folder: Path) -> str:
    """A table; duckdb is of the extra `bench`, and left out aloud without it."""
    paths = _make(folder)
    ours = {name: run(_rankscope(paths["qrels"], path), repeat=5) for name, path in paths.items() if name != "qrels"}
    lines = ["| program | seconds | of processor time | peak memory, MB |", "|---|---:|---:|---:|"]
    lines += [f"| rankscope, {name} | {_cells(got)} |" for name, got in ours.items()]
    if importlib.util.find_spec("duckdb") is None:
        return "\n".join([*lines, "", "duckdb is not installed (extra `bench`): left out.", ""])
    name = "20 million rows"
    peer = run([PYTHON, "-m", "benchmarks.tables", "duckdb", str(paths["qrels"]), str(paths[name])], repeat=5)
    lines.append(f"| duckdb, {name} | {_cells(peer)} |")
    times = peer.processor / ours[name].processor
    growth = ours["80 million rows"].megabytes / ours[name].megabytes
    lines += [
        "",
        f"duckdb takes {times:.1f} times as much processor time; 80 million rows {growth:.2f} times the memory.",
    ]
    return "\n".join([*lines, ""])


def _cells(got: Measured) -> str:
    return f"{got.seconds:.2f} | {got.processor:.2f} | {got.megabytes:.0f}"


def _rankscope(qrels: Path, ranking: Path) -> list[str]:
    return [PYTHON, "-m", "rankscope", "evaluate", str(qrels), str(ranking), "-m", "AP"]


def _make(folder: Path) -> dict[str, Path]:
    """Made once, by a process of their own."""
    paths = {
        "qrels": folder / "table.qrels",
        "20 million rows": folder / "rows20.parquet",
        "80 million rows": folder / "rows80.parquet",
    }
    if not all(path.exists() for path in paths.values()):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "benchmarks.tables", *map(str, paths.values())], check=True)
    return paths


def _write(qrels: Path, small: Path, large: Path) -> None:
    random, step = np.random.default_rng(0), ITEMS // DEPTH
    for path, times in ((small, 1), (large, 4)):
        queries = np.arange(QUERIES * times)
        _write_parts(path, queries, (queries * 7919) % step, step, random)
    with qrels.open("w") as file:
        for query in range(QUERIES):
            first = (query * 7919) % step
            file.writelines(f"{query} 0 {first + place * step} 1\n" for place in (3, 50, 700))


def _write_parts(path: Path, queries: IntArray, first: IntArray, step: int, random: np.random.Generator) -> None:
    """Lists of every `step`-th item from the first on, each with its own scores; 500 queries in a row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for start in range(0, queries.size, 500):
        item = first[start : start + 500, None] + step * random.permutation(DEPTH)
        score = -np.sort(-random.normal(10, 3, item.shape), axis=1).round(4)
        table = pa.table(
            {
                "query": pa.array(np.repeat(queries[start : start + 500], DEPTH)).cast(pa.string()),
                "item": pa.array(item.ravel()).cast(pa.string()),
                "score": score.ravel(),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def _duckdb(qrels: str, ranking: str) -> None:
    import duckdb

    print(duckdb.sql(SQL.format(qrels=qrels, run=ranking)).fetchall())


if __name__ == "__main__":
    if sys.argv[1] == "duckdb":
        _duckdb(*sys.argv[2:])
    else:
        _write(*map(Path, sys.argv[1:]))
