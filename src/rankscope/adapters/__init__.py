"""From other libraries and back again, one module a library, loaded when it is named; none imports its library unasked.

`from_...` gives what rankscope works with, `to_...` what the other library works with. Everything that takes judgements
and runs takes most of these objects as they are: `rankscope.evaluate(ranx_qrels, ranx_run)`.

>>> from rankscope import adapters
>>> adapters.beir.evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, [1, 10])[0]
{'NDCG@1': 0.0, 'NDCG@10': 0.63093}
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankscope.adapters import beir as beir
    from rankscope.adapters import hugging_face as hugging_face
    from rankscope.adapters import ir_datasets as ir_datasets
    from rankscope.adapters import langchain as langchain
    from rankscope.adapters import llama_index as llama_index
    from rankscope.adapters import metrics as metrics
    from rankscope.adapters import mteb as mteb
    from rankscope.adapters import pyterrier as pyterrier
    from rankscope.adapters import ranx as ranx
    from rankscope.adapters import sklearn as sklearn

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
    if name in __all__:
        return importlib.import_module(f"rankscope.adapters.{name}")
    raise AttributeError(f"module 'rankscope.adapters' has no attribute '{name}'. It has: {', '.join(__all__)}")


def __dir__() -> list[str]:
    return list(__all__)
