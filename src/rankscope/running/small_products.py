"""Small matrix products on one core: others that wait for the next product are busy meanwhile, and gain nothing."""

from __future__ import annotations

import os
import sys

THREADS_OF_PRODUCTS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def products_on_one_core() -> None:
    """Matrix products use one core from here on, where numpy is not loaded yet; what the user has set stays.

    For commands whose products are small: with two cores a report takes 60 % more processor time, and no less of the
    user's.
    """
    if "numpy" not in sys.modules:
        for name in THREADS_OF_PRODUCTS:
            os.environ.setdefault(name, "1")
