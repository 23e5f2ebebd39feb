"""Text: analysis, an index on disk, Lucene's query language, and rankings under many similarities.

>>> from rankscope.engines.text import Index
>>> index = Index.build([{"id": "a", "body": "The quick fox"}, {"id": "b", "body": "Quick foxes and a dog"}])
>>> index.search('"quick fox" -dog').ids.to_list()
['a']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankscope.engines.text.hits import Hits
    from rankscope.engines.text.text_index import Index

_PLACES = {"Hits": "hits", "Index": "text_index"}

__all__ = ["Hits", "Index"]


def __getattr__(name: str) -> Any:
    """A name that is loaded when it is used."""
    from importlib import import_module

    if name in _PLACES:
        return getattr(import_module(f"rankscope.engines.text.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'rankscope.engines.text' has no attribute '{name}'")
