"""The judging workbench: projects, their journal, pools and assignment, and the services and pages over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankscope.core.caching import need_extras

if TYPE_CHECKING:
    from rankscope.workbench.project import Project

__all__ = ["Project"]


def find_names(package: str, modules: Mapping[str, str], extras: tuple[str, ...] = ()) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names, each in its module, are loaded when they are used."""

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        need_extras(*extras)
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return find


__getattr__ = find_names(__name__, {"Project": "project"})
