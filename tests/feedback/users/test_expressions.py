from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import SettingError
from rankscope.feedback.users.topics import And, Expression, HasLabel, Not, Or, parse_expression

HAVE = {
    "flower": np.array([1, 1, 1, 0, 0, 0], np.bool_),
    "red": np.array([1, 1, 0, 1, 0, 0], np.bool_),
    "sky": np.array([1, 0, 0, 0, 1, 0], np.bool_),
    "tea cup": np.array([0, 0, 0, 0, 0, 1], np.bool_),
}


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("flower and red and not sky", [1]),
        ("flower AND red AND sky", [0]),
        ("flower or sky and red", [0, 1, 2]),
        ("(flower or sky) and not red", [2, 4]),
        ("not not flower", [0, 1, 2]),
        ("'tea cup' or sky", [0, 4, 5]),
        ('not (flower or "tea cup")', [3, 4]),
    ],
)
def test_an_expression_is_true_of_these_items(text: str, items: list[int]) -> None:
    assert np.flatnonzero(parse_expression(text).of(HAVE)).tolist() == items


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "a label is missing before the end"),
        ("flower and", "a label is missing before the end"),
        ("and flower", "a label is missing before 'and'"),
        ("flower red", "'and' or 'or' is missing before 'red'"),
        ("(flower", "a bracket is not closed before the end"),
        ("flower)", "'and' or 'or' is missing before ')'"),
        ("'flower", "a quote is not closed"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(SettingError, match=told.replace("(", r"\(").replace(")", r"\)")):
        parse_expression(text)


def test_an_unknown_label_gets_a_suggestion() -> None:
    with pytest.raises(SettingError, match="did you mean 'flower'"):
        parse_expression("red and flwer").of(HAVE)


def test_gains_are_the_share_of_the_parts_that_are_true() -> None:
    assert parse_expression("flower and red and not sky").gains(HAVE) == pytest.approx(
        [2 / 3, 1, 2 / 3, 2 / 3, 0, 1 / 3]
    )


leaves = st.sampled_from([HasLabel(name) for name in HAVE])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=8,
)


@given(trees)
def test_what_is_written_is_read_as_the_same(tree: Expression) -> None:
    again = parse_expression(str(tree))
    assert np.array_equal(again.of(HAVE), tree.of(HAVE))
    assert again.labels == tree.labels


@given(trees)
def test_full_gain_is_truth(tree: Expression) -> None:
    assert np.array_equal(tree.gains(HAVE) >= 1 - 1e-12, tree.of(HAVE))
