"""What comes of a part: the ranks of its judged queries, and what is known of the rows that it read."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from rankscope.errors import InputError, Problem
from rankscope.inputs.checks import Problems
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import about_ranks, ranks_from_frame, ranks_to_frame, read_frame, write_frame


@dataclass
class PartFacts:
    """What is known of rows that were read: how many, their tag, whether they have scores, and what is wrong."""

    problems: Problems
    rows: int = 0
    tag: str = ""
    gives_scores: bool = True
    file: tuple[int, str] | None = None  # number and name of the file that was read
    occur: bool = False  # as `Found` has it
    digests: dict[str, tuple[int, str]] = field(default_factory=dict)  # size and SHA-256 of files read whole, by name

    def to_data(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {**asdict(self), "problems": problems_to_data(self.problems)}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> PartFacts:
        """From what `to_data` gave."""
        digests = {name: (int(size), str(digest)) for name, (size, digest) in data["digests"].items()}
        file = None if data["file"] is None else tuple(data["file"])
        return cls(**{**data, "problems": problems_from_data(data["problems"]), "digests": digests, "file": file})

    @classmethod
    def join(cls, parts: Iterable[PartFacts], place: str) -> PartFacts:
        """Those of all parts, in the order of the parts."""
        whole = cls(Problems(place))
        for part in parts:
            whole.problems.take_over(part.problems)
            whole.rows += part.rows
            whole.tag = part.tag or whole.tag
            whole.gives_scores = whole.gives_scores and part.gives_scores
            whole.occur = whole.occur or part.occur
            whole.digests |= part.digests
        return whole


def problems_to_data(problems: Problems) -> dict[str, Any]:
    """Problems as JSON can hold them."""
    listed = {
        name: [[order, each.place, each.what] for order, each in getattr(problems, name)]
        for name in ("kept", "followers")
    }
    alike = {what: [count, order, first.place, first.what] for what, (count, order, first) in problems.alike.items()}
    return {**listed, "source": problems.source, "advice": problems.advice} | {
        "count": problems.count,
        "following": problems.following,
        "alike": alike,
    }


def problems_from_data(data: dict[str, Any]) -> Problems:
    """Problems from what `problems_to_data` gave.

    >>> problems = Problems("bm25.run")
    >>> problems.add("line 3", "is bad", order=3)
    >>> problems.add_alike("duplicates", "query q1", "item 'a'", order=4)
    >>> problems_from_data(problems_to_data(problems)) == problems
    True
    """
    listed = {
        name: [(order, Problem(place, what)) for order, place, what in data[name]] for name in ("kept", "followers")
    }
    alike = {
        what: (count, order, Problem(place, first)) for what, (count, order, place, first) in data["alike"].items()
    }
    return Problems(**{**data, **listed, "alike": alike})


@dataclass
class PartRanks:
    """The ranks of the judged queries among the rows of a part, and the facts about them.

    `scattered`: queries were not whole and too many rows to be gathered, so that nothing was ranked.
    """

    ranks: RelevantRanks | None
    facts: PartFacts
    scattered: bool = False

    def to_bytes(self) -> bytes:
        """As a Parquet file; equal results give equal bytes."""
        file = io.BytesIO()
        self.write(file)
        return file.getvalue()

    def write(self, file: BinaryIO) -> None:
        """As a Parquet file."""
        own = {"part": self.facts.to_data(), "scattered": self.scattered}
        if self.ranks is None:
            write_frame(pl.DataFrame({"query": pl.Series([], dtype=pl.String)}), own, file)
        else:
            write_frame(ranks_to_frame(self.ranks), {**about_ranks(self.ranks), **own}, file)

    @classmethod
    def from_bytes(cls, data: bytes) -> PartRanks:
        """From what `to_bytes` gave; a damaged file is an `InputError`."""
        frame, about = read_frame(data, Problems("part"))
        ranks = ranks_from_frame(frame, about) if "schema" in about else None
        return cls(ranks, PartFacts.from_data(about["part"]), about["scattered"])


class RanksForm:
    """Results of parts in files; what cannot be read counts as not there."""

    suffix = ".parquet"

    def read(self, file: Path) -> PartRanks | None:
        """The result in a file; None where there is none that is whole."""
        try:
            return PartRanks.from_bytes(file.read_bytes())
        except (OSError, InputError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError):
            return None

    def write(self, result: PartRanks, stream: BinaryIO) -> None:
        """Write a result."""
        result.write(stream)
