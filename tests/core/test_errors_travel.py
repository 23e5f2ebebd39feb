"""Errors of rankscope come back from wherever a part ran as what they were, with all their facts."""

from __future__ import annotations

import pickle

import pytest

from rankscope.core.errors import RankscopeError
from rankscope.core.parts import Home, Runner
from rankscope.core.processes import Processes
from tests.core.works import ERRORS, failing


def check_equal(found: BaseException, expected: RankscopeError) -> None:
    assert type(found) is type(expected)
    assert str(found) == str(expected)
    facts = {name: value for name, value in vars(found).items() if name != "__notes__"}
    assert facts == vars(expected)


def every_kind(kind: type[RankscopeError] = RankscopeError) -> set[type[RankscopeError]]:
    return {kind}.union(*(every_kind(each) for each in kind.__subclasses__()))


def test_no_kind_that_needs_more_than_a_message_is_forgotten() -> None:
    own = {each for each in every_kind() if "__init__" in vars(each) and each.__module__ == "rankscope.errors"}
    assert own <= {type(each) for each in ERRORS.values()}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_the_same_after_it_was_packed(name: str) -> None:
    check_equal(pickle.loads(pickle.dumps(ERRORS[name])), ERRORS[name])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("runner", [Home(), Processes(2)], ids=str)
def test_a_part_fails_with_its_own_error(runner: Runner, name: str) -> None:
    with pytest.raises(RankscopeError) as raised:
        list(runner.map(failing, None, [name, name]))
    check_equal(raised.value, ERRORS[name])
