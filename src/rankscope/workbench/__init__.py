"""The judging workbench: projects, their journal, pools and assignment, and the services and pages over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankscope.workbench.project import Project

__all__ = ["Project"]


def __getattr__(name: str) -> Any:
    """What is public, loaded when it is used."""
    if name == "Project":
        from rankscope.workbench.project import Project

        return Project
    raise AttributeError(f"module 'rankscope.workbench' has no attribute '{name}'")
