"""What every part of a project shares: the lock of its state, and the one that writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import Any

from rankscope.workbench.store.writer import Writer


class ProjectPart(ABC):
    """Some of what can be done with a project; `Project` is all of it."""

    lock: AbstractContextManager[Any]

    @property
    @abstractmethod
    def writer(self) -> Writer:
        """The one that writes; `Unavailable` where the project is only read."""
