"""What has been gathered so far, in one SQLite file, and the table of documents that it becomes."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from rankscope.core.display import Display, Tabular
from rankscope.core.files import atomic
from rankscope.core.rendering import Rows
from rankscope.core.wording import how_many
from rankscope.engines.crawler.addresses import machine_of
from rankscope.engines.resumable import Resumable, WorkKind

COLUMNS: dict[str, pl.DataType] = {
    "id": pl.String(),
    "title": pl.String(),
    "text": pl.String(),
    "address": pl.String(),
    "copies": pl.List(pl.String()),
}
DOCUMENTS_MARK = "rankscope.documents"  # in the table's metadata: by it rankscope knows its own


@dataclass(frozen=True, repr=False)
class Gathered(Tabular):
    """How many documents were stored and where, from how many pages; and what was left out, with the reasons.

    `waiting` are addresses that were beyond the limit of pages, of which only so many are kept as the limit has;
    `outside` are links that led out of the folders. `resumed` says that earlier work went on.
    """

    path: str
    documents: int
    copies: int
    asked: int
    waiting: int
    outside: int
    left_out: tuple[tuple[str, str], ...]
    resumed: bool = False

    @classmethod
    def of(cls, state: GatheringState, path: str | Path, resumed: bool) -> Gathered:
        counts = state.counts()
        return cls(
            path=os.fspath(path),
            documents=counts.get(STORED, 0),
            copies=counts.get(COPY, 0),
            asked=state.asked(),
            waiting=state.waiting(),
            outside=state.outside(),
            left_out=tuple(state.left_out()),
            resumed=resumed,
        )

    def rows(self) -> Rows:
        """Why pages were left out, the most frequent reason first, each with an example."""
        reasons = Counter(reason for _, reason in self.left_out)
        example = {reason: address for address, reason in reversed(self.left_out)}
        return [
            {"left out because": name, "pages": count, "such as": example[name]}
            for name, count in reasons.most_common()
        ]

    def display(self) -> Display:
        words = (
            f"{how_many(self.documents, 'document', 'documents')} in {self.path}, from "
            f"{how_many(self.asked, 'pages')} asked for; "
            f"{self.copies:,} copies, {len(self.left_out):,} left out, {self.waiting:,} waiting"
        )
        return Display.of([words], self.rows())


# What has been gathered so far, in one SQLite file: stopped work goes on from there.

GATHERING = WorkKind("gathering", "gathers", ".gathering", {"addresses": "other addresses"})
STORED, COPY, LEFT_OUT = "stored", "copy", "left out"
SCHEMA = """
CREATE TABLE pages (
    number INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, machine TEXT NOT NULL,
    depth INTEGER NOT NULL, turn INTEGER NOT NULL,
    outcome TEXT, asked INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '',
    final TEXT, title TEXT, text TEXT, digest BLOB, original INTEGER, outside INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX waiting ON pages (depth, turn, number) WHERE outcome IS NULL;
CREATE INDEX turns ON pages (machine, depth);
CREATE INDEX finals ON pages (final);
CREATE INDEX digests ON pages (digest);
"""


class WaitingPage(NamedTuple):
    """A page that is still to be asked for."""

    number: int
    address: str
    depth: int


@dataclass(frozen=True)
class PageVisit:
    """What became of a page: a text, or the page that has it already, or why there is none."""

    asked: bool = True
    final: str = ""
    title: str = ""
    text: str = ""
    original: int | None = None
    reason: str = ""
    links: tuple[str, ...] = ()
    outside: int = 0  # links that lead out of the folders


class GatheringState(Resumable):
    """The file; only one process can have it open."""

    kind = GATHERING

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(path)
        self._most = most

    def begin(self, settings: Mapping[str, Any], addresses: Iterable[str]) -> bool:
        """Start, or go on if that was done before with the same settings; whether it goes on."""
        with self.writing():
            resumed = self.resume(SCHEMA, settings)
            if not resumed:
                self._add(addresses, 0)
        return resumed

    def next_page(self) -> WaitingPage | None:
        """The page whose turn it is: those few links away first, and of those each host in turn."""
        row = self.base.execute(
            "SELECT number, address, depth FROM pages WHERE outcome IS NULL ORDER BY depth, turn, number LIMIT 1"
        ).fetchone()
        return None if row is None else WaitingPage(*row)

    def record(self, page: WaitingPage, visit: PageVisit) -> None:
        """Write down what became of a page, and the links that it adds."""
        with self.writing():
            digest = hashlib.sha256(visit.text.encode()).digest() if visit.text else None
            original = visit.original or self._holder("digest", digest)
            outcome = COPY if original else STORED if visit.text else LEFT_OUT
            kept = (visit.title, visit.text, digest) if outcome == STORED else (None, None, None)
            self.base.execute(
                "UPDATE pages SET outcome = ?, asked = ?, reason = ?, final = ?, title = ?, text = ?, digest = ?,"
                " original = ?, outside = ? WHERE number = ?",
                (outcome, visit.asked, visit.reason, visit.final, *kept, original, visit.outside, page.number),
            )
            self._add(visit.links, page.depth + 1)

    def holder_of(self, address: str) -> int | None:
        """The number of the page whose text was found at this address."""
        return self._holder("final", address)

    def _holder(self, column: str, value: object) -> int | None:
        found = self.base.execute(
            f"SELECT coalesce(original, number) FROM pages WHERE {column} = ? AND outcome IN (?, ?) LIMIT 1",
            (value, STORED, COPY),
        ).fetchone()
        return None if found is None else int(found[0])

    def _add(self, addresses: Iterable[str], depth: int) -> None:
        """New pages, numbered within their host; more than could ever be asked for are not kept."""
        known: dict[str, int] = {}
        for address in addresses:
            machine = machine_of(address)
            if machine not in known:
                found = self.base.execute(
                    "SELECT count(*) FROM pages WHERE machine = ? AND depth = ?", (machine, depth)
                )
                known[machine] = int(found.fetchone()[0])
            if known[machine] < self._most:
                known[machine] += self.base.execute(
                    "INSERT OR IGNORE INTO pages (address, machine, depth, turn) VALUES (?, ?, ?, ?)",
                    (address, machine, depth, known[machine]),
                ).rowcount

    def forget(self, numbers: Sequence[int]) -> None:
        """These pages are to be asked for again."""
        with self.writing():
            self.base.executemany(
                "UPDATE pages SET outcome = NULL, asked = 0, reason = '' WHERE number = ?",
                [(each,) for each in numbers],
            )

    def has_answered(self, machine: str) -> bool:
        found = self.base.execute(
            "SELECT 1 FROM pages WHERE machine = ? AND outcome = ? LIMIT 1", (machine, STORED)
        ).fetchone()
        return found is not None

    def asked(self) -> int:
        return int(self.base.execute("SELECT count(*) FROM pages WHERE asked").fetchone()[0])

    def waiting(self) -> int:
        """How many pages are still to be asked for, as far as is known."""
        return int(self.base.execute("SELECT count(*) FROM pages WHERE outcome IS NULL").fetchone()[0])

    def counts(self) -> dict[str, int]:
        rows = self.base.execute("SELECT outcome, count(*) FROM pages WHERE outcome IS NOT NULL GROUP BY outcome")
        return dict(rows.fetchall())

    def outside(self) -> int:
        """How many links led out of the folders."""
        return int(self.base.execute("SELECT coalesce(sum(outside), 0) FROM pages").fetchone()[0])

    def left_out(self) -> list[tuple[str, str]]:
        """Addresses without a document, and why."""
        return self.base.execute(
            "SELECT address, reason FROM pages WHERE outcome = ? ORDER BY depth, turn, number", (LEFT_OUT,)
        ).fetchall()

    def documents(self) -> Iterator[tuple[str, str, str, str, list[str]]]:
        """Address, title, text, where it was found in the end, and the addresses of copies."""
        copies: dict[int, list[str]] = {}
        for original, address in self.base.execute(
            "SELECT original, address FROM pages WHERE outcome = ? ORDER BY depth, turn, number", (COPY,)
        ):
            copies.setdefault(original, []).append(address)
        for number, *fields in self.base.execute(
            "SELECT number, address, title, text, final FROM pages WHERE outcome = ? ORDER BY depth, turn, number",
            (STORED,),
        ):
            yield (*fields, copies.get(number, []))

    def write_documents(self, path: str | Path) -> None:
        """The documents as Parquet, in the order they were found; equal pages give equal bytes."""
        table = pl.DataFrame(list(self.documents()), schema=COLUMNS, orient="row")
        with atomic(path, "wb") as file:
            table.write_parquet(file, metadata={DOCUMENTS_MARK: "1"})
