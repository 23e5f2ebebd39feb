"""Holidays: groups by number, and the official result file."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankscope
from rankscope.core.errors import InputError
from rankscope.inputs.collections.collection import load
from rankscope.inputs.collections.pictures import read_holidays_result
from tests.data import data_folder


def official_ap(ranks: list[int], relevant: int) -> float:
    """The official rule: ranks from 0 of the positives found, the query taken out; trapezoids from precision 1."""
    total = 0.0
    for found, rank in enumerate(ranks):
        before = 1.0 if rank == 0 else found / rank
        total += (before + (found + 1) / (rank + 1)) / 2 / relevant
    return total


def test_the_real_result_scores_what_is_known_of_it() -> None:
    folder = data_folder("holidays")
    collection = load("holidays", folder)
    assert (len(collection), len(collection.queries)) == (1491, 500)
    assert sorted({len(each.relevant) for each in collection.truth})[-1] == 12
    scores = rankscope.evaluate(
        collection.qrels,
        read_holidays_result(folder / "vlad_result.dat"),
        list(collection.measures),
        junk=collection.junk,
    )
    assert round(scores["AP(area=oxford)"], 4) == 0.6892


def test_the_real_result_scores_as_the_official_rule_written_again() -> None:
    folder = data_folder("holidays")
    total = 0.0
    names = (folder / "holidays_images.dat").read_text().split()
    lines = [line.split() for line in (folder / "vlad_result.dat").read_text().splitlines()]
    for query, *rest in lines:
        ranked = [name for _, name in sorted(zip(map(int, rest[::2]), rest[1::2], strict=True)) if name != query]
        mates = [name for name in names if name[:4] == query[:4] and name != query]
        total += official_ap([rank for rank, name in enumerate(ranked) if name in mates], len(mates))
    collection = load("holidays", folder)
    scores = rankscope.evaluate(
        collection.qrels, read_holidays_result(folder / "vlad_result.dat"), collection.measures, junk=collection.junk
    )
    assert scores["AP(area=oxford)"] == pytest.approx(total / len(lines), abs=1e-12)


def test_the_query_is_not_counted_wherever_it_stands(tmp_path: Path) -> None:
    (tmp_path / "holidays_images.dat").write_text("100000.jpg\n100001.jpg\n100100.jpg\n100101.jpg\n")
    (tmp_path / "mine.dat").write_text(
        "100000.jpg 1 100001.jpg 0 100000.jpg\n\n100100.jpg 0 100000.jpg 1 100100.jpg 2 100101.jpg\n"
    )
    collection = load("holidays", tmp_path)
    run = read_holidays_result(tmp_path / "mine.dat")
    assert run.name == "mine"
    scores = rankscope.evaluate(
        collection.qrels, run, ["AP(area=oxford)", "P@1"], junk=collection.junk, collection_size=4
    )
    assert scores["AP(area=oxford)"] == pytest.approx((1 + (0 + 1 / 2) / 2) / 2)
    assert scores["P@1"] == 0.5


def test_names_may_come_from_the_photos(tmp_path: Path) -> None:
    (tmp_path / "jpg").mkdir()
    for name in ("100001.jpg", "100000.jpg", "100100.jpg", "notes.jpg"):
        (tmp_path / "jpg" / name).touch()
    collection = load("holidays", tmp_path)
    assert collection.ids == ("100000.jpg", "100001.jpg", "100100.jpg")
    assert collection.queries == ("100000.jpg",)
    assert collection.paths is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("100000.jpg 0 a.jpg 1\n", "line 1: must read: query rank name"),
        ("100000.jpg x a.jpg\n", "line 1: must read: query rank name"),
        ("a.jpg 0 b.jpg\na.jpg 0 c.jpg\n", "line 2: query a.jpg was answered before"),
        ("\n", "holds no rankings"),
    ],
)
def test_a_result_that_cannot_be_read_is_refused(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "bad.dat").write_text(text)
    with pytest.raises(InputError, match=told):
        read_holidays_result(tmp_path / "bad.dat")
