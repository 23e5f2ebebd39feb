"""Results can be kept, copied and sent to other processes, and several threads may make them at once."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import rankscope
from rankscope.core.display import Tabular
from tests.commands.results import BAD, GOOD, QRELS, RESULTS, of


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_survives_every_pickle_and_copy(name: str) -> None:
    result = of(name)
    copies = [pickle.loads(pickle.dumps(result, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for each in (*copies, copy.copy(result), copy.deepcopy(result)):
        assert type(each) is type(result)
        assert repr(each) == repr(result)
        assert each._repr_html_() == result._repr_html_()
        if isinstance(result, Tabular):
            assert each.to_polars().equals(result.to_polars())


def work(seed: int) -> tuple[Any, ...]:
    """What people do in one go: measures and kinds that nobody has loaded yet are loaded by whoever is first."""
    measures = ["AP", "RBP", "ERR@10", "bpref", f"nDCG@{seed + 3}"]
    scores = rankscope.evaluate(QRELS, {"old": BAD, "new": GOOD}, measures, seed=seed)
    compared = rankscope.compare(scores, resamples=200)
    graph = rankscope.graph("band", scores)
    return scores.to_polars(), compared.to_polars(), compared.to_markdown(), repr(scores), graph._repr_html_()


@pytest.mark.thorough
def test_threads_give_what_one_gives_after_the_other() -> None:
    expected = [work(seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(work, range(6)))
    for one, other in zip(results, expected, strict=True):
        assert one[0].equals(other[0])
        assert one[1].equals(other[1])
        assert one[2:] == other[2:]


FIRST_IN_THREADS = """
from concurrent.futures import ThreadPoolExecutor
from tests.commands.test_travelling_results import work
with ThreadPoolExecutor(4) as pool:
    at_once = [each[2] for each in pool.map(work, [1] * 4)]
assert at_once == [work(1)[2]] * 4
"""


@pytest.mark.thorough
def test_threads_may_be_the_first_to_load_everything() -> None:
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", FIRST_IN_THREADS], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
