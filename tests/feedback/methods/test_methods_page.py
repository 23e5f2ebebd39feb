"""The page on methods that reviews name: its worked values are those of the code, and no method is left out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from rankscope.feedback import Examples
from rankscope.feedback.methods import METHODS, MeanVersionSpace
from tests.feedback.methods.drawn import numbers
from tests.feedback.methods.test_properties import FROM_REVIEWS
from tests.feedback.methods.worked import SIX, TOY, check, toy_scores

PAGE = (Path(__file__).parents[3] / "docs" / "explanation" / "feedback-methods.md").read_text(encoding="utf-8")
WORKED = re.findall(r"^- `([^`]+)`, P ([\d ]+), N ([\d ]+): (.+)$", PAGE, re.M)
LOGGED = SIX.with_log([[1, 0, 0, 0, -1, 1], [-1, 0, 1, 1, 0, 0], [0, 1, -1, 0, 0, 1]])
MEASURED = re.findall(
    r"^\| ((?:ciocca|multi|picsom|svm|active|mean)[^|]*) \| 0(\.\d+) \|$",
    (Path(__file__).parents[3] / "docs" / "performance.md").read_text(encoding="utf-8"),
    re.M,
)
LOOSE = {"kernel-updating": 1e-4}  # the tolerance of libsvm


def _places(text: str) -> list[int]:
    return [int(each) - 1 for each in text.split()]


@pytest.mark.parametrize(("method", "good", "bad", "values"), WORKED, ids=[each[0] for each in WORKED])
def test_a_worked_value_of_the_page_is_what_the_method_says(method: str, good: str, bad: str, values: str) -> None:
    kind = METHODS.parse(method)
    expected = [float(each) for each in values.split(",")]
    examples = Examples.single(_places(good), _places(bad))
    check(toy_scores(kind, examples, LOGGED), *expected, within=LOOSE.get(kind.name, 6e-7))


def test_every_method_from_the_reviews_has_a_worked_value() -> None:
    assert {METHODS.parse(each[0]).name for each in WORKED} | {"mean-version-space"} == set(FROM_REVIEWS)


def test_what_the_page_says_was_found_is_what_the_benchmark_wrote() -> None:
    assert len(MEASURED) == 11
    assert [each for each in MEASURED if each[1] not in PAGE] == []


def test_the_typical_distance_and_the_mean_margins_are_those_of_the_page() -> None:
    assert f"here {SIX.typical_distance:.6f}" in PAGE
    method = MeanVersionSpace(gamma=0.5)
    scored = method.scores(SIX, TOY)
    margins = method.mean_margins(SIX, TOY[0], numbers(2, 3, 5), scored.values[0, [2, 3, 5]])
    assert ", ".join(f"{each:.6f}"[1:] for each in margins[:2]) + f" and {margins[2]:.6f}".replace(" 0.", " .") in PAGE
    assert method.query(SIX, TOY, scored, 2).tolist() == [[5, 2]]


def test_mean_margins_are_those_of_machines_trained_anew() -> None:
    from sklearn.svm import SVC

    method = MeanVersionSpace(gamma=0.5)
    values = method.scores(SIX, TOY).values[0]
    for item in (2, 3, 5):
        margins = []
        for side in (1, -1):
            machine = SVC(C=10, gamma=0.5, tol=1e-6).fit(SIX.matrix[[0, 1, 4, item]], [1, 1, -1, side])
            support, weights = machine.support_vectors_, machine.dual_coef_[0]
            squared = np.square(support[:, None] - support).sum(axis=2)
            margins.append(1 / np.sqrt(weights @ np.exp(-0.5 * squared) @ weights))
        chance = 1 / (1 + np.exp(-values[item]))
        expected = chance * margins[0] + (1 - chance) * margins[1]
        found = method.mean_margins(SIX, TOY[0], numbers(item), values[[item]])
        np.testing.assert_allclose(found, expected, rtol=2e-3)
