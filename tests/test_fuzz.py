"""Two thousand mangled files: a result or a RankscopeError, nothing else. A hundred thousand in make bench."""

from __future__ import annotations

import pytest

from benchmarks.fuzz import fuzz


@pytest.mark.parametrize("seed", range(4))
def test_a_mangled_file_gives_a_result_or_a_clear_error(seed: int) -> None:
    came = fuzz(500, seed=1000 + seed)
    assert came.total() == 500
    assert set(came) == {"result", "clear error"}
