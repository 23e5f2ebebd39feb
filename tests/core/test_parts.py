"""Parts with digests, runners by name, and work that goes on where it was stopped."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core import runners
from rankscope.core.digests import digest_of
from rankscope.core.errors import MissingExtra, SettingError
from rankscope.core.parts import Home, PartsFolder, Runner, finish_parts
from rankscope.core.processes import Processes
from rankscope.core.runners import point_out, point_out_open_scheduler, runner_of
from rankscope.core.threads import in_threads, in_threads_of_one_core, stream_in_threads, with_threads
from rankscope.engines.nearest.blocks import ArraysForm, BlockRanks
from rankscope.feedback.study.study import ParquetForm
from rankscope.inputs.problems import Problems
from rankscope.ranks.parts.reduction import Arrays, NumbersForm
from rankscope.ranks.parts.work import PartFacts, PartRanks, RanksForm, SharedForm, SharedOut
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.reduction import reduce


@dataclass(frozen=True)
class Piece:
    number: int

    @property
    def digest(self) -> str:
        return digest_of({"number": self.number})


class TextForm:
    suffix = ".txt"

    def read(self, file: Path) -> str | None:
        text = file.read_text() if file.exists() else ""
        return text if text.endswith(".") else None

    def write(self, made: str, stream: BinaryIO) -> None:
        stream.write(made.encode())


PIECES = [Piece(number) for number in range(7)]


def written(shared: str, piece: Piece) -> str:
    return f"{shared}{piece.number}."


class Stops(Runner):
    """Does three parts and is stopped."""

    name, summary = "stops", ""

    def map(self, work, shared, parts):  # type: ignore[no-untyped-def]
        for part in parts[:3]:
            yield part, work(shared, part)
        raise KeyboardInterrupt


@pytest.mark.parametrize("runner", [Home(), Processes(2), Processes(2, patience=60.0)], ids=str)
def test_the_result_does_not_depend_on_where_parts_run(runner: Runner) -> None:
    expected = {piece.digest: f"x{piece.number}." for piece in PIECES}
    assert finish_parts(written, "x", PIECES, runner) == expected


def test_work_that_was_stopped_goes_on_where_it_was_with_another_runner(tmp_path: Path) -> None:
    folder, seen = PartsFolder(tmp_path / "work", TextForm()), list[float]()
    with pytest.raises(KeyboardInterrupt), folder.open():
        finish_parts(written, "x", PIECES, Stops(), folder)
    kept = sorted((tmp_path / "work").iterdir())
    assert len(kept) == 3
    kept[0].write_text("half")  # a damaged part is made anew
    with folder.open():
        result = finish_parts(written, "x", PIECES, Processes(2), folder, seen.append)
    assert result == finish_parts(written, "x", PIECES, Home())
    assert len(seen) == len(PIECES) - 2
    assert seen[-1] == 1.0
    assert not (tmp_path / "work").exists()


def test_a_part_that_does_not_fit_is_made_anew(tmp_path: Path) -> None:
    folder = PartsFolder(tmp_path / "work", TextForm())
    with folder.open():
        assert folder.kept("a", lambda: "one.") == "one."
        assert folder.kept("a", lambda: "two.") == "one."
        assert folder.kept("a", lambda: "two.", lambda text: text == "two.") == "two."
        assert folder.reused == 1


@dataclass(frozen=True)
class Numbers:
    numbers: np.ndarray[Any, Any]

    def to_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        return {"numbers": self.numbers}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray[Any, Any]]) -> Self:
        return cls(arrays["numbers"])


LISTS = Ragged.of([[1], [2, 3]], "item")
FACTS = PartFacts(Problems("bm25"), rows=3, file=(0, "bm25"), digests={"bm25": (3, "ab")})
RANKS = reduce({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, keep_scores=True)
FORMS: list[tuple[Any, Any]] = [
    (RanksForm(), PartRanks(RANKS, FACTS)),
    (NumbersForm(), Arrays({"before": np.arange(3), "depth": np.ones(2)}, FACTS, ["q"])),
    (SharedForm(), SharedOut([[]], [3], FACTS, "row")),
    (ArraysForm(Numbers), Numbers(np.arange(3))),
    (ArraysForm(BlockRanks), BlockRanks(np.arange(2), LISTS, LISTS, np.ones(2, np.int64), None)),
    (ParquetForm(), pl.DataFrame({"method": ["svm", "svm"], "AP": [0.25, 0.5]})),
]


@pytest.mark.parametrize(("form", "result"), FORMS, ids=[type(form).__name__ for form, _ in FORMS])
def test_a_part_in_a_damaged_file_counts_as_not_there(form: Any, result: Any, tmp_path: Path) -> None:
    path, chance = tmp_path / f"part{form.suffix}", random.Random(0)
    assert form.read(path) is None
    with path.open("wb") as stream:
        form.write(result, stream)
    whole = path.read_bytes()
    assert type(form.read(path)) is type(result)
    for length in (0, 1, *range(4, len(whole), len(whole) // 16)):
        path.write_bytes(whole[:length])
        assert form.read(path) is None, length
    for _ in range(300):  # a bit flipped, or some bytes gone: the part or none, never an error
        place, damaged = chance.randrange(len(whole)), bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        for data in (bytes(damaged), whole[:place] + whole[place + chance.randrange(1, 40) :]):
            path.write_bytes(data)
            assert isinstance(form.read(path), type(result) | None)


@given(st.dictionaries(st.text(), st.integers()))
def test_equal_work_has_equal_names_in_whatever_order_it_is_described(about: dict[str, int]) -> None:
    assert digest_of(about) == digest_of(dict(reversed(about.items())))
    assert digest_of(about) != digest_of({**about, "more": 0}) or "more" in about


def test_runners_are_known_by_name() -> None:
    assert (runner_of("home"), runner_of("processes"), runner_of("processes:3")) == (Home(), Processes(), Processes(3))
    assert runner_of(Processes(2)) == Processes(2)
    assert all(each.name in runners.RUNNER_FORMS and each.summary for each in runners.RUNNERS)


@pytest.mark.parametrize(
    ("on", "package", "extra"), [("dask", "distributed", "distributed"), ("spark", "pyspark", "spark")]
)
def test_without_the_extra_it_is_said_what_to_install(
    on: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'rankscope\[{extra}\]'"):
        runner_of(on)


@pytest.mark.parametrize(
    ("address", "told"), [("dask://10.0.0.7:1", 1), ("dask://localhost:1", 0), ("tls://10.0.0.7:1", 0)]
)
def test_an_open_scheduler_on_a_network_is_pointed_out_once(
    address: str, told: int, capsys: pytest.CaptureFixture[str]
) -> None:
    point_out.cache_clear()
    for _ in range(2):
        point_out_open_scheduler(address)
    assert capsys.readouterr().err.count(f"! {address} is open") == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hom", "did you mean 'home'"),
        ("home:2", "on='home:2': must be home, processes:N, dask://HOST:PORT"),
        ("ssh://me:secret@host", "^on: must be home"),
        ("processes:two", "whole number of processes"),
        ("processes:0", "count=0: must be a whole number of at least 1"),
    ],
)
def test_what_is_no_runner_is_refused(text: str, told: str) -> None:
    with pytest.raises(SettingError, match=told):
        runner_of(text)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_give_results_in_the_order_of_the_parts(threads: int) -> None:
    parts = list(range(100))
    with with_threads(threads):
        assert in_threads(str, parts) == [str(part) for part in parts]
    assert list(stream_in_threads(str, iter(parts), threads)) == [str(part) for part in parts]
    assert in_threads_of_one_core(str, parts, threads) == [str(part) for part in parts]


def test_a_stream_takes_parts_only_as_results_are_taken() -> None:
    taken: list[int] = []
    stream = stream_in_threads(abs, (taken.append(part) or part for part in range(1000)), threads=1)  # type: ignore[func-returns-value]
    next(stream)
    assert len(taken) < 20
    stream.close()  # type: ignore[attr-defined]
