"""Property tests with fresh seeds: `make test` tries the same examples every time, this tries others, and more of them.

    python -m benchmarks explore [--seed NUMBER] [--times NUMBER] [--minutes NUMBER] [PATH...]

A failure is shown with its example as a decorator to add to the test, so that every later run tries it; where a test
draws within itself, with what it drew and the line that repeats it. The order of the files follows from the seed: what
is not reached in time is another part each time. pytest loads this module as a plugin.
"""

from __future__ import annotations

import argparse
import random
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Generator

import pytest
from hypothesis import settings

MINUTES = 10.0
TIMES = 5
TO_ADD = "to add to this test"
NOT_REACHED = "not reached in time"


def main(words: list[str]) -> int:
    """Run the property tests of these paths; the exit status is pytest's."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks explore", description="Property tests, fresh seeds.")
    parser.add_argument("paths", nargs="*", default=["tests"], metavar="PATH", help="only the tests in these files")
    parser.add_argument("--seed", type=int, help="of an earlier run, to repeat it (default: a fresh one)")
    parser.add_argument("--times", type=int, default=TIMES, help=f"how many examples, times the usual ({TIMES})")
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"begin no test after them ({MINUTES:g})")
    parser.add_argument("--workers", default="auto", metavar="NUMBER", help="processes (one for each core)")
    asked = parser.parse_args(words)
    seed = secrets.randbelow(1 << 32) if asked.seed is None else asked.seed
    again = f"python -m benchmarks explore --seed {seed} --times {asked.times} {' '.join(asked.paths)}"
    print(f"seed {seed}. To try the same again: {again}", flush=True)
    ends = time.time() + 60 * asked.minutes
    command = [sys.executable, "-m", "pytest", "-p", "benchmarks.explore", "-m", "hypothesis", "-n", asked.workers]
    command += ["--hypothesis-profile=explore", f"--hypothesis-seed={seed}", "-p", "no:cacheprovider"]
    ended = subprocess.run([*command, f"--explore-times={asked.times}", f"--explore-until={ends}", *asked.paths])
    print(f"seed {seed}. To try the same again: {again}", flush=True)
    return ended.returncode


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--explore-times", type=int, default=1)
    parser.addoption("--explore-until", type=float, default=float("inf"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """So many times the examples, also where a test says a number of its own; files in the order of the seed."""
    times, order = config.getoption("--explore-times"), random.Random(config.getoption("--hypothesis-seed"))
    place = {path: order.random() for path in dict.fromkeys(item.path for item in items)}
    items.sort(key=lambda item: place[item.path])
    for test in {item.obj: None for item in items if isinstance(item, pytest.Function)}:
        machine = getattr(test, "_hypothesis_state_machine_class", None)
        if machine is not None:
            machine.TestCase.settings = _more(machine.TestCase.settings, times)
        elif hasattr(test, "hypothesis"):
            function = getattr(test, "__func__", test)
            function._hypothesis_internal_use_settings = _more(function._hypothesis_internal_use_settings, times)


def _more(usual: settings, times: int) -> settings:
    return settings(usual, max_examples=usual.max_examples * times)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.time() > item.config.getoption("--explore-until"):
        pytest.skip(NOT_REACHED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Behind each failure what to add to the test."""
    report = yield
    examples = [each for note in _notes(call.excinfo.value) for each in as_decorators(note)] if call.excinfo else []
    report.sections += [(TO_ADD, each) for each in dict.fromkeys(examples)]
    return report


def _notes(error: BaseException) -> list[str]:
    """What hypothesis says of the error, and of each where there are several."""
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return [*getattr(error, "__notes__", ()), *(note for each in inner for note in _notes(each))]


def as_decorators(note: str) -> list[str]:
    r"""The example that hypothesis tells, as it stands above a test; what is drawn within a test cannot stand there.

    >>> as_decorators("Failing test case: test_keys(\n    names=['2', ':'],\n)")
    ["@example(\n    names=['2', ':'],\n)"]
    >>> as_decorators("Failing test case: test_keys(\n    data=data(...),\n)")
    []
    """
    found = re.findall(r"^(?:Failing test case|Falsifying example): \w+(\(.*?^\))", note, re.M | re.S)
    return [f"@example{each}" for each in found if "data(...)" not in each]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    late = [each for each in terminalreporter.getreports("skipped") if NOT_REACHED in str(each.longrepr)]
    if late:
        terminalreporter.write_line(f"{len(late)} property tests were not reached: give more --minutes")
