from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import InputError
from rankscope.inputs.run import Run

ROWS = [("0", "5", 0.0), ("0", "7", -1.0), ("1", "2", 0.0)]


@pytest.mark.parametrize(
    "items",
    [
        np.array([[5, 7], [2, -1]]),
        np.array([[5, 7], [2, -1]], dtype=np.int32),
        np.array([[5.0, 7.0], [2.0, -1.0]]),
        [["5", "7"], ["2", None]],
        [["5", "7"], ["2", -1]],
        [[5, "7"], [2, None]],
        np.array([["5", "7"], ["2", None]], dtype=object),
    ],
)
def test_the_order_counts_and_padding_is_skipped(items: Any) -> None:
    assert Run.from_matrix(items).table().rows() == ROWS


def test_scores_and_queries_may_be_given() -> None:
    scores = np.array([[0.5, np.inf], [-2.0, np.nan]], dtype=np.float32)
    run = Run.from_matrix([[5, 7], [2, -1]], scores, queries=["q", 3], name="faiss")
    assert run.table().rows() == [("q", "5", 0.5), ("q", "7", np.inf), ("3", "2", -2.0)]
    assert run.name == "faiss"


def test_a_score_that_is_no_number_is_named_with_its_row() -> None:
    with pytest.raises(InputError, match="row 2: score must be a number, got nan"):
        Run.from_matrix([[5, 7], [2, 3]], [[1, 2], [3, np.nan]]).table()


def test_text_minus_one_is_an_id() -> None:
    assert Run.from_matrix(np.array([["-1"]])).table().rows() == [("0", "-1", 0.0)]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (([1, 2],), "items must have two dimensions, got 1"),
        (([[1, 2], [3]],), "the rows of the items are not of equal length"),
        (([[1, 2]], [[1]]), r"items are \(1, 2\) and scores \(1, 1\)"),
        (([[1, 2]], None, ["a", "b"]), "there are items in 1 row but 2 queries"),
        (([[1], [2]], None, ["a", "a"]), "query a has two rows"),
        (([[1], [2]], None, ["a", None]), "query must be text or a whole number, got None"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments: tuple[Any, ...], what: str) -> None:
    with pytest.raises(InputError, match=what):
        Run.from_matrix(*arguments)


def test_an_empty_matrix_is_an_empty_run() -> None:
    assert Run.from_matrix(np.empty((0, 3), dtype=np.int64)).table().height == 0
    assert Run.from_matrix(np.full((2, 3), -1)).table().height == 0
