"""Spark on this machine with two cores: the same results, and errors as themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankscope.core.errors import RankscopeError, RunnerError
from rankscope.core.parts import Home, finish_parts
from rankscope.core.runners import Spark, runner_of
from tests.core.test_errors_travel import check_equal
from tests.core.works import (
    ERRORS,
    Numbered,
    cores_of_a_part,
    doubled,
    ending,
    failing,
    failing_at_first,
    failing_otherwise,
    named,
)
from tests.needs import needed_module
from tests.sparks import local_spark

needed_module("pyspark", "spark")
pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[Any]:
    with local_spark() as running:
        yield running


def test_every_part_is_done_and_equal_parts_too() -> None:
    assert sorted(Spark().map(doubled, 10, [1, 2, 3, 2])) == [(1, 10), (2, 20), (2, 20), (3, 30)]
    assert list(Spark().map(doubled, 10, [])) == []


def test_parts_with_digests_give_what_they_give_at_home() -> None:
    parts = [Numbered(number) for number in range(20)]
    assert finish_parts(named, "x", parts, runner_of("spark")) == finish_parts(named, "x", parts, Home())


@pytest.mark.parametrize("name", ERRORS)
def test_a_part_fails_with_its_own_error(name: str) -> None:
    with pytest.raises(RankscopeError) as raised:
        list(Spark().map(failing, None, [name, name]))
    check_equal(raised.value, ERRORS[name])


def test_other_errors_are_themselves_once_they_happened_four_times(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="part 7") as raised:
        list(Spark().map(failing_otherwise, None, [7]))
    assert "in failing_otherwise" in "".join(raised.value.__notes__)
    assert sorted(Spark().map(failing_at_first, str(tmp_path), [1, 2])) == [(1, 1), (2, 2)]
    assert len(list(tmp_path.iterdir())) == 6


def test_a_part_has_one_core() -> None:
    assert list(Spark().map(cores_of_a_part, None, [1])) == [(1, (1, 1))]


def test_a_part_that_ends_its_worker_ends_the_work() -> None:
    with pytest.raises(RunnerError, match="Spark gave up: "):
        list(Spark().map(ending, None, [1]))


def test_work_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import rankscope

    there = rankscope.__version__
    monkeypatch.setattr(rankscope, "__version__", "0.0.9")
    with pytest.raises(RunnerError, match=f"a worker has rankscope {there}, but it is 0.0.9 here"):
        list(Spark().map(doubled, 10, [1]))


def test_the_session_that_was_there_stays(session: Any) -> None:
    list(Spark().map(doubled, 10, [1]))
    assert session.range(3).count() == 3
