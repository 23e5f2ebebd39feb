"""A pool of forked processes after polars ran in the parent says what to do, and does not hang."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import multiprocessing
import rankscope

def work(_):
    return rankscope.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}, ["AP"])["AP"]

def attempt(number):
    try:
        return work(number)
    except rankscope.core.errors.RankscopeError as error:
        return str(error)

if __name__ == "__main__":
    WORK
    with multiprocessing.get_context("METHOD").Pool(2) as pool:
        print(set(pool.map(attempt, range(3))))
"""


def output(method: str, first: str = "work(0)") -> str:
    program = PROGRAM.replace("METHOD", method).replace("WORK", first)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_fork_after_polars_ran_is_an_error_that_says_what_to_do() -> None:
    said = output("fork", first="""rankscope.evaluate({"q": {"a": "1"}}, {"q": {"a": "1.0"}}, ["AP"])""")
    assert "polars ran before this process was forked" in said
    assert "get_context('spawn')" in said


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads have no names to look at")
def test_a_fork_before_polars_ran_works() -> None:
    assert output("fork", first="pass") == "{1.0}"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads have no names to look at")
def test_a_fork_after_plain_dictionaries_works_for_they_need_no_polars() -> None:
    assert output("fork") == "{1.0}"


def test_every_way_to_polars_asks_first(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    from rankscope import evaluate, load_ranks
    from rankscope.core import caching
    from rankscope.core.errors import ForkError
    from rankscope.inputs.feature_files import read_features
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run
    from rankscope.inputs.side_tables import read_classes

    monkeypatch.setattr(caching._ForkState, "forked", True)
    with open(f"{tmp_path}/a.parquet", "wb") as file:
        file.write(b"PAR1")
    for ask in (
        lambda: evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP"),
        lambda: load_ranks("x.ranks.parquet"),
        lambda: Qrels.of({"q": {"a": 1}}),
        lambda: Run.of({"q": {"a": 1.0}}),
        lambda: Run.from_matrix([[1]]),
        lambda: read_classes("x.csv"),
        lambda: read_features(f"{tmp_path}/a.parquet"),
    ):
        with pytest.raises(ForkError):
            ask()
