"""ranx: its Run and Qrels into ours and back."""

from __future__ import annotations

from typing import Any

from rankscope.core.caching import import_extra
from rankscope.inputs.formats.registry import refuse_duplicates
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run


def from_run(run: Any, name: str = "") -> Run:
    """A ranx Run as ours, under its own name unless another is given."""
    return Run.of(run, name=name)


def from_qrels(qrels: Any) -> Qrels:
    """The judgements of a ranx Qrels."""
    return Qrels.of(qrels)


def to_run(run: Any, name: str = "") -> Any:
    """A ranx Run from whatever we read as a run. Queries without results are left out, which ranx cannot hold.

    >>> to_run({"q1": ["a", "b"]}, name="mine").to_dict()["q1"]
    {'a': 0.0, 'b': -1.0}
    """
    package = import_extra("ranx", "ranx", "peers")
    given = Run.of(run, name=name)
    table = given.table()
    refuse_duplicates(table, given.place, "ranx")
    nested = given.to_dict()
    return package.Run(nested or None, name=name or given.name)


def to_qrels(qrels: Any) -> Any:
    """A ranx Qrels from whatever we read as judgements; its grades are whole numbers, fractions are refused.

    >>> to_qrels({"q1": {"a": 2, "b": 0}}).to_dict()["q1"]
    {'a': 2, 'b': 0}
    """
    package = import_extra("ranx", "ranx", "peers")
    given = Qrels.of(qrels)
    given.need_whole_grades("ranx")
    refuse_duplicates(given.table, given.name, "ranx")
    return package.Qrels(given.to_dict() or None)
