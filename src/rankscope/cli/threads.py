"""How many threads the libraries behind numpy make, which they decide when they are loaded."""

from __future__ import annotations

import os
import sys

OF_MATRICES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
OF_TABLES = ("POLARS_MAX_THREADS",)


def limit_threads(count: int, *names: str) -> None:
    """Let them make so many, unless the environment says another number, or numpy is loaded already.

    Starting threads that have nothing to do takes a third of the processor time of a small evaluation.
    """
    if "numpy" not in sys.modules:
        for name in names or OF_MATRICES:
            os.environ.setdefault(name, str(count))
