"""The text engine next to tantivy, bm25s and SQLite FTS5: indexing, the first hits, all hits, ranks of relevant ones.

`python -m benchmarks.text ENGINE COUNT` measures one engine in a process of its own; `report` runs all of them.
Figures are processor time on one core. Queries run once before they are timed, for every engine.
"""

from __future__ import annotations

import json
import resource
import shutil
import sqlite3
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from benchmarks import text_data
from benchmarks.measuring import PYTHON, run

FOLDER = Path(".bench")
COUNTS = (64_000, 640_000)
RELEVANT = 20


class Engine(ABC):
    """What each engine is asked to do."""

    package: ClassVar[str] = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def build(self, files: Sequence[Path]) -> None: ...
    @abstractmethod
    def open(self) -> None: ...
    @abstractmethod
    def first(self, query: str, limit: int) -> object: ...
    @abstractmethod
    def all_ids(self, query: str) -> int: ...


class Rankscope(Engine):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        from rankscope.engines.text import Index

        Index.build([{"id": "1", "body": "what is loaded when it is used is loaded now"}])

    def build(self, files: Sequence[Path]) -> None:
        from rankscope.engines.text import Index

        Index.build((pl.read_parquet(file) for file in files), self.folder)

    def open(self) -> None:
        from rankscope.engines.text import Index

        self.index = Index.open(self.folder)

    def first(self, query: str, limit: int) -> object:
        return self.index.search(query, limit=limit, syntax="words").docs

    def all_ids(self, query: str) -> int:
        return len(self.index.search(query, limit=None, syntax="words").ids)

    def ranks(self, asked: Sequence[str]) -> Callable[[], object]:
        """The ranks of so many relevant documents of each query, ties settled exactly; judgements are read before."""
        from rankscope import Qrels

        ids, dice = self.index.reader.ids, np.random.default_rng(0)
        chosen = [dice.choice(len(ids), RELEVANT, replace=False).tolist() for _ in asked]
        qrels = Qrels.of({str(place): dict.fromkeys(ids[docs], 1) for place, docs in enumerate(chosen)})
        topics = {str(place): query for place, query in enumerate(asked)}
        return lambda: self.index.rank(topics, qrels)


class Tantivy(Engine):
    package = "tantivy"

    def build(self, files: Sequence[Path]) -> None:
        import tantivy

        self.folder.mkdir(parents=True)
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        schema.add_text_field("body", stored=True)
        index = tantivy.Index(schema.build(), path=str(self.folder))
        writer = index.writer(heap_size=300_000_000, num_threads=1)
        for file in files:
            for name, body in pl.read_parquet(file).iter_rows():
                writer.add_document(tantivy.Document(id=name, body=body))
        writer.commit()
        writer.wait_merging_threads()

    def open(self) -> None:
        import tantivy

        self.index = tantivy.Index.open(str(self.folder))
        self.searcher = self.index.searcher()
        self.ids = [f"d{number:07d}" for number in range(self.searcher.num_docs)]

    def first(self, query: str, limit: int) -> Any:
        parsed = self.index.parse_query(query, ["body"])
        return self.searcher.search(parsed, limit, count=False).hits

    def all_ids(self, query: str) -> int:
        ids = self.ids
        return len([ids[address.doc] for _, address in self.first(query, self.searcher.num_docs)])


class Bm25s(Engine):
    package = "bm25s"

    def build(self, files: Sequence[Path]) -> None:
        import bm25s

        texts = pl.concat([pl.read_parquet(file) for file in files])["body"].to_list()
        tokens = bm25s.tokenize(texts, stopwords=None, show_progress=False)
        model = bm25s.BM25()
        model.index(tokens, show_progress=False)
        model.save(str(self.folder), show_progress=False)

    def open(self) -> None:
        import bm25s

        self.model = bm25s.BM25.load(str(self.folder), mmap=True)
        self.ids = np.array([f"d{number:07d}" for number in range(self.model.scores["num_docs"])])

    def first(self, query: str, limit: int) -> object:
        import bm25s

        tokens = bm25s.tokenize([query], stopwords=None, show_progress=False, return_ids=False)
        return self.model.retrieve(tokens, k=limit, show_progress=False)

    def all_ids(self, query: str) -> int:
        scores = self.model.get_scores(query.split())
        order = np.argsort(-scores)[: np.count_nonzero(scores)]
        return len(self.ids[order])


class Fts5(Engine):
    def build(self, files: Sequence[Path]) -> None:
        self.folder.mkdir(parents=True)
        with sqlite3.connect(self.folder / "index.db") as base:
            base.execute("CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, body)")
            for file in files:
                base.executemany("INSERT INTO docs (id, body) VALUES (?, ?)", pl.read_parquet(file).iter_rows())

    def open(self) -> None:
        self.base = sqlite3.connect(self.folder / "index.db")

    def first(self, query: str, limit: int) -> list[Any]:
        asked = " OR ".join(f'"{word}"' for word in query.split())
        text = "SELECT id FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT ?"
        return self.base.execute(text, (asked, limit)).fetchall()

    def all_ids(self, query: str) -> int:
        return len(self.first(query, -1))


ENGINES: dict[str, type[Engine]] = {"rankscope": Rankscope, "tantivy": Tantivy, "bm25s": Bm25s, "fts5": Fts5}
WHOLE = 20  # queries whose hits are all listed
SLOW = {"bm25s": 20, "fts5": 5}  # queries that are timed where one takes long


def measure(name: str, count: int) -> dict[str, float]:
    """One engine: what it takes to index, to open and to search."""
    files, folder = text_data.stored(FOLDER, count), FOLDER / f"index-{name}-{count}"
    shutil.rmtree(folder, ignore_errors=True)
    engine = ENGINES[name](folder)
    found = {"docs/s": count / processor(lambda: engine.build(files))}
    found["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found["MB"] = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20
    found["open, ms"] = min(processor(engine.open) for _ in range(3)) * 1e3
    asked = text_data.queries()[: SLOW.get(name, text_data.QUERIES)]
    few = asked[:WHOLE]
    found["top 10, ms"] = per_query(lambda query: engine.first(query, 10), asked)
    found["top 1000, ms"] = per_query(lambda query: engine.first(query, 1000), asked)
    found["all hits with ids, ms"] = per_query(engine.all_ids, few)
    if isinstance(engine, Rankscope):
        work = engine.ranks(asked)
        found["ranks of 20 relevant, ms"] = min([processor(work) for _ in range(4)][1:]) / len(asked) * 1e3
    return found


def per_query(work: Callable[[str], object], asked: Sequence[str]) -> float:
    """Milliseconds of processor time, the best of three rounds after one that is not timed."""
    rounds = [processor(lambda: [work(query) for query in asked]) for _ in range(4)]
    return min(rounds[1:]) / len(asked) * 1e3


def processor(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


COLUMNS = (
    "docs/s",
    "peak MB",
    "MB",
    "open, ms",
    "top 10, ms",
    "top 1000, ms",
    "all hits with ids, ms",
    "ranks of 20 relevant, ms",
)


def report(counts: Sequence[int] = COUNTS) -> str:
    """A table for each size, and how rankscope compares with tantivy."""
    return "\n".join(_table(count) for count in counts)


def _table(count: int) -> str:
    text_data.stored(FOLDER, count)
    there = [name for name, engine in ENGINES.items() if not engine.package or find_spec(engine.package)]
    measured = {name: _measured(name, count) for name in there}
    head = f"| {count:,} texts | " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * len(COLUMNS)
    cells = {name: [_shown(found.get(each)) for each in COLUMNS] for name, found in measured.items()}
    rows = [f"| {name} | {' | '.join(shown)} |" for name, shown in cells.items()]
    absent = [f"\n{name} is not installed and left out." for name in ENGINES if name not in there]
    return "\n".join([head, *rows, *absent, _compared(measured)]) + "\n"


def _compared(measured: dict[str, dict[str, float]]) -> str:
    if "tantivy" not in measured:
        return ""
    ours, theirs = measured["rankscope"], measured["tantivy"]
    top, whole = (
        ours["top 10, ms"] / theirs["top 10, ms"],
        theirs["all hits with ids, ms"] / ours["all hits with ids, ms"],
    )
    return f"\nThe first ten take {top:.1f} times tantivy's time; all hits with ids come {whole:.1f} times as fast."


def _measured(name: str, count: int) -> dict[str, float]:
    output = run([PYTHON, "-m", "benchmarks.text", name, str(count)]).output
    found: dict[str, float] = json.loads(output.strip().splitlines()[-1])
    return found


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
