"""Property tests try the same examples every time; `python -m benchmarks explore` tries others and says what to add."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks import explore

ROOT = Path(__file__).parents[1]
SEEN: list[list[int]] = []
TESTS = """
from hypothesis import given, settings, strategies as st

@given(st.lists(st.integers()))
@settings(max_examples=1)
def test_needs_many_examples(values):
    assert len(values) < 3

@given(st.data())
def test_draws_within(data):
    assert data.draw(st.integers()) < 100

@given(st.integers())
def test_holds(value):
    assert value == value

def test_is_no_property():
    assert False
"""


@given(st.lists(st.integers()))
@settings(max_examples=5)
def numbers(values: list[int]) -> None:
    SEEN.append(values)


def test_the_same_examples_come_every_time_however_slow_the_machine() -> None:
    rules = settings()
    assert (rules.derandomize, rules.database, rules.deadline) == (True, None, None)
    assert HealthCheck.too_slow in rules.suppress_health_check
    numbers()
    first = [*SEEN]
    SEEN.clear()
    numbers()
    assert first == SEEN


def test_no_test_draws_without_a_seed_or_fails_for_want_of_speed() -> None:
    """Own lists of what hypothesis leaves alone replace that of the profile, so each names it again."""
    unseeded = re.compile(r"default_rng\(\)|Random\(\)|\burandom\(|\buuid[14]\(|(?<![\w.])hash\((?!again|measure|RBP)")
    slow = re.compile(r"suppress_health_check=(?!list\()(?![^\]]*too_slow)")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path != Path(__file__)
        for match in re.finditer(f"{unseeded.pattern}|{slow.pattern}", path.read_text(encoding="utf-8"))
    ]
    assert not found


@pytest.mark.thorough
def test_exploring_shows_each_failure_as_an_example_to_add(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_some.py").write_text(TESTS)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    words = ["--seed", "5", "--times", "100", "--workers", "0", str(tmp_path)]
    assert explore.main(words) == 1
    shown = capfd.readouterr().out
    assert shown.startswith("seed 5. To try the same again: python -m benchmarks explore --seed 5 --times 100 ")
    assert "@example(\n    values=[0, 0, 0],\n)" in shown
    assert "Draw 1: 100" in shown
    assert "2 failed, 1 passed, 1 deselected" in shown
    assert explore.main(["--minutes", "0", *words]) == 0
    assert "3 property tests were not reached: give more --minutes" in capfd.readouterr().out
