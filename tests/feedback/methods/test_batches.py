"""Many sessions at once give what each gives alone, and what the formulas say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from rankscope.feedback import Method, TwoSided
from tests.feedback.methods.drawn import METHODS, drawn_for, numbers, seeds
from tests.feedback.methods.reference import FORMULAS, query_point

APART = {"biased-svm", "boosting", "log-based-svm", "dba", "text-rm3", "text-rocchio"}  # tested in a file of their own
CONTROLS = {"no-feedback", "random", "all-labels", "ideal"}
LOOSE = {
    "svm": 1e-3,
    "active-svm": 1e-3,
    "retin": 1e-3,
    "mean-version-space": 1e-3,
    "kernel-updating": 1e-3,
    "one-class-svm": 1e-4,
}  # the tolerance of libsvm


def test_every_method_has_its_formula_written_apart() -> None:
    assert set(FORMULAS) | APART | CONTROLS == {method.name for method in METHODS}


@pytest.mark.sampled(16)
@pytest.mark.parametrize("method", METHODS, ids=str)
@settings(max_examples=8)
@given(seed=seeds())
def test_sessions_do_not_disturb_each_other(method: Method, seed: int) -> None:
    drawn = drawn_for(method, seed, sessions=7)
    together = method.scores(drawn.items, drawn.examples)
    for number in range(7):
        alone = method.scores(drawn.items, drawn.examples.take(numbers(number)))
        assert alone.flags == together.flags[number : number + 1]
        assert alone.failed == together.failed[number : number + 1]
        np.testing.assert_allclose(alone.values[0], together.values[number], rtol=1e-8, atol=1e-8)


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", FORMULAS)
@settings(max_examples=8)
@given(seed=seeds())
def test_a_batch_is_what_the_formula_says_of_each_session(name: str, seed: int) -> None:
    method = next(each for each in METHODS if each.name == name)
    drawn = drawn_for(method, seed, sessions=5)
    scored = method.scores(drawn.items, drawn.examples)
    for number, session in enumerate(drawn.examples):
        falls_back = isinstance(method, TwoSided) and not session.negatives.size
        if scored.failed[number]:
            assert "all weights are 0" in scored.failed[number]
            continue
        expected = (query_point if falls_back else FORMULAS[name])(drawn.items, session)
        slack = LOOSE.get(name, 1e-7) * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(scored.values[number], expected, rtol=0, atol=slack)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_single_precision_is_right_to_four_digits(method: Method) -> None:
    from dataclasses import replace

    drawn = drawn_for(method, seed=3, sessions=6, plain=True)
    rough = replace(drawn.items, matrix=drawn.items.matrix.astype(np.float32), _made={})
    fine, coarse = (method.scores(items, drawn.examples) for items in (drawn.items, rough))
    assert coarse.values.dtype == np.float64
    assert fine.failed == coarse.failed
    both = np.isfinite(fine.values)
    scale = np.abs(fine.values[both]).max()
    np.testing.assert_allclose(coarse.values[both], fine.values[both], rtol=0, atol=2e-3 * scale)
