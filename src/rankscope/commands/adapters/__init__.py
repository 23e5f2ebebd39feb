"""From other libraries and back again, one module a library, loaded when it is named; none imports its library unasked.

`from_...` gives what rankscope works with, `to_...` what the other library works with. Everything that takes judgements
and runs takes most of these objects as they are: `rankscope.evaluate(ranx_qrels, ranx_run)`.

>>> from rankscope.commands import adapters
>>> adapters.beir.evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, [1, 10])[0]
{'NDCG@1': 0.0, 'NDCG@10': 0.63093}
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankscope.commands.adapters import beir as beir
    from rankscope.commands.adapters import hugging_face as hugging_face
    from rankscope.commands.adapters import ir_datasets as ir_datasets
    from rankscope.commands.adapters import langchain as langchain
    from rankscope.commands.adapters import llama_index as llama_index
    from rankscope.commands.adapters import mteb as mteb
    from rankscope.commands.adapters import pyterrier as pyterrier
    from rankscope.commands.adapters import ranx as ranx
    from rankscope.commands.adapters import sklearn as sklearn
    from rankscope.reports import trackers as metrics

__all__ = [
    "beir",
    "hugging_face",
    "ir_datasets",
    "langchain",
    "llama_index",
    "metrics",
    "mteb",
    "pyterrier",
    "ranx",
    "sklearn",
]


def __getattr__(name: str) -> Any:
    if name == "metrics":
        return importlib.import_module("rankscope.reports.trackers")
    if name in __all__:
        return importlib.import_module(f"rankscope.commands.adapters.{name}")
    raise AttributeError(
        f"module 'rankscope.commands.adapters' has no attribute '{name}'. It has: {', '.join(__all__)}"
    )


def __dir__() -> list[str]:
    return list(__all__)
