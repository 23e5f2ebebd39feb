"""What the tests of inputs share: files made on the spot, and the text of the error that reading them gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from rankscope.core.errors import InputError
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run

Make = Callable[[str, bytes | str], Path]

ODD_IDS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(
        ["#1", "a,b", 'say "x"', "a b", "tab\there", "é", "漢字", "a;b", "'", "0", "-1", "x" * 3000, "\u2028"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12),
)
TREC_IDS = ODD_IDS.filter(lambda text: not set(text) & set(" \t\n\v\f\r") and text[0] not in "#\ufeff")
SCORES = st.floats(allow_nan=False, width=64)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
GRADES = st.one_of(st.integers(-2, 4).map(float), st.floats(-10, 10))


def rows(
    ids: st.SearchStrategy[str], values: st.SearchStrategy[float]
) -> st.SearchStrategy[list[tuple[str, str, float]]]:
    """Rows of a run or of judgements, no item twice."""
    row = st.tuples(ids, ids, values)
    return st.lists(row, min_size=1, max_size=8, unique_by=lambda each: each[:2])


def run_of(given: list[tuple[str, str, float]]) -> Run:
    """A run from rows."""
    return Run.of(tuple([row[column] for row in given] for column in range(3)), name="mine")


def qrels_of(given: list[tuple[str, str, float]]) -> Qrels:
    """Judgements from rows."""
    return Qrels.of(tuple([row[column] for row in given] for column in range(3)))


def run_rows(path: Path | str, reading: Reading | None = None) -> list[tuple[Any, ...]]:
    """The rows of a run file."""
    return Run.of(path, reading).table().rows()


def run_error(path: Any, reading: Reading | None = None) -> str:
    """What reading a run says is wrong."""
    with pytest.raises(InputError) as caught:
        Run.of(path, reading).table()
    return str(caught.value)


def qrels_error(path: Any, reading: Reading | None = None) -> str:
    """What reading judgements says is wrong."""
    with pytest.raises(InputError) as caught:
        Qrels.of(path, reading)
    return str(caught.value)
