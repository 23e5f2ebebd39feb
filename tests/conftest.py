"""What all tests share: how many examples a property is tried on, and which cases of a cross product run when.

`make test` leaves out what is marked thorough and tries each property on a quarter of its examples. `make test-all`
goes on with what is thorough, and with the properties on all of their examples. Pytest without -m tries everything.

Examples of a property are the same every time, on every machine: they derive from the source of its test, none is
kept in a folder, and nothing is a fault only because a machine is slow. `--hypothesis-profile=explore`, which
`python -m benchmarks explore` uses, draws fresh ones.
"""

from __future__ import annotations

import gc
import random
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "rankscope", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("rankscope"), derandomize=False, print_blob=True)
settings.load_profile("rankscope")

FEW = 10  # examples that are tried anyway


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the cases of a test marked `sampled(n)` all are thorough but n, drawn by the name of the test."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for name, each in cases.items():
        wanted = next(mark.args[0] for mark in each[0].iter_markers("sampled"))
        for item in set(each) - set(random.Random(name).sample(each, min(wanted, len(each)))):
            item.add_marker("thorough")
    tried = properties(items)
    for test, chosen in tried.items() if config.option.markexpr == "not thorough" else ():
        test._hypothesis_internal_use_settings = settings(chosen, max_examples=max(FEW, chosen.max_examples // 4))
    for item in items if config.option.markexpr == "thorough" else ():
        if getattr(item, "obj", None) in tried:
            item.add_marker("thorough")


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not walk over it a thousand times."""
    gc.collect()
    gc.freeze()


def properties(items: list[pytest.Item]) -> dict[Any, settings]:
    """Tests of more than a few examples; hypothesis keeps what `@settings` chose at the function."""
    tests = {getattr(item, "obj", None) for item in items}
    chosen = {test: getattr(test, "_hypothesis_internal_use_settings", None) for test in tests}
    return {test: each for test, each in chosen.items() if each is not None and each.max_examples > FEW}
