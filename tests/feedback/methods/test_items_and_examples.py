"""Items and examples: checks, scaling, what is derived once, sessions taken apart and put together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError, SettingError
from rankscope.feedback import Examples, Items, Scored, best
from rankscope.feedback.examples.items import Scaling
from tests.feedback.methods.drawn import drawn_from, numbers


def test_scaling_is_documented_and_serves_queries_too() -> None:
    rows = np.random.default_rng(0).normal(3, 2, (50, 4))
    rows[:, 3] = 7
    items = Items.of(rows, scaling="standardise")
    np.testing.assert_allclose(items.matrix.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(items.matrix.std(axis=0), [1, 1, 1, 0], atol=1e-12)
    np.testing.assert_allclose(items.scaling(rows[:2]), items.matrix[:2])
    lengths = np.linalg.norm(Items.of(rows, scaling="l2").matrix, axis=1)
    np.testing.assert_allclose(lengths, 1)
    assert np.isnan(items.scaling([[np.nan] * 4])).all()
    with pytest.raises(SettingError, match="did you mean 'standardise'"):
        Scaling.fitted("standardize", rows)  # type: ignore[arg-type]


def test_derived_numbers_are_those_of_numpy() -> None:
    rows = np.random.default_rng(1).normal(5, 1, (60, 3))
    items = Items.of(rows, dtype=np.float32)
    assert items.matrix.dtype == np.float32
    assert items.gamma == pytest.approx(1 / (3 * rows.var()), rel=1e-5)
    np.testing.assert_allclose(items.mean, rows.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(items.sd, rows.std(axis=0), rtol=1e-4)
    np.testing.assert_allclose(items.shift, rows.mean(axis=0), rtol=1e-5)
    assert not Items.of(rows - 5).shift.any()
    pairs = [np.linalg.norm(one - other) for one in rows for other in rows if one is not other]
    assert items.typical_distance == pytest.approx(np.mean(pairs) * 60 / 59, rel=0.05)
    assert Items.of(np.zeros((3, 2))).gamma == 1


def test_copies_know_the_first_of_their_kind() -> None:
    items = Items.of([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0], [-0.0, 5.0], [3.0, 3.0]])
    assert items.first_alike.tolist() == [0, 1, 0, 1, 4]
    assert items.copies.tolist() == [2, 3]


def test_every_item_has_one_aspect_of_each_feature() -> None:
    rows = np.random.default_rng(2).normal(size=(80, 3))
    aspects = Items.of(rows).aspects
    assert aspects.shape == (80, 12)
    assert (aspects.reshape(80, 3, 4).sum(axis=2) == 1).all()
    np.testing.assert_array_equal(aspects.sum(axis=0), 20)
    given = np.eye(80, 2, dtype=bool)
    assert Items.of(rows, aspects=given).aspects is not aspects
    assert Items.of(rows, aspects=given).aspects.shape == (80, 2)


def test_what_was_made_once_is_kept() -> None:
    items = drawn_from(0, 1).items
    assert items.neighbours(5) is items.neighbours(5)
    assert items.narrowest == 3
    assert items.sessions_at_once > 1000


@pytest.mark.parametrize("matrix", [[1, 2], [[np.nan, 1]], [["a"]], np.empty((0, 3))])
def test_what_is_no_table_of_numbers_is_an_error(matrix: object) -> None:
    with pytest.raises(InputError, match="table of finite numbers"):
        Items.of(matrix)  # type: ignore[arg-type]


def test_other_mistakes_in_items_are_errors() -> None:
    with pytest.raises(SettingError, match="float32 or float64"):
        Items.of([[1.0]], dtype=np.int64)
    with pytest.raises(InputError, match="aspects must be a table with 1 item"):
        Items.of([[1.0]], aspects=[[True], [False]])
    with pytest.raises(InputError, match="the log must be a table with 1 item on axis 1"):
        Items.of([[1.0]], log=[[1, 0]])


def test_examples_are_in_the_order_of_their_numbers_with_their_grades() -> None:
    examples = Examples.of([[5, 2], [1]], [[3], []], grades=[[3, 1], [2]], seeds=10)
    assert examples.positives.lists("item") == [[2, 5], [1]]
    assert examples.positives.lists("grade") == [[1, 3], [2]]
    assert examples.negatives.lists("grade") == [[-1], []]
    assert examples.seeds.tolist() == [10, 11]
    assert examples.without_negatives.tolist() == [False, True]
    first, second = examples
    assert first.examples.tolist() == [2, 5, 3]
    assert first.labels.tolist() == [1, 1, -1]
    assert (second.query, second.start, second.truth, second.around) == (None, None, None, None)


def test_taken_sessions_carry_all_they_know() -> None:
    examples = Examples.of(
        [[0], [1], [2]],
        queries=[[1.0, 0.0], [np.nan, np.nan], [0.0, 1.0]],
        start=np.arange(9.0).reshape(3, 3),
        truth=[[0, 1], [1], [2]],
        displays=[[([0, 1], [0])], [], [([2, 1], []), ([0], [0])]],
        log_rows=[[0], [], [1]],
        around=[1, 2, 3],
    )
    one = examples.take(numbers(2, 0))[0]
    assert one.query is not None
    assert one.start is not None
    assert one.truth is not None
    assert one.log_rows is not None
    assert one.query.tolist() == [0, 1]
    assert one.start.tolist() == [6, 7, 8]
    assert one.truth.tolist() == [2]
    assert [(shown.tolist(), picked.tolist()) for shown, picked in one.displays] == [
        ([2, 1], [False] * 2),
        ([0], [True]),
    ]
    assert one.log_rows.tolist() == [1]
    assert (one.around, one.seed) == (3, 2)
    assert examples[1].query is None
    assert examples.has_query.tolist() == [True, False, True]
    assert [len(part) for part in examples.batches(2)] == [2, 1]
    assert examples.judged(3).tolist() == [[True, True, False], [False, True, False], [True, True, True]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"positives": [[1, 2]], "negatives": [[2]]}, "session 0: item 2 is both a positive and a negative example"),
        ({"positives": [[], [4, 4]]}, "session 1: item 4 is an example twice"),
        ({"positives": [[-1]]}, "count from 0"),
        ({"positives": [[1]], "negatives": [[2], [3]]}, "1 lists of positives, but 2 of negatives"),
        ({"positives": [[1]], "grades": [[1, 2]]}, "one finite number for each example"),
        ({"positives": [[1]], "queries": [[1.0], [2.0]]}, "1 session needs 1 row of queries"),
        ({"positives": [[1]], "start": [np.nan]}, "start scores must be finite"),
        ({"positives": [[1]], "displays": [[([1], [2])]]}, "item 2 was picked but not shown"),
        ({"positives": [[1]], "around": [1, 2]}, "1 session needs 1 around"),
    ],
)
def test_examples_that_cannot_be_are_errors(given: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Examples.of(**given)  # type: ignore[arg-type]


def test_all_problems_of_the_examples_are_told_at_once() -> None:
    with pytest.raises(InputError) as told:
        Examples.of([[1], [2, 2]], [[1], []])
    assert "2 problems" in str(told.value)


def test_the_order_of_equal_scores_is_that_of_the_items() -> None:
    scored = Scored.plain(np.array([[0.5, 1.0, 0.5, np.nan, 1.0]]))
    assert scored.order().tolist() == [[1, 4, 0, 2, 3]]
    assert scored.order(2, leave_out=np.array([[False, True, False, False, False]])).tolist() == [[4, 0]]
    assert len(scored) == 1


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), k=st.integers(0, 45))
def test_the_first_few_are_the_start_of_the_whole_order(seed: int, k: int) -> None:
    chance = np.random.default_rng(seed)
    values = chance.integers(0, 6, (4, 40)).astype(np.float64)
    values[1] = np.nan
    out = chance.random((4, 40)) < 0.5
    for number, row in enumerate(best(values, k, out).tolist()):
        left = [each for each in range(40) if not out[number, each]]
        expected = sorted(left, key=lambda each: (-np.nan_to_num(values[number, each]), each))[:k]
        assert row == expected + [-1] * (k - len(expected))
