"""Where packages stood before version 1.1: their names are found where they are now, with a DeprecationWarning."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader  # importing it takes milliseconds
    from types import ModuleType

PACKAGES = {  # former address: the address now, both below rankscope
    "adapters": "commands.adapters",
    "collections": "inputs.collections",
    "curves": "analysis",
    "evaluation": "measures.evaluation",
    "forecast": "analysis",
    "fusion": "measures.fusion.method",
    "gathering": "engines.crawler",
    "graphs": "reports.graphs",
    "pipeline": "analysis.pipeline",
    "running": "core.runners",
    "scale": "ranks.parts",
    "sampling": "analysis",
    "statistics": "analysis",
}
MODULES = {  # modules that people and pages of ours named
    "adapters.metrics": "reports.trackers",
    "errors": "core.errors",
    "engines.text.analysis": "engines.text.analysers",
    "engines.text.expansion": "engines.text.expansions",
    "engines.text.query": "engines.text.queries",
    "evaluation.relevance_evaluator": "measures.evaluation.relevance_evaluator",
    "sampling.pools": "analysis.sampling.pools",
    "sampling.quantities": "analysis.sampling.quantities",
    "scale.rows": "ranks.storage",
    "settings": "core.settings",
}
NAMES = {  # names that are called otherwise now, or stand apart from the others
    "collections.ALL": "inputs.collections.collection:COLLECTION_ENTRIES",
    "engines.text.query.Language": "engines.text.query_parser:Language",
    "engines.text.query.parse_query": "engines.text.query_parser:parse_query",
    "engines.text.query.walk": "engines.text.queries:walk_query",
    "fusion.ALL": "measures.fusion.method:METHODS",
    "fusion.GROUP": "measures.fusion.method:FUSION_GROUP",
    "sampling.pools.ALL": "analysis.sampling.pools:POOL_TYPES",
    "sampling.pools.GROUP": "analysis.sampling.pools:POOL_GROUP",
    "fusion.Candidates": "measures.fusion.candidates:Candidates",
    "forecast.ALL": "analysis.forecast.models:ALL",
    "statistics.ALL": "analysis.statistics.named_tests:TABLE_TESTS.own()",
}


def install() -> None:
    """Let imports of former addresses find what stands elsewhere now."""
    if not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.append(_Finder())


class _Finder:
    """Asked when nothing stands at an address."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        root, _, former = fullname.partition(".")
        if root != "rankscope":
            return None
        if former in PACKAGES or former in MODULES or former.startswith("adapters."):
            return ModuleSpec(fullname, cast("Loader", _Loader(former)), is_package=former in PACKAGES)
        return None


class _Loader:
    """Makes a module that answers for another."""

    def __init__(self, former: str) -> None:
        self.former = former

    def create_module(self, spec: ModuleSpec) -> None:
        """Make an ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module a `__getattr__` that looks where things stand now."""
        former = self.former
        now = MODULES.get(former) or PACKAGES.get(former) or f"commands.{former}"

        def find(name: str) -> Any:
            import warnings
            from operator import attrgetter

            if name.startswith("__"):
                raise AttributeError(name)
            place, _, attribute = NAMES.get(f"{former}.{name}", f"{now}:{name}").partition(":")
            found = attrgetter(attribute.removesuffix("()"))(import_module(f"rankscope.{place}"))
            found = found() if attribute.endswith("()") else found
            warnings.warn(
                f"rankscope.{former}.{name} stands in rankscope.{place} now", DeprecationWarning, stacklevel=2
            )
            return found

        module.__getattr__ = find  # type: ignore[method-assign]
        module.__doc__ = f"The former address of rankscope.{now}."
