"""How long benchmarks run: in full, or short to see that they work.

    RANKSCOPE_BENCH=short python -m benchmarks workbench

prints what it would write, and leaves docs/performance.md as it is.
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
IS_SHORT = os.environ.get("RANKSCOPE_BENCH") == "short"


def length(full: T, short: T) -> T:
    """The number that counts, or a small one."""
    return short if IS_SHORT else full
