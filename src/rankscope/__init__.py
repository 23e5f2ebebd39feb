"""How good is a ranked retrieval system, really?

>>> import rankscope
>>> scores = rankscope.evaluate({"q1": {"a": 1, "b": 0}}, {"q1": {"b": 2.0, "a": 1.0}}, ["AP", "nDCG@10"])
>>> round(scores["AP"], 4), round(scores["nDCG@10"], 4)
(0.5, 0.6309)

Names load when they are used, so that importing rankscope costs nothing. The packages behind them are reached as
`rankscope.measures`, `rankscope.analysis`, ...; `from rankscope import *` leaves them out.
"""

from __future__ import annotations

from typing import Any

from rankscope import moved
from rankscope.core.stubs import attach_stub
from rankscope.version import __version__ as __version__

FLOW = (  # in the order of the flow: each imports only from itself and from those before it
    "core",
    "inputs",
    "ranks",
    "measures",
    "analysis",
    "engines",
    "feedback",
    "reports",
    "workbench",
    "commands",
)

find_name, __dir__, __all__ = attach_stub(__name__, __file__)
moved.install()


def __getattr__(name: str) -> Any:
    if name in moved.PACKAGES:
        from importlib import import_module

        return import_module(f"rankscope.{name}")
    value = globals()[name] = find_name(name)  # found at once from now on
    return value
